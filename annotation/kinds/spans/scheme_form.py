"""What the researcher sets: which errors can be marked, and what they weigh."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from django import forms

from annotation.kinds.spans import schemes, score_question
from annotation.kinds.spans.marks import MOST
from annotation.kinds.spans.models import SpanScheme
from annotation.kinds.spans.scheme import (
    COLOURS,
    OPTIONS,
    PRESETS,
    Scheme,
    SchemeError,
    check,
)
from annotation.kinds.spans.scheme_lines import Lines, in_words, read, written
from annotation.models import Study
from evalapp.limits import forms as storable_forms

OWN = ""
CHOICES = [(key, schemes.TITLES[key]) for key in (*PRESETS, OWN)]


class SchemeForm(storable_forms.Form):
    template: ClassVar[str] = "annotation/kinds/spans/scheme_form.html"

    preset = forms.ChoiceField(
        label="Errors", choices=CHOICES, required=False, widget=forms.RadioSelect
    )
    score = forms.BooleanField(
        label="With ESA: ask for a score from 0 to 100 first",
        required=False,
        help_text="Adds the question “Overall, how good is this text?” with a slider."
        " Other questions stay: remove them on “Questions and pay”. With another list"
        " of errors, add such a question there.",
    )
    categories = forms.CharField(
        label="Categories",
        required=False,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text="One on each line. A colour may follow a comma:"
        f" {', '.join(COLOURS)}. A weight may follow “=”: a text with such an error"
        " gets this weight, whatever else is marked. What it means, for workers, may"
        " follow a colon: Number, red: A number is wrong. Without lines there are no"
        " categories.",
    )
    severities = forms.CharField(
        label="Severities",
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="One on each line, the mildest first, with its weight: Minor = 1."
        " What it means may follow a colon. Without lines each error weighs 1.",
    )
    weights = forms.CharField(
        label="Other weights",
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Of a category at one severity, one on each line: Punctuation, Minor"
        " = 0.1.",
    )
    most = forms.IntegerField(
        label="Most marks in a text",
        required=False,
        min_value=1,
        max_value=MOST,
        help_text=f"Leave empty for that of the list you chose, or {MOST}.",
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
        preset = row.preset if row else schemes.DEFAULT
        scheme = schemes.of_study(study)
        usual = PRESETS.get(preset, Scheme()).most
        self.has_score = score_question.is_asked(study)
        super().__init__(
            data if data and "spans-preset" in data else None,
            prefix="spans",
            initial={
                "preset": preset,
                "score": self.has_score or row is None,
                **written(scheme)._asdict(),
                **{name: getattr(scheme, name) for name in OPTIONS},
                "most": None if scheme.most == usual else scheme.most,
            },
        )
        self.fields["score"].disabled = self.has_score

    @property
    def choices(self) -> list[tuple[Any, list[str]]]:
        """The radio button of each list, with what it holds."""
        presets = [in_words(scheme) for scheme in PRESETS.values()]
        return list(zip(self["preset"], [*presets, []], strict=True))

    @property
    def has_own_list(self) -> bool:
        return self["preset"].value() == OWN or any(
            name in self.errors for name in Lines._fields
        )

    @property
    def lists(self) -> list[forms.BoundField]:
        return [self[name] for name in Lines._fields]

    @property
    def others(self) -> list[forms.BoundField]:
        apart = {"preset", *Lines._fields}
        return [bound for bound in self if bound.name not in apart]

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
        if not self.is_bound:
            return
        schemes.keep(self.study, self.scheme, self.cleaned_data["preset"])
        wants_score = self.cleaned_data["score"] and not self.has_score
        if wants_score and self.cleaned_data["preset"] == schemes.DEFAULT:
            score_question.add(self.study)

    def _scheme(self, cleaned: Mapping[str, Any]) -> Scheme:
        options = {name: cleaned[name] for name in OPTIONS}
        scheme = PRESETS.get(cleaned["preset"])
        if scheme is None:
            scheme = read(Lines(*(cleaned[name] for name in Lines._fields)))
        most = options.pop("most") or scheme.most
        return replace(scheme, **options, most=most)
