"""What a study may cost at Prolific. It is held before anything is sent there."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from annotation.contrib.prolific import prolific
from annotation.contrib.prolific.errors import BudgetError
from annotation.models import BonusBatch, Recruitment
from evalapp.spending import budgets, permission

PARTS = 100  # of a unit of money, as Prolific counts


def check_permission(user: User | None) -> None:
    """
    Raises:
        BudgetError: They may not spend the site's money.
    """
    try:
        permission.check(user)
    except permission.MayNotSpend as error:
        raise BudgetError(str(error)) from error


def hold_places(*, row: Recruitment, now: datetime) -> int:
    """Hold what all places cost, as Prolific says now; return how much was added.

    Raises:
        BudgetError: It would pass a ceiling, or Prolific does not say what it costs.
    """
    if row.total_cost is None:
        raise BudgetError(
            "Prolific does not say what the study costs, so the budget cannot be"
            " checked. Try again in a minute."
        )
    with transaction.atomic():
        locked = Recruitment.objects.select_for_update().get(pk=row.pk)
        more = max(0, row.total_cost - locked.held)
        _take(row, more, now)
        row.held, row.held_month = locked.held + more, budgets.of_month(now)
        row.save(update_fields=["held", "held_month"])
    return more


def release_places(*, row: Recruitment, amount: int) -> None:
    """Prolific refused: nothing is published."""
    if amount:
        _settle(row, row.held - amount)


def settle_places(row: Recruitment) -> None:
    """Put what Prolific says in place of what was held.

    Places may be added there. And of a study that ended, it knows what was paid.
    """
    if not row.held:
        return
    cost = row.total_cost
    if row.status == "COMPLETED":
        cost = (row.cost or {}).get("rewards")
    if cost is not None:
        _settle(row, cost)


def hold_bonuses(batch: BonusBatch, now: datetime) -> None:
    """
    Raises:
        BudgetError: It would pass a ceiling.
    """
    _take(batch.recruitment, cost_of(batch), now)


def release_bonuses(batch: BonusBatch, sent_at: datetime) -> None:
    """They were not paid."""
    scopes = _scopes(batch.recruitment, budgets.of_month(sent_at))
    _correct(batch.recruitment, scopes, -cost_of(batch))


def cost_of(batch: BonusBatch) -> int:
    """With fees, if Prolific says them."""
    if batch.total is not None:
        return batch.total
    return sum(batch.lines.values_list("amount", flat=True))


def _take(row: Recruitment, amount: int, now: datetime) -> None:
    ceilings = budgets.ceilings(
        study=row.study_id,
        now=now,
        per_study=settings.PROLIFIC_STUDY_MAX,
        per_month=settings.PROLIFIC_MONTH_MAX,
        parts=PARTS,
    )
    try:
        budgets.take(purpose=_purpose(row), ceilings=ceilings, amount=amount)
    except budgets.OverBudget as error:
        money = row.currency
        most, left = error.ceiling.most // PARTS, prolific.in_units(error.left)
        setting = "STUDY" if error.scope_name == "a study" else "MONTH"
        raise BudgetError(
            f"This would cost {prolific.in_units(amount)} {money}. This site allows"
            f" {most:,} {money} on Prolific for {error.scope_name}, of which {left}"
            f" {money} are left. Ask your administrator to raise"
            f" PROLIFIC_{setting}_MAX."
        ) from error


def _settle(row: Recruitment, cost: int) -> None:
    """Once, also where two do it at one moment."""
    same = Recruitment.objects.filter(pk=row.pk, held=row.held)
    if same.update(held=cost):
        _correct(row, _scopes(row, row.held_month), cost - row.held)
        row.held = cost


def _correct(row: Recruitment, scopes: list[str], by: int) -> None:
    budgets.correct(purpose=_purpose(row), scopes=scopes, by=by)


def _scopes(row: Recruitment, month: str) -> list[str]:
    return [budgets.of_study(row.study_id), month]


def _purpose(row: Recruitment) -> str:
    """Amounts of two currencies cannot be added."""
    return f"prolific {row.currency}"
