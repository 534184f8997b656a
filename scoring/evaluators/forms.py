from __future__ import annotations

import codecs

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile

from evalapp.limits import forms as storable_forms
from evalapp.limits.uploads import too_large
from scoring.drawing.words import sentence
from scoring.metrics import ctrleval_tables

AREA = {"spellcheck": "false", "wrap": "off", "class": "code"}
PROMPTS_HELP = (
    "One per line. Each has <gen_result> once, where the text goes, and <mask_token>"
    " once, for the word that the model is to fill in. It may have <prefix> and"
    " <source>, too."
)
PATTERNS_HELP = (
    "One per line: what the model reads, then =>, then what fills the gap. What it"
    " reads has <mask_token> once. For example: Keywords: <mask_token>. <gen_result> =>"
    " <control>"
)
CONTROL_HELP = (
    "The name of what <control> stands for, such as keywords. Its value comes from a"
    " part “keywords: boat, storm” of the text’s label (separate parts with ;) or from"
    " such a line in its source. If you leave this empty, <control> is the whole label."
)
WORDS_HELP = (
    "The first line names the labels of the texts. Each further line has one word for"
    " each label, in the same order. Separate them with commas or tabs."
)


NAME_HELP = "Letters, digits, - and _."
JSON_HELP = (
    'With one table or several: {"mood": {"labels": ["sad", "glad"], "prompts":'
    ' ["<gen_result> I am <mask_token>."], "words": [["unhappy", "happy"]]}}'
)


class EvaluatorsForm(storable_forms.Form):
    """Prompts and words for labels, as people write them; `table` when it is valid."""

    name = forms.CharField(max_length=64, help_text=NAME_HELP)
    prompts = forms.CharField(
        help_text=PROMPTS_HELP,
        widget=forms.Textarea(attrs={**AREA, "rows": 8}),
    )
    verbalizers = forms.CharField(
        label="Labels and words",
        help_text=WORDS_HELP,
        widget=forms.Textarea(attrs={**AREA, "rows": 5}),
    )
    table: ctrleval_tables.Table

    def clean_name(self) -> str:
        return _usable(self.cleaned_data["name"])

    def clean(self) -> dict[str, object]:
        cleaned = super().clean()
        if {"prompts", "verbalizers"} <= set(cleaned):
            try:
                self.table = ctrleval_tables.table_from_files(
                    cleaned["prompts"], with_tabs(cleaned["verbalizers"])
                )
            except ctrleval_tables.TableError as error:
                for problem in error.problems:
                    about = "prompts" if problem.startswith("prompt") else "verbalizers"
                    self.add_error(about, sentence(problem))
        return cleaned


class PatternsForm(storable_forms.Form):
    """Patterns with two free sides, as people write them; `table` when valid."""

    name = forms.CharField(
        max_length=50,
        help_text=f"{NAME_HELP} If you ask people to rate an aspect with the same key,"
        " pages compare the two.",
    )
    control = forms.CharField(max_length=100, required=False, help_text=CONTROL_HELP)
    patterns = forms.CharField(
        help_text=PATTERNS_HELP,
        widget=forms.Textarea(attrs={**AREA, "rows": 8}),
    )
    table: ctrleval_tables.Patterns

    def clean_name(self) -> str:
        return _usable(self.cleaned_data["name"])

    def clean(self) -> dict[str, object]:
        cleaned = super().clean()
        if {"control", "patterns"} <= set(cleaned):
            try:
                self.table = ctrleval_tables.patterns_from_lines(
                    cleaned["control"], cleaned["patterns"]
                )
            except ctrleval_tables.TableError as error:
                for problem in error.problems:
                    about = "patterns" if problem.startswith("pattern") else "control"
                    self.add_error(about, sentence(problem))
        return cleaned


class _Files(storable_forms.Form):
    """Files as text. Which are missing is said unless the request was too large."""

    def __init__(self, *args, upload_refused: bool = False, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            if upload_refused and isinstance(field, forms.FileField):
                field.error_messages["required"] = too_large()


class FilesForm(_Files):
    """Two files as the authors of CTRLEval have them; `table` when they are valid."""

    name = forms.CharField(max_length=64, help_text=NAME_HELP)
    prompts = forms.FileField(label="File of prompts", help_text=PROMPTS_HELP)
    verbalizers = forms.FileField(
        label="File of labels and words", help_text=WORDS_HELP
    )

    def clean_prompts(self) -> str:
        return _text_of(self.cleaned_data["prompts"])

    def clean_verbalizers(self) -> str:
        return with_tabs(_text_of(self.cleaned_data["verbalizers"]))


class JsonForm(_Files):
    """Any number of tables in one file."""

    json = forms.FileField(label="JSON file", help_text=JSON_HELP)

    def clean_json(self) -> str:
        return _text_of(self.cleaned_data["json"])


def written(
    name: str, table: ctrleval_tables.Table | ctrleval_tables.Patterns
) -> dict[str, str]:
    """A table as the form shows it."""
    if isinstance(table, ctrleval_tables.Patterns):
        lines = [f"{read} => {fills}" for read, fills in table.patterns]
        return {"name": name, "control": table.control, "patterns": "\n".join(lines)}
    rows = [table.labels, *table.words]
    return {
        "name": name,
        "prompts": "\n".join(table.prompts),
        "verbalizers": "\n".join(", ".join(row) for row in rows),
    }


def with_tabs(rows: str) -> str:
    """Rows with tabs between words. Browsers cannot type tabs, so commas count too.

    Where there is a tab already, a comma is part of a word.
    """
    if "\t" in rows:
        return rows
    lines = (line.split(",") for line in rows.splitlines())
    return "\n".join("\t".join(word.strip() for word in line) for line in lines)


def _usable(name: str) -> str:
    if problem := ctrleval_tables.problem_of_name(name):
        raise ValidationError(sentence(problem))
    return name


def _text_of(file: UploadedFile) -> str:
    try:
        return file.read().removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError:
        raise ValidationError(
            f"{file.name} is not UTF-8 text. Save it as plain text in UTF-8."
        ) from None
