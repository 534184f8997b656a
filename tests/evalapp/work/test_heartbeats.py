"""Who is alive, and whose work they do."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from evalapp.work import dispatch, heartbeats, leases
from evalapp.work.models import Leased
from scoring.models import Chunk, MetricRun, WorkerBeat

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
pytestmark = pytest.mark.django_db


@pytest.fixture
def chunks(make_study):
    """Of a run with a large model, and of one that asks a judge."""
    study = make_study()
    here = MetricRun.objects.create(study=study, metric="perplexity")
    asked = MetricRun.objects.create(study=study, metric="rating", most_calls=9)
    return [
        Chunk.objects.create(run=run, index=0, queue=queue)
        for run, queue in ((here, "gpu"), (asked, "judges"))
    ]


@pytest.fixture
def sent(monkeypatch) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    monkeypatch.setattr(dispatch, "send", lambda task, pk, to: found.append((pk, to)))
    return found


@pytest.mark.parametrize(
    ("queues", "does"),
    [
        ([], "gpu cpu judges default"),
        (["gpu", "default"], "gpu cpu default"),
        (["cpu"], "cpu"),
        (["judges"], "judges"),
    ],
)
def test_a_worker_counts_only_for_the_queues_whose_work_it_does(queues, does):
    heartbeats.beat(owner="there/1/a", now=NOON, queues=queues)
    for queue in "gpu cpu judges default".split():
        assert bool(heartbeats.alive(now=NOON, queue=queue)) is (queue in does.split())
    assert heartbeats.alive(now=NOON) == ["there/1/a"]


def test_a_beat_of_before_queues_were_told_counts_for_all():
    WorkerBeat.objects.create(owner="there/1/a", seen_at=NOON)
    assert heartbeats.alive(now=NOON, queue="default") == ["there/1/a"]


def test_a_worker_that_takes_more_queues_says_so_with_its_next_beat():
    heartbeats.beat(owner="there/1/a", now=NOON, queues=["judges"])
    heartbeats.beat(owner="there/1/a", now=NOON, queues=["judges", "gpu"])
    assert WorkerBeat.objects.get().queues == ["gpu", "judges"]


def test_who_is_busy_with_another_queue_keeps_nobody_busy(chunks):
    heartbeats.beat(owner="there/1/a", now=NOON, queues=["judges"])
    heartbeats.beat(owner="there/2/b", now=NOON, queues=["gpu"])
    leases.take(Chunk.objects.all(), pk=chunks[1].pk, owner="there/1/a", now=NOON)
    assert heartbeats.idle(now=NOON, queue="gpu") == 1
    assert heartbeats.idle(now=NOON, queue="judges") == 0


def test_a_row_of_an_owner_without_a_beat_keeps_someone_busy(chunks):
    heartbeats.beat(owner="there/2/b", now=NOON, queues=["gpu"])
    leases.take(Chunk.objects.all(), pk=chunks[0].pk, owner="there/9/child", now=NOON)
    assert heartbeats.idle(now=NOON, queue="gpu") == 0


def test_what_a_dead_worker_held_keeps_nobody_busy(chunks):
    heartbeats.beat(owner="there/1/a", now=NOON - timedelta(minutes=1), queues=["gpu"])
    leases.take(Chunk.objects.all(), pk=chunks[0].pk, owner="there/1/a", now=NOON)
    heartbeats.beat(owner="there/2/b", now=NOON, queues=["gpu"])
    assert heartbeats.idle(now=NOON, queue="gpu") == 1


def test_a_row_whose_end_could_not_be_written_keeps_nobody_else_busy(chunks):
    for owner in ("there/1/a", "there/2/b"):
        heartbeats.beat(owner=owner, now=NOON, queues=["gpu", "judges"])
    for chunk in chunks:
        leases.take(Chunk.objects.all(), pk=chunk.pk, owner="there/1/a", now=NOON)
    assert heartbeats.idle(now=NOON, queue="gpu") == 1


def test_only_the_messages_that_somebody_takes_are_sent_again(chunks, sent):
    Chunk.objects.update(state=Leased.State.QUEUED, sent_at=NOON - timedelta(hours=1))
    heartbeats.beat(owner="there/1/a", now=NOON, queues=["judges"])
    dispatch.reap(now=NOON)
    assert sent == [(chunks[1].pk, "judges")]


def test_counting_for_several_queues_takes_one_query(django_assert_num_queries):
    heartbeats.beat(owner="there/1/a", now=NOON, queues=["gpu", "default"])
    heartbeats.beat(owner="there/2/b", now=NOON, queues=["cpu"])
    with django_assert_num_queries(1):
        found = heartbeats.n_alive(now=NOON, of=["gpu", "cpu", "judges", "default"])
    assert found == {"gpu": 1, "cpu": 1, "judges": 0, "default": 1}


class TestWorkersOfBefore:
    """They take `gpu,default`, and there was no queue `cpu`."""

    @pytest.fixture
    def chunk(self, chunks):
        Chunk.objects.filter(pk=chunks[0].pk).update(queue="cpu")
        return Chunk.objects.get(pk=chunks[0].pk)

    def test_a_message_goes_where_it_finds_one_of_them(self, chunk, sent):
        heartbeats.beat(owner="there/1/a", now=NOON, queues=["gpu", "default"])
        dispatch.wake(Chunk, [chunk.pk], now=NOON)
        assert sent == [(chunk.pk, "gpu")]

    def test_but_to_its_own_queue_once_somebody_takes_that(self, chunk, sent):
        heartbeats.beat(owner="there/1/a", now=NOON, queues=["gpu", "default"])
        heartbeats.beat(owner="there/2/b", now=NOON, queues=["cpu"])
        dispatch.wake(Chunk, [chunk.pk], now=NOON)
        assert sent == [(chunk.pk, "cpu")]

    @pytest.mark.parametrize("queues", [["judges"], None])
    def test_nobody_stands_in_who_takes_neither(self, chunk, sent, queues):
        if queues:
            heartbeats.beat(owner="there/1/a", now=NOON, queues=queues)
        dispatch.wake(Chunk, [chunk.pk], now=NOON)
        assert sent == [(chunk.pk, "cpu")]

    def test_what_waits_where_nobody_is_left_is_sent_to_them_again(self, chunk, sent):
        Chunk.objects.update(sent_at=NOON - dispatch.UNANSWERED)
        heartbeats.beat(owner="there/1/a", now=NOON, queues=["gpu", "default"])
        dispatch.reap(now=NOON)
        assert sent == [(chunk.pk, "gpu")]

    def test_they_get_it_also_while_they_are_busy_but_only_a_few(self, chunks, sent):
        run = chunks[0].run
        Chunk.objects.update(queue="gpu")
        busy = {"state": "running", "owner": "there/1/a", "queue": "gpu"}
        until = NOON + timedelta(hours=9)
        Chunk.objects.filter(pk=chunks[0].pk).update(**busy, lease_until=until)
        for index in range(1, 2 * dispatch.SENT_AGAIN):
            Chunk.objects.create(run=run, index=index, queue="cpu", sent_at=NOON)

        def beat_and_reap(minutes: int) -> int:
            now = NOON + timedelta(minutes=minutes)
            heartbeats.beat(owner="there/1/a", now=now, queues=["gpu"])
            sent.clear()
            dispatch.reap(now=now)
            return [to for pk, to in sent if pk != chunks[1].pk].count("gpu")

        assert [beat_and_reap(minutes) for minutes in (9, 10, 11, 20, 21)] == [
            *(0, dispatch.SENT_AGAIN, 0, dispatch.SENT_AGAIN, 0)
        ]

    def test_large_models_never_wait_for_a_worker_without_a_gpu(self, chunks, sent):
        heartbeats.beat(owner="there/1/a", now=NOON, queues=["cpu"])
        dispatch.wake(Chunk, [chunks[0].pk], now=NOON)
        assert sent == [(chunks[0].pk, "gpu")]
        assert heartbeats.alive(now=NOON, queue="gpu") == []


def test_containers_that_share_the_name_of_a_host_are_told_apart():
    assert (
        len({heartbeats.named(space) for space in (heartbeats.OF_THE_HOST, 7, 8)}) == 3
    )
    assert not any("/" in heartbeats.named(space) for space in range(99))
