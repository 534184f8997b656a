"""What a worker does beside its work."""

from __future__ import annotations

import threading
from datetime import UTC, datetime

import pytest
from django.utils import timezone

from evalapp.work import clocks, heartbeats, leases
from scoring import pulse

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def alone(monkeypatch):
    """Beats of no database, and no work of others."""
    monkeypatch.setattr(pulse, "REAPERS", ())
    monkeypatch.setattr(pulse, "EVERY_SECONDS", 0.3)
    for name in ("beat", "forget"):
        monkeypatch.setattr(heartbeats, name, lambda **_: None)
    monkeypatch.setattr(clocks, "note", lambda **_: None)
    monkeypatch.setattr(clocks, "of_database", timezone.now)


def test_a_chore_that_hangs_lets_no_lease_end(alone, monkeypatch):
    hanging, over, renewed = (threading.Event() for _ in range(3))

    def hang(now: datetime) -> None:
        hanging.set()
        over.wait(60)

    def renew_all(**_: object) -> None:
        if hanging.is_set():
            renewed.set()

    monkeypatch.setattr(pulse, "CHORES", ((1, hang),))
    monkeypatch.setattr(leases, "renew_all", renew_all)
    pulse.start()
    try:
        assert hanging.wait(60)
        assert renewed.wait(20)
    finally:
        over.set()
        pulse.stop()


@pytest.mark.django_db  # whose connection an earlier test may have left open
def test_each_chore_has_its_turn_and_one_that_fails_keeps_none_from_it(monkeypatch):
    done = []

    def fail(now: datetime) -> None:
        raise ZeroDivisionError

    often, seldom = (lambda now: done.append(1)), (lambda now: done.append(2))
    monkeypatch.setattr(pulse, "CHORES", ((1, fail), (1, often), (2, seldom)))
    for number in range(3):
        pulse.chores(now=NOON, number=number)
    assert done == [1, 2, 1, 1, 2]


@pytest.mark.django_db
def test_a_container_is_watched_by_a_file(tmp_path, settings, monkeypatch):
    settings.PULSE_FILE = str(tmp_path / "pulse")
    monkeypatch.setattr(pulse, "once", lambda **_: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        pulse._beat(tuple)
    assert not (tmp_path / "pulse").exists()  # the database did not take it
    monkeypatch.setattr(pulse, "once", lambda **_: None)
    pulse._beat(tuple)
    assert (tmp_path / "pulse").exists()


@pytest.mark.django_db
def test_a_round_of_all_chores_is_noted_and_a_part_is_not(monkeypatch):
    monkeypatch.setattr(pulse, "CHORES", ((1, chore), (2, chore)))
    pulse.chores(now=NOON, number=1)
    assert heartbeats.chores_done_at() is None
    pulse.chores(now=NOON, number=2)
    assert heartbeats.chores_done_at() == NOON


@pytest.mark.django_db
def test_a_round_in_which_a_chore_failed_is_not_noted(monkeypatch):
    monkeypatch.setattr(pulse, "CHORES", ((1, chore), (1, lambda now: 1 // 0)))
    monkeypatch.setattr(pulse, "close_old_connections", lambda: None)
    pulse.chores(now=NOON)
    assert heartbeats.chores_done_at() is None


def chore(now: datetime) -> None:
    """Nothing to do."""
