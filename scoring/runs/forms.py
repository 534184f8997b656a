from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from django import forms

from annotation.imports.intakes import DIRECTIONS, Direction
from evalapp.limits import forms as storable_forms
from scoring import metrics
from scoring.metrics import OptionField
from scoring.models import Corpus
from scoring.runs.model_fields import (
    add_models,
    chosen_models,
    file_field,
    is_other,
)
from scoring.runs.option_words import beside
from scoring.scores import models_here
from scoring.scores.models_here import ModelHere

LONGEST = 100_000  # characters of an option
CORPUS = "corpus"  # no option of a metric has this name
# What a study brings along for an option that is left empty.
FILLED = {
    "aspects": "what the study asks people",
    "evaluators": "the study's own evaluators, if any",
    "scheme": "what people mark in this study, or minor and major errors",
}


class DirectionsForm(storable_forms.Form):
    """Which way scores from elsewhere are better."""

    def __init__(self, data: Any = None, *, directions: Sequence[Direction]) -> None:
        super().__init__(data)
        self._directions = directions
        for n, one in enumerate(directions):
            self.fields[f"direction-{n}"] = forms.ChoiceField(
                label=one.output,
                choices=[(word, DIRECTIONS[word]) for word in one.allowed],
                initial=one.value,
            )

    def said(self) -> dict[str, str]:
        """By output."""
        return {
            one.output: self.cleaned_data[f"direction-{n}"]
            for n, one in enumerate(self._directions)
        }


class OptionsForm(storable_forms.Form):
    """A field for each option of a metric, as its Options dataclass describes it.

    A metric that takes a corpus has a field for it, too, which is no option.
    """

    def __init__(
        self,
        metric: str,
        data: Any = None,
        *,
        corpora: Iterable[Corpus] = (),
        known: Iterable[ModelHere] = (),
        initial: dict[str, object] | None = None,
    ) -> None:
        # Several of these may stand on one page: the prefix keeps their ids apart.
        super().__init__(data, prefix=metric, initial=initial)
        kind = metrics.get(metric)
        add_options(self, metrics.option_fields(kind.Options), list(known), metric)
        if CORPUS in kind.needs | kind.uses:
            self.fields[CORPUS] = _corpus_field(corpora, CORPUS in kind.needs)

    def options(self) -> dict[str, object]:
        """What was chosen. An empty field leaves the option at its default."""
        return {
            name: value
            for name, value in chosen_models(self.cleaned_data).items()
            if name != CORPUS and value not in (None, "")
        }

    def corpus(self) -> Corpus | None:
        return self.cleaned_data.get(CORPUS)

    def model_fields(self) -> list[forms.BoundField]:
        """What a run needs and only the user can choose, and how a judge is read."""
        kind = metrics.get(str(self.prefix))
        options = metrics.option_fields(kind.Options)
        named = [f.name for f in options if f.takes or f.hidden]
        return [field for field in self if field.name in named or is_other(field.name)]

    def other_fields(self) -> list[forms.BoundField]:
        first = {CORPUS, *(field.name for field in self.model_fields())}
        return [field for field in self if field.name not in first]

    @property
    def folded_errors(self) -> bool:
        return any(field.errors for field in self.other_fields())

    def refuse(self, error: str) -> None:
        """Put what the metric says about an option beside that option's field."""
        named = re.match(r"(\w+)\b", error)
        name = named[1] if named and named[1] in self.fields else None
        self.add_error(name, error)


def _corpus_field(corpora: Iterable[Corpus], needed: bool) -> forms.Field:
    by_name = {corpus.name: corpus for corpus in corpora}
    none = [] if needed else [("", "none")]
    # The first by name may be a trial of a few texts.
    largest = max(by_name.values(), key=lambda one: one.n_texts, default=None)
    return forms.TypedChoiceField(
        label="Corpus of human texts",
        help_text="" if needed else "Only closeness to human text needs one.",
        choices=[
            *none,
            *((name, f"{name} ({n.n_texts:,} texts)") for name, n in by_name.items()),
        ],
        initial=largest.name if largest else None,
        coerce=by_name.get,
        empty_value=None,
        required=needed,
        error_messages={
            "required": "Choose the corpus to compare systems with.",
            "invalid_choice": "This corpus was deleted. Choose another one.",
        },
    )


def add_options(
    form: forms.Form,
    options: Iterable[OptionField],
    known: Sequence[ModelHere],
    metric: str,
) -> None:
    """A field for each option; for a model a list of those that fit and are here."""
    asks = any(one.place == "endpoint" for one in known)
    for option in (one for one in options if asks or not one.hidden):
        if option.fill == "rated":
            continue  # chosen when the run starts
        if option.takes:
            fits = models_here.usable(known, option, metric)
            add_models(form, option, fits)
        elif option.path == "file":
            asked = str(form.initial.get(option.name) or "")
            form.fields[option.name] = file_field(option, asked)
        else:
            form.fields[option.name] = form_field(option)


def form_field(option: OptionField) -> forms.Field:
    """A field for an option of a metric or a training."""
    kind, choices = option.type, option.choices
    filled = FILLED.get(option.fill)
    told = beside(option)
    common = {
        "label": option.title,
        "help_text": f"{told} If left empty: {filled}." if filled else told,
        "initial": "" if filled else option.default,
        "required": False,  # the metric itself says what it needs
    }
    if choices:
        # A list of choices always has one, be it that of nothing.
        common["required"] = "" not in choices
        titles = option.titles or tuple(one or "none" for one in choices)
        wrong = {
            "invalid_choice": f"Expected one of {', '.join(filter(None, choices))}."
        }
        return forms.ChoiceField(
            choices=list(zip(choices, titles, strict=True)),
            error_messages=wrong,
            **common,
        )
    if kind is bool:
        return forms.BooleanField(**common)
    if kind is int:
        return forms.IntegerField(**common)
    if kind is float:
        widget = forms.NumberInput(attrs={"step": "any"})
        return forms.FloatField(widget=widget, **common)
    if option.path:
        # The page lists under this id what lies in MODELS_DIR.
        widget = forms.TextInput(attrs={"list": "models", "spellcheck": "false"})
        return forms.CharField(max_length=500, widget=widget, **common)
    if filled or not option.default:
        return LongText(max_length=LONGEST, **common)
    return forms.CharField(max_length=500, **common)


class LongText(forms.CharField):
    """Several lines. They end as on the command line, or the signature would change."""

    widget = forms.Textarea(attrs={"rows": 3, "spellcheck": "false"})

    def to_python(self, value: Any) -> str:
        return super().to_python(value).replace("\r\n", "\n")
