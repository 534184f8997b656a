from __future__ import annotations

from datetime import timedelta

import pytest

from scoring.judging import ledger, usage_report
from scoring.judging.ledger import Limit, columns
from scoring.models import JudgeCall, MetricRun
from tests.scoring.working import NOON

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(make_study) -> MetricRun:
    return MetricRun.objects.create(
        study=make_study(),
        metric="llm_judge",
        state=MetricRun.State.RUNNING,
        started_at=NOON - timedelta(minutes=10),
        n_calls=40,
        **columns(Limit(100), user=None, now=NOON),
    )


def call(run, *, problem="", seconds=0, **fields) -> JudgeCall:
    given = {"endpoint": "lab", "model_asked": "tiny", "prompt_hash": "x", "key": "k"}
    given |= {"sample": 1, "attempt": 1, "milliseconds": 9, "status": 200}
    made_at = NOON - timedelta(seconds=seconds)
    given |= {"parameters": "{}", "problem": problem, "made_at": made_at, **fields}
    return JudgeCall.objects.create(run=run, **given)


def test_calls_per_minute_are_those_of_the_last_minute(run):
    for seconds in (1, 30, 59, 61, 500):
        call(run, seconds=seconds)
    assert usage_report.spent(run, share=0, now=NOON).per_minute == 3


def test_of_a_run_that_began_just_now_they_are_scaled(run):
    run.started_at = NOON - timedelta(seconds=30)
    for seconds in (1, 20):
        call(run, seconds=seconds)
    assert usage_report.spent(run, share=0, now=NOON).per_minute == 4


def test_time_left_is_what_is_left_to_ask_at_this_rate(run):
    for _ in range(20):
        call(run, seconds=5)
    assert usage_report.spent(run, share=0, now=NOON).seconds_left is None
    assert usage_report.spent(run, share=0.5, now=NOON).seconds_left == 60 * 40 / 20
    run.n_kept = 10
    planned = usage_report.spent(run, share=0, now=NOON, planned=90)
    assert planned.seconds_left == 60 * (90 - 10 - 40) / 20


@pytest.mark.parametrize(("share", "too_little"), [(0.5, False), (0.3, True)])
def test_it_is_told_early_that_the_limit_will_not_do(run, share, too_little):
    assert usage_report.spent(run, share=share, now=NOON).too_little is too_little


def test_a_run_stopped_at_its_limit_if_its_notes_say_so(run):
    run.state = MetricRun.State.DONE
    run.notes = ["Something else."]
    assert not usage_report.reached(run)
    run.notes.append(ledger.sentence(run))
    assert usage_report.reached(run)


def test_problems_of_one_kind_are_counted_together(run):
    for word in ("one", "two"):
        call(run, problem=f"the model refused: “{word}”", answer=word)
    call(run, problem="the numbers 1 to 5 have 12.3% of the probability where …")
    call(run, problem="the numbers 1 to 5 have 45.6% of the probability where …")
    call(run, problem="timed out", status=None)
    call(run)
    found = {one.kind: (one.n, one.status) for one in usage_report.problems(run)}
    assert found == {
        "the model refused": (2, 200),
        "the numbers of the scale have too little of the probability": (2, 200),
        "timed out": (1, None),
    }


def test_an_example_is_bounded(run):
    call(run, problem="the answer is not one number: …", answer="x" * 20_000)
    (found,) = usage_report.problems(run)
    assert len(found.example) == usage_report.LONGEST_EXAMPLE


def test_the_table_has_a_row_for_each_attempt_in_order(run):
    first, second = call(run, problem="timed out", status=None), call(run, attempt=2)
    header, *rows = usage_report.table(run)
    place = header.index("id")
    assert [row[place] for row in rows] == [first.pk, second.pk]
    assert rows[0][header.index("status")] is None
