"""Which judge is tried, with which question, on how many texts."""

from __future__ import annotations

import json
from typing import Any

from django import forms

from annotation.models import Study
from evalapp.limits import forms as storable_forms
from scoring.judging import anchors, stress, stress_test, text_sample
from scoring.judging.forms.limits import judges
from scoring.judging.text_sample import in_general
from scoring.judging.trial_judge import with_defaults
from scoring.stats.anchors import LOOKS

MODES = [
    ("answer", "One answer at temperature 0"),
    ("samples", "The mean of several answers at temperature 1"),
    ("logprobs", "Probabilities of the numbers"),
    ("form", "One answer with its reason, following a schema"),
]
USUAL_SAMPLES = 5
TRIED = [
    key for key in stress_test.EXPERIMENTS if key != stress_test.REPEAT
]  # that is always done


class _JudgeForm(storable_forms.Form):
    """What both have."""

    model = forms.ChoiceField(label="Judge")
    question = forms.ChoiceField(
        label="Question", help_text="The judge gets the same question as people."
    )
    texts = forms.IntegerField(label="Texts")
    mode = forms.ChoiceField(
        label="How answers are read",
        choices=MODES,
        help_text="Not every server supports probabilities or schemas.",
    )
    samples = forms.IntegerField(
        label="Answers for each text, if there are several",
        initial=USUAL_SAMPLES,
        min_value=2,
        max_value=100,
    )

    def __init__(self, study: Study, data: Any = None) -> None:
        super().__init__(data)
        self.study = study
        self.known = {row["key"]: row for row in text_sample.questions(study)}
        self.fields["model"].choices = judges()
        self.fields["question"].choices = [
            (key, f"{in_general(row['question'])} ({row['low']} to {row['high']})")
            for key, row in self.known.items()
        ]

    def options(self) -> dict[str, Any]:
        """Of the metric llm_judge; call it on a valid form."""
        names = ("model", "mode", "samples")
        question = self.known[self.cleaned_data["question"]]
        aspects = json.dumps([question], ensure_ascii=False)
        return with_defaults(
            **{n: self.cleaned_data[n] for n in names}, aspects=aspects
        )

    def _bounds(self, least: int, most: int, initial: int) -> None:
        field, n_texts = self.fields["texts"], self.study.generations.count()
        field.min_value, field.max_value = least, most
        field.validators = [
            forms.fields.validators.MinValueValidator(least),
            forms.fields.validators.MaxValueValidator(most),
        ]
        field.widget.attrs |= {"min": least, "max": most}
        field.initial = max(least, min(initial, n_texts))


class StressForm(_JudgeForm):
    """A stress lab."""

    experiments = forms.MultipleChoiceField(
        label="Tests",
        widget=forms.CheckboxSelectMultiple,
        choices=[(key, stress_test.TITLES[key]) for key in TRIED],
        initial=TRIED,
        required=False,
        help_text="Each question is also asked twice, so that a judge’s random changes"
        " of mind are not mistaken for an effect of what you test.",
    )
    family = forms.MultipleChoiceField(
        label="Systems of the judge’s own family",
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text="Systems that use the same model as the judge, or one of the same"
        " maker. You learn whether the judge favours them, compared with people.",
    )

    def __init__(self, study: Study, data: Any = None) -> None:
        super().__init__(study, data)
        self._bounds(stress.FEWEST, stress.MOST, stress.USUAL)
        self.fields["texts"].help_text = (
            f"{stress.FEWEST} to {stress.MOST}, drawn by the study’s seed. Each text is"
            " asked about up to nine times."
        )
        names = list(study.systems.values_list("name", flat=True))
        self.fields["family"].choices = [(name, name) for name in names]
        if not names:
            del self.fields["family"]

    def setup(self) -> dict[str, Any]:
        """Of the trial; call it on a valid form."""
        chosen = self.cleaned_data
        setup = {name: chosen[name] for name in ("question", "texts", "experiments")}
        return {**setup, "family": chosen.get("family", [])}


class AnchorsForm(_JudgeForm):
    """A new set of anchors."""

    looks = forms.IntegerField(
        label="Planned repeats",
        initial=LOOKS,
        min_value=1,
        max_value=anchors.MOST_LOOKS,
        help_text="How many times the judge can be asked again: 12 for monthly rounds."
        " The more repeats you plan, the larger a change must be to be found.",
    )

    def __init__(self, study: Study, data: Any = None) -> None:
        super().__init__(study, data)
        self._bounds(anchors.FEWEST, anchors.MOST, anchors.USUAL)
        self.fields["texts"].label = "Anchors"
        self.fields["texts"].help_text = (
            f"{anchors.FEWEST} to {anchors.MOST} texts, those with ratings first. With"
            " 200, a change of 0.2 points is found at once in 19 of 20 cases, if two"
            " answers about a text differ by 0.6 points (standard deviation)."
        )
