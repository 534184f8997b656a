from __future__ import annotations

import dataclasses
import typing
from typing import Any

from django import forms

from scoring import metrics


class ScoresForm(forms.Form):
    """Scores that were computed elsewhere."""

    file = forms.FileField(
        label="CSV file",
        help_text=(
            "With the columns key (of the text), output, value, direction (higher,"
            " lower or closeness); metric and signature if you like."
        ),
    )


class OptionsForm(forms.Form):
    """A field for each option of a metric, as its Options dataclass describes it."""

    def __init__(self, metric: str, data: Any = None) -> None:
        # Several of these stand on one page: the prefix keeps their ids apart.
        super().__init__(data, prefix=metric)
        kind = metrics.get(metric).Options
        types = typing.get_type_hints(kind)
        for option in dataclasses.fields(kind):
            self.fields[option.name] = _field(option, types[option.name])

    def options(self) -> dict[str, Any]:
        """What was chosen. An empty field leaves the option at its default."""
        chosen = self.cleaned_data.items()
        return {name: value for name, value in chosen if value not in (None, "")}


def _field(option: dataclasses.Field, kind: type) -> forms.Field:
    default, choices = option.default, option.metadata.get("choices", ())
    common = {
        "label": option.name.replace("_", " ").capitalize(),
        "help_text": option.metadata.get("help", ""),
        "initial": default,
        "required": False,  # the metric itself says what it cannot do without
    }
    if choices:
        common["required"] = True  # a list of choices always has one
        return forms.ChoiceField(choices=[(c, c) for c in choices], **common)
    if kind is bool:
        return forms.BooleanField(**common)
    if kind is int:
        return forms.IntegerField(**common)
    if kind is float:
        widget = forms.NumberInput(attrs={"step": "any"})
        return forms.FloatField(widget=widget, **common)
    # The page lists under this id what lies in MODELS_DIR.
    listed = {"list": "models"} if option.metadata.get("path") else {}
    widget = forms.TextInput(attrs={**listed, "spellcheck": "false"})
    return forms.CharField(max_length=500, widget=widget, **common)
