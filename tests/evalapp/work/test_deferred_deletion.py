"""A wrong clock undoes nothing at one look."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from evalapp.work import deferred_deletion
from evalapp.work.models import FirstLook

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
MONTH = timedelta(days=31)
A_MINUTE = timedelta(minutes=1)

pytestmark = pytest.mark.django_db


def look(now, *keys, kind="study"):
    return deferred_deletion.confirmed(kind, keys, now=now)


def test_a_second_look_a_day_later_removes_and_none_before():
    assert look(NOON, "1") == set()
    assert look(NOON + deferred_deletion.PAUSE - A_MINUTE, "1") == set()
    assert look(NOON + deferred_deletion.PAUSE, "1", "2") == {"1"}
    assert look(NOON + deferred_deletion.PAUSE, "1", "2") == {"1"}  # safe to do twice


def test_two_looks_are_a_whole_day_apart_by_either_clock():
    assert timedelta(days=1) <= deferred_deletion.PAUSE - deferred_deletion.APART


def test_kinds_do_not_share_keys():
    look(NOON, "1")
    assert look(NOON + deferred_deletion.PAUSE, "1", kind="copy") == set()


def test_looks_of_a_clock_that_was_ahead_count_for_nothing():
    for seconds in range(0, 3600, 600):  # wrong for an hour
        assert look(NOON + MONTH + timedelta(seconds=seconds), "1") == set()
    look(NOON + A_MINUTE)  # the right time again: nothing is due
    assert not FirstLook.objects.exists()
    assert look(NOON + MONTH, "1") == set()
    assert look(NOON + MONTH + deferred_deletion.PAUSE, "1") == {"1"}


def test_a_clock_that_is_behind_delays_and_removes_nothing():
    look(NOON, "1")
    assert look(NOON - MONTH) == set()
    assert look(NOON + deferred_deletion.PAUSE, "1") == set()


def test_what_nobody_removes_is_forgotten():
    look(NOON, "1")
    look(NOON + deferred_deletion.FORGOTTEN + A_MINUTE, "2")
    assert [row.key for row in FirstLook.objects.all()] == ["2"]
