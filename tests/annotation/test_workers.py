from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command

from annotation import answering, assigning, human_scores, studies, surveys, workers
from annotation.models import (
    Annotation,
    Invite,
    Place,
    PracticeTry,
    Report,
    Seat,
    Study,
    Verdict,
    Worker,
)
from annotation.watching import reports
from evalapp.work import deferred_deletion
from tests.annotation.seating import (
    LATER,
    NOON,
    hand_in,
    in_threads,
    lay_out,
    page,
    sit,
    state,
)
from tests.support.looking import twice


@pytest.fixture
def study(make_study):
    """One survey, two places."""
    study = make_study(prompts=1)
    lay_out(study)
    return study


def worker(study, name: str) -> Worker:
    return study.workers.get(external_id=name)


def exclude(who: Worker, user, reason: str = "A script.") -> int:
    return workers.exclude(worker=who, reason=reason, user=user, now=LATER)


def include(who: Worker, user) -> int:
    return workers.include(worker=who, user=user, now=LATER)


def n_open(study) -> int:
    return Place.objects.filter(study=study, free=True).count()


class TestFinish:
    def test_an_answer_on_its_way_is_kept_but_counts_nowhere(self, study):
        """Two requests at once: a tab submits when another has just finished."""
        hand_in(sit(study, "w1"))
        seat = sit(study, "w2")
        who = seat.worker
        who.debriefed_at = NOON
        who.save()
        hand_in(seat, now=LATER)
        seat.refresh_from_db()
        assert (seat.state, seat.informed) == (Seat.State.SURPLUS, True)
        assert n_open(study) == 1

    def test_a_page_handed_in_before_is_not_marked(self, study):
        seat = hand_in(sit(study, "w1"))
        workers.finish(worker=seat.worker, now=LATER)
        seat.refresh_from_db()
        assert (seat.state, seat.informed) == (Seat.State.VALID, False)
        assert worker(study, "w1").debriefed_at == LATER

    def test_finishing_beside_a_claim_leaves_no_page_claimed(self, study):
        seat = hand_in(sit(study, "w1"))
        workers.finish(worker=seat.worker, now=LATER)
        assert assigning.claim(worker=seat.worker, now=LATER) is None
        assert assigning.has_nothing_left(worker(study, "w1"))


class TestExclude:
    def test_valid_pages_are_discarded_and_their_places_open(self, study, alice):
        seat = hand_in(sit(study, "w1"))
        assert exclude(seat.worker, alice) == 1
        assert state(seat) == "discarded"
        assert n_open(study) == 2
        assert not human_scores.means(study=study).generations.size
        found = worker(study, "w1")
        assert (found.state, found.state_reason) == ("excluded", "A script.")

    def test_the_old_verdict_stays_and_a_new_one_says_who_and_why(self, study, alice):
        seat = hand_in(sit(study, "w1"))
        exclude(seat.worker, alice)
        by_policy, by_alice = seat.verdicts.all()
        assert by_policy.valid and by_policy.judged_by is None
        assert not by_alice.valid and by_alice.judged_by == alice
        assert by_alice.reason == "Worker excluded: A script."

    def test_the_page_at_hand_goes_to_somebody_else(self, study, alice):
        hand_in(sit(study, "w1"))
        seat = sit(study, "w2")
        exclude(seat.worker, alice)
        assert state(seat) == "expired"
        assert sit(study, "w3").place_id == seat.place_id

    def test_they_get_no_page_and_what_they_still_send_does_not_count(
        self, study, alice
    ):
        seat = sit(study, "w1")
        exclude(seat.worker, alice)
        assert assigning.claim(worker=seat.worker, now=LATER) is None
        answering.save(seat=seat, position=1, aspect="coherence", value=3, now=LATER)
        answering.submit(seat=seat, answers=page(seat), now=LATER)
        assert state(seat) == "surplus"
        assert not human_scores.means(study=study).generations.size

    def test_it_is_logged_under_a_code(self, study, alice):
        exclude(hand_in(sit(study, "w1")).worker, alice)
        event = study.events.get()
        assert (event.verb, event.user) == ("excluded-worker", alice)
        assert event.about.startswith("w-") and event.detail == "1 page: A script."

    def test_it_needs_a_reason(self, study, alice):
        seat = sit(study, "w1")
        with pytest.raises(workers.WorkerError, match="Say why"):
            exclude(seat.worker, alice, " ")
        assert worker(study, "w1").state == "active"

    def test_twice_is_refused(self, study, alice):
        seat = hand_in(sit(study, "w1"))
        exclude(seat.worker, alice)
        with pytest.raises(workers.WorkerError, match="already excluded"):
            exclude(seat.worker, alice)


