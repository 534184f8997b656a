from __future__ import annotations

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.html import strip_tags

from annotation import markdown
from annotation.contrib.prolific import prolific
from annotation.contrib.prolific.drafting import DEVICES, Wanted
from annotation.models import Study
from annotation.surveys import estimating
from evalapp.limits import forms as storable_forms


class DraftForm(storable_forms.Form):
    """What Prolific shows and pays, filled in from what the study knows."""

    description = forms.CharField(
        max_length=6000,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="People read it before they take part. Do not name a system.",
    )
    places = forms.IntegerField(
        label="People wanted", min_value=1, max_value=10_000, help_text="At most."
    )
    minutes = forms.IntegerField(label="Estimated minutes", min_value=1, max_value=600)
    reward = forms.DecimalField(
        label="Reward per person",
        min_value=Decimal("0.01"),
        max_digits=7,
        decimal_places=2,
        help_text="For one page or more, as you choose: what pages earn beyond it is"
        " paid as a bonus.",
    )
    devices = forms.MultipleChoiceField(
        choices=[(one, one.capitalize()) for one in DEVICES],
        initial=list(DEVICES),
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        pages = study.max_pages or 1
        minutes = estimating.expected_minutes(study)
        kwargs["initial"] = {
            "description": strip_tags(markdown.html(study.instructions)).strip(),
            "places": study.ratings_per_text,
            "minutes": minutes * pages if minutes else None,
            "reward": study.pay_per_page,
        }
        super().__init__(*args, **kwargs)
        self.fields["reward"].label += f" ({study.currency})"

    def wanted(self, url: str) -> Wanted:
        given = self.cleaned_data
        return Wanted(
            description=given["description"],
            url=url,
            places=given["places"],
            minutes=given["minutes"],
            reward=int(given["reward"] * 100),
            devices=given["devices"],
        )


class RejectForm(storable_forms.Form):
    category = forms.ChoiceField(label="Why", choices=list(prolific.CATEGORIES.items()))
    reason = forms.CharField(
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=f"The person reads it. At least {prolific.SHORTEST_REASON}"
        " characters.",
    )
