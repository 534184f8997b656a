from __future__ import annotations

from datetime import timedelta

import pytest

from annotation import answering, assigning
from annotation.answering import AlreadySubmitted, BadAnswer, Missing
from annotation.models import Annotation, Place, Seat, Study, Worker
from annotation.models.surveys import digest_of
from tests.annotation.seating import (
    LATER,
    NOON,
    State,
    expire,
    hand_in,
    hire,
    lay_out,
    page,
    saved,
    sit,
    state,
)


@pytest.fixture
def study(make_study):
    """One survey, two places."""
    study = make_study(prompts=1, ratings_per_text=2)
    lay_out(study)
    return study


@pytest.fixture
def two_seats(make_study):
    """One worker's two seats: the first expired with room left, the second claimed."""
    study = make_study(prompts=2, ratings_per_text=1)
    lay_out(study)
    first = sit(study, "ann")
    expire(study=study, now=LATER)
    own = Place.objects.filter(pk=first.place_id)
    own.update(free=False)
    second = assigning.claim(worker=first.worker, now=LATER)
    own.update(free=True)
    assert second.survey != first.survey
    return first, second


def save(seat, value=3, *, position=1, aspect="coherence", now=NOON):
    answering.save(seat=seat, position=position, aspect=aspect, value=value, now=now)


def taken_over(seat, *names) -> list[Seat]:
    """Two hours later others sit at the places."""
    return [sit(seat.survey.study, name, LATER) for name in names]


class TestSave:
    def test_it_keeps_the_answer(self, study):
        seat = sit(study, "ann")
        save(seat, 3, position=2)
        assert saved(seat) == {(2, "coherence"): 3}
        annotation = Annotation.objects.get()
        assert annotation.item_id == seat.order[1]
        assert (annotation.generation or annotation.negative) is not None

    def test_a_changed_answer_is_still_one_annotation(self, study):
        seat = sit(study, "ann")
        save(seat, 3)
        save(seat, 5, now=LATER)
        assert Annotation.objects.get().value == 5
        assert Annotation.objects.get().updated_at == LATER

    def test_it_renews_the_lease(self, study):
        seat = sit(study, "ann")
        before = seat.place.lease_until
        save(seat, now=before)
        assert Place.objects.get(pk=seat.place_id).lease_until > before

    @pytest.mark.parametrize("value", [0, 6, -1, "3", None])
    def test_it_refuses_a_value_off_the_scale(self, study, value):
        seat = sit(study, "ann")
        with pytest.raises(BadAnswer) as refused:
            save(seat, value)
        assert refused.value.answers == [(1, "coherence")]
        assert not Annotation.objects.exists()

    @pytest.mark.parametrize(
        ("position", "aspect"),
        [(0, "coherence"), (6, "coherence"), (-1, "coherence"), (1, "wit")],
    )
    def test_it_refuses_what_is_not_on_the_page(self, study, position, aspect):
        seat = sit(study, "ann")
        with pytest.raises(BadAnswer):
            save(seat, position=position, aspect=aspect)

    def test_it_refuses_a_change_after_the_page_was_handed_in(self, study):
        seat = sit(study, "ann")
        hand_in(seat)
        with pytest.raises(AlreadySubmitted):
            save(seat, 1)
        assert 1 not in Annotation.objects.filter(generation__isnull=False).values_list(
            "value", flat=True
        )

    def test_an_expired_seat_gets_an_open_place_again(self, study):
        seat = sit(study, "ann")
        expire(study=study, now=LATER)
        save(seat, now=LATER)
        assert state(seat) == State.CLAIMED

    def test_an_answer_for_a_lost_seat_is_kept(self, study):
        seat = sit(study, "ann")
        taken_over(seat, "ben", "cat")
        save(seat, now=LATER)
        assert state(seat) == State.EXPIRED
        assert saved(seat) == {(1, "coherence"): 3}

    def test_who_sat_down_elsewhere_does_not_get_a_second_seat(self, two_seats):
        first, second = two_seats
        save(first, now=LATER)
        assert (state(first), state(second)) == (State.EXPIRED, State.CLAIMED)
        assert saved(first) == {(1, "coherence"): 3}

    def test_it_does_not_prolong_the_lease_of_a_rival_who_was_faster(
        self, study, monkeypatch
    ):
        """The rival takes the place over between our read and our lock."""
        Place.objects.filter(number=2).update(free=False)
        seat = sit(study, "ann")
        rival = []

        def overtaken(seat, answers, check=answering._check):
            rival.extend(taken_over(seat, "ben"))
            check(seat, answers)

        monkeypatch.setattr(answering, "_check", overtaken)
        save(seat, now=rival_time())
        assert (state(seat), state(rival[0])) == (State.EXPIRED, State.CLAIMED)
        place = Place.objects.get(number=1)
        assert place.lease_until == rival[0].place.lease_until
        assert Annotation.objects.count() == 1


