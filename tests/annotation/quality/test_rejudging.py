from __future__ import annotations

from datetime import timedelta

import pytest

from annotation import answering, assigning, workers
from annotation.models import Place, Policy, Seat, Study, Verdict, Worker
from annotation.quality import checked_pages, rejudging
from tests.annotation.seating import (
    LATER,
    NOON,
    hand_in,
    hire,
    in_threads,
    lay_out,
    page,
    sit,
    state,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study):
    """One survey with two places, judged by `above_all`."""
    study = make_study(prompts=1)
    lay_out(study)
    return study


def rated(study, name: str, negative: int, **times) -> Seat:
    """A page whose real texts all get 3 but one, which gets 5."""
    seat = sit(study, name)
    answers = page(seat, real=3, negative=0)
    best = next(position for (position, _), value in answers.items() if value)
    for (position, key), value in answers.items():
        answers[position, key] = 5 if position == best else value or negative
    now = NOON + timedelta(**times)
    return answering.submit(seat=seat, answers=answers, now=now)


def policy(study, rule: str = "above_mean", **settings) -> Policy:
    return Policy(study=study, rule=rule, **settings)


def apply(study, wanted: Policy) -> rejudging.Changes:
    return rejudging.apply(study=study, policy=wanted, user=study.owner, now=LATER)


def preview(study, wanted: Policy) -> rejudging.Changes:
    pages = checked_pages.read(
        study=study, seats=rejudging.finished(study), now=LATER, texts=True
    )
    found = rejudging.preview(study=study, policy=wanted, pages=pages, now=LATER)
    return rejudging.changes(pages, found)


class TestApply:
    def test_what_a_stricter_rule_discards_frees_its_place(self, study):
        kept, lost = rated(study, "ann", 1), rated(study, "bea", 4)
        assert (state(kept), state(lost)) == ("valid", "valid")
        done = apply(study, policy(study))
        assert (state(kept), state(lost)) == ("valid", "discarded")
        assert (done.n_discarded, done.n_back) == (1, 0)
        assert study.places.filter(free=True).count() == 1
        assert hand_in(sit(study, "cai")).state == "valid"

    def test_old_verdicts_stay_and_new_ones_name_the_new_version(self, study):
        seat = rated(study, "ann", 4)
        apply(study, policy(study))
        verdicts = [(v.policy.version, v.valid) for v in seat.verdicts.all()]
        assert verdicts == [(1, True), (2, False)]
        assert study.current_policy().rule == "above_mean"

    def test_a_more_lenient_rule_brings_pages_back(self, study):
        apply(study, policy(study))
        seat = rated(study, "ann", 4)
        assert state(seat) == "discarded"
        done = apply(study, policy(study, "above_all"))
        assert state(seat) == "valid"
        assert done.n_back == 1
        place = Seat.objects.get(pk=seat.pk).place
        assert (place.free, place.lease_until) == (False, None)

    def test_who_comes_back_to_a_full_survey_is_surplus(self, study):
        apply(study, policy(study))
        late = rated(study, "ann", 4)
        hand_in(sit(study, "bea"))
        hand_in(sit(study, "cai"))
        apply(study, policy(study, "above_all"))
        assert state(late) == "surplus"
        assert Seat.objects.filter(state="valid").count() == 2

    def test_of_several_the_first_handed_in_gets_the_place(self, study):
        apply(study, policy(study))
        second = rated(study, "ann", 4, minutes=9)
        first = rated(study, "bea", 4, minutes=5)
        hand_in(sit(study, "cai"))
        apply(study, policy(study, "above_all"))
        assert (state(first), state(second)) == ("valid", "surplus")

    def test_a_surplus_page_takes_the_place_of_one_that_is_discarded(self, study):
        apply(study, policy(study))
        late = rated(study, "ann", 1)
        Seat.objects.filter(pk=late.pk).update(state="surplus")
        Place.objects.filter(pk=late.place_id).update(free=True)
        apply(study, policy(study, "above_all"))
        assert state(late) == "valid"

    def test_who_is_at_work_keeps_the_place(self, study):
        apply(study, policy(study))
        late = rated(study, "ann", 4)
        hand_in(sit(study, "bea"))
        working = sit(study, "cai", LATER)
        apply(study, policy(study, "above_all"))
        assert (state(late), state(working)) == ("surplus", "claimed")

    def test_a_lapsed_lease_is_an_open_place(self, study):
        apply(study, policy(study))
        late = rated(study, "ann", 4)
        hand_in(sit(study, "bea"))
        gone = sit(study, "cai", NOON)
        apply(study, policy(study, "above_all"))
        assert (state(late), state(gone)) == ("valid", "expired")

    def test_in_a_closed_study_a_page_can_come_back_to_its_place(self, study):
        seat = rated(study, "ann", 4)
        Study.objects.update(state=Study.State.CLOSED)
        study.refresh_from_db()
        apply(study, policy(study))
        assert state(seat) == "discarded"
        assert assigning.claim(worker=hire(study, "bea"), now=LATER) is None
        apply(study, policy(study, "above_all"))
        assert state(seat) == "valid"

    def test_the_same_policy_makes_no_new_version(self, study):
        seat = rated(study, "ann", 1)
        done = apply(study, study.current_policy())
        assert study.policies.count() == 1
        assert (seat.verdicts.count(), done.moved) == (2, [])

    def test_an_excluded_worker_stays_out(self, study, alice):
        seat = rated(study, "ann", 1)
        workers.exclude(worker=seat.worker, reason="spam", user=alice, now=NOON)
        done = apply(study, policy(study, "above_any"))
        assert (state(seat), done.pages) == ("discarded", 0)

    def test_it_is_logged_with_who_and_how_many(self, study, alice):
        rated(study, "ann", 4)
        apply(study, policy(study))
        event = study.events.get(verb="judged-again")
        assert (event.user, event.about) == (alice, "version 2")
        assert event.detail == "1 page: 1 valid to discarded"
        assert study.events.filter(verb="changed-policy").count() == 1

    def test_nothing_is_written_if_it_fails_midway(self, study, monkeypatch):
        seat = rated(study, "ann", 4)

        def fail(*args, **kwargs):
            raise RuntimeError("midway")

        monkeypatch.setattr(rejudging, "settle", fail)
        with pytest.raises(RuntimeError):
            apply(study, policy(study))
        assert (state(seat), study.policies.count()) == ("valid", 1)
        assert Verdict.objects.count() == 1


