"""The promise of the whole design, with real threads on a real database."""

from __future__ import annotations

import time
from collections import Counter
from datetime import datetime, timedelta

import pytest
from django.db.models import Count

from annotation import answering, assigning, human_scores
from annotation.kinds.pairs.scores import PairScores
from annotation.models import Place, Seat, Study, Verdict
from annotation.watching import progress
from tests.annotation.pairing import Answers, careless_choices, choices, open_pairs
from tests.annotation.seating import (
    LATER,
    NOON,
    State,
    hand_in,
    hire,
    in_threads,
    lay_out,
    page,
    sit,
    state,
)

N_WORKERS, N_SURVEYS, N_RATINGS = 50, 6, 5
MINUTE = timedelta(minutes=1)
PATIENCE = 90  # seconds; a place that got lost would make everybody wait for ever


@pytest.fixture(params=["ratings", "pair"])
def study(request, transactional_db, make_study) -> Study:
    """Six surveys, five ratings of each: of four texts and a negative, or of six pairs
    and a damaged twin."""
    study = make_study(prompts=N_SURVEYS, ratings_per_text=N_RATINGS)
    if request.param == "pair":
        return open_pairs(study, texts_per_survey=6)
    lay_out(study)
    return study


@pytest.fixture
def workers(study):
    return [hire(study, f"worker {n}") for n in range(N_WORKERS)]


def is_careless(number: int) -> bool:
    return number % 4 == 0


@pytest.mark.slow
def test_fifty_workers_at_once_leave_every_text_with_exactly_its_ratings(
    study, workers
):
    def work(number: int) -> None:
        rate_until_covered(workers[number], now=NOON, careless=is_careless(number))

    in_threads(N_WORKERS, work)
    assert_covered(study)
    states = Seat.objects.values_list("state", flat=True)
    assert set(states) == {State.VALID, State.DISCARDED}


@pytest.mark.slow
def test_so_do_workers_who_leave_and_come_back_too_late(study, workers):
    left: dict[int, Seat] = {}

    def leave(number: int) -> None:
        if seat := assigning.claim(worker=workers[number], now=NOON):
            begin(seat, answers_of(seat), now=NOON)
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
    asked = {3 * len(seat.order) for seat in finished}
    assert set(finished.values_list("n", flat=True)) == asked
    assert not answered.filter(state=State.CLAIMED).exists()


@pytest.mark.slow
def test_so_do_workers_on_spare_seats(study, workers):
    """A third of the places is held by people who never come back."""
    Study.objects.update(spare_seats=3)
    Place.objects.bulk_create(
        Place(survey=survey, study=study, number=N_RATINGS + n, shuffle=n)
        for survey in study.surveys.all()
        for n in (1, 2, 3)
    )
    study.refresh_from_db()
    gone = [sit(study, f"gone {n}") for n in range(10)]

    def work(number: int) -> None:
        rate_until_covered(workers[number], now=NOON, careless=is_careless(number))

    in_threads(N_WORKERS, work)
    assert_covered(study)
    # Nobody waited for them, and they may still finish.
    assert {state(seat) for seat in gone} == {State.CLAIMED}
    for seat in gone:
        answers = answers_of(seat)
        done = answering.submit(seat=seat, answers=answers, now=NOON)
        assert done.state == State.SURPLUS
    assert_covered(study)


def answers_of(seat: Seat, *, careless: bool = False) -> Answers:
    """A complete page of whichever kind it is."""
    if seat.survey.kind == "pair":
        return careless_choices(seat) if careless else choices(seat)
    return page(seat, real=2, negative=5) if careless else page(seat)


def rate_until_covered(worker, *, now: datetime, careless: bool) -> None:
    end = time.monotonic() + PATIENCE
    while not is_covered(worker.study) and time.monotonic() < end:
        if seat := assigning.claim(worker=worker, now=now):
            finish(seat, now=now, careless=careless)
        else:
            # A page of someone else may yet be discarded, and its place be free.
            # Fifty who ask all the time would keep those from working who rate.
            time.sleep(0.25)


def begin(seat: Seat, answers: Answers, now: datetime) -> None:
    (position, aspect), value = next(iter(answers.items()))
    answering.save(seat=seat, position=position, aspect=aspect, value=value, now=now)


def finish(seat: Seat, *, now: datetime, careless: bool) -> None:
    answers = answers_of(seat, careless=careless)
    begin(seat, answers, now)
    answering.submit(seat=seat, answers=answers, now=now)


def is_covered(study: Study) -> bool:
    valid = Seat.objects.filter(survey__study=study, state=State.VALID).count()
    return valid >= N_SURVEYS * N_RATINGS


def assert_covered(study: Study) -> None:
    for aspect in study.aspects.all():
        if study.compares_texts:
            counts, _ = PairScores().counts(study=study, aspect=aspect)
        else:
            counts = human_scores.counts(study=study, aspect=aspect).counts
        n = 6 if study.compares_texts else 4  # on each page
        assert counts.sum(axis=1).tolist() == [N_RATINGS] * N_SURVEYS * n
    assert_nobody_sat_twice(study)
    assert not Place.objects.filter(free=True, number__lte=N_RATINGS).exists()
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


