from __future__ import annotations

from collections import Counter
from datetime import timedelta
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.stats

from annotation import answering, assigning
from annotation.models import Policy, Study
from annotation.seats import canary
from annotation.watching import attention, canaries, findings
from annotation.watching.canaries import Followed
from annotation.watching.findings import Severity
from tests.annotation.seating import NOON, hire, lay_out, page

QUESTIONS = [SimpleNamespace(pk=k, scale=range(1, 6)) for k in (7, 8)]


def draw(seat: int, seed: int = 3):
    return canary.drawn(seed=seed, seat=seat, texts=4, aspects=QUESTIONS)


@pytest.fixture
def study(make_study):
    """Six pages with sentences; nobody is discarded."""
    study = make_study(prompts=6, ratings_per_text=8, canary=True)
    lay_out(study)
    Policy.objects.update(worker_pages=99)
    return study


def work(study: Study, name: str, *, follows: bool):
    worker = hire(study, name)
    for number in range(6):
        now = NOON + timedelta(hours=number)
        seat = assigning.claim(worker=worker, now=now)
        # With the best score on each real text, no damaged one stands above them.
        answers = page(seat, real=5)
        aspects = list(study.aspects.all())
        asked = canary.drawn(
            seed=study.seed, seat=seat.pk, texts=len(seat.order), aspects=aspects
        )
        at = asked.position, asked.aspect.key
        answers[at] = asked.value if follows else asked.value % 5 + 1
        answering.submit(seat=seat, answers=answers, now=now + timedelta(minutes=9))
    return worker


def kinds(study, worker) -> set[str]:
    subject = attention.read(study=study).of(worker)
    return {one.kind for one in subject.findings} if subject else set()


def test_the_draw_is_the_same_again_and_another_in_another_study():
    assert draw(1) == draw(1)
    assert any(draw(seat) != draw(seat, seed=4) for seat in range(5))


def test_every_answer_text_and_question_is_asked_for_as_often():
    """So an honest answer is the one asked for with a chance of 1 / points."""
    found = [draw(seat) for seat in range(4000)]
    for name in ("position", "value"):
        counts = Counter(getattr(one, name) for one in found)
        assert scipy.stats.chisquare(list(counts.values())).pvalue > 0.001
    assert {one.aspect.pk for one in found} == {7, 8}
    assert found[0].chance == pytest.approx(0.2)


def test_the_tail_is_that_of_the_binomial_and_of_mixed_scales():
    expected = scipy.stats.binom.sf(2, 6, 0.2)
    assert canaries.tail([0.2] * 6, 3) == pytest.approx(expected)
    assert canaries.tail([0.5, 0.25], 2) == pytest.approx(0.125)
    assert canaries.tail([0.5, 0.25], 0) == 1


def test_at_most_two_honest_workers_of_100_follow_that_often():
    for n in range(1, 40):
        notes = [canaries.tail([0.2] * n, k) <= 0.02 for k in range(n + 1)]
        chance = scipy.stats.binom.pmf(np.arange(n + 1), n, 0.2)
        assert chance[notes].sum() <= 0.02


def test_who_follows_the_sentences_is_listed_and_keeps_their_pages(study):
    worker = work(study, "program", follows=True)
    other = work(study, "person", follows=False)
    (finding,) = [
        one
        for one in attention.read(study=study).of(worker).findings
        if one.kind == "followed"
    ]
    assert "on 6 of 6 pages. By chance, 1.2 would be expected." in finding.sentence
    assert (finding.severity, len(finding.seats)) == (Severity.LOOK, 6)
    assert "followed" not in kinds(study, other)
    assert worker.seats.filter(state="discarded").count() == 0


def test_a_study_without_sentences_asks_nothing(study, django_assert_num_queries):
    Study.objects.update(canary=False)
    study.refresh_from_db()
    worker = work(study, "program", follows=True)
    with django_assert_num_queries(0):
        assert canaries.read(study=study, workers=[worker]) == {}
    assert "followed" not in kinds(study, worker)


def test_the_note_weighs_less_where_somebody_honest_may_have_it():
    one = Followed(seats=[3, 2], pages=3, expected=0.6, p=0.015)
    assert findings.followed(one, 9).severity == Severity.NOTE
    assert findings.followed(one._replace(p=0.03), 1) is None