class TestInclude:
    def test_valid_pages_fill_open_places_again(self, study, alice):
        seat = hand_in(sit(study, "w1"))
        before = human_scores.means(study=study).values.tolist()
        exclude(seat.worker, alice)
        assert include(seat.worker, alice) == 1
        assert state(seat) == "valid"
        assert n_open(study) == 1
        assert human_scores.means(study=study).values.tolist() == before
        assert worker(study, "w1").state == "active"
        assert study.events.first().detail == "1 page valid again, 0 surplus"

    def test_a_page_whose_place_is_taken_is_surplus(self, study, alice):
        seat = hand_in(sit(study, "w1"))
        exclude(seat.worker, alice)
        for name in ("w2", "w3"):
            hand_in(sit(study, name))
        assert include(seat.worker, alice) == 0
        assert state(seat) == "surplus"
        assert Seat.objects.filter(state="valid").count() == 2

    def test_what_quality_control_discarded_stays_discarded(self, study, alice):
        seat = hand_in(sit(study, "w1"), careful=False)
        exclude(seat.worker, alice)
        assert include(seat.worker, alice) == 0
        assert state(seat) == "discarded"

    def test_the_newest_verdict_of_a_policy_decides(self, study, alice):
        seat = hand_in(sit(study, "w1"))
        exclude(seat.worker, alice)
        policy = study.current_policy()
        Verdict.objects.create(seat=seat, policy=policy, valid=False, judged_at=LATER)
        assert include(seat.worker, alice) == 0
        assert state(seat) == "discarded"

    def test_it_remembers_who_decided_after_their_account_is_gone(self, study, bob):
        seat = hand_in(sit(study, "w1"))
        exclude(seat.worker, bob)
        Verdict.objects.update(judged_by=None)
        assert include(seat.worker, bob) == 1

    def test_who_is_not_excluded_is_refused(self, study, alice):
        seat = sit(study, "w1")
        with pytest.raises(workers.WorkerError, match="is active, not excluded"):
            include(seat.worker, alice)

    def test_with_spare_seats_filled_places_still_come_first(self, make_study, alice):
        study = make_study(prompts=1, name="spare", spare_seats=1)
        study.ratings_per_text = 3
        lay_out(study)
        study.ratings_per_text = 2
        study.save()
        first = hand_in(sit(study, "w1"))
        hand_in(sit(study, "w2"))
        exclude(first.worker, alice)
        assert include(first.worker, alice) == 1
        filled = Seat.objects.filter(state="valid", survey__study=study)
        assert sorted(filled.values_list("place__number", flat=True)) == [1, 2]


class TestUnblock:
    def test_a_blocked_worker_gets_pages_again(self, study, alice):
        seat = sit(study, "w1")
        Worker.objects.update(state="blocked", state_reason="3 of 3 pages.")
        workers.unblock(worker=seat.worker, user=alice, now=LATER)
        assert worker(study, "w1").state == "active"
        assert study.events.get().detail == "3 of 3 pages."

    def test_who_is_excluded_is_not_unblocked(self, study, alice):
        seat = sit(study, "w1")
        exclude(seat.worker, alice)
        with pytest.raises(workers.WorkerError, match="is excluded, not blocked"):
            workers.unblock(worker=seat.worker, user=alice, now=LATER)


