from __future__ import annotations

import threading
from collections import Counter
from datetime import timedelta

import numpy as np
import pytest
from django.db import IntegrityError, connection, transaction

from annotation import answering, assigning
from annotation.models import Annotation, Place, Seat, Study
from tests.annotation.seating import (
    LATER,
    NOON,
    State,
    closing,
    expire,
    hand_in,
    hire,
    in_threads,
    lay_out,
    saved,
    sit,
    state,
)


@pytest.fixture
def study(make_study):
    study = make_study(prompts=3, ratings_per_text=2)
    lay_out(study)
    return study


class TestClaim:
    def test_it_gives_a_place_and_a_lease(self, study):
        seat = sit(study, "ann")
        assert seat.state == State.CLAIMED
        assert not seat.place.free
        assert seat.place.lease_until == NOON + timedelta(minutes=30)

    def test_it_shows_every_item_once_and_the_order_is_kept(self, study):
        seat = sit(study, "ann")
        items = seat.survey.items.values_list("pk", flat=True)
        assert sorted(seat.order) == sorted(items)
        assert Seat.objects.get().order == seat.order

    def test_workers_see_the_texts_in_different_orders(self, study):
        rng = np.random.default_rng(1)
        for number in range(6):
            assigning.claim(worker=hire(study, f"worker {number}"), now=NOON, rng=rng)
        first, second = Seat.objects.filter(survey__number=1)
        assert first.order != second.order
        assert set(first.order) == set(second.order)

    def test_a_second_claim_returns_the_same_seat(self, study):
        seat = sit(study, "ann")
        again = assigning.claim(worker=seat.worker, now=NOON)
        assert again == seat
        assert Place.objects.filter(free=False).count() == 1

    def test_nobody_gets_a_survey_twice(self, study):
        ann = hire(study, "ann")
        seen = []
        while seat := assigning.claim(worker=ann, now=NOON):
            seen.append(seat.survey.number)
            hand_in(seat)
        assert sorted(seen) == [1, 2, 3]

    def test_nor_one_that_was_discarded(self, study):
        ann = hire(study, "ann")
        for _ in range(3):
            hand_in(assigning.claim(worker=ann, now=NOON), careful=False)
        assert Place.objects.filter(free=True).count() == 6
        assert assigning.claim(worker=ann, now=NOON) is None

    def test_surveys_fill_evenly(self, study):
        for number in range(3):
            sit(study, f"worker {number}")
        assert Counter(Seat.objects.values_list("place__number")) == {(1,): 3}

    def test_it_returns_none_when_all_places_are_held(self, study):
        for number in range(6):
            assert sit(study, f"worker {number}")
        assert sit(study, "late") is None

    @pytest.mark.parametrize("shut", ["draft", "paused", "closed"])
    def test_nobody_starts_in_a_study_that_is_not_open(self, study, shut):
        Study.objects.update(state=shut)
        assert sit(study, "ann") is None

    def test_who_sits_already_keeps_the_seat_in_a_paused_study(self, study):
        seat = sit(study, "ann")
        Study.objects.update(state="paused")
        assert assigning.claim(worker=seat.worker, now=NOON) == seat

    def test_another_studys_places_are_not_given(self, study, make_study):
        other = Study.objects.create(name="other", state="open")
        assert sit(other, "ann") is None

    def test_places_beyond_the_ratings_asked_for_are_not_given(self, study):
        Study.objects.update(ratings_per_text=1)
        found = [sit(study, f"worker {number}") for number in range(4)]
        assert found[3] is None
        assert [seat.place.number for seat in found[:3]] == [1, 1, 1]

    def test_one_by_one_a_prompt_is_filled_before_the_next(self, study):
        Study.objects.update(one_by_one=True)
        n = study.places.count()
        found = [sit(study, f"worker {number}") for number in range(n)]
        filled = [(seat.survey.number, seat.place.number) for seat in found]
        assert filled == sorted(study.places.values_list("survey__number", "number"))

    @pytest.mark.parametrize("one_by_one", [False, True])
    @pytest.mark.parametrize("spare", [0, 2])
    def test_it_reads_along_the_index_of_open_places(self, study, spare, one_by_one):
        Study.objects.update(one_by_one=one_by_one)
        if connection.vendor != "sqlite":
            pytest.skip("PostgreSQL reads so small a table whole")
        Study.objects.update(spare_seats=spare)
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")  # else it plans by the tables of an earlier test
        plan = assigning.open_places(hire(study, "ann"), NOON).explain()
        assert "next_open_place" in plan
        assert "TEMP B-TREE" not in plan  # nothing to sort


