"""The form of an analysis' options, made from its Options dataclass."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Mapping
from typing import Any

from django import forms

from annotation.models import Study
from scoring import aligning
from scoring.stats import analyses
from scoring.stats.correlation import COEFFICIENTS
from scoring.stats.data import Filters, numbers

NAMES = {"pearson": "Pearson r", "spearman": "Spearman ρ", "kendall": "Kendall τ-b"}
FILTERS = {option.name for option in dataclasses.fields(Filters)} - {"seed"}
MANY = forms.CheckboxSelectMultiple


class AnalysisForm(forms.Form):
    """What may be chosen, with what the study has. Nothing chosen is the default.

    The address carries the options, so the form is read from there: a link to it shows
    the same numbers to a colleague.
    """

    def __init__(self, study: Study, name: str, given: Mapping[str, Any]) -> None:
        self.kind = analyses.get(name).Options
        fields = dataclasses.fields(self.kind)
        known = {f.name for f in fields}
        super().__init__(given if known & set(given) else {})
        types = typing.get_type_hints(self.kind)
        for option in (o for o in fields if not o.metadata.get("fixed")):
            self.fields[option.name] = _field(study, option, types[option.name])

    def clean_prompts(self) -> str:
        try:
            numbers(self.cleaned_data["prompts"])
        except ValueError as error:
            raise forms.ValidationError(_sentence(str(error))) from error
        return self.cleaned_data["prompts"].strip()

    def options(self) -> Filters:
        """What was chosen; call it on a valid form."""
        defaults = {f.name: f.default for f in dataclasses.fields(self.kind)}
        chosen: dict[str, Any] = {}
        for name, value in self.cleaned_data.items():
            empty = value in (None, "", [])
            value = tuple(value) if isinstance(value, list) else value
            chosen[name] = defaults[name] if empty else value
        return self.kind(**chosen)

    @property
    def own(self) -> list[forms.BoundField]:
        """What this analysis alone asks, and the seed last."""
        own = [field for field in self._shown() if field.name not in FILTERS]
        return sorted(own, key=lambda field: field.name == "seed")

    @property
    def filters(self) -> list[forms.BoundField]:
        """What every analysis asks: which texts and ratings count."""
        return [field for field in self._shown() if field.name in FILTERS]

    def _shown(self) -> list[forms.BoundField]:
        """All but the lists that have nothing to choose from."""
        empty = [
            name for name, f in self.fields.items() if getattr(f, "choices", 1) == []
        ]
        return [f for f in self if f.name not in empty or f.errors]

    @property
    def changed(self) -> bool:
        """Whether anything but the defaults was chosen."""
        return self.is_valid() and self.options() != self.kind()


def _field(study: Study, option: dataclasses.Field, kind: Any) -> forms.Field:
    facts = option.metadata
    common = {
        "label": facts.get("label", option.name.replace("_", " ").capitalize()),
        "help_text": facts.get("help", ""),
        "required": False,
    }
    choices = _choices(study, facts)
    if kind == tuple[str, ...]:
        return forms.MultipleChoiceField(choices=choices, widget=MANY, **common)
    if choices is not None:
        if not option.default:
            choices = [("", facts.get("none", "as the study has it")), *choices]
        return forms.ChoiceField(choices=choices, initial=option.default, **common)
    if kind is bool:
        return forms.BooleanField(**common)
    if kind is int:
        return forms.IntegerField(
            min_value=facts.get("min"), max_value=facts.get("max", 2**31), **common
        )
    if kind is float:
        return forms.FloatField(
            min_value=facts.get("min"), max_value=facts.get("max"), **common
        )
    return forms.CharField(max_length=500, **common)


def _choices(study: Study, facts: Mapping[str, Any]) -> list[tuple[str, str]] | None:
    if "choices" in facts:
        return [c if isinstance(c, tuple) else (c, c) for c in facts["choices"]]
    found = {
        "coefficients": lambda: [(key, NAMES[key]) for key in COEFFICIENTS],
        "aspects": lambda: list(study.aspects.values_list("key", "title")),
        "systems": lambda: _twice(study.systems.values_list("name", flat=True)),
        "labels": lambda: _twice(study.labels.values_list("name", flat=True)),
        "outputs": lambda: _outputs(study),
        "questions": lambda: _twice(
            study.votes.order_by("question")
            .values_list("question", flat=True)
            .distinct()
        ),
    }
    return found[facts["from"]]() if "from" in facts else None


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _twice(names: Any) -> list[tuple[str, str]]:
    return [(name, name) for name in names if name]


def _outputs(study: Study) -> list[tuple[str, str]]:
    """Ids and names of what the study has scores of. Two queries."""
    return [(one.id, one.name) for one in aligning.outputs(study=study)]
