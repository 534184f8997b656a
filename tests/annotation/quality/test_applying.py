"""A policy is applied to many pages by a worker, in pieces, with the same outcome."""

from datetime import timedelta

import pytest

from annotation import answering, assigning
from annotation.models import Policy, Rejudging, Seat, Study, Verdict, Worker
from annotation.quality import applying, rejudging
from evalapp.celery import app
from evalapp.work import dispatch, leases
from tests.annotation.quality.test_rejudging import assert_consistent, rated
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

State = Rejudging.State


@pytest.fixture
def sent(monkeypatch):
    """Messages that went out. Every study is a large one, of pieces of one survey."""
    found = []
    monkeypatch.setattr(
        dispatch, "send", lambda task, pk, queue: found.append((task, pk))
    )
    monkeypatch.setattr(applying, "MOST_AT_ONCE", 0)
    monkeypatch.setattr(applying, "PIECE", 1)
    monkeypatch.setattr(applying, "WORKERS", 1)
    monkeypatch.setattr(
        applying, "wake_on_commit", lambda kind, ids: dispatch.wake(kind, ids, now=NOON)
    )
    return found


@pytest.fixture
def study(make_study, sent):
    study = make_study(prompts=3, ratings_per_text=3)
    lay_out(study)
    return study


def policy(study, rule: str = "above_mean", **settings) -> Policy:
    return Policy(study=study, rule=rule, **settings)


def ask(study, wanted: Policy) -> Rejudging:
    asked = {"study": study, "user": study.owner, "now": LATER}
    assert applying.start(policy=wanted, **asked) is None
    return Rejudging.objects.get(study=study)


def work(row: Rejudging, now=LATER, owner: str = "me") -> Rejudging:
    applying.QUALITY.perform(pk=row.pk, owner=owner, clock=lambda: now)
    return Rejudging.objects.get(pk=row.pk)


def crowd(study, n: int = 8) -> None:
    for number in range(n):
        rated(study, f"w{number}", number % 5 + 1, minutes=number)
    sit(study, "gone")


@pytest.fixture
def in_the_middle(monkeypatch):
    """Have something happen once between the first piece and the second."""

    def have(happen):
        pieces = applying._pieces

        def watched(*args, **kwargs):
            for number, piece in enumerate(pieces(*args, **kwargs), start=1):
                if number == 2:
                    happen()
                yield piece

        monkeypatch.setattr(applying, "_pieces", watched)

    return have


class TestStart:
    def test_few_pages_are_done_at_once(self, study, monkeypatch, sent):
        seat = rated(study, "ann", 4)
        monkeypatch.setattr(applying, "MOST_AT_ONCE", 1)
        asked = {"study": study, "user": study.owner, "now": LATER}
        done = applying.start(policy=policy(study), **asked)
        assert (done.n_discarded, state(seat), sent) == (1, "discarded", [])
        assert not Rejudging.objects.exists()

    def test_many_wait_for_a_worker_while_new_pages_meet_the_policy(self, study, sent):
        seat = rated(study, "ann", 4)
        row = ask(study, policy(study))
        assert (row.state, sent) == (State.QUEUED, [(Rejudging.TASK, row.pk)])
        assert state(seat) == "valid"
        assert state(rated(study, "bea", 4)) == "discarded"

    @pytest.mark.parametrize("verb", [rejudging.adopt, applying.start, rejudging.apply])
    def test_another_policy_waits_for_it(self, study, verb):
        rated(study, "ann", 4)
        ask(study, policy(study))
        asked = {"user": study.owner, "now": LATER}
        with pytest.raises(rejudging.Busy, match="Version 2 is still being applied"):
            verb(study=study, policy=policy(study, "above_any"), **asked)
        assert study.current_policy().version == 2

    def test_after_a_cancel_another_one_can_be_applied(self, study):
        seat = rated(study, "ann", 4)
        ask(study, policy(study))
        applying.QUALITY.cancel(study.rejudging)
        assert work(Rejudging.objects.get()).state == State.CANCELLED
        row = work(ask(study, policy(study, "above_any")))
        assert (row.state, row.done, state(seat)) == (State.DONE, 1, "discarded")

    def test_celery_finds_the_task(self):
        app.loader.import_default_modules()
        assert Rejudging.TASK in app.tasks