class TestFreeSeat:
    def test_its_place_is_open_at_once_and_its_answers_stay(self, study, alice):
        hand_in(sit(study, "w1"))
        seat = sit(study, "w2")
        answering.save(seat=seat, position=1, aspect="coherence", value=3, now=NOON)
        workers.free_seat(seat=seat, user=alice, now=NOON)
        assert state(seat) == "expired" and seat.annotations.count() == 1
        assert sit(study, "w3").place_id == seat.place_id

    def test_a_seat_that_was_handed_in_is_refused(self, study, alice):
        seat = hand_in(sit(study, "w1"))
        with pytest.raises(workers.WorkerError, match="is already valid"):
            workers.free_seat(seat=seat, user=alice, now=NOON)
        assert state(seat) == "valid"


class TestWithdraw:
    @pytest.fixture
    def gone(self, study):
        """A worker who left something in every table, and then withdrew."""
        seat = hand_in(sit(study, "w1"))
        who = seat.worker
        Seat.objects.filter(pk=seat.pk).update(visible={"1": 900}, comment="Odd.")
        reports.report(seat=seat, position=1, reason="Rude.", now=NOON)
        PracticeTry.objects.create(
            worker=who, number=1, answers={"1-coherence": 3}, passed=True, tried_at=NOON
        )
        Invite.objects.create(study=study, name="Ann", digest="d", worker=who)
        who.consent, who.arrival = "I agree.", {"STUDY_ID": "s"}
        who.save()
        workers.withdraw(worker=who, now=LATER)
        who.refresh_from_db()
        return who

    def test_nothing_that_they_gave_is_left(self, study, gone):
        assert not Annotation.objects.exists() and not Report.objects.exists()
        assert not PracticeTry.objects.exists()
        seat = gone.seats.get()
        assert (seat.visible, seat.comment, seat.consent) == ({}, "", "")
        assert seat.submitted_at is None
        assert (gone.consent, gone.consented_at, gone.arrival) == ("", None, {})
        verdict = seat.verdicts.get()
        assert verdict.reason == workers.WITHDRAWN and "negative" not in verdict.numbers

    def test_nothing_leads_back_to_who_they_were(self, study, gone):
        assert gone.state == "withdrawn"
        assert not study.workers.filter(external_id="w1").exists()
        assert Invite.objects.get().worker is None

    def test_that_they_handed_in_a_page_stays_for_their_code(self, gone):
        assert gone.seats.filter(state__in=Seat.FINISHED).count() == 1

    def test_their_places_are_open(self, study, gone):
        assert n_open(study) == 2

    def test_an_unfinished_page_goes_as_if_it_had_never_been(self, study):
        seat = sit(study, "w1")
        workers.withdraw(worker=seat.worker, now=LATER)
        assert not Seat.objects.exists()
        assert n_open(study) == 2

    def test_twice_is_the_same_as_once(self, study, gone):
        workers.withdraw(worker=gone, now=LATER)
        assert study.events.filter(verb="withdrew").count() == 1

    def test_the_stamp_of_the_ratings_changes(self, study):
        seat = hand_in(sit(study, "w1"), careful=False)
        before = human_scores.stamp(study=study)
        workers.withdraw(worker=seat.worker, now=LATER)
        assert human_scores.stamp(study=study) != before

    def test_who_comes_back_is_somebody_new(self, study, gone):
        assert hand_in(sit(study, "w1")).state == "valid"
        assert study.workers.count() == 2


class TestDeleteWorkerCommand:
    @pytest.mark.parametrize("by", ["external_id", "personal_code"])
    def test_it_withdraws_by_id_or_personal_code(self, study, by):
        seat = hand_in(sit(study, "w1"))
        call_command("delete_worker", "ferry", getattr(seat.worker, by), "--yes")
        assert not Annotation.objects.exists()
        assert study.workers.get().state == "withdrawn"

    def test_it_names_what_it_did_not_find(self, study):
        sit(study, "w1")
        with pytest.raises(CommandError, match="no worker with the id or personal"):
            call_command("delete_worker", "ferry", "nobody", "--yes")
        with pytest.raises(CommandError, match="no study named 'fairy'"):
            call_command("delete_worker", "fairy", "w1", "--yes")

    def test_without_yes_it_asks_and_a_no_deletes_nothing(self, study, monkeypatch):
        hand_in(sit(study, "w1"))
        monkeypatch.setattr("builtins.input", lambda question: "n")
        with pytest.raises(CommandError, match="Nothing was deleted"):
            call_command("delete_worker", "ferry", "w1")
        assert Annotation.objects.exists()