def rival_time():
    return LATER.replace(minute=10)


class TestSubmit:
    def test_a_valid_page_fills_its_place_for_good(self, study):
        seat = hand_in(sit(study, "ann"))
        assert (seat.state, seat.submitted_at) == (State.VALID, NOON)
        place = Place.objects.get(pk=seat.place_id)
        assert (place.free, place.lease_until) == (False, None)

    def test_all_answers_are_kept(self, study):
        seat = sit(study, "ann")
        answers = page(seat)
        answering.submit(seat=seat, answers=answers, now=NOON)
        assert saved(seat) == answers

    def test_answers_saved_before_need_not_come_again(self, study):
        seat = sit(study, "ann")
        answers = page(seat)
        for (position, aspect), value in answers.items():
            save(seat, value, position=position, aspect=aspect)
        assert answering.submit(seat=seat, answers={}, now=NOON).state == State.VALID

    def test_what_comes_with_the_page_counts_over_what_was_saved(self, study):
        seat = sit(study, "ann")
        save(seat, 1)
        answers = page(seat)
        answering.submit(seat=seat, answers=answers, now=NOON)
        assert saved(seat) == answers

    def test_an_incomplete_page_says_what_is_missing_and_keeps_the_rest(self, study):
        seat = sit(study, "ann")
        answers = page(seat)
        del answers[2, "coherence"], answers[5, "relevance"]
        with pytest.raises(Missing) as refused:
            answering.submit(seat=seat, answers=answers, now=NOON)
        assert refused.value.answers == [(2, "coherence"), (5, "relevance")]
        assert saved(seat) == answers
        assert state(seat) == State.CLAIMED

    def test_a_bad_answer_changes_nothing(self, study):
        seat = sit(study, "ann")
        with pytest.raises(BadAnswer):
            answering.submit(
                seat=seat, answers={**page(seat), (1, "coherence"): 9}, now=NOON
            )
        assert not Annotation.objects.exists()
        assert state(seat) == State.CLAIMED

    def test_a_second_submit_returns_the_first_result(self, study):
        seat = sit(study, "ann")
        first = hand_in(seat)
        again = hand_in(seat, now=LATER, careful=False)
        assert (again.state, again.submitted_at) == (first.state, first.submitted_at)
        assert seat.verdicts.count() == 1
        assert saved(seat) == page(seat)

    def test_a_discarded_page_is_kept_and_frees_its_place_at_once(self, study):
        seat = hand_in(sit(study, "ann"), careful=False)
        assert seat.state == State.DISCARDED
        assert Place.objects.get(pk=seat.place_id).free
        assert seat.annotations.count() == 15
        assert seat.verdicts.get().reason
        assert sit(study, "ben").place == seat.place

    def test_a_failure_while_judging_leaves_everything_as_it_was(
        self, study, monkeypatch
    ):
        def fail(**_):
            raise RuntimeError

        seat = sit(study, "ann")
        monkeypatch.setattr(answering.quality, "judge", fail)
        with pytest.raises(RuntimeError):
            hand_in(seat)
        assert state(seat) == State.CLAIMED
        assert not Annotation.objects.exists()

    def test_a_page_in_a_paused_or_closed_study_can_be_finished(self, study):
        seat = sit(study, "ann")
        Study.objects.update(state="closed")
        assert hand_in(seat).state == State.VALID