class TestLease:
    @pytest.fixture
    def study(self, make_study):
        study = make_study(prompts=1, ratings_per_text=1)
        lay_out(study)
        return study

    def test_a_lapsed_place_goes_to_the_next_worker(self, study):
        first = sit(study, "ann")
        second = sit(study, "ben", LATER)
        assert second.place == first.place
        assert (state(first), state(second)) == (State.EXPIRED, State.CLAIMED)

    def test_a_lease_that_still_runs_does_not(self, study):
        sit(study, "ann")
        assert sit(study, "ben", NOON + timedelta(minutes=29)) is None

    def test_the_worker_keeps_a_lapsed_seat_that_nobody_took(self, study):
        seat = sit(study, "ann")
        again = assigning.claim(worker=seat.worker, now=LATER)
        assert again == seat
        assert again.place.lease_until == LATER + timedelta(minutes=30)

    def test_renew_prolongs_it(self, study):
        seat = sit(study, "ann")
        soon = NOON + timedelta(minutes=20)
        assert assigning.renew(seat=seat, now=soon)
        assert Place.objects.get().lease_until == soon + timedelta(minutes=30)

    def test_renew_of_a_lost_seat_leaves_the_new_lease_alone(self, study):
        lost = sit(study, "ann")
        sit(study, "ben", LATER)
        assert not assigning.renew(seat=lost, now=LATER + timedelta(minutes=5))
        assert Place.objects.get().lease_until == LATER + timedelta(minutes=30)

    def test_a_worker_who_never_came_back_costs_nothing(self, study):
        """As after a crash between the claim and the submit."""
        sit(study, "gone")
        assert hand_in(sit(study, "ben", LATER), now=LATER).state == State.VALID


class TestResume:
    @pytest.fixture
    def left(self, study):
        """A seat that expired with an answer in it."""
        seat = sit(study, "ann")
        answering.save(seat=seat, position=1, aspect="coherence", value=3, now=NOON)
        expire(study=study, now=LATER)
        return seat

    def test_it_gives_the_current_seat_and_writes_nothing(
        self, study, django_assert_num_queries
    ):
        seat = sit(study, "ann")
        with django_assert_num_queries(1):
            assert assigning.resume(worker=seat.worker, now=NOON) == seat

    def test_it_gives_nothing_to_who_has_not_begun(self, study):
        assert assigning.resume(worker=hire(study, "ann"), now=NOON) is None

    def test_it_revives_an_expired_page_with_answers(self, study, left):
        seat = assigning.resume(worker=left.worker, now=LATER)
        assert seat == left
        assert seat.state == State.CLAIMED
        assert saved(seat) == {(1, "coherence"): 3}

    def test_the_page_moves_to_another_place_if_its_own_is_taken(self, study, left):
        Place.objects.filter(pk=left.place_id).update(free=False)
        seat = assigning.resume(worker=left.worker, now=LATER)
        assert seat.survey == left.survey
        assert seat.place != left.place

    def test_it_gives_nothing_if_the_survey_is_full(self, study, left):
        Place.objects.filter(survey=left.survey).update(free=False)
        assert assigning.resume(worker=left.worker, now=LATER) is None
        assert state(left) == State.EXPIRED

    def test_nor_in_a_closed_study(self, study, left):
        Study.objects.update(state="closed")
        assert assigning.resume(worker=left.worker, now=LATER) is None

    def test_claim_prefers_the_page_half_done(self, study, left):
        assert assigning.claim(worker=left.worker, now=LATER) == left

    def test_a_page_lost_unanswered_comes_back_when_nothing_else_is_left(self, study):
        lost = sit(study, "ann")
        expire(study=study, now=LATER)
        Place.objects.exclude(pk=lost.place_id).update(free=False)
        again = assigning.claim(worker=lost.worker, now=LATER)
        assert (again.pk, again.state) == (lost.pk, State.CLAIMED)
        assert again.order == lost.order


