"""What people agree to before a judge over the network is asked."""

from __future__ import annotations

from typing import Any

from django import forms

from evalapp.limits import forms as storable_forms
from scoring.judging.estimating import Estimate
from scoring.judging.spending import Limit

MOST_CALLS = 2_000_000_000  # what the table can hold
MOST_COST = 1e9


class LimitForm(storable_forms.Form):
    """Consent, and the most that may be asked and spent."""

    agreed = forms.BooleanField(
        error_messages={"required": "Tick this box if you agree. Nothing has started."}
    )
    most_calls = forms.IntegerField(
        label="Limit of calls", min_value=1, max_value=MOST_CALLS
    )
    most_cost = forms.FloatField(min_value=0, max_value=MOST_COST)

    def __init__(
        self, estimate: Estimate, data: Any = None, *, prefix: str | None = None
    ) -> None:
        super().__init__(data, prefix=prefix)
        self.estimate = estimate
        self.fields["agreed"].label = _agreement(estimate)
        add_limits(self, *_proposed(estimate))
        self.fields["most_calls"].help_text = (
            f"The estimate is {estimate.calls:,}. A call that fails is made again, and"
            " counts again."
        )

    def limit(self) -> Limit:
        """What was agreed to, once the form is valid."""
        return limit_of(self, self.estimate.currency)


def _proposed(of: Estimate) -> tuple[int, float | None, str]:
    return of.proposed_calls, of.proposed_cost, of.currency


def add_limits(form: forms.Form, calls: int, cost: float | None, currency: str) -> None:
    """Fill in what is proposed. Money only where there are prices."""
    form.fields["most_calls"].initial = calls
    if cost is None:
        del form.fields["most_cost"]
        return
    field = form.fields["most_cost"]
    field.initial = cost
    field.label = f"Limit of money ({currency})"
    field.help_text = "At the prices that your administrator has named."
    field.widget.attrs["step"] = "any"


def limit_of(form: forms.Form, currency: str) -> Limit:
    chosen = form.cleaned_data
    return Limit(chosen["most_calls"], chosen.get("most_cost"), currency)


def _agreement(estimate: Estimate) -> str:
    if estimate.leaves_site:
        return (
            f"I agree that these texts are sent to {estimate.endpoint}, outside this"
            " server’s own network, and that no more than this is spent"
        )
    return (
        f"I agree that these texts are sent to {estimate.endpoint}, and that no more"
        " than this is spent"
    )
