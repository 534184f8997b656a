"""Admission of a run: calls are rows, limits hold, and answers are used again."""

from __future__ import annotations

import math

import pytest

from evalapp.spending import budgets
from scoring.endpoints import admission
from scoring.judging import shared_admission
from scoring.judging.ledger import Limit, columns
from scoring.metrics import Example, MetricError, get
from scoring.models import JudgeCall, JudgeIdentity, JudgeSecond, MetricRun
from tests.scoring.endpoints.servers import Server, completion, error

TEXTS = [Example(f"Text number {n}.") for n in range(6)]


@pytest.fixture
def run(make_study):
    return _run(make_study())


def _run(study, **fields):
    from django.utils import timezone

    now = timezone.now()
    agreed = columns(Limit(**{"calls": 1000, **fields}), user=None, now=now)
    return MetricRun.objects.create(
        study=study, metric="llm_judge", started_at=now, **agreed
    )


@pytest.fixture
def serve(tmp_path, monkeypatch):
    """Start a server, written into the operator's file."""
    from contextlib import ExitStack

    with ExitStack() as stack:

        def start(reply, **fields):
            server = stack.enter_context(Server(reply).running())
            lines = [f'url = "{server.url}"', 'models = ["tiny"]']
            lines += [
                f"{key} = {value!r}".replace("'", '"') for key, value in fields.items()
            ]
            file = tmp_path / "judges.toml"
            file.write_text("\n".join(["[judges.lab]", *lines]))
            monkeypatch.setenv("JUDGES_FILE", str(file))
            return server

        yield start


def judge(run, **options):
    metric = get("llm_judge")(
        **{"model": "endpoint:lab/tiny", "mode": "answer", **options}
    )
    return shared_admission.scorer(metric, run)


def always(*contents):
    def reply(body, n):
        return completion(contents[min(n, len(contents) - 1)])

    return reply


pytestmark = pytest.mark.django_db(transaction=True)


def test_each_call_is_a_row_and_counted(run, serve):
    server = serve(always("4"), price_in=10.0, price_out=100.0)
    found = judge(run)(TEXTS)
    assert found.values["quality"].tolist() == [4.0] * 6
    assert JudgeCall.objects.filter(run=run, status=200).count() == 7
    assert len(server.asked) == 7
    run.refresh_from_db()
    assert (run.n_calls, run.n_kept) == (7, 0)
    assert (run.tokens_in, run.tokens_out) == (7 * 50, 7 * 3)
    assert run.cost == pytest.approx(7 * (50 * 10 + 3 * 100) / 1e6)
    assert run.held_cost == pytest.approx(0)
    assert str(JudgeIdentity.objects.get()) == "lab/tiny: tiny"


@pytest.mark.slow
def test_a_run_stops_at_the_ceiling_of_its_study(run, serve):
    prices = {"price_in": 1.0, "price_out": 100.0}
    server = serve(always("4"), **prices, calls_at_once=3, max_per_study=0.2)
    scores = judge(run)([Example(f"Text {n}.") for n in range(600)])
    assert scores.reasons["quality"][-1] == admission.CEILING_REACHED
    run.refresh_from_db()
    assert 0.2 - 0.06 < run.cost <= 0.2
    assert run.held_cost == pytest.approx(0)
    assert run.n_calls == len(server.asked) == JudgeCall.objects.count()
    spent = budgets.spent(purpose="judge lab USD", scope=f"study {run.study_id}")
    # A sum of 60 floats: the rows of the budget count in whole millionths.
    assert round(run.cost, 9) <= spent / 1e6 <= 0.2


def test_who_may_no_longer_spend_asks_nobody(run, serve, bob):
    server = serve(always("4"), price_in=1.0, price_out=1.0)
    MetricRun.objects.update(agreed_by=bob)
    with pytest.raises(MetricError, match="may not spend"):
        judge(run)
    assert server.asked == []


def test_answers_of_another_run_are_used_again(run, serve, make_study):
    server = serve(always("4", "5"))
    judge(run)(TEXTS)
    other = _run(run.study)
    again = judge(other)(TEXTS)
    assert again.values["quality"].tolist() == [4.0] * 6
    assert len(server.asked) == 7 + 1  # the other run's probe
    other.refresh_from_db()
    assert (other.n_calls, other.n_kept) == (1, 6)


def test_another_prompt_sample_or_model_is_asked(run, serve):
    server = serve(lambda body, n: completion("4", model="one"), changes="split")
    judge(run, mode="samples", samples=2)(TEXTS)
    assert len(server.asked) == 1 + 12
    judge(_run(run.study), mode="samples", samples=3)(TEXTS)
    assert len(server.asked) == 14 + 6
    judge(_run(run.study), aspects="other: How good?")(TEXTS)
    assert len(server.asked) == 21 + 6
    server.reply = lambda body, n: completion("5", model="two")
    found = judge(_run(run.study), mode="samples", samples=2)(TEXTS)
    assert len(server.asked) == 28 + 12
    assert found.values["quality"].tolist() == [5.0] * 6