class TestWork:
    @pytest.mark.parametrize("rule", ["above_all", "above_mean", "above_any"])
    @pytest.mark.parametrize("first", ["above_all", "above_any"])
    def test_the_outcome_is_that_of_doing_all_at_once(
        self, make_study, sent, first, rule
    ):
        found = []
        for name in ("ferry", "lake"):
            study = make_study(name=name, prompts=3, ratings_per_text=3)
            lay_out(study)
            begin = policy(study, first, block_after=1)
            asked = {"study": study, "user": study.owner, "now": LATER}
            rejudging.apply(policy=begin, **asked)
            crowd(study)
            wanted = policy(study, rule, same_score=True, block_after=2)
            if name == "ferry":
                done = rejudging.apply(policy=wanted, **asked)
            else:
                row = work(ask(study, wanted))
                assert row.state == State.DONE, row.error
                done = applying.changes(row)
            said = study.events.filter(verb="judged-again").last()
            found.append((done, said.detail, said.user, shape(study)))
        assert found[0] == found[1]

    def test_who_takes_over_goes_on_where_the_first_one_died(self, study, monkeypatch):
        crowd(study)
        row = ask(study, policy(study, block_after=1))
        judge, calls = applying._judge, []

        def dies(*args):
            calls.append(args)
            if len(calls) == 2:
                raise SystemExit
            judge(*args)

        monkeypatch.setattr(applying, "_judge", dies)
        with pytest.raises(SystemExit):
            work(row)
        row.refresh_from_db()
        n_before, total = row.done, row.total
        assert 0 < n_before < total
        leases.requeue_expired(now=LATER + timedelta(hours=1))
        row = work(row, now=LATER + timedelta(hours=1), owner="other")
        assert (row.state, row.done, row.total) == (State.DONE, total, total)
        assert len(calls) == 2 + study.surveys.count() - 1
        assert sum(n for _, _, n in row.moves) == total
        n_verdicts = Verdict.objects.filter(policy__version=2).count()
        assert n_verdicts == total  # each page once
        lost = Seat.objects.filter(state="discarded").values("worker").distinct()
        assert row.blocked == lost.count() > 1
        assert_consistent(study)

    def test_a_cancelled_one_ends_between_two_pieces(self, study, in_the_middle):
        crowd(study)
        row = ask(study, policy(study, "above_any"))
        in_the_middle(lambda: applying.QUALITY.cancel(study.rejudging))
        row = work(row)
        assert row.state == State.CANCELLED
        assert 0 < row.done < row.total
        assert Verdict.objects.filter(policy__version=2).count() == row.done
        assert_consistent(study)

    def test_a_page_submitted_meanwhile_counts_for_the_earlier_pages_of_its_worker(
        self, study, in_the_middle
    ):
        ann = hire(study, "ann")
        for value in (3, 3):  # the same answer everywhere
            seat = assigning.claim(worker=ann, now=NOON)
            answers = page(seat, real=3, negative=value)
            answering.submit(seat=seat, answers=answers, now=NOON)
        row = ask(study, policy(study, "above_all", same_pages=3))
        later = LATER + timedelta(minutes=1)

        def submit_a_third_page():
            seat = assigning.claim(worker=ann, now=LATER)
            answers = page(seat, real=3, negative=3)
            answering.submit(seat=seat, answers=answers, now=later)

        in_the_middle(submit_a_third_page)
        assert work(row, now=later).state == State.DONE
        assert {seat.state for seat in ann.seats.all()} == {"discarded"}

    def test_a_page_that_was_judged_by_the_old_policy_meanwhile_is_judged_again(
        self, study, in_the_middle
    ):
        """It had read the old policy, and was written after the others were read."""
        rated(study, "ann", 4)
        rated(study, "bea", 4)
        row = ask(study, policy(study))
        late = []

        def slow() -> None:
            seat = rated(study, "cai", 4)
            Verdict.objects.filter(seat=seat).update(
                policy=study.policies.get(version=1), valid=True
            )
            late.append(seat)

        in_the_middle(slow)
        row = work(row)
        assert row.state == State.DONE, row.error
        newest = late[0].verdicts.order_by("pk").last()
        assert (newest.policy.version, newest.valid) == (2, False)


def shape(study) -> dict[str, object]:
    """The outcome with numbers of surveys and names in place of ids."""
    seats = Seat.objects.filter(survey__study=study)
    seats = seats.order_by("worker__external_id", "survey__number")
    verdicts = Verdict.objects.filter(seat__in=seats)
    verdicts = verdicts.order_by("seat__worker__external_id", "seat__survey", "pk")
    workers = study.workers.order_by("external_id")
    places = study.places.order_by("survey__number", "number")
    return {
        "seats": list(
            seats.values_list(
                "worker__external_id", "survey__number", "state", "place__number"
            )
        ),
        "verdicts": list(
            verdicts.values_list(
                "seat__worker__external_id", "policy__version", "valid", "reason"
            )
        ),
        "workers": list(workers.values_list("external_id", "state", "state_reason")),
        "places": list(places.values_list("survey__number", "number", "free")),
    }


@pytest.mark.django_db(transaction=True)
def test_pages_handed_in_meanwhile_never_make_too_many(study):
    for number in range(6):
        rated(study, f"early{number}", 4 if number % 2 else 1)
    seats = [sit(study, f"late{number}") for number in range(3)]
    row = ask(study, policy(study))

    def do(number: int) -> None:
        if number < len(seats):
            hand_in(seats[number], now=LATER - timedelta(hours=1, minutes=40))
        else:
            work(row, owner=f"worker{number}")

    in_threads(len(seats) + 2, do)
    row = Rejudging.objects.get()
    assert (row.state, row.attempt) == (State.DONE, 1), row.error
    assert_consistent(study)
    judged = Verdict.objects.filter(policy__version=2).values("seat").distinct()
    finished = Seat.objects.filter(state__in=Seat.FINISHED)
    assert judged.count() == finished.count()
    assert not Worker.objects.filter(state=Worker.State.BLOCKED).exists()
    assert Study.objects.get().current_policy().version == 2
