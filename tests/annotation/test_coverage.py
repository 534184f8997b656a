"""The promise of the whole design, with real threads on a real database."""

from __future__ import annotations

import time
from collections import Counter
from datetime import datetime

import pytest
from django.db.models import Count

from annotation import answering, assigning, human_scores
from annotation.models import Place, Seat, Study, Verdict
from tests.annotation.seating import LATER, NOON, State, hire, in_threads, lay_out, page

N_WORKERS, N_SURVEYS, N_RATINGS = 50, 6, 5
PATIENCE = 90  # seconds; a place that got lost would make everybody wait for ever


@pytest.fixture
def study(transactional_db, make_study) -> Study:
    """Six surveys of four texts and a negative, five ratings of each."""
    study = make_study(prompts=N_SURVEYS, ratings_per_text=N_RATINGS)
    lay_out(study)
    return study


@pytest.fixture
def workers(study):
    return [hire(study, f"worker {n}") for n in range(N_WORKERS)]


def is_careless(number: int) -> bool:
    return number % 4 == 0


def test_fifty_workers_at_once_leave_every_text_with_exactly_its_ratings(
    study, workers
):
    def work(number: int) -> None:
        rate_until_covered(workers[number], now=NOON, careless=is_careless(number))

    in_threads(N_WORKERS, work)
    assert_covered(study)
    states = Seat.objects.values_list("state", flat=True)
    assert set(states) == {State.VALID, State.DISCARDED}


def test_so_do_workers_who_leave_and_come_back_too_late(study, workers):
    left: dict[int, Seat] = {}

    def leave(number: int) -> None:
        if seat := assigning.claim(worker=workers[number], now=NOON):
            begin(seat, page(seat), now=NOON)
            left[number] = seat

    def come_back(number: int) -> None:
        """Two hours later, while others take over what they had."""
        careless = is_careless(number)
        if number in left and number % 2:
            finish(left[number], now=LATER, careless=careless)
        rate_until_covered(workers[number], now=LATER, careless=careless)

    in_threads(N_WORKERS, leave)
    assert len(left) == N_SURVEYS * N_RATINGS  # all places are held, by thirty people
    in_threads(N_WORKERS, come_back)
    assert_covered(study)
    # Whoever handed a page in has it counted or kept; nothing is lost.
    answered = Seat.objects.annotate(n=Count("annotations"))
    finished = answered.filter(state__in=Seat.FINISHED)
    assert set(finished.values_list("n", flat=True)) == {15}
    assert not answered.filter(state=State.CLAIMED).exists()


def rate_until_covered(worker, *, now: datetime, careless: bool) -> None:
    end = time.monotonic() + PATIENCE
    while not is_covered(worker.study) and time.monotonic() < end:
        if seat := assigning.claim(worker=worker, now=now):
            finish(seat, now=now, careless=careless)
        else:
            # A page of somebody else may yet be discarded, and its place be free.
            time.sleep(0.05)


def begin(seat: Seat, answers: dict[tuple[int, str], int], now: datetime) -> None:
    (position, aspect), value = next(iter(answers.items()))
    answering.save(seat=seat, position=position, aspect=aspect, value=value, now=now)


def finish(seat: Seat, *, now: datetime, careless: bool) -> None:
    answers = page(seat, real=2, negative=5) if careless else page(seat)
    begin(seat, answers, now)
    answering.submit(seat=seat, answers=answers, now=now)


def is_covered(study: Study) -> bool:
    valid = Seat.objects.filter(survey__study=study, state=State.VALID).count()
    return valid >= N_SURVEYS * N_RATINGS


def assert_covered(study: Study) -> None:
    for aspect in study.aspects.all():
        found = human_scores.counts(study=study, aspect=aspect)
        assert found.counts.sum(axis=1).tolist() == [N_RATINGS] * N_SURVEYS * 4
    assert_nobody_sat_twice(study)
    assert not Place.objects.filter(free=True).exists()
    discarded = Seat.objects.filter(state=State.DISCARDED)
    assert discarded.exists()
    assert not Verdict.objects.filter(seat__in=discarded, reason="").exists()


def assert_nobody_sat_twice(study: Study) -> None:
    seats = Seat.objects.filter(survey__study=study)
    sittings = Counter(seats.values_list("survey_id", "worker_id"))
    assert set(sittings.values()) == {1}
    valid = seats.filter(state=State.VALID)
    assert valid.values("place").distinct().count() == valid.count()
    people = valid.values("survey").annotate(n=Count("worker", distinct=True))
    assert {row["n"] for row in people} == {N_RATINGS}
