"""What the operator allows holds over all runs of a study, and over all studies."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime

import pytest

from evalapp.spending import budgets, permission
from scoring.endpoints import configuration
from scoring.judging import ledger, site_ceilings
from scoring.judging.ledger import Limit, LimitError, Spent

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
PRICED = configuration.Endpoint(
    "lab",
    "http://127.0.0.1:9/v1",
    ("tiny",),
    price_in=1.0,
    price_out=1.0,
    max_per_study=1.0,
    max_per_month=1.5,
)
UNPRICED = configuration.Endpoint("lab", "http://127.0.0.1:9/v1", ("tiny",))
FREE = dataclasses.replace(PRICED, price_in=0.0, price_out=0.0)


def hold(study: int, *costs: float, endpoint=PRICED) -> int:
    return site_ceilings.hold(study, endpoint, costs, NOW)


class TestHold:
    def test_as_many_calls_as_a_study_may_make(self):
        assert hold(1, 0.5, 0.25, 0.5) == 2
        assert hold(1, 0.25) == 1
        assert hold(1, 0.000001) == 0

    def test_all_studies_share_the_month(self):
        assert hold(1, 1.0) == 1
        assert hold(2, 0.25, 0.25, 0.25) == 2

    def test_calls_for_less_than_a_millionth_are_not_free(self):
        assert hold(1, *[1e-9] * 3) == 3
        assert budgets.spent(purpose="judge lab USD", scope="study 1") == 3

    def test_without_prices_nothing_can_be_held(self):
        assert hold(1, 0.0, 0.0, endpoint=UNPRICED) == 2


def test_what_a_call_did_cost_takes_the_place_of_what_was_held():
    hold(1, 1.0)
    site_ceilings.settle(1, PRICED, "2026-11", [Spent(1.0, 0.25), Spent(1.0, None)])
    assert hold(1, 0.75) == 1
    assert hold(1, 0.01) == 0


class TestWhoAgrees:
    def test_who_may_not_spend_agrees_to_nothing(self, bob):
        with pytest.raises(LimitError, match="may not spend"):
            ledger.check(Limit(10, 1.0), PRICED, bob)

    def test_of_an_endpoint_without_prices_nobody_knows_what_it_costs(self, bob):
        with pytest.raises(LimitError, match="may not spend"):
            ledger.check(Limit(10), UNPRICED, bob)

    def test_an_endpoint_that_costs_nothing_is_for_all(self, bob):
        assert ledger.check(Limit(10), FREE, bob)

    def test_with_the_permission_they_may(self, bob):
        permission.allow(bob)
        assert ledger.check(Limit(10, 1.0), PRICED, bob)
