from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotation.quality.rater_kinds import CLICKER, PATIENT, RANDOM, STRAIGHT
from evalapp.limits import forms as storable_forms

# Percent at first, and what workers of the kind do.
KINDS = {
    "careful": (70, "Read everything and notice that the damaged text is worse."),
    "noisy": (10, "Read everything, but their answers vary by about a point."),
    "lazy": (10, "Read only the first lines and rate all texts about the same."),
    RANDOM: (10, "Read nothing and answer at random, but take as long as a reader."),
    CLICKER: (0, "Read nothing and answer at random, as fast as possible."),
    STRAIGHT: (0, "Skim, and give the same answer everywhere on a page."),
    PATIENT: (0, "Give the same answer everywhere, but take as long as a reader."),
}


class SimulationForm(storable_forms.Form):
    """Who takes part in a rehearsal. Lives in the address: a result can be shared."""

    workers = forms.IntegerField(min_value=1, max_value=200, initial=40)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for kind, (percent, help_text) in KINDS.items():
            self.fields[kind] = forms.IntegerField(
                label=f"{kind.capitalize().replace('-', ' ')} (%)",
                min_value=0,
                max_value=100,
                initial=percent,
                required=kind not in (CLICKER, PATIENT),  # addresses older than these
                help_text=help_text,
            )
        self.fields["seed"] = forms.IntegerField(
            label="Random seed",
            min_value=0,
            max_value=2**31,
            initial=1,
            help_text="Change it to simulate another crowd.",
        )

    def clean(self) -> dict[str, object]:
        cleaned = super().clean() or {}
        shares = [cleaned.get(kind) or 0 for kind in KINDS]
        if not self.errors and sum(shares) != 100:
            raise ValidationError(
                f"The shares of workers must add up to 100 %. Yours add up to "
                f"{sum(shares)} %."
            )
        return cleaned

    def mix(self) -> dict[str, float]:
        shares = {kind: (self.cleaned_data[kind] or 0) / 100 for kind in KINDS}
        return {kind: share for kind, share in shares.items() if share}
