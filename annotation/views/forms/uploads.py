from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotation import assistant, imports, studies
from annotation.models import Upload
from annotation.models.studies import languages
from evalapp.limits import forms as storable_forms

SHOWN_COLUMNS = 200  # two fields each: a request may have 1,000
MOST_QUESTIONS = 20
NO_ANSWER = "none"
AGAIN = (
    ("text", "Another text with the same words"),
    ("first", "The same text: the first rating counts"),
)
DECIMALS = (("comma", "A decimal comma: 1,234 is 1.234"), ("point", "1,234 is 1234"))
NOT_SLUG = re.compile(r"[^a-z0-9]++")


class AnswerField(forms.CharField):
    """A whole number, or a word that says that there is no answer."""

    def __init__(self, **kwargs: Any) -> None:
        # The questions stand above the form that they are sent with.
        attributes = {"size": 6, "form": "columns", "autocomplete": "off"}
        widget = forms.TextInput(attrs=attributes)
        super().__init__(max_length=10, widget=widget, **kwargs)

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        if imports.is_missing(text):
            return ""
        number = imports.whole(text)
        if number is None or not 0 <= number <= 100:
            raise ValidationError(
                f"Write a whole number from 0 to 100, or “{NO_ANSWER}”."
            )
        return number


class RowsField(forms.TypedChoiceField):
    """Whether the rows in which a column says something count."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            choices=(("", "Leave out"), ("1", "Use")),
            coerce=int,
            empty_value="",
            required=False,
            widget=forms.Select(attrs={"form": "columns"}),
            **kwargs,
        )


class ColumnsForm(storable_forms.Form):
    """What each column of a file is; which sheet, and which encoding."""

    preset = forms.ChoiceField(
        label="Ready mapping",
        required=False,
        help_text="For files that many people have.",
    )
    sheet = forms.ChoiceField(required=False)
    encoding = forms.ChoiceField(
        required=False,
        help_text="How its characters are written. Change it if accents look wrong.",
    )
    cut = forms.IntegerField(
        label="Words to keep of each text",
        required=False,
        min_value=1,
        max_value=10_000,
        help_text="Empty: all. With a number, an unfinished last sentence is dropped"
        " too.",
    )

    def __init__(
        self,
        *args: Any,
        look: assistant.Look,
        encoding: Any = "",
        report: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.look = look
        self._asked = list((report or {}).get("asked", ()))[:MOST_QUESTIONS]
        self._add_questions((report or {}).get("values", {}))
        self.fields["preset"].choices = [("", "None: my own columns")] + [
            (name, preset.title)
            for name, preset in imports.PRESETS.items()
            if preset.mapping or preset.unfold
        ]
        self.fields["preset"].initial = look.preset
        sheets = [(name, name) for name in look.sheets]
        self.fields["sheet"].choices = [("", "As recognised"), *sheets]
        self.fields["sheet"].initial = look.sheet
        if len(look.sheets) < 2:
            del self.fields["sheet"]
        chosen = look.encoding or str(encoding or "")
        self.fields["encoding"].choices = list(imports.ENCODINGS.items())
        self.fields["encoding"].initial = chosen
        if not chosen:
            del self.fields["encoding"]
        for column in look.columns[:SHOWN_COLUMNS]:
            self._add(column)

    def _add(self, column: Any) -> None:
        self.fields[f"role-{column.number}"] = forms.ChoiceField(
            choices=list(imports.ROLES.items()),
            initial=column.kind,
            label=f"What “{column.name}” is",
        )
        self.fields[f"about-{column.number}"] = forms.CharField(
            max_length=200,
            required=False,
            initial=column.about,
            label=f"Name of what “{column.name}” rates or scores",
        )

    def _add_questions(self, values: Mapping[str, Mapping[str, Any]]) -> None:
        """Filled in as the file was read: as answered before, else as proposed."""
        for n, question in enumerate(self._asked):
            abouts = question.get("alike") or (question["about"],)
            stands = {w: n for a in abouts for w, n in values.get(a, {}).items()}
            stands = stands or question["table"]
            for m, word in enumerate(question["table"]):
                self.fields[f"answer-{n}-{m}"] = self._answer(
                    question["code"], word, stands.get(word)
                )
            if question["code"] == "decimal":
                self.fields["decimal"] = forms.ChoiceField(
                    choices=DECIMALS,
                    label="What the comma is",
                    initial="comma",
                    widget=forms.Select(attrs={"form": "columns"}),
                )
            if question["code"] == "again":
                self.fields["again"] = forms.ChoiceField(
                    choices=AGAIN,
                    label="What each is",
                    initial="text",
                    widget=forms.Select(attrs={"form": "columns"}),
                )

    def _answer(self, code: str, word: str, number: Any) -> forms.Field:
        if code == "rows":
            return RowsField(label=f"Rows with “{word}”", initial=number)
        return AnswerField(
            label=f"The number of “{word}”",
            initial=NO_ANSWER if number == "" else number,
        )

    def questions(self) -> list[dict[str, Any]]:
        """With their fields, for the page."""
        return [
            {
                **question,
                "rows": [
                    (word, question["counts"].get(word), self[f"answer-{n}-{m}"])
                    for m, word in enumerate(question["table"])
                ],
                "choice": self[question["code"]]
                if question["code"] in ("decimal", "again")
                else None,
            }
            for n, question in enumerate(self._asked)
        ]

    def values(self) -> dict[str, dict[str, int | str]]:
        """What each answer stands for, by aspect."""
        found: dict[str, dict[str, int | str]] = {}
        for n, question in enumerate(self._asked):
            for m, word in enumerate(question["table"]):
                answered = self.cleaned_data[f"answer-{n}-{m}"]
                for about in question.get("alike") or (question["about"],):
                    found.setdefault(about, {})[word] = answered
        return found

    def rows(self) -> list[tuple[Any, Any, Any]]:
        """Columns with their two fields."""
        return [
            (column, self[f"role-{column.number}"], self[f"about-{column.number}"])
            for column in self.look.columns[:SHOWN_COLUMNS]
        ]

    def mapping(self) -> dict[str, str]:
        found = self.look.mapping()
        for column in self.look.columns[:SHOWN_COLUMNS]:
            kind = self.cleaned_data[f"role-{column.number}"]
            about = self.cleaned_data[f"about-{column.number}"].strip()
            named = kind in imports.NAMED
            found[column.name] = f"{kind}:{about or column.name}" if named else kind
        return found

    def choices(self) -> dict[str, Any]:
        """As an upload keeps them. Another sheet, preset or encoding:
        columns are guessed."""
        given = self.cleaned_data
        sheet = given.get("sheet") or ""
        found: dict[str, Any] = {"cut": given["cut"], "preset": given["preset"]}
        if sheet:
            found["sheet"] = sheet
        encoding = given.get("encoding") or ""
        if encoding:
            found["encoding"] = encoding
        if (
            given["preset"] == self.look.preset
            and sheet in ("", self.look.sheet)
            and encoding in ("", self.look.encoding)
        ):
            found |= {"map": self.mapping(), "values": self.values()}
            found["decimal"] = given.get("decimal", "")
            found["again"] = given.get("again", "")
        return found


class MadeForm(storable_forms.Form):
    """The study that a file becomes."""

    name = forms.CharField(max_length=50, help_text="Used in URLs and file names.")
    title = forms.CharField(
        max_length=200,
        required=False,
        help_text='What workers see; never name a system. Empty: "Rate texts".',
    )
    language = forms.ChoiceField(
        label="Language",
        choices=languages,
        initial="en",
        help_text="Of the pages that workers see.",
    )
    ratings_per_text = forms.IntegerField(
        initial=5,
        min_value=1,
        max_value=100,
        help_text="Each from a different person, if people rate here.",
    )
    scale = forms.CharField(
        max_length=7,
        required=False,
        help_text="Empty: the usual scale that all ratings fit.",
        widget=forms.TextInput(attrs={"placeholder": "1-5"}),
    )

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        try:
            studies.check_name(name)
        except studies.StudyError as error:
            raise ValidationError(str(error)) from error
        return name

    def clean_scale(self) -> str:
        scale: str = self.cleaned_data["scale"].replace(" ", "").replace("–", "-")
        try:
            imports.Options.of({"scale": scale})
        except ValueError as error:
            raise ValidationError(str(error)) from error
        return scale


def suggested_name(upload: Upload) -> str:
    """A name for a study, after its file: hanna_stories.csv -> hanna-stories."""
    stem = upload.file_name.rpartition(".")[0] or upload.file_name
    name = NOT_SLUG.sub("-", stem.lower())[:40].strip("-") or "study"
    taken = studies.taken_names(name)
    if name not in taken:
        return name
    return next(f"{name}-{n}" for n in range(2, 10_000) if f"{name}-{n}" not in taken)
