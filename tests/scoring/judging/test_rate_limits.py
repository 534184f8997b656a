"""No 60 seconds see more calls or tokens than the limit, whoever asks."""

from __future__ import annotations

import random
import threading
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connections, transaction

from scoring.endpoints import configuration
from scoring.judging import rate_limits
from scoring.models import JudgeSecond

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def endpoint(calls=0, tokens=0):
    return configuration.Endpoint(
        "lab",
        "http://a.org",
        ("tiny",),
        calls_per_minute=calls,
        tokens_per_minute=tokens,
    )


def ask(lab, tokens, seconds=0.0):
    """Book as many of these calls as may be made; bookings, and how long to wait."""
    with transaction.atomic():
        gate = rate_limits.lock(rate_limits.gate(lab))
        room = rate_limits.room(
            lab, gate, tokens, lambda: NOON + timedelta(seconds=seconds)
        )
        return rate_limits.reserve(gate, room.second, tokens[: room.n]), room.wait


def n(lab, tokens, seconds=0.0):
    return len(ask(lab, tokens, seconds)[0])


@pytest.mark.django_db
class TestCalls:
    def test_those_of_a_minute_are_counted(self):
        lab = endpoint(calls=5)
        assert n(lab, [1] * 3) == 3
        assert n(lab, [1] * 3, 30) == 2
        assert n(lab, [1] * 3, 63.9) == 0
        assert n(lab, [1] * 9, 64) == 3
        assert n(lab, [1] * 9, 94) == 2

    def test_one_waits_until_the_first_is_old_enough(self):
        lab = endpoint(calls=1)
        ask(lab, [1])
        assert ask(lab, [1], 63.5) == ([], pytest.approx(0.5))
        assert ask(lab, [1], 10)[1] == rate_limits.LONGEST_WAIT

    def test_no_limit_is_none_and_no_row_stays(self):
        assert n(endpoint(), [1] * 1000) == 1000
        assert not JudgeSecond.objects.exists()

    def test_old_seconds_are_removed(self):
        lab = endpoint(calls=100)
        for second in range(200):
            ask(lab, [1], second)
        assert JudgeSecond.objects.count() <= rate_limits.HORIZON

    def test_a_clock_that_is_ahead_counts_for_all(self):
        lab = endpoint(calls=4)
        assert n(lab, [1] * 2, 40) == 2
        assert n(lab, [1] * 9, 0) == 2
        assert set(JudgeSecond.objects.values_list("calls", flat=True)) == {4}

    def test_one_that_is_far_ahead_stops_nobody_for_good(self):
        lab = endpoint(calls=2)
        assert n(lab, [1] * 2, 9000) == 2
        assert n(lab, [1] * 2, 0) == 2

    @pytest.mark.parametrize("seed", range(3))
    def test_no_sixty_seconds_see_more_even_if_calls_leave_late(self, seed):
        chance, lab, sent, now = random.Random(seed), endpoint(calls=30), [], 0.0
        while now < 400:
            booked = n(lab, [1] * chance.randint(1, 20), now)
            sent += [now + 3 * chance.random() for _ in range(booked)]
            now += chance.random() * 4
        assert len(sent) > 150
        for first in sent:
            assert sum(first <= one < first + 60 for one in sent) <= 30


@pytest.mark.django_db
class TestTokens:
    def test_they_are_counted_as_booked_until_more_is_known(self):
        lab = endpoint(tokens=100)
        (booking,), _ = ask(lab, [90])
        assert n(lab, [20]) == 0
        rate_limits.correct(rate_limits.gate(lab), [(booking, 30)])
        assert n(lab, [20]) == 1
        assert n(lab, [60]) == 0

    def test_a_call_that_alone_is_over_the_limit_goes_alone(self):
        lab = endpoint(tokens=10)
        assert n(lab, [99, 99]) == 1
        assert n(lab, [1], 30) == 0
        assert n(lab, [99, 1], 64) == 1


@pytest.mark.django_db
def test_all_wait_when_the_server_said_so():
    lab = endpoint(calls=10)
    gate = rate_limits.gate(lab)
    rate_limits.pause(gate, seconds=30, now=NOON)
    rate_limits.pause(gate, seconds=5, now=NOON)
    assert n(lab, [1], 29) == 0
    assert n(lab, [1], 31) == 1


@pytest.mark.django_db(transaction=True)
def test_workers_that_ask_at_once_share_one_limit():
    lab, booked = endpoint(calls=50), []
    rate_limits.gate(lab)

    def work():
        try:
            for _ in range(15):
                booked.extend(ask(lab, [1] * 3)[0])
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(booked) == 50
    assert sum(JudgeSecond.objects.values_list("calls", flat=True)) == 50