class TestRetention:
    @pytest.fixture
    def closed(self, study):
        hand_in(sit(study, "w1"))
        Study.objects.update(state="closed", closed_at=NOON, retention_days=30)
        study.refresh_from_db()
        return study

    def test_ids_go_when_the_days_are_over_and_ratings_stay(self, closed):
        early = NOON + timedelta(days=29)
        assert twice(workers.apply_retention, now=early - deferred_deletion.PAUSE) == {}
        assert closed.workers.filter(external_id="w1").exists()
        assert workers.apply_retention(now=NOON + timedelta(days=30)) == {}
        late = NOON + timedelta(days=30) + deferred_deletion.PAUSE
        assert workers.apply_retention(now=late) == {"ferry": 1}
        assert not closed.workers.filter(external_id="w1").exists()
        assert human_scores.means(study=closed).generations.size == 4
        assert closed.events.get().verb == "forgot-ids"

    def test_a_new_study_forgets_ids_after_ninety_days(self, db):
        assert studies.create(name="made", owner=None).retention_days == 90

    def test_days_count_from_the_close(self, study):
        surveys.close(study=study)
        study.retention_days = 30
        study.save()
        closed_at = study.closed_at
        someone = Worker.objects.create(
            study=study, platform="direct", external_id="w9"
        )
        early = closed_at + timedelta(days=29)
        assert workers.apply_retention(now=early, at_once=True) == {}
        due = closed_at + timedelta(days=30)
        assert workers.apply_retention(now=due, at_once=True) == {"ferry": 1}
        someone.refresh_from_db()
        assert someone.external_id != "w9"

    def test_a_second_time_finds_nothing(self, closed):
        now = NOON + timedelta(days=31)
        twice(workers.apply_retention, now=now)
        assert workers.apply_retention(now=now + deferred_deletion.PAUSE) == {}

    @pytest.mark.parametrize(
        "fields", [{"retention_days": None}, {"state": "open"}, {"closed_at": None}]
    )
    def test_other_studies_keep_their_ids(self, closed, fields):
        Study.objects.update(**fields)
        late = NOON + timedelta(days=400)
        assert workers.apply_retention(now=late, at_once=True) == {}

    def test_the_command_says_what_it_did(self, closed, capsys):
        call_command("apply_retention")
        assert "ferry: 1 platform id deleted" in capsys.readouterr().out
        call_command("apply_retention")
        assert "No platform id is due" in capsys.readouterr().out


@pytest.mark.django_db(transaction=True)
def test_excluding_while_everybody_works_leaves_each_place_one_valid_page(
    make_study, alice
):
    study = make_study(prompts=4, ratings_per_text=2)
    lay_out(study)
    seats = [sit(study, f"w{n}") for n in range(8)]
    outcasts = [seat.worker for seat in seats[:3]]

    def work(n: int) -> None:
        if n < 8:
            hand_in(seats[n])
        elif n < 11:
            exclude(outcasts[n - 8], alice)
        elif n < 14:
            newcomer = sit(study, f"new{n}")
            if newcomer:
                hand_in(newcomer)

    in_threads(14, work)
    valid = Seat.objects.filter(state="valid")
    assert not valid.filter(worker__in=outcasts).exists()
    assert valid.count() == valid.values("place").distinct().count()
    open_ones = Place.objects.filter(free=True).count()
    claimed = Seat.objects.filter(state="claimed").count()
    assert valid.count() + open_ones + claimed == 8
