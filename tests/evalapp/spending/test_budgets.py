"""A ceiling is never passed, whoever spends at one moment."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from evalapp.spending import budgets
from evalapp.spending.budgets import Ceiling, OverBudget
from evalapp.spending.models import Budget
from tests.annotation.seating import in_threads

NOW = datetime(2026, 11, 30, 23, 59, tzinfo=UTC)
BOTH = [Ceiling("study 1", 10), Ceiling("2026-11", 15)]


def take(amount: int, ceilings=BOTH) -> None:
    budgets.take(purpose="mail", ceilings=ceilings, amount=amount)


def spent(scope: str) -> int:
    return budgets.spent(purpose="mail", scope=scope)


@pytest.mark.django_db
class TestTake:
    def test_what_fits_is_counted_under_both_ceilings(self):
        take(6)
        take(4)
        assert (spent("study 1"), spent("2026-11")) == (10, 10)

    def test_what_would_pass_the_first_is_counted_under_none(self):
        take(6)
        with pytest.raises(OverBudget) as error:
            take(5)
        assert (error.value.ceiling.scope, error.value.left) == ("study 1", 4)
        assert (spent("study 1"), spent("2026-11")) == (6, 6)

    def test_what_would_pass_the_second_is_counted_under_none(self):
        take(10)
        with pytest.raises(OverBudget) as error:
            take(6, [Ceiling("study 2", 10), Ceiling("2026-11", 15)])
        assert (error.value.ceiling.scope, error.value.left) == ("2026-11", 5)
        assert spent("study 2") == 0

    def test_purposes_are_counted_apart(self):
        take(10)
        budgets.take(purpose="prolific GBP", ceilings=BOTH, amount=10)
        assert Budget.objects.filter(spent=10).count() == 4

    def test_a_ceiling_of_nothing_lets_nothing_through(self):
        with pytest.raises(OverBudget):
            take(1, [Ceiling("study 1", 0)])

    def test_a_ceiling_that_was_lowered_leaves_nothing(self):
        take(10)
        with pytest.raises(OverBudget) as error:
            take(1, [Ceiling("study 1", 5)])
        assert error.value.left == 0


@pytest.mark.django_db
class TestTakeFirst:
    def first(self, *amounts: int) -> int:
        return budgets.take_first(purpose="mail", ceilings=BOTH, amounts=amounts)

    def test_as_many_as_fit_from_the_first(self):
        assert self.first(4, 4, 4, 1) == 2
        assert spent("study 1") == 8

    def test_none_where_the_first_does_not_fit(self):
        assert self.first(11, 1) == 0
        assert spent("2026-11") == 0

    def test_what_costs_nothing_always_fits(self):
        take(10)
        assert self.first(0, 0) == 2


@pytest.mark.django_db
class TestCorrect:
    def test_what_was_not_spent_can_be_spent_again(self):
        take(10)
        budgets.correct(purpose="mail", scopes=["study 1", "2026-11"], by=-4)
        take(4)
        assert spent("study 1") == 10

    def test_never_below_nothing(self):
        budgets.correct(purpose="mail", scopes=["study 1"], by=-4)
        assert spent("study 1") == 0

    def test_what_turned_out_to_cost_more_may_pass_the_ceiling(self):
        take(10)
        budgets.correct(purpose="mail", scopes=["study 1"], by=3)
        assert spent("study 1") == 13


def test_a_month_is_one_of_utc():
    assert budgets.of_month(NOW) == "2026-11"


def test_parts_of_money_are_whole():
    found = budgets.ceilings(study=1, now=NOW, per_study=0.29, per_month=2, parts=100)
    assert [one.most for one in found] == [29, 200]


@pytest.mark.django_db(transaction=True)
def test_those_who_spend_at_once_share_one_ceiling():
    def ask(_: int) -> int:
        n = 0
        for _ in range(10):
            try:
                take(1, [Ceiling("study 1", 100), Ceiling("2026-11", 25)])
            except OverBudget:
                continue
            n += 1
        return n

    assert sum(in_threads(4, ask)) == 25
    assert (spent("study 1"), spent("2026-11")) == (25, 25)
