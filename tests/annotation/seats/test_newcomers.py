"""What people hold who come from one address and have nothing to show yet."""

from __future__ import annotations

from datetime import timedelta

import pytest

from annotation import answering, assigning
from annotation.models import Place, Seat, Study, Worker
from annotation.seats import newcomers
from scoring import pulse
from tests.annotation.seating import (
    LATER,
    NOON,
    State,
    expire,
    hand_in,
    hire,
    in_threads,
    lay_out,
    page,
    sit,
    state,
)

MINUTE = timedelta(minutes=1)


@pytest.fixture
def study(make_study) -> Study:
    """Twelve places: three surveys of four ratings."""
    study = make_study(prompts=3, ratings_per_text=4)
    lay_out(study)
    return study


def come(study: Study, name: str, source: str, now=NOON) -> Seat | None:
    return assigning.claim(worker=hire(study, name), now=now, source=source)


def crowd(study: Study, source: str, now=NOON) -> list[Seat]:
    """Newcomers from one address, until it may hold no more."""
    seats: list[Seat] = []
    while True:
        try:
            seat = come(study, f"{source} {study.workers.count()}", source, now)
        except newcomers.TooMany:
            return seats
        assert seat is not None
        seats.append(seat)


def answer(seat: Seat, now=NOON, source="") -> None:
    values = dict([next(iter(page(seat).items()))])
    answering.save_all(seat=seat, answers=values, now=now, source=source)


@pytest.mark.parametrize(
    ("places", "held"), [(100, 30), (52, 26), (12, 6), (4, 3), (1000, 250)]
)
def test_of_so_many_open_places_one_address_gets_so_many(places, held):
    n = 0
    while places - n >= newcomers.must_be_open(n + 1):
        n += 1
    assert n == held


class TestBound:
    def test_as_many_places_stay_open_as_one_address_holds(self, study):
        assert len(crowd(study, "x")) == 6
        assert len(crowd(study, "y")) == 3

    def test_the_refusal_says_when_the_first_lease_ends(self, study):
        crowd(study, "x")
        with pytest.raises(newcomers.TooMany) as refused:
            come(study, "one more", "x", NOON + MINUTE)
        first = study.places.filter(free=False).order_by("lease_until").first()
        assert refused.value.until == first.lease_until

    def test_who_is_refused_holds_nothing(self, study):
        crowd(study, "x")
        held = study.places.filter(free=False).count()
        with pytest.raises(newcomers.TooMany):
            come(study, "one more", "x")
        assert study.places.filter(free=False).count() == held
        assert not study.workers.get(external_id="one more").seats.exists()

    def test_nobody_is_bound_without_an_address(self, study):
        assert all(sit(study, f"invited {n}") for n in range(12))

    def test_who_has_a_page_in_is_bound_no_more(self, study):
        seat = crowd(study, "x")[0]
        hand_in(seat)
        assert assigning.claim(worker=seat.worker, now=NOON, source="x")

    def test_pages_that_come_in_make_room_for_others_of_the_address(self, study):
        seats = crowd(study, "x")
        for seat in seats[:3]:
            hand_in(seat)
        assert come(study, "next", "x")

    def test_a_discarded_page_proves_nothing(self, study):
        seats = crowd(study, "x")
        hand_in(seats[0], careful=False)
        crowd(study, "x")
        with pytest.raises(newcomers.TooMany):
            assigning.claim(worker=seats[0].worker, now=NOON, source="x")

    def test_a_newcomer_holds_one_page_at_once(self, study):
        seat = come(study, "ann", "x")
        again = assigning.claim(worker=seat.worker, now=NOON, source="x")
        assert again == seat
        assert study.places.filter(free=False).count() == 1

    def test_who_comes_back_to_a_page_that_lapsed_is_counted_again(self, study):
        early = crowd(study, "x")
        crowd(study, "x", LATER)
        held = study.places.filter(source="x", lease_until__gte=LATER)
        n = held.count()
        for seat in early:
            answer(seat, LATER, "x")
            assigning.resume(worker=seat.worker, now=LATER, source="x")
        assert held.count() == n
        assert {seat.annotations.count() for seat in early} == {1}  # kept all the same

    def test_also_to_one_that_lapsed_and_that_nobody_took(self, study):
        for n in range(6):
            sit(study, f"elsewhere {n}")
        early = crowd(study, "x")
        crowd(study, "x", LATER)  # in the places of those from elsewhere
        assert {state(seat) for seat in early} == {State.CLAIMED}
        held = study.places.filter(source="x", lease_until__gte=LATER)
        n = held.count()
        for seat in early:
            answer(seat, LATER, "x")
        assert held.count() == n
        assert {seat.annotations.count() for seat in early} == {1}


