"""What the researcher sets: which errors can be marked, and what they weigh."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django import forms

from annotation.kinds.spans import schemes
from annotation.kinds.spans.marks import MOST
from annotation.kinds.spans.models import SpanScheme
from annotation.kinds.spans.scheme import (
    COLOURS,
    OPTIONS,
    PRESETS,
    Category,
    Scheme,
    SchemeError,
    Severity,
    check,
    key_of,
)
from annotation.models import Study
from evalapp.limits import forms as storable_forms

OWN = ""
CHOICES = [
    ("esa", "ESA: minor and major errors, without categories"),
    ("mqm", "MQM: accuracy, fluency, terminology, style and more"),
    ("facts", "Errors of facts, as in summaries and texts made from data"),
    (OWN, "The lists below"),
]


class SchemeForm(storable_forms.Form):
    preset = forms.ChoiceField(label="Errors", choices=CHOICES, required=False)
    categories = forms.CharField(
        label="Categories",
        required=False,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text="Used with “The lists below”. One on each line. A colour may follow"
        f" a comma: {', '.join(COLOURS)}. What it means, for workers, may follow a"
        " colon: Number, red: A number is wrong. Without lines there are no"
        " categories.",
    )
    severities = forms.CharField(
        label="Severities",
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Used with “The lists below”. One on each line, the mildest first,"
        " with its weight: Minor = 1. What it means may follow a colon. Without lines"
        " each error weighs 1.",
    )
    most = forms.IntegerField(
        label="Most marks in a text",
        required=False,
        min_value=1,
        max_value=MOST,
        help_text=f"Leave empty for {MOST}. MQM allows 5.",
    )
    missing = forms.BooleanField(
        label="Places where something is missing can be marked", required=False
    )
    opening = forms.BooleanField(
        label="The opening that a system was given can be marked", required=False
    )
    source = forms.BooleanField(label="The source can be marked, too", required=False)
    needed_below = forms.IntegerField(
        label="Ask for a mark below",
        required=False,
        min_value=0,
        max_value=100,
        help_text="A text whose answer to the first question is lower needs a mark."
        " Leave empty to ask for none.",
    )
    each = forms.BooleanField(
        label="Compare metrics with each category and severity, too",
        required=False,
        help_text="Otherwise with the sum of the weights alone.",
    )

    def __init__(self, study: Study, data: Mapping[str, Any] | None) -> None:
        self.study = study
        row = SpanScheme.objects.filter(study=study).first()
        scheme = schemes.of_study(study)
        super().__init__(
            data if data and "spans-preset" in data else None,
            prefix="spans",
            initial={
                "preset": row.preset if row else schemes.DEFAULT,
                "categories": _category_lines(scheme),
                "severities": _severity_lines(scheme),
                **{name: getattr(scheme, name) for name in OPTIONS},
            },
        )

    def is_valid(self) -> bool:
        """Where the page of a program says nothing of marks, they stay as they are."""
        return not self.is_bound or super().is_valid()

    def clean(self) -> dict[str, Any]:
        super().clean()
        if not self.errors:
            try:
                self.scheme = self._scheme(self.cleaned_data)
                check(self.scheme)
            except SchemeError as error:
                self.add_error("categories", str(error))
        return self.cleaned_data

    def save(self) -> None:
        if self.is_bound:
            schemes.keep(self.study, self.scheme, self.cleaned_data["preset"])

    def _scheme(self, cleaned: Mapping[str, Any]) -> Scheme:
        options = {name: cleaned[name] for name in OPTIONS}
        if preset := PRESETS.get(cleaned["preset"]):
            return replace(preset, **options)
        return Scheme(
            tuple(map(_category, enumerate(_lines(cleaned["categories"])))),
            tuple(map(_severity, _lines(cleaned["severities"]))),
            **options,
        )


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _category(numbered: tuple[int, str]) -> Category:
    """Of a line such as `Wrong number, red: A number is wrong.`"""
    number, line = numbered
    named, meaning = _apart(line, ":")
    name, _, colour = (part.strip() for part in named.rpartition(","))
    if not name:
        name, colour = named, COLOURS[number % len(COLOURS)]
    return Category(key_of(name), name, colour.lower(), meaning=meaning)


def _severity(line: str) -> Severity:
    """Of a line such as `Minor = 1: The meaning stays clear.`"""
    named, meaning = _apart(line, ":")
    name, weight = _apart(named, "=")
    try:
        return Severity(key_of(name), name, float(weight or 1), meaning)
    except ValueError:
        raise SchemeError(f"Expected a weight such as 5, got “{weight}”.") from None


def _apart(line: str, sign: str) -> tuple[str, str]:
    first, _, rest = line.partition(sign)
    return first.strip(), rest.strip()


def _category_lines(scheme: Scheme) -> str:
    return "\n".join(
        f"{kind.name}, {kind.colour}{_behind(kind)}" for kind in scheme.categories
    )


def _severity_lines(scheme: Scheme) -> str:
    return "\n".join(
        f"{grade.name} = {grade.weight:g}{_behind(grade)}"
        for grade in scheme.severities
    )


def _behind(entry: Category | Severity) -> str:
    return f": {entry.meaning}" if entry.meaning else ""
