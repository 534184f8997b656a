from __future__ import annotations

import pytest

from annotation import answering, workers
from annotation.models import Seat
from annotation.seats import writing
from annotation.seats.writing import Writing
from tests.annotation.seating import NOON, lay_out, sit


@pytest.fixture
def seat(make_study):
    study = make_study(prompts=1)
    lay_out(study)
    return sit(study, "w1")


def count(seat: Seat, said: str) -> Writing | None:
    found = writing.read(said)
    answering.save_all(seat=seat, answers={}, now=NOON, writing=found)
    return writing.of(Seat.objects.get(pk=seat.pk))


@pytest.mark.parametrize("said", ["", "1:2", "1:2:3:4", "a:b:c", "-1:2:3", "٣:1:1"])
def test_what_makes_no_sense_is_no_count(said):
    assert writing.read(said) is None


def test_counts_are_bounded():
    assert writing.read("1:" + "9" * 30 + ":2") == Writing(1, writing.MOST, 2)


def test_counts_are_kept_and_never_go_back(seat):
    assert count(seat, "2:310:1") == Writing(2, 310, 1)
    assert count(seat, "0:0:3") == Writing(2, 310, 3)
    assert writing.shown(Seat.objects.get()) == "2:310:3"


def test_a_page_without_the_script_has_no_counts(seat):
    assert count(seat, "") is None
    assert writing.shown(seat) == ""


def test_nothing_pasted_is_a_count_of_zero(seat):
    assert count(seat, "0:0:0") == Writing(0, 0, 0)
    assert writing.total(seat.worker.seats.all()) == Writing(0, 0, 0)


def test_who_takes_their_answers_back_takes_the_counts_along(seat):
    count(seat, "2:310:1")
    workers.withdraw(worker=seat.worker, now=NOON)
    assert not Seat.objects.exclude(pastes=None, pasted=None, left=None).exists()
