"""One row, one holder, whatever kind of work it is."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta
from itertools import count

import psycopg
import pytest
from amqp.exceptions import NotAllowed
from celery import Celery
from django import db
from django.db import InterfaceError
from kombu.exceptions import OperationalError
from redis.exceptions import BusyLoadingError

from evalapp import storage
from evalapp.work import dispatch, heartbeats, kinds, leases, retries
from evalapp.work.models import Leased
from tests.annotation.seating import in_threads
from tests.support.rows import row_of

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
EXPIRED = NOON + leases.LEASE
ME, RIVAL = "here/1/a", "there/2/b"
State = Leased.State


@pytest.fixture(params=kinds.registered(), ids=lambda work: work.name)
def row(request, make_study) -> Leased:
    return row_of(request.param, make_study())


@pytest.fixture
def sent(monkeypatch) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    monkeypatch.setattr(
        dispatch, "send", lambda task, pk, queue: found.append((task, pk))
    )
    return found


def take(row: Leased, owner: str = ME, now: datetime = NOON) -> Leased | None:
    rows = type(row)._default_manager.all()
    return leases.take(rows, pk=row.pk, owner=owner, now=now)


def state_of(row: Leased) -> tuple[str, int]:
    row.refresh_from_db()
    return row.state, row.attempt


class TestTake:
    def test_one_worker_gets_the_row(self, row):
        mine = take(row)
        assert (mine.owner, mine.attempt, mine.lease_until) == (ME, 1, EXPIRED)
        assert take(row, RIVAL) is None

    def test_who_renews_it_has_it_for_another_lease(self, row):
        assert leases.renew(take(row), now=EXPIRED)
        row.refresh_from_db()
        assert row.lease_until == EXPIRED + leases.LEASE

    def test_after_the_lease_another_one_does(self, row):
        take(row)
        assert take(row, RIVAL, EXPIRED).attempt == 2

    @pytest.mark.parametrize("state", Leased.ENDED)
    def test_what_has_ended_is_nobodys(self, row, state):
        type(row).objects.update(state=state)
        assert take(row) is None

    def test_what_used_its_attempts_is_nobodys(self, row):
        type(row).objects.update(attempt=leases.ATTEMPTS)
        assert take(row) is None


class TestFence:
    @pytest.fixture
    def lost(self, row):
        """A row as the worker read it that has lost it to another one."""
        mine = take(row)
        take(row, RIVAL, EXPIRED)
        return mine

    def test_who_lost_the_row_can_neither_renew_nor_finish_it(self, lost):
        assert not leases.renew(lost, now=EXPIRED)
        assert not leases.finish(lost, now=EXPIRED)
        assert state_of(lost) == (State.RUNNING, 2)

    def test_nor_fail_it_nor_give_it_back(self, lost):
        leases.fail(lost, error="mine", now=EXPIRED)
        leases.try_again(lost, error="mine", now=EXPIRED)
        leases.give_back(lost)
        assert state_of(lost) == (State.RUNNING, 2)
        assert lost.error == ""

    def test_a_second_attempt_of_the_same_worker_is_another(self, row):
        first = take(row)
        take(row, ME, EXPIRED)
        assert not leases.finish(first, now=EXPIRED)

    def test_what_was_cancelled_is_lost(self, row):
        mine = take(row)
        assert leases.cancel(type(row).objects.all(), now=NOON) == 1
        assert not leases.finish(mine, now=NOON)
        assert state_of(row) == (State.CANCELLED, 1)


class TestEnds:
    def test_finishing_saves_what_was_found(self, row):
        mine = take(row)
        assert leases.finish(mine, now=EXPIRED, error="")
        row.refresh_from_db()
        assert (row.state, row.finished_at) == (State.DONE, EXPIRED)
        assert row.lease_until is None

    def test_an_error_is_tried_again_until_the_attempts_are_used(self, row):
        for _ in range(leases.ATTEMPTS):
            assert state_of(row)[0] == State.QUEUED
            leases.try_again(take(row), error="out of reach", now=NOON)
        assert state_of(row) == (State.FAILED, leases.ATTEMPTS)
        assert row.error == "out of reach (3 attempts)"

    def test_giving_back_costs_no_attempt(self, row):
        leases.give_back(take(row))
        assert state_of(row) == (State.QUEUED, 0)

    def test_trying_again_begins_with_all_attempts(self, row):
        leases.fail(take(row), error="no", now=NOON)
        assert leases.retry(type(row).objects.all()) == 1
        assert state_of(row) == (State.QUEUED, 0)
        assert (row.error, row.finished_at) == ("", None)

    def test_only_what_stopped_is_tried_again(self, row):
        leases.finish(take(row), now=NOON)
        assert leases.retry(type(row).objects.all()) == 0


class TestReaper:
    def test_what_a_dead_worker_had_is_queued_and_sent(self, row, sent):
        take(row)
        dispatch.reap(now=EXPIRED)
        assert state_of(row) == (State.QUEUED, 1)
        assert sent == [(row.TASK, row.pk)]
        assert row.sent_at == EXPIRED

    def test_what_killed_three_workers_fails(self, row, sent):
        for n in range(leases.ATTEMPTS):
            assert take(row, now=NOON + n * leases.LEASE)
            dispatch.reap(now=NOON + (n + 1) * leases.LEASE)
        assert state_of(row) == (State.FAILED, 3)
        assert f"the worker died at this {row.KIND} 3 times" in row.error

    def test_a_living_worker_keeps_its_row(self, row, sent):
        take(row)
        leases.renew_all(owner=ME, now=NOON + timedelta(seconds=60))
        dispatch.reap(now=EXPIRED)
        assert state_of(row) == (State.RUNNING, 1)

    def test_a_row_whose_end_could_not_be_written_comes_back(
        self, row, sent, monkeypatch
    ):
        def lost(*args, **kwargs):
            raise InterfaceError("the connection is lost")

        monkeypatch.setattr(leases, "try_again", lost)
        monkeypatch.setattr(retries, "DATABASE_SECONDS", 0)
        with pytest.raises(InterfaceError):
            retries.attempt(take(row), lost, clock=lambda: NOON)
        leases.renew_all(owner=ME, now=NOON + timedelta(seconds=60))
        dispatch.reap(now=EXPIRED)
        assert state_of(row) == (State.QUEUED, 1)

    def test_a_row_that_its_worker_has_left_comes_back(self, row, sent):
        take(row)
        leases.let_go()
        leases.renew_all(owner=ME, now=NOON + timedelta(seconds=60))
        dispatch.reap(now=EXPIRED)
        assert state_of(row) == (State.QUEUED, 1)

    def test_a_worker_known_to_be_dead_holds_nothing(self, row):
        take(row)
        leases.release(owner="here/1/", now=NOON)
        assert take(row, RIVAL).attempt == 2

    def test_a_lost_message_is_sent_again_while_somebody_has_nothing_to_do(
        self, row, sent
    ):
        type(row).objects.update(sent_at=NOON)
        later = NOON + dispatch.UNANSWERED
        dispatch.reap(now=later)
        assert not sent
        heartbeats.beat(owner=RIVAL, now=later)
        dispatch.reap(now=later)
        assert sent == [(row.TASK, row.pk)]

    def test_a_lost_message_is_not_sent_again_for_workers_of_other_queues(
        self, row, sent
    ):
        type(row).objects.update(sent_at=NOON)
        later = NOON + dispatch.UNANSWERED
        other = "judges" if row.queue != "judges" else "cpu"
        heartbeats.beat(owner=RIVAL, now=later, queues=[other])
        dispatch.reap(now=later)
        assert not sent
        heartbeats.beat(owner="other/3/c", now=later, queues=[row.queue])
        dispatch.reap(now=later)
        assert sent == [(row.TASK, row.pk)]

    def test_a_broker_that_is_away_costs_time_only(self, row, monkeypatch):
        def away(task: str, pk: int, queue: str) -> None:
            raise OperationalError

        monkeypatch.setattr(dispatch, "send", away)
        dispatch.reap(now=NOON)
        row.refresh_from_db()
        assert (row.state, row.sent_at) == (State.QUEUED, None)

    @pytest.mark.parametrize(
        ("broker", "error"),
        [
            ("amqp://", NotAllowed("NOT_ALLOWED - connection limit (0) is reached")),
            ("redis://", BusyLoadingError("Redis is loading the dataset in memory")),
        ],
    )
    def test_so_does_one_that_refuses(self, row, monkeypatch, broker, error):
        def refuse(task: str, pk: int, queue: str) -> None:
            raise error

        monkeypatch.setattr(dispatch, "current_app", Celery(broker=broker))
        monkeypatch.setattr(dispatch, "send", refuse)
        dispatch.reap(now=NOON)
        row.refresh_from_db()
        assert (row.state, row.sent_at) == (State.QUEUED, None)

    def test_a_fault_of_ours_is_none_of_the_broker(self, row, monkeypatch):
        def wrong(task: str, pk: int, queue: str) -> None:
            raise TypeError("no such queue")

        monkeypatch.setattr(dispatch, "send", wrong)
        with pytest.raises(TypeError):
            dispatch.reap(now=NOON)


class TestAttempt:
    def attempt(
        self, row, error: Exception | None = None, hours: int = 0, **given
    ) -> Leased:
        now = NOON + timedelta(hours=hours)

        def work(row: Leased) -> None:
            if error:
                raise error
            leases.finish(row, now=now)

        retries.attempt(take(row, now=now), work, clock=lambda: now, **given)
        row.refresh_from_db()
        return row

    def test_work_that_ends_is_done(self, row):
        assert self.attempt(row).state == State.DONE

    def test_what_a_user_can_cure_ends_it_in_its_own_words(self, row):
        found = self.attempt(row, ValueError("no such model"), final=(ValueError,))
        assert (found.state, found.error) == (State.FAILED, "no such model")

    def test_anything_else_is_tried_again(self, row):
        found = self.attempt(row, ValueError("odd"))
        assert (found.state, found.error) == (State.QUEUED, "ValueError: odd")

    def test_unless_it_would_fail_in_the_same_way(self, row):
        assert self.attempt(row, ValueError("odd"), again=False).state == State.FAILED

    def test_a_short_time_without_the_storage_costs_no_attempt(self, row):
        found = self.attempt(row, storage.Away("no answer"))
        found = self.attempt(row, storage.Away("no answer"), hours=23)
        assert (found.state, found.attempt) == (State.QUEUED, 0)
        assert found.error == retries.WAITS

    def test_it_is_not_tried_again_at_once(self, row, sent):
        self.attempt(row, storage.Away("no answer"))
        dispatch.reap(now=NOON + retries.PAUSE / 2)
        assert not sent
        dispatch.reap(now=NOON + retries.PAUSE)
        assert sent == [(row.TASK, row.pk)]

    def test_a_storage_that_refuses_costs_an_attempt_and_says_why(self, row, sent):
        for hours in (0, 1, 2):
            found = self.attempt(row, storage.Refused("access is denied"), hours=hours)
            dispatch.reap(now=NOON + timedelta(hours=hours))
        assert not sent  # a minute too early
        assert (found.state, found.attempt) == (State.FAILED, 3)
        assert found.error == "access is denied (3 attempts)"

    def test_a_storage_that_is_away_for_good_ends_it_in_a_sentence(self, row):
        self.attempt(row, storage.Away("no answer"))
        self.attempt(row, retries.Interrupted(), hours=23)
        found = self.attempt(row, storage.Away("no answer"), hours=24)
        assert (found.state, found.error) == (State.FAILED, retries.GONE)
        leases.retry(type(row)._default_manager.all())
        found = self.attempt(row, storage.Away("no answer"), hours=25)
        assert (found.state, found.error) == (State.QUEUED, retries.WAITS)

    def of_database(self, cause: Exception) -> db.OperationalError:
        error = db.OperationalError(str(cause))
        error.__cause__ = cause
        return error

    @pytest.mark.parametrize(
        "cause",
        [
            psycopg.OperationalError("connection refused"),
            psycopg.errors.AdminShutdown("terminating connection"),
            psycopg.errors.CannotConnectNow("the database system is starting up"),
        ],
    )
    def test_a_database_that_restarts_costs_no_attempt(self, row, cause):
        for _ in range(4):
            found = self.attempt(row, self.of_database(cause), again=False)
        assert (found.state, found.attempt) == (State.QUEUED, 0)
        assert found.error == retries.DATABASE_WAITS

    def test_work_that_ends_the_database_every_time_is_given_up(self, row):
        error = self.of_database(psycopg.errors.CrashShutdown("crash"))
        for hours in (0, 1, 1, 2, 2):
            assert self.attempt(row, error, hours=hours).state == State.QUEUED
        found = self.attempt(row, error, hours=3)
        assert (found.state, found.attempt) == (State.FAILED, 3)

    @pytest.mark.parametrize(
        "cause",
        [
            psycopg.errors.DeadlockDetected("deadlock detected"),
            sqlite3.OperationalError("database is locked"),
        ],
    )
    def test_a_lock_in_the_database_costs_an_attempt(self, row, cause):
        found = self.attempt(row, self.of_database(cause))
        assert (found.state, found.attempt) == (State.QUEUED, 1)

    def test_no_page_learns_where_things_lie_on_the_server(self, row, settings):
        error = OSError(f"cannot read {settings.DATA_DIR}/checkpoints/a")
        found = self.attempt(row, error, again=False)
        assert found.error == "OSError: cannot read checkpoints/a"

    def away(self, monkeypatch, tries: int) -> None:
        """The database answers again after so many tries, one each second."""
        left, seconds, real = [None] * tries, count(), leases.try_again

        def try_again(*args, **given):
            if left:
                left.pop()
                raise InterfaceError("the connection is closed")
            real(*args, **given)

        monkeypatch.setattr(leases, "try_again", try_again)
        monkeypatch.setattr(retries.time, "sleep", lambda seconds: None)
        monkeypatch.setattr(retries.time, "monotonic", lambda: float(next(seconds)))

    def test_its_end_is_written_once_the_database_is_back(self, row, monkeypatch):
        self.away(monkeypatch, tries=3)
        found = self.attempt(row, InterfaceError("closed"))
        assert (found.state, found.error) == (State.QUEUED, "InterfaceError: closed")

    def test_it_waits_for_the_database_for_a_minute(self, row, monkeypatch):
        self.away(monkeypatch, tries=100)
        with pytest.raises(InterfaceError):
            self.attempt(row, InterfaceError("closed"))

    @pytest.mark.parametrize(
        ("error", "state"),
        [(retries.Lost, State.RUNNING), (retries.Interrupted, State.QUEUED)],
    )
    def test_who_lost_it_or_has_to_stop_writes_no_error(self, row, error, state):
        found = self.attempt(row, error())
        assert (found.state, found.error) == (state, "")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("work", kinds.registered(), ids=lambda work: work.name)
def test_of_eight_workers_at_once_one_takes_the_row(make_study, work) -> None:
    row = row_of(work, make_study())
    taken = in_threads(8, lambda n: take(row, f"here/{n}/a") is not None)
    assert sum(taken) == 1
    assert state_of(row) == (State.RUNNING, 1)
