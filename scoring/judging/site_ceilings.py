"""What the operator lets a study, and all studies in a month, spend at an endpoint.

In one transaction with the row that spends, whose endpoint is locked.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime

from evalapp.spending import budgets
from evalapp.spending.budgets import MILLION
from scoring.endpoints import configuration
from scoring.judging.ledger import Spent

Endpoint = configuration.Endpoint


def hold(study: int, endpoint: Endpoint, costs: Sequence[float], now: datetime) -> int:
    """Hold the money of as many of these calls as the ceilings allow; how many."""
    if not endpoint.has_prices:
        return len(costs)
    ceilings = budgets.ceilings(
        study=study,
        now=now,
        per_study=endpoint.max_per_study,
        per_month=endpoint.max_per_month,
        parts=MILLION,
    )
    amounts = [_millionths(cost) for cost in costs]
    return budgets.take_first(
        purpose=_purpose(endpoint), ceilings=ceilings, amounts=amounts
    )


def settle(study: int, endpoint: Endpoint, month: str, spent: Sequence[Spent]) -> None:
    """Put what calls did cost in place of what was held for them in this month."""
    if not endpoint.has_prices:
        return
    by = sum(
        _millionths(call.cost) - _millionths(call.held)
        for call in spent
        if call.cost is not None
    )
    scopes = [budgets.of_study(study), month]
    budgets.correct(purpose=_purpose(endpoint), scopes=scopes, by=by)


def _millionths(cost: float) -> int:
    """Rounded up: a million calls for less than a millionth each are not free."""
    return math.ceil(cost * MILLION)


def _purpose(endpoint: Endpoint) -> str:
    return f"judge {endpoint.name} {endpoint.currency}"