def test_no_text_is_paid_for_again_because_a_name_got_a_date(run, serve):
    server = serve(lambda body, n: completion("4", model="one"))
    judge(run)(TEXTS)
    server.reply = lambda body, n: completion("5", model="one-2026-11-01")
    found = judge(_run(run.study))(TEXTS)
    assert len(server.asked) == 7 + 1
    assert found.values["quality"].tolist() == [4.0] * 6
    (note,) = found.notes
    assert "by one-2026-11-01 (fp_1), some of the others by one (fp_1)." in note


def test_an_unreadable_answer_stays_so_and_a_failing_network_is_asked_again(
    run, serve, monkeypatch
):
    monkeypatch.setattr("scoring.endpoints.client.FIRST_PAUSE", 0.001)

    def reply(body, n):
        if TEXTS[0].text in body["messages"][0]["content"]:
            return completion("between 3 and 4")
        return error(500) if n < 5 and TEXTS[1].text in str(body) else completion("4")

    server = serve(reply)
    first = judge(run)(TEXTS)
    assert "is not one number" in first.reasons["quality"][0]
    assert "asked 5 times" in first.reasons["quality"][1]
    assert len(server.asked) == 1 + 3 + 5 + 4
    again = judge(_run(run.study))(TEXTS)
    assert again.reasons["quality"][0] == first.reasons["quality"][0]
    assert again.values["quality"][1:].tolist() == [4.0] * 5
    assert len(server.asked) == 13 + 1 + 1


def test_the_successor_of_a_dead_worker_asks_only_what_is_missing(
    run, serve, monkeypatch
):
    monkeypatch.setattr("scoring.endpoints.client.FIRST_PAUSE", 0.001)
    server = serve(
        lambda body, n: error(500) if TEXTS[1].text in str(body) else completion("4")
    )
    judge(run)(TEXTS)
    assert len(server.asked) == 1 + 5 + 5
    JudgeCall.objects.filter(attempt__gt=2).delete()  # it never came to them
    found = judge(run)(TEXTS)  # no second probe
    assert len(server.asked) == 11 + 3
    assert "asked 5 times" in found.reasons["quality"][1]
    attempts = JudgeCall.objects.filter(status=500).values_list("attempt", flat=True)
    assert sorted(attempts) == [1, 2, 3, 4, 5]


def test_the_limit_of_calls_is_never_passed(make_study, serve):
    run = _run(make_study(), calls=4)
    server = serve(always("4"), calls_at_once=3)
    found = judge(run)(TEXTS)
    assert len(server.asked) == 4
    assert (
        sorted(map(str, found.reasons["quality"]))
        == ["None"] * 3 + [admission.CALLS_REACHED] * 3
    )
    assert math.isnan(sum(found.values["quality"]))


@pytest.mark.slow
def test_the_limit_of_money_is_never_passed(make_study, serve):
    """At the most that a call may cost, although it then costs less."""
    run = _run(make_study(), cost=0.2)
    server = serve(always("4"), price_in=1.0, price_out=100.0, calls_at_once=3)
    found = judge(run)([Example(f"Text {n}.") for n in range(600)])
    assert found.reasons["quality"][-1] == admission.COST_REACHED
    run.refresh_from_db()
    assert run.held_cost == pytest.approx(0)
    assert 0.2 - 0.06 < run.cost <= 0.2
    assert run.n_calls == len(server.asked) == JudgeCall.objects.count()


def test_without_a_limit_nothing_is_asked(run, serve):
    server = serve(always("4"))
    MetricRun.objects.update(most_calls=None)
    with pytest.raises(MetricError, match="the limit was reached before the first"):
        judge(run)
    assert server.asked == []


@pytest.mark.parametrize(
    ("prices", "said"),
    [
        ({}, "the operator has not set prices"),
        ({"price_in": 1.0, "price_out": 1.0, "currency": "EUR"}, "are in EUR"),
    ],
)
def test_a_limit_that_the_operator_took_the_prices_from_is_not_exceeded(
    make_study, serve, prices, said
):
    run = _run(make_study(), cost=0.2)
    server = serve(always("4"), **prices)
    with pytest.raises(MetricError, match=said):
        judge(run)
    assert server.asked == []


def test_calls_are_booked_by_the_second(run, serve):
    serve(always("4"), calls_per_minute=600)
    judge(run)(TEXTS)
    assert sum(JudgeSecond.objects.values_list("calls", flat=True)) == 7
