from __future__ import annotations

import os
import re
import signal
import socket
import sys
import urllib.request
from datetime import timedelta

import pytest
from django.utils import timezone

from evalapp.work import heartbeats, queues
from scoring import runs
from scoring.management import supervisor
from scoring.management.supervisor import Supervisor
from scoring.models import Chunk, MetricRun, Score, WorkerBeat
from tests.scoring.processes import (
    PATIENCE,
    children_of,
    environment,
    free_port,
    is_alive,
    kill_a_worker,
    manage,
    scoring_pid,
    wait_for,
)
from tests.scoring.working import NOON

SLEEPER = [sys.executable, "-c", "import time; time.sleep(60)"]


@pytest.fixture
def sleeping(monkeypatch, settings, tmp_path, db):
    """Supervisors whose worker only sleeps; ended after the test."""
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(supervisor, "worker_command", lambda: SLEEPER)
    made = []

    def make(**options):
        made.append(Supervisor(**options))
        return made[-1]

    yield make
    for one in made:
        one.stop(now=NOON)


@pytest.fixture
def chunk(make_study, extra, sent):
    run = runs.start(study=make_study(), metric="letters", options={})
    return run.chunks.get()


class TestSupervisor:
    def test_it_starts_a_worker(self, sleeping):
        watch = sleeping()
        watch.tick(now=NOON)
        assert is_alive(watch.child.pid)

    def test_it_starts_none_while_another_is_alive_if_asked_so(self, sleeping):
        heartbeats.beat(owner="other/1/x", now=NOON)
        watch = sleeping(unless_taken=[queues.GPU])
        watch.tick(now=NOON)
        assert watch.child is None
        watch.tick(now=NOON + timedelta(minutes=1))
        assert watch.child

    def test_a_worker_of_other_queues_is_none(self, sleeping):
        heartbeats.beat(owner="other/1/x", now=NOON, queues=["judges"])
        watch = sleeping(unless_taken=[queues.JUDGES])
        watch.tick(now=NOON)
        assert watch.child is None
        watch = sleeping(unless_taken=[queues.JUDGES, queues.GPU])
        watch.tick(now=NOON)
        assert watch.child

    def test_it_frees_the_chunk_of_a_dead_worker_at_once(self, sleeping, chunk, sent):
        watch = sleeping()
        watch.tick(now=NOON)
        owner = f"{heartbeats.owner_of(watch.child.pid)}x"
        heartbeats.beat(owner=owner, now=NOON)
        Chunk.objects.update(
            state="running",
            owner=owner,
            attempt=1,
            lease_until=NOON + timedelta(minutes=2),
        )
        sent.clear()
        watch.child.kill()
        watch.child.wait()
        watch.tick(now=NOON)
        chunk.refresh_from_db()
        assert (chunk.state, sent) == ("queued", [chunk.pk])
        assert not WorkerBeat.objects.exists()

    def test_it_starts_another_but_not_in_haste(self, sleeping):
        watch = sleeping()
        watch.tick(now=NOON)
        first = watch.child
        first.kill()
        first.wait()
        watch.tick(now=NOON)
        assert watch.child is None
        watch.next_start = 0.0
        watch.tick(now=NOON)
        assert watch.child.pid != first.pid

    def test_it_leaves_the_chunks_of_other_workers_alone(self, sleeping, chunk):
        later = NOON + timedelta(minutes=2)
        Chunk.objects.update(state="running", owner="other/1/x", lease_until=later)
        watch = sleeping()
        watch.tick(now=NOON)
        watch.stop(now=NOON)
        chunk.refresh_from_db()
        assert chunk.lease_until == later

    def test_it_frees_what_a_crash_of_the_whole_machine_left(self, sleeping, chunk):
        gone = f"{heartbeats.owner_of(2**22 + 1)}x"
        heartbeats.beat(owner=gone, now=NOON)
        later = NOON + timedelta(minutes=2)
        Chunk.objects.update(state="running", owner=gone, lease_until=later)
        sleeping().tick(now=NOON)
        chunk.refresh_from_db()
        assert chunk.state == "queued"

    def test_after_a_sleep_of_the_machine_its_worker_keeps_its_chunk(
        self, sleeping, chunk
    ):
        watch = sleeping()
        watch.tick(now=NOON)
        owner = f"{heartbeats.owner_of(watch.child.pid)}x"
        Chunk.objects.update(state="running", owner=owner, lease_until=NOON)
        watch.next_reap = 0.0
        watch.tick(now=NOON + timedelta(hours=1))
        chunk.refresh_from_db()
        assert chunk.state == "running"
        watch.next_reap = 0.0  # the worker has had its time
        watch.tick(now=NOON + timedelta(hours=1, seconds=1))
        chunk.refresh_from_db()
        assert chunk.state == "queued"

    def test_a_worker_that_does_not_stop_is_killed(self, sleeping, monkeypatch):
        stubborn = "import signal; signal.signal(15, 1); print(flush=True);"
        command = [sys.executable, "-c", f"{stubborn} import time; time.sleep(60)"]
        monkeypatch.setattr(supervisor, "worker_command", lambda: command)
        monkeypatch.setattr(supervisor, "GRACE_SECONDS", 0.2)
        watch = sleeping()
        watch.tick(now=NOON)
        wait_for(lambda: supervisor.log_file().stat().st_size)
        child = watch.child
        watch.stop(now=NOON)
        assert child.returncode == -signal.SIGKILL

    def test_a_long_log_is_put_aside(self, settings, tmp_path, monkeypatch):
        settings.DATA_DIR = tmp_path
        monkeypatch.setattr(supervisor, "LOG_BYTES", 3)
        for _ in range(2):
            with supervisor.worker_log() as log:
                log.write(b"long")
        assert (tmp_path / "worker.log.1").read_bytes() == b"long"
        assert (tmp_path / "worker.log").read_bytes() == b"long"


