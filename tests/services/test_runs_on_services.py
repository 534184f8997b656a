"""The run of tests/scoring/test_supervisor.py on brokers that are services.

The database is the one of the test run: PostgreSQL where DATABASE_URL names it.
"""

from __future__ import annotations

import os
import socket
import subprocess
from urllib.parse import urlsplit

import pytest
from django.utils import timezone

from evalapp.work import heartbeats
from scoring.management import supervisor
from scoring.models import Chunk, MetricRun, Score
from tests.scoring.processes import (
    PATIENCE,
    environment,
    kill_a_worker,
    manage,
    wait_for,
)

pytestmark = [
    pytest.mark.services,
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
]

REDIS = os.environ.get("TEST_REDIS_URL", "redis://127.0.0.1:6379/15")
RABBITMQ = os.environ.get("TEST_RABBITMQ_URL", "amqp://guest:guest@127.0.0.1:5672//")


@pytest.fixture(params=[REDIS, RABBITMQ], ids=["redis", "rabbitmq"])
def broker(request):
    where = urlsplit(request.param)
    try:
        socket.create_connection((where.hostname, where.port), timeout=1).close()
    except OSError:
        pytest.skip(f"nothing answers on {where.hostname}:{where.port}")
    return request.param


@pytest.fixture
def study(make_study):
    return make_study(prompts=12, samples=4)  # 192 texts: three chunks


def test_kill_9_loses_nothing_and_doubles_nothing(study, tmp_path, broker):
    with manage(environment(tmp_path, broker), "score", study.name, "slow") as command:
        kill_a_worker()
        kill_a_worker()
        output, _ = command.communicate(timeout=PATIENCE)
    assert command.returncode == 0, output
    assert MetricRun.objects.get().state == MetricRun.State.DONE
    assert Score.objects.count() == study.generations.count() == 192
    assert sum(Chunk.objects.values_list("attempt", flat=True)) == 3 + 2


def test_two_workers_by_hand_share_a_run(study, tmp_path, broker):
    """As on several machines: nobody supervises, `score` finds them alive."""
    env = environment(tmp_path, broker)
    hands = [
        subprocess.Popen(
            supervisor.worker_command(), env=env, stderr=subprocess.DEVNULL
        )
        for _ in range(2)
    ]
    try:
        wait_for(lambda: _alive() == 2)
        # Slow enough that a worker which a busy machine holds up gets its share, too.
        wanted = ("score", study.name, "slow", "-o", "seconds=0.08")
        with manage(env, *wanted) as command:
            output, _ = command.communicate(timeout=PATIENCE)
        assert command.returncode == 0, output
        owners = set(Chunk.objects.values_list("owner", flat=True))
        pids = {int(owner.split("/")[-2]) for owner in owners}
        assert pids == {hand.pid for hand in hands}
        assert Score.objects.count() == 192
    finally:
        for hand in hands:
            hand.terminate()
        for hand in hands:
            assert hand.wait(PATIENCE) == 0


def _alive() -> int:
    return len(heartbeats.alive(now=timezone.now()))
