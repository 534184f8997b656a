"""Which places are open to whom, and which comes first."""

from __future__ import annotations

import pytest

from annotation import answering, assigning
from annotation.models import Generation, Place, Seat, Study, Worker
from annotation.seats import placing
from tests.annotation.seating import (
    LATER,
    NOON,
    State,
    expire,
    hand_in,
    hire,
    lay_out,
    sit,
)


@pytest.fixture
def study(make_study):
    study = make_study(prompts=3, ratings_per_text=2)
    lay_out(study)
    return study


class TestWhoMayHaveMore:
    @pytest.mark.parametrize("shut", sorted(set(Worker.State) - {"active"}))
    def test_only_active_workers_get_a_page(self, study, shut):
        ann = hire(study, "ann")
        Worker.objects.update(state=shut)
        assert assigning.claim(worker=ann, now=NOON) is None
        ann.refresh_from_db()
        assert not assigning.open_places(ann, NOON).exists()

    def test_nor_is_a_blocked_worker_given_back_the_page_they_were_at(self, study):
        seat = sit(study, "ann")
        Worker.objects.update(state="blocked")
        assert assigning.claim(worker=seat.worker, now=NOON) is None
        assert assigning.resume(worker=seat.worker, now=NOON) is None

    def test_what_an_excluded_worker_hands_in_is_kept_and_fills_no_place(self, study):
        seat = sit(study, "ann")
        Worker.objects.update(state="excluded")
        assert hand_in(seat).state == State.SURPLUS
        assert Place.objects.get(pk=seat.place_id).free

    def test_nobody_gets_more_pages_than_the_study_allows(self, study):
        Study.objects.update(max_pages=2)
        ann = hire(study, "ann")
        for careful in (True, False):
            seat = assigning.claim(worker=ann, now=NOON)
            assert assigning.claim(worker=ann, now=NOON) == seat
            hand_in(seat, careful=careful)
        assert assigning.claim(worker=ann, now=NOON) is None

    def test_a_page_lost_unanswered_is_not_counted(self, study):
        Study.objects.update(max_pages=1)
        seat = sit(study, "ann")
        expire(study=study, now=LATER)
        assert assigning.claim(worker=seat.worker, now=LATER)

    def test_a_page_lost_half_done_does_not_keep_them_from_another(self, study):
        Study.objects.update(max_pages=1)
        lost = sit(study, "ann")
        answering.save(seat=lost, position=1, aspect="coherence", value=3, now=NOON)
        expire(study=study, now=LATER)
        Place.objects.filter(survey=lost.survey).update(free=False)
        other = assigning.claim(worker=lost.worker, now=LATER)
        assert hand_in(other, now=LATER).state == State.VALID
        # One page counts. That they finish the first all the same is kept beside it.
        Place.objects.filter(survey=lost.survey).update(free=True)
        assert assigning.keep(seat=lost, now=LATER) is None
        assert hand_in(lost, now=LATER).state == State.SURPLUS


class TestExcludedTexts:
    @pytest.fixture
    def study(self, make_study):
        study = make_study(prompts=1, ratings_per_text=2)
        lay_out(study)
        return study

    def test_new_pages_do_not_show_them(self, study):
        Generation.objects.filter(system__name="b").update(excluded_at=NOON)
        seat = sit(study, "ann")
        assert len(seat.order) == 4
        gone = seat.survey.items.get(generation__system__name="b")
        assert gone.pk not in seat.order
        assert hand_in(seat).state == State.VALID
        assert seat.annotations.count() == 4 * 3

    def test_a_page_shown_before_stays_as_it_was(self, study):
        seat = sit(study, "ann")
        Generation.objects.filter(system__name="b").update(excluded_at=NOON)
        expire(study=study, now=LATER)
        again = assigning.claim(worker=seat.worker, now=LATER)
        assert (again.pk, again.order) == (seat.pk, seat.order)
        assert hand_in(again, now=LATER).state == State.VALID

    def test_a_survey_with_nothing_else_is_not_handed_out(self, study):
        Generation.objects.update(excluded_at=NOON)
        assert sit(study, "ann") is None

    def test_who_sits_at_one_may_finish_it(self, study):
        seat = sit(study, "ann")
        Generation.objects.update(excluded_at=NOON)
        assert assigning.claim(worker=seat.worker, now=NOON) == seat
        assert hand_in(seat).state == State.VALID


class TestBalance:
    """The survey with the fewest valid ratings is next, whatever happened before."""

    @pytest.fixture
    def study(self, make_study):
        study = make_study(prompts=2, ratings_per_text=4)
        lay_out(study)
        return study

    def seats_at(self, study, number: int, names: str) -> list[Seat]:
        """Seats of new workers at one survey; the other's places are put aside."""
        others = study.places.exclude(survey__number=number).filter(free=True)
        aside = list(others.values_list("pk", flat=True))
        Place.objects.filter(pk__in=aside).update(free=False)
        seats = [sit(study, f"{name}{number}") for name in names]
        Place.objects.filter(pk__in=aside).update(free=True)
        return seats

    def test_places_that_were_discarded_are_filled_in_turn(self, study):
        first, *rest = self.seats_at(study, 1, "abcd")
        for seat in rest:
            hand_in(seat)
        for seat in self.seats_at(study, 2, "ab"):
            hand_in(seat)
        hand_in(first, careful=False)  # the place that was taken first is free again
        assert sit(study, "next").survey.number == 2

    def test_so_are_those_whose_lease_has_lapsed(self, study):
        for seat in self.seats_at(study, 1, "abcd")[1:]:
            hand_in(seat)
        for seat in self.seats_at(study, 2, "ab"):
            hand_in(seat)
        assert sit(study, "next", LATER).survey.number == 2

    def test_and_those_whose_valid_page_was_discarded_later(self, study):
        first, *rest = self.seats_at(study, 1, "abcd")
        for seat in (first, *rest, *self.seats_at(study, 2, "ab")):
            hand_in(seat)
        Seat.objects.filter(pk=first.pk).update(state=State.DISCARDED)
        placing.free(Place.objects.get(pk=first.place_id))
        assert sit(study, "next").survey.number == 2

    def test_filled_places_have_the_lowest_numbers(self, study):
        for seat in reversed(self.seats_at(study, 1, "abc")):
            hand_in(seat)
            filled = study.places.filter(free=False, lease_until=None)
            numbers = sorted(filled.values_list("number", flat=True))
            assert numbers == list(range(1, len(numbers) + 1))