@pytest.mark.django_db(transaction=True)
@pytest.mark.migrations
@pytest.mark.slow
class TestProcesses:
    """Real workers on the broker of folders."""

    @pytest.fixture
    def study(self, make_study):
        return make_study(prompts=12, samples=4)  # 192 texts: three chunks

    def test_kill_9_loses_nothing_and_doubles_nothing(self, study, tmp_path):
        env = environment(tmp_path)
        with manage(env, "score", study.name, "slow") as command:
            first = kill_a_worker()
            second = kill_a_worker()
            output, _ = command.communicate(timeout=PATIENCE)
        assert command.returncode == 0, output
        assert first != second
        run = MetricRun.objects.get()
        assert run.state == MetricRun.State.DONE
        assert Score.objects.count() == study.generations.count() == 192
        attempts = run.chunks.values_list("attempt", flat=True)
        assert sum(attempts) == 3 + 2
        assert "length: 192 scored" in output

    def test_ctrl_c_cancels_the_run_and_leaves_no_process(self, study, tmp_path):
        with manage(environment(tmp_path), "score", study.name, "slow") as command:
            worker = wait_for(scoring_pid)
            command.send_signal(signal.SIGINT)
            output, _ = command.communicate(timeout=PATIENCE)
        assert command.returncode == 130
        assert "cancelled; finished scores are kept" in output
        assert "Traceback" not in output
        assert MetricRun.objects.get().state == MetricRun.State.CANCELLED
        assert not is_alive(worker)

    def test_a_worker_does_not_outlive_a_command_that_was_killed(self, study, tmp_path):
        with manage(environment(tmp_path), "score", study.name, "slow") as command:
            worker = wait_for(scoring_pid)
            command.kill()
            wait_for(lambda: not is_alive(worker))
        wait_for(lambda: not Chunk.objects.filter(state="running").exists())
        assert set(Chunk.objects.values_list("attempt", flat=True)) <= {0, 1}

    def test_up_serves_works_and_stops(self, study, tmp_path, client, alice):
        port = free_port()
        env = environment(tmp_path)
        with manage(env, "up", "--bind", f"127.0.0.1:{port}") as command:
            line = command.stdout.readline()
            assert line == (
                f"EvalApp is running at http://127.0.0.1:{port}"
                " (press Ctrl-C to stop)\n"
            )
            url = f"http://127.0.0.1:{port}/login/"
            assert urllib.request.urlopen(url).status == 200
            wait_for(lambda: heartbeats.alive(now=timezone.now()))
            with manage(env, "score", study.name, "slow", "-o", "seconds=0") as score:
                output, _ = score.communicate(timeout=PATIENCE)
            assert score.returncode == 0, output
            (owner,) = set(Chunk.objects.values_list("owner", flat=True))
            children = children_of(command.pid)
            # The site's worker did it; `score` needed none of its own.
            assert int(owner.split("/")[-2]) in children
            assert len(children) == 2
            command.send_signal(signal.SIGTERM)
            output, _ = command.communicate(timeout=PATIENCE)
        assert command.returncode == 0, output
        assert not [pid for pid in children if is_alive(pid)]
        assert not WorkerBeat.objects.exists()

    def test_up_says_so_when_the_address_is_taken(self, db, tmp_path):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            bind = f"127.0.0.1:{taken.getsockname()[1]}"
            with manage(environment(tmp_path), "up", "--bind", bind) as command:
                output, _ = command.communicate(timeout=PATIENCE)
        assert command.returncode == 1
        assert re.search(r"something already answers on 127.0.0.1:\d+", output)

    def test_the_workers_log_is_empty_when_all_is_well(self, study, tmp_path):
        env = environment(tmp_path)
        with manage(env, "score", study.name, "slow", "-o", "seconds=0") as command:
            output, _ = command.communicate(timeout=PATIENCE)
        log = (tmp_path / "worker.log").read_text()
        assert "WARNING" not in log and "superuser" not in log, log
        assert os.path.isdir(tmp_path / "broker")