class TestWorkers:
    @pytest.fixture
    def study(self, make_study):
        study = make_study(prompts=4)
        lay_out(study)
        return study

    def rate(self, study, name: str, negatives: list[int]) -> Worker:
        worker = hire(study, name)
        for value in negatives:
            seat = assigning.claim(worker=worker, now=NOON)
            answers = page(seat, real=3, negative=value)
            answering.submit(seat=seat, answers=answers, now=NOON)
        return worker

    def test_the_test_over_all_pages_judges_the_early_ones_too(self, study):
        ann = self.rate(study, "ann", [3, 3, 3, 1])
        apply(study, policy(study, "above_all", worker_p=0.2, worker_pages=3))
        assert {seat.state for seat in ann.seats.all()} == {"discarded"}

    def test_who_has_too_many_discards_by_now_is_blocked(self, study):
        ann = self.rate(study, "ann", [5, 5])
        apply(study, policy(study, "above_any", block_after=2))
        ann.refresh_from_db()
        assert ann.state == Worker.State.ACTIVE  # these were discarded before
        bea = self.rate(study, "bea", [3, 3])
        wanted = policy(study, "above_all", same_score=True, block_after=2)
        assert apply(study, wanted).n_blocked == 1
        bea.refresh_from_db()
        assert bea.state == Worker.State.BLOCKED

    def test_who_has_not_any_more_is_free(self, study):
        apply(study, policy(study, "above_all", same_score=True, block_after=2))
        ann = self.rate(study, "ann", [3, 3])
        ann.refresh_from_db()
        assert ann.state == Worker.State.BLOCKED
        done = apply(study, policy(study, "above_all", block_after=2))
        ann.refresh_from_db()
        assert (ann.state, done.n_unblocked) == (Worker.State.ACTIVE, 1)


class TestPreview:
    @pytest.mark.parametrize("rule", ["above_all", "above_mean", "above_any"])
    @pytest.mark.parametrize("first", ["above_all", "above_any"])
    def test_it_says_what_applying_does_and_writes_nothing(
        self, make_study, first, rule
    ):
        study = make_study(prompts=3, ratings_per_text=3)
        lay_out(study)
        apply(study, policy(study, first))
        for number in range(8):
            rated(study, f"w{number}", number % 5 + 1, minutes=number)
        sit(study, "gone")
        before = list(Seat.objects.order_by("pk").values_list("state", flat=True))
        said = preview(study, policy(study, rule))
        assert before == list(
            Seat.objects.order_by("pk").values_list("state", flat=True)
        )
        assert study.policies.count() == 2
        assert said.moves == apply(study, policy(study, rule)).moves

    def test_spare_seats_leave_as_much_room_as_there_is(self, study):
        study.spare_seats = 1
        study.save()
        survey = study.surveys.get()
        Place.objects.create(survey=survey, study=study, number=3, shuffle=1)
        apply(study, policy(study))
        rated(study, "ann", 4)
        rated(study, "bea", 4)
        hand_in(sit(study, "cai"))
        sit(study, "dan", LATER)
        said = preview(study, policy(study, "above_all"))
        assert said.moves == apply(study, policy(study, "above_all")).moves
        assert said.n_back == 1

    def test_a_floor_on_reading_counts(self, study):
        rated(study, "ann", 1)  # submitted at once
        said = preview(study, policy(study, "above_all", characters_per_second=60))
        assert said.moved == [("Valid", "Discarded", 1)]


@pytest.mark.django_db(transaction=True)
def test_pages_handed_in_meanwhile_never_make_too_many(make_study):
    study = make_study(prompts=3, ratings_per_text=3)
    lay_out(study)
    for number in range(6):
        rated(study, f"early{number}", 4 if number % 2 else 1)
    seats = [sit(study, f"late{number}") for number in range(3)]
    rules = ["above_mean", "above_all", "above_any", "above_all"]

    def work(number: int) -> None:
        if number < len(seats):
            hand_in(seats[number], now=LATER - timedelta(hours=1, minutes=40))
        else:
            apply(study, policy(study, rules[number - len(seats)]))

    in_threads(len(seats) + len(rules), work)
    assert study.policies.count() == 5
    assert_consistent(study)
    apply(study, policy(study, "above_all"))
    assert_consistent(study)


def assert_consistent(study) -> None:
    """No survey has too many valid pages, and places tell who sits at them."""
    for survey in study.surveys.all():
        valid = survey.seats.filter(state="valid").count()
        assert valid <= study.ratings_per_text
    for place in study.places.all():
        assert place.free == (not place.seats.filter(state__in=Seat.LIVE).exists())
