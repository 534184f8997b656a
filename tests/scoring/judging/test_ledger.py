"""No limit is passed, whoever asks at the same time and whatever a call then costs."""

from __future__ import annotations

import threading

import pytest
from django.db import connections
from django.utils import timezone

from scoring.endpoints import admission, call_records, configuration
from scoring.judging import ledger
from scoring.judging.ledger import Limit, LimitError, Spent, columns
from scoring.models import MetricRun

LAB = configuration.Endpoint("lab", "http://a.org", ("tiny",), price_in=1.0)
PRICED = configuration.Endpoint(
    "lab", "http://a.org", ("tiny",), price_in=1.0, price_out=2.0, currency="EUR"
)


def agreed(make_study, calls=10, cost=None):
    limit = columns(Limit(calls, cost, "EUR"), user=None, now=timezone.now())
    return MetricRun.objects.create(study=make_study(), metric="llm_judge", **limit)


def told(status, tokens_in=None, tokens_out=None):
    call = dict.fromkeys(call_records.Call.__dataclass_fields__)
    given = {"status": status, "tokens_in": tokens_in, "tokens_out": tokens_out}
    return call_records.Call(**{**call, **given})


class TestAgreement:
    def test_without_a_limit_nobody_is_asked(self):
        with pytest.raises(LimitError, match="agree first to where the texts go"):
            ledger.check(None, LAB, None)

    def test_a_spending_limit_needs_both_prices(self):
        with pytest.raises(LimitError, match="set a call limit only"):
            ledger.check(Limit(10, 1.0), LAB, None)
        assert ledger.check(Limit(10), LAB, None) == Limit(10)

    def test_it_is_in_the_currency_of_the_prices(self):
        with pytest.raises(LimitError, match="currency=USD: .* are in EUR"):
            ledger.check(Limit(10, 1.0), PRICED, None)

    @pytest.mark.parametrize("limit", [(0, None), (5, -1.0), (5, float("nan"))])
    def test_it_is_an_amount(self, limit):
        with pytest.raises(LimitError, match="expected"):
            ledger.check(Limit(*limit, "EUR"), PRICED, None)


@pytest.mark.django_db
class TestHolding:
    def test_as_many_calls_as_fit_are_made(self, make_study):
        run = agreed(make_study, calls=3)
        assert ledger.hold(run, [0.0] * 2) == 2
        assert ledger.hold(run, [0.0] * 2) == 1
        assert ledger.hold(run, [0.0]) == 0

    def test_as_much_money_as_fits_is_held(self, make_study):
        run = agreed(make_study, cost=1.0)
        assert ledger.hold(run, [0.25, 0.5, 0.5]) == 2
        ledger.settle(run, [Spent(0.5, 0.125, 10, 5)])
        assert ledger.hold(run, [0.5]) == 1
        run.refresh_from_db()
        assert (run.cost, run.held_cost) == (0.125, 0.75)
        assert (run.tokens_in, run.tokens_out) == (10, 5)

    def test_what_nobody_knows_the_price_of_stays_held(self, make_study):
        run = agreed(make_study, cost=1.0)
        ledger.hold(run, [0.75])
        ledger.settle(run, [ledger.spent_by(told(None), 0.75, PRICED)])
        assert ledger.hold(run, [0.75]) == 0

    def test_a_run_without_agreement_holds_nothing(self, make_study):
        run = MetricRun.objects.create(study=make_study(), metric="llm_judge")
        assert ledger.hold(run, [0.0]) == 0


@pytest.mark.parametrize(
    ("call", "cost"),
    [
        (told(429), 0.0),
        (told(None), None),
        (told(200), None),
        (told(200, 1_000_000, 1_000_000), 3.0),
        (told(200, 1_000_000), 1.0),
    ],
)
def test_a_refusal_is_free_and_silence_is_not(call, cost):
    assert ledger.spent_by(call, 5.0, PRICED).cost == cost


@pytest.mark.django_db(transaction=True)
def test_those_who_ask_at_once_share_one_limit(make_study):
    run = agreed(make_study, calls=1000, cost=1.0)
    made = []

    def ask():
        try:
            for _ in range(20):
                made.append(ledger.hold(run, [0.03125] * 2))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    run.refresh_from_db()
    assert sum(made) == run.n_calls == 32
    assert run.held_cost == 1.0


@pytest.mark.django_db
class TestSentence:
    """What was reached, and what to do."""

    def test_of_calls(self, make_study):
        run = agreed(make_study, calls=1, cost=2.0)
        ledger.hold(run, [0.5])
        assert ledger.limit_reached(run) == admission.CALLS_REACHED
        assert ledger.sentence(run) == (
            "The limit of 1 call was reached. Answers received so far are kept. Raise"
            " the limit to continue: only the missing ones are requested."
        )

    def test_of_money(self, make_study):
        run = agreed(make_study, calls=1200, cost=2.5)
        assert ledger.hold(run, [2.0, 2.0]) == 1
        assert ledger.limit_reached(run) == admission.COST_REACHED
        assert ledger.sentence(run, so="1 text has no score").startswith(
            "The limit of 2.5 EUR was reached, because the next call might have passed"
            " it, so 1 text has no score. Answers"
        )

    def test_without_a_limit_of_money_only_calls_can_end_it(self, make_study):
        run = agreed(make_study, calls=1200)
        assert ledger.limit_reached(run) == admission.CALLS_REACHED

    @pytest.mark.parametrize("cost", [float("nan"), float("inf"), -1.0])
    def test_what_is_no_amount_raises_no_limit(self, make_study, cost):
        run = agreed(make_study, calls=10, cost=2.0)
        with pytest.raises(LimitError, match="expected an amount of money"):
            ledger.check_higher(run, Limit(20, cost, "EUR"))
