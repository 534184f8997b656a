"""How many pages are left: exactly, or as it was a few seconds ago."""

from __future__ import annotations

import pytest

from annotation.crowd import left
from annotation.crowd.left import Own, about_left, pages_left
from annotation.models import Place, Seat, Study
from tests.annotation.seating import LATER, NOON, hire, lay_out, sit

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study):
    left.forget()
    study = make_study(prompts=4, ratings_per_text=2)
    lay_out(study)
    return study


def about(seat: Seat) -> int:
    study = Study.objects.get(pk=seat.worker.study_id)
    return about_left(study, Own.of(seat.worker), NOON, seat)


def exactly(seat: Seat) -> int:
    study = Study.objects.get(pk=seat.worker.study_id)
    return pages_left(study, seat.worker, NOON, besides=seat)


def test_what_is_kept_says_the_same_as_a_count(study):
    seat = sit(study, "kim")
    assert about(seat) == exactly(seat) == 3
    Study.objects.update(max_pages=2)
    assert about(seat) == exactly(seat) == 1
    Study.objects.update(max_pages=1)
    assert about(seat) == exactly(seat) == 0


def test_pages_that_a_worker_has_rated_are_not_left_for_them(study):
    seat, other = sit(study, "kim"), sit(study, "bo")
    Seat.objects.filter(pk=seat.pk).update(state="valid")
    following = sit_again(seat)
    assert Own.of(seat.worker).done == 1
    assert about(following) == exactly(following) == 2
    assert about(other) == 3


def sit_again(seat: Seat) -> Seat:
    place = Place.objects.exclude(survey=seat.survey_id).filter(free=True)[0]
    return Seat.objects.create(
        survey=place.survey,
        place=place,
        worker=seat.worker,
        order=[],
        claimed_at=NOON,
    )


def test_it_is_not_counted_again_for_the_next_worker(study, django_assert_num_queries):
    seats = [sit(study, name) for name in ("kim", "bo")]
    owns = [Own.of(seat.worker) for seat in seats]
    study.refresh_from_db()
    about_left(study, owns[0], NOON, seats[0])
    with django_assert_num_queries(0):
        about_left(study, owns[1], NOON, seats[1])


def test_it_is_counted_again_after_a_few_seconds(study, monkeypatch):
    seat = sit(study, "kim")
    assert about(seat) == 3
    Place.objects.filter(free=True, survey__number__gt=2).update(free=False)
    assert about(seat) == 3
    monkeypatch.setattr(left, "FRESH", 0)
    assert about(seat) == exactly(seat) == 1


def test_that_nothing_is_left_is_never_said_from_what_is_kept(study):
    seat = sit(study, "kim")
    Place.objects.filter(free=True).update(free=False)
    assert about(seat) == 0
    Place.objects.filter(lease_until=None).update(free=True)
    assert about(seat) == 3


def test_who_is_new_is_counted_too(study):
    assert pages_left(study, None, LATER) == pages_left(study, hire(study, "x"), LATER)


def test_a_study_that_is_not_open_has_none(study):
    seat = sit(study, "kim")
    Study.objects.update(state="paused")
    assert about(seat) == exactly(seat) == 0
