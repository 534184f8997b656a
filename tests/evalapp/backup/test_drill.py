"""A restore drill: back up while people rate and a run scores, wipe, restore, compare.

What was acknowledged before the backup began must be there again, as it was.
"""

from __future__ import annotations

import shutil
import subprocess
import threading
from datetime import timedelta

import pytest
from django.db import connection, connections

from annotation import answering, assigning
from annotation.models import Seat
from scoring.management.supervisor import worker_command
from scoring.models import Score
from tests.annotation.seating import NOON, hire, lay_out, page
from tests.evalapp.backup.installed import another, rows, run
from tests.scoring.processes import PATIENCE, environment, manage, wait_for

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.migrations,
    pytest.mark.slow,
]

RATERS = 4


class Rating(threading.Thread):
    """Workers who rate page after page, and remember what the site confirmed."""

    def __init__(self, study, number: int) -> None:
        super().__init__(daemon=True)
        self.study, self.number = study, number
        self.confirmed: list[tuple[int, dict]] = []  # seat, its answers
        self.stopped = threading.Event()
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self._rate()
        except BaseException as error:  # noqa: BLE001 -- raised in the test
            self.error = error
        finally:
            connections.close_all()

    def _rate(self) -> None:
        for n in range(10_000):
            worker = hire(self.study, f"w{self.number}-{n}")
            now = NOON + timedelta(seconds=n)
            seat = assigning.claim(worker=worker, now=now)
            if self.stopped.is_set() or seat is None:
                return
            answers = page(seat)
            answering.submit(seat=seat, answers=answers, now=now)
            self.confirmed.append((seat.pk, answers))


@pytest.fixture
def study(make_study):
    if connection.vendor == "postgresql" and not shutil.which("pg_dump"):
        pytest.skip("pg_dump is not installed")
    study = make_study(prompts=60, ratings_per_text=20)
    lay_out(study)
    return study


def test_nothing_that_was_acknowledged_is_lost(study, tmp_path):
    env = environment(tmp_path / "old")
    (tmp_path / "old").mkdir()
    raters = [Rating(study, number) for number in range(RATERS)]
    with manage(env, "score", study.name, "slow", "-o", "seconds=0.02"):
        wait_for(lambda: Score.objects.exists())
        for rater in raters:
            rater.start()
        wait_for(lambda: all(rater.confirmed for rater in raters))
        sure = [one for rater in raters for one in list(rater.confirmed)]
        scored = rows(env, SCORES)
        done = run(env, "backup", tmp_path / "made.tar")
        assert done.returncode == 0, done.stderr
        for rater in raters:
            rater.stopped.set()
    for rater in raters:
        rater.join(PATIENCE)
        assert rater.error is None
    later = {seat for rater in raters for seat, _ in rater.confirmed}
    assert len(sure) >= RATERS
    assert scored
    with another(tmp_path / "new") as new:
        restored = run(new, "restore", tmp_path / "made.tar")
        assert restored.returncode == 0, restored.stderr
        assert_answers(new, sure, later)
        assert set(scored) <= set(rows(new, SCORES))
        assert_run_ends(new, study)


SCORES = "SELECT generation_id, output, value FROM scoring_score"


def assert_answers(new, sure, later) -> None:
    """Each confirmed page is there, whole; and no page is there by half."""
    found: dict[int, int] = dict(
        rows(
            new, "SELECT seat_id, count(*) FROM annotation_annotation GROUP BY seat_id"
        )
    )
    for seat, answers in sure:
        assert found[seat] == len(answers)
    size = len(sure[0][1])
    assert set(found.values()) == {size}
    assert {seat for seat, _ in sure} <= set(found) <= later
    states = dict(rows(new, "SELECT id, state FROM annotation_seat"))
    assert {states[seat] for seat in found} <= set(Seat.FINISHED)


def assert_run_ends(new, study) -> None:
    """By itself, once a worker is there: each text is scored once."""

    worker = subprocess.Popen(worker_command(), env=new, stderr=subprocess.DEVNULL)
    try:
        state = "SELECT state FROM scoring_metricrun"
        wait_for(lambda: rows(new, state) == [("done",)])
    finally:
        worker.terminate()
        worker.wait(PATIENCE)
    once = "SELECT count(*), count(DISTINCT generation_id) FROM scoring_score"
    n = study.generations.count()
    assert rows(new, once) == [(n, n)]
