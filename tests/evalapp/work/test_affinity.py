"""Which row a worker takes that was woken for one."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest

from evalapp.work import affinity, dispatch, leases
from evalapp.work.models import Leased
from scoring.models import Chunk, MetricRun
from tests.annotation.seating import in_threads

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
LATE = NOON + affinity.PATIENCE
State = Leased.State
pytestmark = pytest.mark.django_db


@pytest.fixture
def sent(monkeypatch) -> list[int]:
    found: list[int] = []
    monkeypatch.setattr(dispatch, "send", lambda task, pk, queue: found.append(pk))
    return found


@pytest.fixture
def chunks(make_study):
    """Make chunks in this order: "aab" are two with the model a, then one with b."""
    study = make_study()

    def make(models: str, queue: str = "gpu") -> list[Chunk]:
        run = MetricRun.objects.create(study=study, metric="perplexity")
        return [
            Chunk.objects.create(
                run=run, index=k, loads=model.replace("-", ""), queue=queue
            )
            for k, model in enumerate(models)
        ]

    return make


def chosen(row: Chunk, held: str = "", now: datetime = NOON) -> int:
    return affinity.chosen(Chunk, pk=row.pk, held=set(held), now=now)


def take(row: Chunk, now: datetime = NOON) -> None:
    rows = Chunk.objects.all()
    assert leases.take(rows, pk=row.pk, owner="there/1/a", now=now)


class TestTheModelOfThisWorker:
    def test_a_row_with_it_comes_first_the_oldest_of_them(self, chunks, sent):
        rows = chunks("babaa")
        assert chosen(rows[0], "a") == rows[1].pk

    def test_the_row_of_the_message_gets_its_message_again(self, chunks, sent):
        rows = chunks("ba")
        chosen(rows[0], "a")
        rows[0].refresh_from_db()
        assert sent == [rows[0].pk]
        assert (rows[0].passed_at, rows[0].sent_at) == (NOON, NOON)

    def test_a_row_with_it_keeps_its_own_message(self, chunks, sent):
        rows = chunks("aa")
        assert chosen(rows[1], "a") == rows[1].pk
        assert sent == []

    def test_a_row_without_a_model_waits_for_none(self, chunks, sent):
        rows = chunks("a-")
        assert chosen(rows[1], "a") == rows[1].pk

    def test_rows_of_another_queue_are_none_of_its_business(self, chunks, sent):
        chunks("a", queue="cpu")
        row = chunks("b")[0]
        assert chosen(row, "a") == row.pk

    @pytest.mark.parametrize("state", [State.DONE, State.CANCELLED])
    def test_a_message_of_a_row_that_has_ended_is_worth_nothing(
        self, chunks, sent, state
    ):
        rows = chunks("ba")
        Chunk.objects.filter(pk=rows[0].pk).update(state=state)
        assert chosen(rows[0], "a") == rows[0].pk
        assert sent == []

    def test_what_ran_out_of_its_lease_is_taken_over_as_ever(self, chunks, sent):
        rows = chunks("ba")
        take(rows[0], NOON - leases.LEASE)
        assert chosen(rows[0], "a") == rows[0].pk

    def test_a_row_whose_attempts_are_used_is_not_chosen(self, chunks, sent):
        rows = chunks("ba")
        Chunk.objects.filter(pk=rows[1].pk).update(attempt=leases.ATTEMPTS)
        assert chosen(rows[0], "a") == rows[0].pk

    def test_a_row_that_waits_for_the_storage_is_not_chosen(self, chunks, sent):
        rows = chunks("ba")
        Chunk.objects.filter(pk=rows[1].pk).update(lease_until=NOON + leases.LEASE)
        assert chosen(rows[0], "a") == rows[0].pk
        assert chosen(rows[1], "a") == rows[1].pk
        assert chosen(rows[0], "a", NOON + leases.LEASE) == rows[1].pk


class TestTheModelsOfOthers:
    def test_a_model_that_no_worker_is_at_comes_before_one_that_is(self, chunks, sent):
        rows = chunks("aab")
        take(rows[0])
        assert chosen(rows[1]) == rows[2].pk

    def test_if_all_are_at_hand_somewhere_the_row_has_its_turn(self, chunks, sent):
        rows = chunks("aabb")
        take(rows[0])
        take(rows[2])
        assert chosen(rows[1]) == rows[1].pk
        assert sent == []

    def test_who_died_with_it_has_it_no_more(self, chunks, sent):
        rows = chunks("aab")
        take(rows[0], NOON - leases.LEASE)
        assert chosen(rows[1]) == rows[1].pk


class TestPatience:
    def test_who_was_passed_over_long_enough_comes_first(self, chunks, sent):
        rows = chunks("baa")
        chosen(rows[0], "a")
        assert chosen(rows[1], "a", LATE - timedelta(seconds=1)) == rows[1].pk
        assert chosen(rows[1], "a", LATE) == rows[0].pk

    def test_being_passed_again_makes_nobody_wait_longer(self, chunks, sent):
        rows = chunks("baa")
        chosen(rows[0], "a")
        chosen(rows[0], "a", NOON + affinity.PATIENCE / 2)
        assert chosen(rows[1], "a", LATE) == rows[0].pk

    def test_those_come_in_the_order_in_which_they_were_passed(self, chunks, sent):
        rows = chunks("bca")
        chosen(rows[1], "a")
        chosen(rows[0], "a", NOON + timedelta(seconds=1))
        assert chosen(rows[2], "a", LATE + timedelta(seconds=1)) == rows[1].pk

    def test_nobody_starves_while_work_for_a_loaded_model_keeps_coming(
        self, chunks, sent
    ):
        """A worker at a model for which a new row comes with each that it does."""
        rare = chunks("b")[0]
        now, done = NOON, 0
        while done < 100:
            fresh = chunks("a")[0]
            message = rare if done == 0 else fresh
            pk = chosen(message, "a", now)
            take(Chunk.objects.get(pk=pk), now)
            Chunk.objects.filter(pk=pk).update(state=State.DONE)
            if pk == rare.pk:
                break
            now, done = now + timedelta(seconds=10), done + 1
        assert pk == rare.pk
        assert now - NOON == affinity.PATIENCE


def test_choosing_takes_one_query(chunks, django_assert_num_queries):
    rows = chunks("aab")
    with django_assert_num_queries(1):
        assert chosen(rows[0], "a") == rows[0].pk


@pytest.mark.django_db(transaction=True)
def test_workers_with_wishes_never_do_the_same_row_and_leave_none(
    chunks, monkeypatch
) -> None:
    """Four workers with models of their own, one broker, one of them dies at once."""
    rows = chunks("abcd" * 8)
    messages = [row.pk for row in rows]
    monkeypatch.setattr(dispatch, "send", lambda task, pk, queue: messages.append(pk))
    done: list[int] = []

    def work(number: int) -> None:
        held, empty = "abcd"[number], 0
        while empty < 50:
            try:
                pk = messages.pop(0)
            except IndexError:
                empty += 1
                time.sleep(0.01)
                continue
            now, empty = datetime.now(UTC), 0
            pk = affinity.chosen(Chunk, pk=pk, held={held}, now=now)
            mine = leases.take(
                Chunk.objects.all(), pk=pk, owner=f"there/{number}/a", now=now
            )
            if mine is None:
                continue
            if number == 0:  # killed with its first row, which a reaper then finds
                leases.release(owner="there/0/", now=now)
                dispatch.reap(now=datetime.now(UTC))
                return
            held = mine.loads
            if leases.finish(mine, now=now):
                done.append(mine.pk)

    in_threads(4, work)
    assert sorted(done) == sorted(row.pk for row in rows)
    assert set(Chunk.objects.values_list("state", flat=True)) == {State.DONE}
    attempts = sorted(Chunk.objects.values_list("attempt", flat=True))
    assert attempts == [1] * 31 + [2]