class TestLateSubmit:
    def test_it_keeps_its_place_if_nobody_took_it(self, study):
        seat = sit(study, "ann")
        assert hand_in(seat, now=LATER).state == State.VALID

    def test_it_fills_another_place_if_its_own_was_taken(self, study):
        seat = sit(study, "ann")
        (rival,) = taken_over(seat, "ben")
        assert hand_in(seat, now=LATER).state == State.VALID
        assert Seat.objects.get(pk=seat.pk).place != rival.place
        assert state(rival) == State.CLAIMED

    def test_it_takes_a_place_whose_lease_has_lapsed(self, study):
        seat = sit(study, "ann")
        taken_over(seat, "ben", "cat")
        much_later = LATER + (LATER - NOON)
        assert hand_in(seat, now=much_later).state == State.VALID
        states = Seat.objects.order_by("pk").values_list("state", flat=True)
        assert list(states) == [State.VALID, State.EXPIRED, State.CLAIMED]

    def test_it_is_surplus_if_the_survey_is_full_and_its_answers_are_kept(self, study):
        seat = sit(study, "ann")
        for rival in taken_over(seat, "ben", "cat"):
            hand_in(rival, now=LATER)
        late = hand_in(seat, now=LATER)
        assert (late.state, late.submitted_at) == (State.SURPLUS, LATER)
        assert seat.annotations.count() == 15
        assert Seat.objects.filter(state=State.VALID).count() == 2

    def test_a_surplus_page_stays_surplus(self, study):
        seat = sit(study, "ann")
        taken_over(seat, "ben", "cat")
        hand_in(seat, now=LATER)
        Place.objects.update(free=True, lease_until=None)
        assert hand_in(seat, now=LATER).state == State.SURPLUS

    def test_a_careless_late_page_is_discarded_and_frees_nobody_elses_place(
        self, study
    ):
        seat = sit(study, "ann")
        taken_over(seat, "ben", "cat")
        much_later = LATER + (LATER - NOON)  # nor one that could be taken over
        for now in (LATER, much_later):
            assert hand_in(seat, now=now, careful=False).state == State.DISCARDED
            assert not Place.objects.filter(free=True).exists()
            Seat.objects.filter(pk=seat.pk).update(state=State.EXPIRED)

    def test_it_takes_no_place_in_a_closed_study(self, study):
        seat = sit(study, "ann")
        expire(study=study, now=LATER)
        Study.objects.update(state="closed")
        assert hand_in(seat, now=LATER).state == State.SURPLUS

    def test_it_takes_no_place_beyond_the_ratings_asked_for(self, study):
        seat = sit(study, "ann")
        hand_in(taken_over(seat, "ben")[0], now=LATER)
        Study.objects.update(ratings_per_text=1)
        assert hand_in(seat, now=LATER).state == State.SURPLUS

    def test_it_counts_although_the_worker_has_sat_down_elsewhere(self, two_seats):
        first, second = two_seats
        assert hand_in(first, now=LATER).state == State.VALID
        assert state(second) == State.CLAIMED


class TestCost:
    def test_saving_costs_the_same_however_much_is_saved(
        self, study, django_assert_max_num_queries
    ):
        seat = sit(study, "ann")
        for n in range(1, 6):
            with django_assert_max_num_queries(12):
                save(seat, position=n)

    def test_errors_say_what_is_wrong_in_words(self):
        assert str(Missing([(2, "coherence")])) == "Not answered yet: text 2 coherence."


def test_a_stranger_to_the_study_is_not_touched(study):
    ann, ben = sit(study, "ann"), sit(study, "ben")
    hand_in(ann)
    assert state(ben) == State.CLAIMED
    assert hire(study, "cat").seats.count() == 0


class TestWhatComesWithTheAnswers:
    def seat_of(self, study) -> Seat:
        self.seat = sit(study, "ann")
        return self.seat

    def send(self, *, after: int = 600, **more) -> Seat:
        """`after` so many seconds on the page."""
        now = NOON + timedelta(seconds=after)
        answering.save_all(seat=self.seat, answers={}, now=now, **more)
        return Seat.objects.get(pk=self.seat.pk)

    def test_a_comment_is_kept_until_another_one_comes(self, study):
        self.seat_of(study)
        assert self.send(comment="Text A is odd.").comment == "Text A is odd."
        assert self.send().comment == "Text A is odd."
        assert self.send(comment="").comment == ""

    def test_times_in_view_never_go_back(self, study):
        self.seat_of(study)
        self.send(visible={1: 9000, 2: 5000})
        assert self.send(visible={1: 700, 3: 40}).visible == {
            "1": 9000,
            "2": 5000,
            "3": 40,
        }

    def test_nobody_has_read_for_longer_than_they_had_the_page(self, study):
        self.seat_of(study)
        assert self.send(after=60, visible={1: 10**9}).visible == {"1": 60_000}

    def test_times_of_no_text_are_left_out(self, study):
        self.seat_of(study)
        assert self.send(visible={0: 9, 6: 9, 1: -5}).visible == {"1": 0}

    def test_saving_nothing_but_times_keeps_the_place(self, study):
        seat = self.seat_of(study)
        before = Place.objects.get(pk=seat.place_id).lease_until
        self.send(visible={1: 9000})
        assert Place.objects.get(pk=seat.place_id).lease_until > before

    @pytest.mark.parametrize("real", [4, 2])
    def test_a_page_handed_in_has_them_and_the_words_agreed_to(self, study, real):
        seat = self.seat_of(study)
        Worker.objects.update(consent="We keep your ratings.")
        answering.submit(
            seat=seat,
            answers=page(seat, real=real, negative=3),
            now=LATER,
            comment="Done.",
            visible={1: 9000},
        )
        seat.refresh_from_db()
        assert (seat.comment, seat.visible) == ("Done.", {"1": 9000})
        assert seat.consent == digest_of("We keep your ratings.")
        assert state(seat) in (State.VALID, State.DISCARDED)