class TestFirstLease:
    def test_it_is_short(self, study):
        place = come(study, "ann", "x").place
        assert place.lease_until == NOON + newcomers.LEAST

    def test_a_long_page_gets_twice_the_time_that_reading_it_takes(self, study):
        # 20 s, 20 characters a second, 4 s for each of 15 answers.
        study.generations.update(text="x" * 1000)
        Place.objects.filter(survey__number__gt=1).update(free=False)
        seat = come(study, "ann", "x")
        survey = seat.survey
        characters = 4 * 1000 + len("damaged") + len(survey.prompt.source)
        seconds = 20 + characters / 20 + 4 * 15
        assert seat.place.lease_until == NOON + 2 * timedelta(seconds=seconds)

    def test_it_is_never_longer_than_any_other(self, study):
        Study.objects.update(lease_minutes=2)
        assert come(study, "ann", "x").place.lease_until == NOON + 2 * MINUTE

    def test_an_answer_gives_the_full_one(self, study):
        seat = come(study, "ann", "x")
        answer(seat, NOON + MINUTE, "x")
        seat.place.refresh_from_db()
        assert seat.place.lease_until == NOON + 31 * MINUTE

    def test_who_has_a_page_in_gets_the_full_one(self, study):
        seat = come(study, "ann", "x")
        hand_in(seat)
        again = assigning.claim(worker=seat.worker, now=NOON, source="x")
        assert again.place.lease_until == NOON + 30 * MINUTE


class TestMakingRoom:
    """Twelve places: six held from one address, six from all over the world."""

    @pytest.fixture
    def held(self, study) -> list[Seat]:
        seats = crowd(study, "x")
        for n in range(6):
            assert come(study, f"elsewhere {n}", f"address {n}")
        return seats

    def test_a_newcomer_from_elsewhere_gets_a_place_that_was_only_sat_at(
        self, study, held
    ):
        seat = come(study, "late", "y", NOON + MINUTE)
        assert seat.place in [one.place for one in held]
        assert [state(one) for one in held].count(State.EXPIRED) == 1

    def test_so_does_who_has_a_page_in(self, study, held):
        ann = Seat.objects.get(worker__external_id="elsewhere 0")
        hand_in(ann)
        assert assigning.claim(worker=ann.worker, now=NOON, source="address 0")

    def test_it_ends_when_all_addresses_hold_about_the_same(self, study, held):
        late = [come(study, f"late {n}", f"late {n}") for n in range(6)]
        assert [seat is None for seat in late] == [False] * 5 + [True]
        assert study.places.filter(source="x", lease_until__gte=NOON).count() == 1

    def test_no_address_takes_as_many_as_are_left_to_who_gives_way(self, study, held):
        for n in range(4):
            come(study, f"late {n}", f"late {n}")
        assert come(study, "second of theirs", "address 0") is None
        assert study.places.filter(source="x", lease_until__gte=NOON).count() == 2

    def test_nobody_gives_way_in_a_study_that_is_not_open(self, study, held):
        Study.objects.update(state=Study.State.PAUSED)
        study.refresh_from_db()
        assert come(study, "late", "y", NOON + MINUTE) is None
        assert study.places.filter(lease_until__gte=NOON + MINUTE).count() == 12

    def test_pages_with_answers_give_way_after_those_without(self, study, held):
        for seat in held[:5]:
            answer(seat, source="x")
        come(study, "late", "y")
        assert state(held[5]) == State.EXPIRED
        come(study, "later", "z")
        assert [state(one) for one in held].count(State.EXPIRED) == 2

    def test_of_these_the_first_that_was_begun_gives_way_first(self, study, held):
        for n, seat in enumerate(held):
            answer(seat, source="x")
            begun = NOON - (n % 3) * MINUTE - n * timedelta(seconds=1)
            Seat.objects.filter(pk=seat.pk).update(claimed_at=begun)
        come(study, "late", "y")
        assert state(held[5]) == State.EXPIRED

    def test_answers_saved_before_are_kept_and_more_are_taken(self, study, held):
        for seat in held:
            answer(seat, source="x")
        come(study, "late", "y")
        lost = next(seat for seat in held if state(seat) == State.EXPIRED)
        before = lost.annotations.count()
        assert before
        assert hand_in(lost).state == State.SURPLUS
        assert lost.annotations.count() > before

    def test_who_lost_the_place_hands_the_page_in_all_the_same(self, study, held):
        come(study, "late", "y")
        lost = next(seat for seat in held if state(seat) == State.EXPIRED)
        assert hand_in(lost).state == State.SURPLUS

    def test_nobody_gives_way_to_their_own_address(self, study, held):
        hand_in(held[0])
        assert come(study, "fill", "z")
        assert assigning.claim(worker=held[0].worker, now=NOON, source="x") is None

    def test_a_worker_who_may_have_no_more_takes_nobody_s_place(self, study, held):
        Worker.objects.filter(external_id="elsewhere 0").update(state="excluded")
        gone = Worker.objects.get(external_id="elsewhere 0")
        assert assigning.claim(worker=gone, now=NOON, source="address 0") is None
        assert {state(seat) for seat in held} == {State.CLAIMED}