class TestDatabase:
    """What the verbs promise holds even if one of them is wrong."""

    def test_it_refuses_a_second_claimed_seat_of_a_worker(self, study):
        seat = sit(study, "ann")
        other = Place.objects.exclude(survey=seat.survey).first()
        with pytest.raises(IntegrityError), transaction.atomic():
            _seat(other, seat.worker)

    def test_it_refuses_a_second_live_seat_at_a_place(self, study):
        seat = sit(study, "ann")
        with pytest.raises(IntegrityError), transaction.atomic():
            _seat(seat.place, hire(study, "ben"))

    def test_it_refuses_a_worker_twice_in_a_survey(self, study):
        seat = hand_in(sit(study, "ann"))
        other = seat.survey.places.exclude(pk=seat.place_id).get()
        with pytest.raises(IntegrityError), transaction.atomic():
            _seat(other, seat.worker)

    def test_it_refuses_a_free_place_with_a_lease(self, study):
        with pytest.raises(IntegrityError), transaction.atomic():
            Place.objects.update(lease_until=NOON)


def _seat(place, worker):
    return Seat.objects.create(
        survey=place.survey, place=place, worker=worker, order=[], claimed_at=NOON
    )


class TestRaces:
    """With real threads: each has a connection and transactions of its own."""

    pytestmark = pytest.mark.django_db(transaction=True)

    @pytest.fixture
    def study(self, transactional_db, make_study):
        study = make_study(prompts=3, ratings_per_text=2)
        lay_out(study)
        return study

    def test_two_tabs_of_one_worker_get_one_seat(self, study):
        ann = hire(study, "ann")
        found = in_threads(8, lambda _: assigning.claim(worker=ann, now=NOON).pk)
        assert len(set(found)) == 1
        assert Place.objects.filter(free=False).count() == 1

    def test_the_last_place_goes_to_one_of_many(self, study):
        Place.objects.exclude(pk=Place.objects.first().pk).update(free=False)
        workers = [hire(study, f"worker {n}") for n in range(8)]
        found = in_threads(8, lambda n: assigning.claim(worker=workers[n], now=NOON))
        assert sum(seat is not None for seat in found) == 1

    def test_a_lapsed_place_is_taken_over_once(self, study):
        Place.objects.exclude(pk=Place.objects.first().pk).update(free=False)
        lost = sit(study, "ann")
        workers = [hire(study, f"worker {n}") for n in range(8)]
        found = in_threads(8, lambda n: assigning.claim(worker=workers[n], now=LATER))
        assert sum(seat is not None for seat in found) == 1
        assert state(lost) == State.EXPIRED

    def test_a_place_locked_for_a_moment_is_waited_for(self, study):
        """Someone else holds the last open place and then lets go of it."""
        if not connection.features.has_select_for_update_skip_locked:
            pytest.skip("SQLite has no row locks: its transactions wait in turn")
        worker = hire(study, "ann")
        found = []
        claim = threading.Thread(
            target=closing(
                lambda: found.append(assigning.claim(worker=worker, now=NOON))
            )
        )
        with transaction.atomic():
            list(Place.objects.select_for_update())
            claim.start()
            claim.join(0.3)
            assert claim.is_alive()  # waits, instead of saying "nothing left"
        claim.join(10)
        assert found[0].state == State.CLAIMED

    def test_the_same_answer_sent_twice_at_once_is_one_annotation(self, study):
        seat = sit(study, "ann")
        in_threads(
            6,
            lambda n: answering.save(
                seat=seat, position=1, aspect="coherence", value=1 + n % 5, now=NOON
            ),
        )
        assert Annotation.objects.count() == 1

    def test_a_page_handed_in_twice_at_once_is_judged_once(self, study):
        seat = sit(study, "ann")
        found = in_threads(4, lambda _: hand_in(seat).state)
        assert set(found) == {State.VALID}
        assert seat.verdicts.count() == 1
