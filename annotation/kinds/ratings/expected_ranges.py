"""The answers to a practice text that pass, as a researcher fills them in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django import forms

from annotation.models import Aspect
from annotation.page_kinds.practice import FormText
from evalapp.limits import forms as storable_forms


class RangesForm(storable_forms.Form):
    """For each question the first and the last answer that passes."""

    template: ClassVar[str] = "annotation/kinds/ratings/expected_ranges.html"

    def __init__(
        self, aspects: Sequence[Aspect], text: FormText, data: Mapping[str, Any] | None
    ) -> None:
        initial = {
            f"{aspect.key}-{end}": value
            for aspect in aspects
            if aspect.key in text.expected
            for end, value in zip(
                ("from", "to"), text.expected[aspect.key], strict=True
            )
        }
        super().__init__(data, prefix=text.prefix, initial=initial)
        self.aspects = aspects
        for aspect in aspects:
            for end in ("from", "to"):
                self.fields[f"{aspect.key}-{end}"] = _end_of_range(aspect, end)

    @property
    def ranges(self) -> list[tuple[Aspect, forms.BoundField, forms.BoundField]]:
        return [
            (aspect, self[f"{aspect.key}-from"], self[f"{aspect.key}-to"])
            for aspect in self.aspects
        ]

    @property
    def is_empty(self) -> bool:
        return not self.has_changed()

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        for aspect, low, high in self.ranges:
            first, last = cleaned.get(low.name), cleaned.get(high.name)
            if first is not None and last is not None and first > last:
                self.add_error(
                    high.name, f"{aspect.title}: “to” must not be below “from”."
                )
        return cleaned

    def expected(self) -> dict[str, Any]:
        """A range with one open end reaches to the end of the scale."""
        ranges = {}
        for aspect, low, high in self.ranges:
            ends = self.cleaned_data[low.name], self.cleaned_data[high.name]
            if ends != (None, None):
                ranges[aspect.key] = [
                    aspect.scale[0] if ends[0] is None else ends[0],
                    aspect.scale[-1] if ends[1] is None else ends[1],
                ]
        return ranges


def _end_of_range(aspect: Aspect, end: str) -> forms.Field:
    label = f"{aspect.title} {end}"
    if aspect.is_slider:
        low, high = aspect.ends
        return forms.IntegerField(
            label=label, min_value=low, max_value=high, required=False
        )
    return forms.TypedChoiceField(
        label=label,
        choices=[("", "any"), *((value, str(value)) for value in aspect.scale)],
        coerce=int,
        empty_value=None,
        required=False,
    )