class TestForgetting:
    def test_the_address_goes_with_the_page(self, study):
        for careful in (True, False):
            seat = come(study, f"careful {careful}", "x")
            assert Place.objects.filter(source="x").count() == 1
            hand_in(seat, careful=careful)
            assert not Place.objects.exclude(source="").exists()

    def test_and_with_a_lease_that_lapsed(self, study):
        come(study, "gone", "x")
        assert newcomers.forget(now=NOON + MINUTE) == 0
        assert newcomers.forget(now=LATER) == 1
        assert not Place.objects.exclude(source="").exists()

    def test_which_a_worker_does_by_the_way(self, study):
        come(study, "gone", "x")
        pulse.chores(now=LATER)
        assert not Place.objects.exclude(source="").exists()

    def test_and_when_the_place_is_freed(self, study):
        come(study, "gone", "x")
        expire(study=study, now=LATER)
        assert not Place.objects.exclude(source="").exists()


class TestRaces:
    @pytest.fixture
    def study(self, transactional_db, make_study) -> Study:
        study = make_study(prompts=10, ratings_per_text=2)
        lay_out(study)
        return study

    def test_many_at_once_get_no_more_than_one_after_the_other(self, study):
        workers = [hire(study, f"bot {n}") for n in range(16)]

        def grab(n: int) -> bool:
            try:
                assigning.claim(worker=workers[n], now=NOON, source="x")
            except newcomers.TooMany:
                return False
            return True

        assert sum(in_threads(16, grab)) == 10  # of twenty places

    def test_nor_do_those_who_come_back_at_once(self, study):
        early = crowd(study, "x")
        Seat.objects.update(state=State.EXPIRED)
        study.places.update(**{"free": True, "lease_until": None, "source": ""})
        crowd(study, "x", LATER)
        in_threads(len(early), lambda n: answer(early[n], LATER, "x"))
        assert study.places.filter(source="x").count() == 10

    def test_honest_newcomers_find_a_seat_beside_one_who_grabs_all(self, study):
        """Four threads from one address take what they can; twelve people come."""
        bots = [hire(study, f"bot {n}") for n in range(40)]
        people = [hire(study, f"person {n}") for n in range(12)]

        def come_in(n: int) -> list[Seat | None]:
            if n >= 4:
                ann = people[n - 4]
                return [assigning.claim(worker=ann, now=NOON, source=f"home {n}")]
            for bot in bots[n::4]:
                try:
                    assigning.claim(worker=bot, now=NOON, source="x")
                except newcomers.TooMany:
                    break
            return []

        seats = [seat for found in in_threads(16, come_in) for seat in found]
        assert len(seats) == 12 and all(seats)

    def test_two_who_need_room_at_once_both_find_it(self, study):
        bots = crowd(study, "x")
        assert len(bots) == 10
        for n in range(10):
            assert come(study, f"elsewhere {n}", f"address {n}")
        late = [hire(study, f"late {n}") for n in range(4)]
        seats = in_threads(
            4, lambda n: assigning.claim(worker=late[n], now=NOON, source=f"late {n}")
        )
        assert all(seats)
