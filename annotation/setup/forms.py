from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotation import page_kinds, studies
from annotation.models import Study
from evalapp.limits import forms as storable_forms

NONE = ("", "Nothing else")


class PageKindsForm(storable_forms.ModelForm):
    """Which pages workers get, part by part."""

    class Meta:
        model = Study
        fields = ("pairs_per_text", "pair_ties", "pair_strength")
        labels = {
            "pairs_per_text": "Comparisons per text",
            "pair_ties": "Offer “No difference”",
            "pair_strength": "Ask how much better",
        }
        help_texts = {
            "pairs_per_text": "With how many other texts for its prompt each text is"
            " compared. Empty: with all of them.",
            "pair_ties": "",
            "pair_strength": "Adds “much better” on each side. Votes count the same.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        kinds = [(key, page_kinds.get(key).words.label) for key in page_kinds.names()]
        chosen = self.instance.page_kinds
        n_parts = len(kinds)
        for number in range(n_parts):
            first = number == 0
            self.fields[f"part_{number + 1}"] = forms.ChoiceField(
                label="Pages" if first else "Then",
                choices=kinds if first else [NONE, *kinds],
                required=first,
                initial=chosen[number] if number < len(chosen) else "",
            )
        self.order_fields(f"part_{number + 1}" for number in range(n_parts))
        if self.instance.state != Study.State.DRAFT:
            for field in self.fields.values():
                field.disabled = True

    @property
    def parts(self) -> list[forms.BoundField]:
        return [self[f"part_{number + 1}"] for number in range(len(page_kinds.names()))]

    def kinds(self) -> list[str]:
        found = [self.cleaned_data.get(field.name, "") for field in self.parts]
        return [kind for kind in found if kind]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if self.errors:
            return cleaned
        reason = studies.why_not(
            study=self.instance, kinds=self.kinds(), offered=page_kinds.names()
        )
        if reason:
            raise ValidationError(reason)
        return cleaned

    def chosen(self) -> dict[str, Any]:
        """For `studies.choose_kinds`."""
        options = {name: self.cleaned_data[name] for name in self._meta.fields}
        return {"kinds": self.kinds(), "offered": page_kinds.names(), **options}
