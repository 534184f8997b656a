from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation import answering, assigning, kept, workers
from annotation.kinds._page_texts import of_seat
from annotation.models import CopyCheck, Policy, Summary, Verdict
from annotation.watching import attention, copying, dismissing
from annotation.watching.findings import Severity
from scoring.metrics import Output
from scoring.models import MetricRun
from scoring.results import copied
from tests.annotation.seating import NOON, hire, lay_out, page
from tests.support import scored

JUDGE = "judge|answered:tiny|aspects:coherence|endpoint:lab/tiny"
RATED = Output("coherence", "Coherence", "rating, [1, 5]", True, measures="coherence")
LATER = NOON + timedelta(days=1)
HONEST = 6


@pytest.fixture
def study(make_study):
    """Six honest workers and one who copies the judge rate 36 texts each."""
    study = make_study(
        prompts=6, systems=tuple("abcdef"), aspects=("coherence",), ratings_per_text=9
    )
    lay_out(study)
    # Nobody is to be discarded by anything else.
    Policy.objects.update(worker_pages=99)
    rng = np.random.default_rng(5)
    texts = list(study.generations.order_by("pk").values_list("pk", flat=True))
    true = dict(zip(texts, rng.normal(3, 1, len(texts)), strict=True))
    said = {pk: on_scale(felt + rng.normal(0, 0.9)) for pk, felt in true.items()}
    signature = scored.score(study, RATED, list(said.values()), signature=JUDGE)
    MetricRun.objects.create(study=study, metric="judge", signature=signature)
    for n in range(HONEST):
        felt = {pk: on_scale(one + rng.normal(0, 0.9)) for pk, one in true.items()}
        rate(study, f"honest {n}", felt)
    rate(study, "copier", said)
    return study


def on_scale(felt: float) -> int:
    return int(np.clip(np.round(felt), 1, 5))


def rate(study, name: str, given: dict[int, int]) -> None:
    worker = hire(study, name)
    for number in range(study.surveys.count()):
        now = NOON + timedelta(hours=number)
        seat = assigning.claim(worker=worker, now=now)
        answers = page(seat)
        for (position, key), _ in answers.items():
            text = of_seat(seat)[position - 1].generation_id
            answers[position, key] = given.get(text, 1)
        answering.submit(seat=seat, answers=answers, now=now + timedelta(minutes=9))


def the(study, name: str):
    return study.workers.get(external_id=name)


def kinds(study, name: str) -> set[str]:
    subject = attention.read(study=study).of(the(study, name))
    return {one.kind for one in subject.findings} if subject else set()


def test_who_copies_a_judge_is_on_the_list_with_the_figures(study):
    copied.refresh(now=LATER)
    subject = attention.read(study=study).of(the(study, "copier"))
    (finding,) = [one for one in subject.findings if one.kind == "copied"]
    assert (
        "as the judge tiny on lab (over the network) in 36 of 36 answers"
        in finding.sentence
    )
    assert "2 of 100 honest workers" in finding.sentence
    assert "do not withhold pay" in finding.sentence
    assert finding.severity == Severity.LOOK
    assert len(finding.seats) == 6


def test_of_a_large_study_a_worker_finds_out(study, monkeypatch):
    monkeypatch.setattr("annotation.kept.keeping.MOST_TEXTS", 0)
    monkeypatch.setattr("evalapp.work.dispatch.send", lambda task, pk, queue: None)
    copied.refresh(now=LATER)
    assert copying.read(study=study) == {}
    asked = Summary.objects.get(study=study, name="copied")
    kept.SUMMARY_WORK.perform(pk=asked.pk, owner="me", clock=lambda: LATER)
    found = copying.read(study=study)
    assert found
    copied.refresh(now=LATER + copying.REST)
    asked.refresh_from_db()
    assert asked.state == Summary.State.DONE
    CopyCheck.objects.all().delete()
    monkeypatch.undo()
    copied.refresh(now=LATER)
    assert copying.read(study=study) == found


def test_nobody_honest_is_on_the_list_here(study):
    copied.refresh(now=LATER)
    found = [kinds(study, f"honest {n}") for n in range(HONEST)]
    assert all("copied" not in one for one in found)
    assert len(copying.read(study=study)) == HONEST + 1


def test_it_discards_nothing(study):
    before = Verdict.objects.count()
    states = list(the(study, "copier").seats.values_list("state", flat=True))
    copied.refresh(now=LATER)
    attention.read(study=study)
    assert Verdict.objects.count() == before
    assert list(the(study, "copier").seats.values_list("state", flat=True)) == states
    assert the(study, "copier").state == "active"


def test_it_can_be_dismissed(study, alice):
    copied.refresh(now=LATER)
    entry = attention.read(study=study).of(the(study, "copier")).entry
    dismissing.dismiss(study=study, entry=entry, reason="asked", user=alice, now=LATER)
    assert attention.read(study=study).of(the(study, "copier")) is None


def test_it_is_worked_out_again_once_ratings_have_come_and_a_while_has_passed(study):
    copied.refresh(now=LATER)
    before = CopyCheck.objects.get().stamp
    copied.refresh(now=LATER + copying.REST)
    assert CopyCheck.objects.get().asked_at == LATER, "nothing was new"
    given = dict.fromkeys(study.generations.values_list("pk", flat=True), 3)
    rate(study, "late", given)
    copied.refresh(now=LATER + copying.REST / 2)
    assert CopyCheck.objects.get().stamp == before, "too soon"
    copied.refresh(now=LATER + copying.REST)
    assert CopyCheck.objects.get().stamp != before
    assert the(study, "late").pk in copying.read(study=study)


def test_a_study_without_a_judge_is_left_alone(make_study):
    lay_out(make_study())
    copied.refresh(now=LATER)
    assert not CopyCheck.objects.exists()


def test_who_takes_their_answers_back_is_forgotten(study):
    copied.refresh(now=LATER)
    worker = the(study, "copier")
    workers.withdraw(worker=worker, now=LATER)
    assert copying.read(study=study) == {}
    copied.refresh(now=LATER + copying.REST)
    assert len(copying.read(study=study)) == HONEST
    assert worker.pk not in copying.read(study=study)


def test_what_is_worked_out_during_a_withdrawal_is_not_kept(study):
    copying.claim(study=study, stamp="", now=LATER)
    worker = the(study, "copier")
    workers.withdraw(worker=worker, now=LATER)
    held = copying.Held("tiny", 30, 30, 30, 12.0, 0.0, 7)
    copying.keep(study=study, held={worker.pk: held}, stamp="x")
    assert copying.read(study=study) == {}


def test_p_is_for_all_judges_together(study):
    copied.refresh(now=LATER)
    alone = copying.read(study=study)[the(study, "honest 1").pk].p
    second = JUDGE.replace("tiny", "other")
    values = list(study.generations.values_list("scores__value", flat=True))
    signature = scored.score(study, RATED, values, signature=second)
    MetricRun.objects.create(study=study, metric="judge", signature=signature)
    copied.work_out(study=study, stamp="new")
    both = copying.read(study=study)[the(study, "honest 1").pk].p
    assert both == pytest.approx(min(1.0, 2 * alone))


def test_a_list_without_such_workers_costs_one_query_more(study):
    def n_queries() -> int:
        with CaptureQueriesContext(connection) as queries:
            attention.read(study=study)
        return len(queries)

    attention.read(study=study)
    CopyCheck.objects.all().delete()
    without = n_queries()
    CopyCheck.objects.create(study=study, asked_at=LATER)
    assert n_queries() == without
