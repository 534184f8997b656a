from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from typing import Any

from django import forms
from django.conf import settings

from evalapp.limits import forms as storable_forms
from scoring import metrics
from scoring.metrics import OptionField
from scoring.models import Corpus
from scoring.scores import allowed_models

LONGEST = 100_000  # characters of an option
CORPUS = "corpus"  # no option of a metric has this name
# What a study brings along for an option that is left empty.
FILLED = {
    "aspects": "what the study asks people",
    "evaluators": "the study's own evaluators, if it has any",
}


class ScoresForm(storable_forms.Form):
    """Scores that were computed elsewhere."""

    file = forms.FileField(
        label="CSV file",
        help_text=(
            "With the columns key (of the text), output, value, direction (higher,"
            " lower or closeness); metric and signature if you like."
        ),
    )


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
        initial: dict[str, object] | None = None,
    ) -> None:
        # Several of these stand on one page: the prefix keeps their ids apart.
        super().__init__(data, prefix=metric, initial=initial)
        kind = metrics.get(metric)
        for option in metrics.option_fields(kind.Options):
            self.fields[option.name] = form_field(option)
        if CORPUS in kind.needs | kind.uses:
            self.fields[CORPUS] = _corpus_field(corpora, CORPUS in kind.needs)

    def options(self) -> dict[str, object]:
        """What was chosen. An empty field leaves the option at its default."""
        chosen = self.cleaned_data.items()
        return {
            name: value
            for name, value in chosen
            if name != CORPUS and value not in (None, "")
        }

    def corpus(self) -> Corpus | None:
        return self.cleaned_data.get(CORPUS)

    def option_fields(self) -> list[forms.BoundField]:
        return [field for field in self if field.name != CORPUS]

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
        choices=[
            *none,
            *((name, f"{name} ({n.n_texts:,} texts)") for name, n in by_name.items()),
        ],
        initial=largest.name if largest else None,
        coerce=by_name.get,
        empty_value=None,
        required=needed,
        error_messages={
            "required": "Choose the corpus that systems are held against.",
            "invalid_choice": "The corpus is not there any more: choose another.",
        },
    )


def form_field(option: OptionField) -> forms.Field:
    """A field for an option of a metric or a training."""
    option = _as_offered(option)
    kind, choices, explained = option.type, option.choices, option.help
    filled = FILLED.get(option.fill)
    common = {
        "label": option.title,
        "help_text": f"{explained}. Left empty: {filled}." if filled else explained,
        "initial": "" if filled else option.default,
        "required": False,  # the metric itself says what it cannot do without
    }
    if choices:
        # A list of choices always has one, be it that of nothing.
        common["required"] = "" not in choices
        wrong = {
            "invalid_choice": f"Expected one of {', '.join(filter(None, choices))}."
        }
        return forms.ChoiceField(
            choices=[(c, c or "none") for c in choices], error_messages=wrong, **common
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


def _as_offered(option: OptionField) -> OptionField:
    """Without a model that may not be downloaded on this site."""
    if option.path != "model" or allowed_models.hub() == "on":
        return option
    told = option.help.replace("hub name, ", "")
    if allowed_models.hub() == "list":
        told = f"{told}, or {', '.join(settings.HUB_MODELS)}"
    told = f"{told}; the list has what is there"
    named = str(option.default)
    kept = not metrics.models.HUB_NAME.fullmatch(named)
    default = named if kept or allowed_models.may_be_downloaded(named) else ""
    return dataclasses.replace(option, help=told, default=default)


class LongText(forms.CharField):
    """Several lines. They end as on the command line, or the signature would change."""

    widget = forms.Textarea(attrs={"rows": 3, "spellcheck": "false"})

    def to_python(self, value: Any) -> str:
        return super().to_python(value).replace("\r\n", "\n")
