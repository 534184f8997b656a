"""Prompts one after the other, with real threads on a real database."""

from __future__ import annotations

import threading
import time
from typing import NamedTuple

import pytest

from annotation import assigning, surveys
from annotation.models import Seat, Study
from annotation.surveys import prompt_order
from annotation.watching import stopping
from tests.annotation.seating import NOON, State, hire, in_threads
from tests.annotation.test_coverage import (
    N_RATINGS,
    N_SURVEYS,
    PATIENCE,
    assert_covered,
    finish,
    is_careless,
    is_covered,
)

N_WORKERS = 12


class Sat(NamedTuple):
    """One page of one worker: when it was asked for, given, and over."""

    worker: int
    prompt: int
    seat: int
    asked: float
    given: float
    over: float


class Log:
    """What all threads did; moments only order it, none is held against a limit."""

    def __init__(self) -> None:
        self.rows: list[Sat] = []
        self._lock = threading.Lock()

    def add(self, row: Sat) -> None:
        with self._lock:
            self.rows.append(row)


@pytest.fixture
def study(transactional_db, make_study) -> Study:
    study = make_study(prompts=N_SURVEYS, ratings_per_text=N_RATINGS, one_by_one=True)
    surveys.open_study(study=study)
    return study


def rate_all(study: Study) -> Log:
    workers, log = [hire(study, f"worker {n}") for n in range(N_WORKERS)], Log()

    def work(number: int) -> None:
        end = time.monotonic() + PATIENCE
        while not is_covered(study) and time.monotonic() < end:
            asked = time.monotonic()
            seat = assigning.claim(worker=workers[number], now=NOON)
            if seat is None:
                time.sleep(0.25)
                continue
            given = time.monotonic()
            finish(seat, now=NOON, careless=is_careless(number))
            prompt = seat.survey.prompt_id
            log.add(Sat(number, prompt, seat.pk, asked, given, time.monotonic()))

    in_threads(N_WORKERS, work)
    return log


def passed_over(study: Study, log: Log) -> list[tuple[Sat, int]]:
    """Pages that were given while an earlier prompt lacked ratings and nobody sat
    there, although the worker had not rated it."""
    order = prompt_order.of_all(study)
    valid = Seat.objects.filter(survey__study=study, state=State.VALID)
    valid = set(valid.values_list("pk", flat=True))
    wrong = []
    for one in log.rows:
        for prompt in order:
            there = [row for row in log.rows if row.prompt == prompt]
            filled = [r for r in there if r.seat in valid and r.over <= one.given]
            if (
                order[prompt] < order[one.prompt]
                and len(filled) < N_RATINGS
                and not any(r.asked <= one.given and one.asked <= r.over for r in there)
                and not any(r.worker == one.worker for r in there)
            ):
                wrong.append((one, prompt))
    return wrong


def test_no_seat_is_lost_and_prompts_come_in_order_but_for_those_in_progress(study):
    log = rate_all(study)
    assert_covered(study)
    assert len(log.rows) == Seat.objects.count()
    assert passed_over(study, log) == []
    order = prompt_order.of_all(study)
    assert stopping.closed(study=study).prompts == sorted(order, key=order.get)


@pytest.mark.slow
def test_the_order_is_that_of_the_prompts_and_of_nothing_else(study):
    """Were places handed out in another order, the test above would see it."""
    shuffles = dict(study.places.values_list("survey__prompt", "shuffle"))
    assert shuffles == prompt_order.of_all(study)
    for place in study.places.all():
        place.shuffle = -place.shuffle
        place.save()
    assert passed_over(study, rate_all(study))