class TestSpareSeats:
    """One survey of two ratings with one spare seat."""

    @pytest.fixture
    def study(self, make_study) -> Study:
        study = make_study(prompts=1, ratings_per_text=2, spare_seats=1)
        lay_out(study)
        return study

    @pytest.fixture
    def three(self, study) -> list[Seat]:
        """Two on places that count, ann's lease ending first, and one on the spare."""
        at = [NOON, NOON + MINUTE, NOON + 2 * MINUTE]
        names = ("ann", "ben", "cat")
        return [sit(study, name, now) for name, now in zip(names, at, strict=True)]

    def test_one_more_may_sit_down_while_a_place_is_not_filled(self, study, three):
        assert number_of(three[2]) == 3
        assert sit(study, "dan") is None

    def test_places_that_count_are_given_first(self, make_study):
        study = make_study(name="wide", prompts=2, ratings_per_text=1, spare_seats=1)
        lay_out(study)
        for n in range(2):
            assert number_of(sit(study, f"worker {n}")) == 1

    def test_so_they_are_one_prompt_after_the_other_where_others_hold_their_locks(
        self, make_study
    ):
        study = make_study(
            name="wide",
            prompts=2,
            ratings_per_text=1,
            spare_seats=1,
            one_by_one=True,
        )
        lay_out(study)
        sit(study, "ann")
        place = assigning._next_place(hire(study, "ben"), NOON)
        assert (place.survey.number, place.number) == (2, 1)

    def test_a_spare_place_is_not_given_while_none_is_claimed(self, study):
        for name in ("ann", "ben"):
            hand_in(sit(study, name))
        assert sit(study, "cat") is None

    def test_who_hands_in_first_counts(self, study, three):
        ann, ben, cat = three
        assert hand_in(cat).state == State.VALID
        # ann, whose lease would have ended first, goes on at the spare place.
        assert (number_of(cat), number_of(ann), state(ann)) == (1, 3, State.CLAIMED)
        assert hand_in(ben).state == State.VALID
        assert hand_in(ann).state == State.SURPLUS
        assert ann.annotations.count() == 15
        assert_two_valid(study)

    def test_who_went_on_at_the_spare_place_counts_if_another_is_discarded(
        self, study, three
    ):
        ann, ben, cat = three
        hand_in(cat)
        hand_in(ben, careful=False)
        assert hand_in(ann).state == State.VALID
        assert_two_valid(study)

    def test_a_spare_page_fills_a_place_that_opened_before_it_displaces_anybody(
        self, study, three
    ):
        ann, ben, cat = three
        hand_in(ben, careful=False)
        assert hand_in(cat).state == State.VALID
        assert number_of(ann) <= 2
        assert hand_in(ann).state == State.VALID
        assert_two_valid(study)

    def test_a_careless_spare_page_frees_the_spare_place(self, study, three):
        hand_in(three[2], careful=False)
        assert number_of(sit(study, "dan")) == 3

    def test_saving_goes_on_at_the_spare_place(self, study, three):
        ann, _, cat = three
        hand_in(cat)
        begin(ann, page(ann), now=NOON + 20 * MINUTE)
        place = Place.objects.get(pk=ann.place_id)
        assert place.lease_until == NOON + 50 * MINUTE

    def test_a_late_page_counts_before_those_who_are_not_done(self, study):
        late = sit(study, "late")
        others = [sit(study, name, LATER) for name in ("ann", "ben")]
        assert state(late) == State.EXPIRED
        assert hand_in(late, now=LATER).state == State.VALID
        assert hand_in(others[0], now=LATER).state == State.VALID
        assert hand_in(others[1], now=LATER).state == State.SURPLUS

    def test_the_spare_seats_are_not_counted_as_wanted(self, study, three):
        covered = progress.coverage(study=study)
        assert (covered.wanted, covered.valid) == (8, 0)
        for seat in three:
            hand_in(seat)
        covered = progress.coverage(study=study)
        assert (covered.wanted, covered.valid) == (8, 8)

    def test_an_excluded_text_is_neither_wanted_nor_covered(self, study):
        hand_in(sit(study, "ann"))
        study.generations.filter(system__name="a").update(excluded_at=NOON)
        covered = progress.coverage(study=study)
        assert (covered.wanted, covered.valid, covered.texts) == (6, 3, 3)


def number_of(seat: Seat) -> int:
    return Place.objects.get(seats=seat).number


def assert_two_valid(study: Study) -> None:
    valid = Seat.objects.filter(survey__study=study, state=State.VALID)
    assert sorted(valid.values_list("place__number", flat=True)) == [1, 2]


class TestRacesForSpareSeats:
    @pytest.fixture
    def study(self, transactional_db, make_study) -> Study:
        study = make_study(prompts=1, ratings_per_text=2, spare_seats=3)
        lay_out(study)
        return study

    def test_all_hand_in_at_once_and_as_many_count_as_are_wanted(self, study):
        seats = [sit(study, f"worker {n}") for n in range(5)]
        assert sit(study, "late") is None
        in_threads(5, lambda n: hand_in(seats[n]))
        states = Counter(Seat.objects.values_list("state", flat=True))
        assert states == {State.VALID: 2, State.SURPLUS: 3}
        assert_two_valid(study)

    def test_who_saves_while_another_takes_their_number_keeps_the_seat(self, study):
        seats = [sit(study, f"worker {n}") for n in range(5)]

        def work(number: int) -> None:
            if number > 2:
                hand_in(seats[number])
            else:
                begin(seats[number], page(seats[number]), now=NOON)

        in_threads(5, work)
        assert [state(seat) for seat in seats[:3]] == [State.CLAIMED] * 3
        assert_two_valid(study)

    def test_no_more_sit_down_than_there_are_places(self, study):
        workers = [hire(study, f"worker {n}") for n in range(12)]
        found = in_threads(12, lambda n: assigning.claim(worker=workers[n], now=NOON))
        assert sum(seat is not None for seat in found) == 5
