"""The form of an analysis' options, made from its Options dataclass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms

from annotation import votes
from annotation.models import Study
from evalapp.limits import forms as storable_forms
from scoring import analyses
from scoring.drawing.words import sentence
from scoring.judging import judge_votes
from scoring.metrics import output_key
from scoring.option_fields import OptionField, option_fields
from scoring.results import measured, study_arrays
from scoring.stats.correlation import COEFFICIENTS
from scoring.stats.data import Filters, numbers

NAMES = {"pearson": "Pearson r", "spearman": "Spearman ρ", "kendall": "Kendall τ-b"}
FILTERS = {option.name for option in option_fields(Filters)} - {"seed"}
UPFRONT = ("first", "second")  # what a page is about: shown without a click
MANY = forms.CheckboxSelectMultiple


class Output(forms.Select):
    """One output. Addresses that were kept may spell its key with hyphens."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        return _spelled(self, super().value_from_datadict(data, files, name))


class Outputs(MANY):
    """Several of them."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        given = super().value_from_datadict(data, files, name)
        return [_spelled(self, one) for one in given] if given else given


def _spelled(widget: Output | Outputs, given: Any) -> Any:
    known = {output_key(str(value)): value for value, _ in widget.choices}
    return known.get(output_key(str(given)), given)


class AnalysisForm(storable_forms.Form):
    """What may be chosen, with what the study has. Nothing chosen is the default.

    The address carries the options, so the form is read from there: a link to it shows
    the same numbers to a colleague.
    """

    def __init__(self, study: Study, name: str, given: Mapping[str, Any]) -> None:
        self.kind = analyses.get(name).Options
        options = option_fields(self.kind)
        known = {option.name for option in options}
        super().__init__(given if known & set(given) else {})
        for option in options:
            if not option.fixed:
                self.fields[option.name] = _field(study, option)

    def clean_prompts(self) -> str:
        try:
            numbers(self.cleaned_data["prompts"])
        except ValueError as error:
            raise forms.ValidationError(sentence(error)) from error
        return self.cleaned_data["prompts"].strip()

    def options(self) -> Filters:
        """What was chosen; call it on a valid form."""
        defaults = {one.name: one.default for one in option_fields(self.kind)}
        chosen: dict[str, Any] = {}
        for name, value in self.cleaned_data.items():
            empty = value in (None, "", [])
            value = tuple(value) if isinstance(value, list) else value
            chosen[name] = defaults[name] if empty else value
        return self.kind(**chosen)

    @property
    def own(self) -> list[forms.BoundField]:
        """What this analysis alone asks, and the seed last."""
        apart = {*FILTERS, *UPFRONT}
        own = [field for field in self._shown() if field.name not in apart]
        return sorted(own, key=lambda field: field.name == "seed")

    @property
    def upfront(self) -> list[forms.BoundField]:
        """What stands above the other options."""
        return [field for field in self._shown() if field.name in UPFRONT]

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


def _field(study: Study, option: OptionField) -> forms.Field:
    kind = option.type
    common = {"label": option.title, "help_text": option.help, "required": False}
    choices = _choices(study, option)
    if kind == tuple[str, ...]:
        many = Outputs if option.of == "outputs" else MANY
        return forms.MultipleChoiceField(choices=choices, widget=many, **common)
    if choices is not None:
        if not option.default and (choices or option.of != "judges"):
            choices = [("", option.none or "the setting of the study"), *choices]
        common["widget"] = Output if option.of == "outputs" else forms.Select
        return forms.ChoiceField(choices=choices, initial=option.default, **common)
    if kind is bool:
        return forms.BooleanField(**common)
    if kind is int:
        return forms.IntegerField(
            min_value=option.min, max_value=option.max or 2**31, **common
        )
    if kind is float:
        return forms.FloatField(min_value=option.min, max_value=option.max, **common)
    return forms.CharField(max_length=500, **common)


def _choices(study: Study, option: OptionField) -> list[tuple[str, str]] | None:
    if option.choices:
        return list(zip(option.choices, option.titles, strict=True))
    found = {
        "coefficients": lambda: [(key, NAMES[key]) for key in COEFFICIENTS],
        "aspects": lambda: list(measured.titles(study).items()),
        "systems": lambda: _twice(study.systems.values_list("name", flat=True)),
        "labels": lambda: _twice(study.labels.values_list("name", flat=True)),
        "outputs": lambda: _outputs(study),
        "judges": lambda: _twice(judge_votes.names(study=study)),
        "questions": lambda: _twice(votes.reading.questions(study=study)),
    }
    return found[option.of]() if option.of else None


def _twice(names: Any) -> list[tuple[str, str]]:
    return [(name, name) for name in names if name]


def _outputs(study: Study) -> list[tuple[str, str]]:
    """Ids and names of what the study has scores of. Two queries."""
    return [(one.id, one.name) for one in study_arrays.outputs(study=study)]
