"""What a run or a trial may spend, and has. Each change is one conditional UPDATE.

Before a call the most it can cost is held; when its answer came, what it did cost takes
that place. So the limit is never passed, however many workers ask, and whichever die:
what a dead worker held, or what a server never told the price of, stays held.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import F, Q, QuerySet
from django.db.models.functions import Greatest

from evalapp.spending import permission
from scoring.endpoints import admission, call_records, configuration
from scoring.metrics import MetricError
from scoring.models import Spending

Endpoint = configuration.Endpoint
NOT_BY_PROGRAM = (
    "This asks a judge over the network, which may cost money, so no program tries it"
    " again: somebody has to, on its page."
)
LIMIT_REACHED = "The limit of "  # what the sentence about it begins with


class Limit(NamedTuple):
    """The most that somebody has agreed to. `cost` None: only the calls are limited."""

    calls: int
    cost: float | None = None
    currency: str = "USD"


class LimitError(Exception):
    """This endpoint cannot be asked under this limit. The message says why."""


class Spent(NamedTuple):
    """By one call that came to an end."""

    held: float  # before it
    cost: float | None  # None: nobody knows, and what was held stays held
    tokens_in: int = 0
    tokens_out: int = 0


def columns(limit: Limit, *, user: Any, now: datetime) -> dict[str, Any]:
    """Of the row of whoever spends; `user` agreed to it, None at a command line."""
    return {
        "agreed_at": now,
        "agreed_by": user,
        "most_calls": limit.calls,
        "most_cost": limit.cost,
        "currency": limit.currency,
    }


def check_permission(endpoint: Endpoint, user: Any) -> None:
    """
    Raises:
        LimitError: The endpoint may cost money, and they may not spend any.
    """
    if endpoint.is_free:
        return
    try:
        permission.check(user)
    except permission.MayNotSpend as error:
        raise LimitError(str(error)) from None


def check(limit: Limit | None, endpoint: Endpoint, user: Any) -> Limit:
    """The limit, if it can be held at this endpoint and they may spend there.

    Raises:
        LimitError: There is none, or it cannot, or they may not.
    """
    name = endpoint.name
    check_permission(endpoint, user)
    if limit is None:
        raise LimitError(
            f"a judge of the endpoint {name} answers over the network: agree first to"
            " where the texts go, and set a call limit and a spending limit"
        )
    if limit.calls < 1:
        raise LimitError(f"calls={limit.calls}: expected a limit of at least one call")
    if limit.cost is None:
        return limit
    _check_amount(limit.cost)
    if not endpoint.has_prices:
        raise LimitError(
            f"the operator has not set prices for the endpoint {name}, so a spending"
            " limit cannot be enforced: set a call limit only"
        )
    if limit.currency != endpoint.currency:
        raise LimitError(
            f"currency={limit.currency}: the prices of the endpoint {name} are in"
            f" {endpoint.currency}"
        )
    return limit


def check_still(row: Spending, endpoint: Endpoint) -> None:
    """Whether the limit of a row still holds.

    An operator may have changed prices, or who may spend, since it was agreed to.

    Raises:
        MetricError: It does not, and nobody has agreed to another.
    """
    if row.most_calls is None:
        return  # nobody has agreed to anything, so `hold` lets no call through
    try:
        limit = Limit(row.most_calls, row.most_cost, row.currency)
        check(limit, endpoint, row.agreed_by)
    except LimitError as error:
        raise MetricError(
            f"the limit that was agreed to can no longer be kept: {error}."
            " Start again with a limit that can be kept"
        ) from None


def _check_amount(cost: float) -> None:
    if not 0 <= cost < float("inf"):  # NaN is none, and would be above every cost
        raise LimitError(f"cost={cost}: expected an amount of money, such as 5")


def hold(row: Spending, costs: Sequence[float]) -> int:
    """Hold the money of as many of these calls as the limit allows; how many, from 0.

    They are counted as made. Call it in the transaction that lets them through.
    """
    n, rows = len(costs), _only(row)
    while n > 0:
        held = sum(costs[:n])
        free = Q(most_cost=None) | Q(most_cost__gte=F("cost") + F("held_cost") + held)
        if rows.filter(free, most_calls__gte=F("n_calls") + n).update(
            n_calls=F("n_calls") + n, held_cost=F("held_cost") + held
        ):
            return n
        n = min(n - 1, _fitting(rows.get(), costs))
    return 0


def undo(row: Spending, costs: Sequence[float]) -> None:
    """Take back what was held for calls that are not made."""
    _only(row).update(
        n_calls=F("n_calls") - len(costs),
        held_cost=Greatest(F("held_cost") - sum(costs), 0.0),
    )


def settle(row: Spending, spent: Sequence[Spent]) -> None:
    """Put what calls did cost in place of what was held for them."""
    priced = [call for call in spent if call.cost is not None]
    if not priced:
        return
    # Rounding must not leave less than nothing.
    left = Greatest(F("held_cost") - sum(call.held for call in priced), 0.0)
    _only(row).update(
        cost=F("cost") + sum(call.cost or 0.0 for call in priced),
        held_cost=left,
        tokens_in=F("tokens_in") + sum(call.tokens_in for call in priced),
        tokens_out=F("tokens_out") + sum(call.tokens_out for call in priced),
    )


def count_kept(row: Spending, n: int) -> None:
    """Answers of earlier runs were used again."""
    if n:
        _only(row).update(n_kept=F("n_kept") + n)


def spent_by(call: call_records.Call, held: float, endpoint: Endpoint) -> Spent:
    """What a call did cost, as far as anybody knows.

    A server that refused took nothing; of one that was silent, or said nothing about
    tokens, nobody knows.
    """
    if call.status not in (None, 200):
        return Spent(held, 0.0)
    if call.tokens_in is None:
        return Spent(held, None)
    tokens = call.tokens_in, call.tokens_out or 0
    return Spent(held, admission.cost(endpoint, *tokens), *tokens)


def limit_reached(row: Spending) -> str:
    """Which limit holds up the next call, as `admission` names it."""
    row = _only(row).get()
    out_of_calls = row.most_cost is None or row.n_calls >= (row.most_calls or 0)
    return admission.CALLS_REACHED if out_of_calls else admission.COST_REACHED


def sentence(row: Spending, reached: str = "", so: str = "") -> str:
    """Says which limit was reached, what comes of it, and what to do.

    Args:
        row: Whose limit.
        reached: Which one, as `admission` names it; by default of the row's own.
        so: What comes of it.
    """
    if reached == admission.CEILING_REACHED:
        return _ceiling_sentence(so)
    row = _only(row).get()
    if (reached or limit_reached(row)) == admission.CALLS_REACHED:
        limit = f"{row.most_calls:,} {'call' if row.most_calls == 1 else 'calls'}"
        why = "was reached"
    else:
        limit = f"{row.most_cost:g} {row.currency}"
        why = "was reached, because the next call might have passed it"
    return (
        f"{LIMIT_REACHED}{limit} {why}{f', so {so}' if so else ''}. Answers received so"
        " far are kept. Raise the limit to continue: only the missing ones are"
        " requested."
    )


def _ceiling_sentence(so: str) -> str:
    so = f", so {so}" if so else ""
    return (
        f"{LIMIT_REACHED}this site for this judge was reached{so}."
        " Answers received so far are kept. Ask your administrator to raise it. Then"
        " raise the limit here to continue: only the missing ones are requested."
    )


def check_higher(row: Spending, limit: Limit) -> None:
    """Whether work that stopped at one limit could go on with another.

    Raises:
        LimitError: It could not; says what is expected.
    """
    if limit.cost is not None:
        _check_amount(limit.cost)
    if row.most_cost is None and limit.cost is not None:
        raise LimitError(
            f"cost={limit.cost:g}: there was no spending limit before, so set only a"
            " call limit"
        )
    fewer = limit.calls < (row.most_calls or 0)
    less = row.most_cost is not None and (limit.cost or 0) < row.most_cost
    same = (limit.calls, limit.cost) == (row.most_calls, row.most_cost)
    if fewer or less or same or limit.calls <= row.n_calls:
        calls = f"{row.n_calls:,} {'call' if row.n_calls == 1 else 'calls'}"
        raise LimitError(
            f"expected a limit above the {calls} already made, and neither calls nor"
            " cost below the previous limit"
        )


def _fitting(row: Spending, costs: Sequence[float]) -> int:
    """How many of the calls fit, from what the row says now."""
    n = min(len(costs), max(0, (row.most_calls or 0) - row.n_calls))
    if row.most_cost is None:
        return n
    free = row.most_cost - row.cost - row.held_cost
    while n and sum(costs[:n]) > free:
        n -= 1
    return n


def _only(row: Spending) -> QuerySet[Any]:
    return type(row)._base_manager.filter(pk=row.pk)
