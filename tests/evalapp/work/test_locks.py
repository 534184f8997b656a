"""A name that one worker holds at a time, on all machines."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from evalapp.work import leases, locks
from evalapp.work.models import Claim
from tests.annotation.seating import in_threads

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
ME, RIVAL = "here/1/a", "there/1/b"


@pytest.mark.django_db
class TestClaims:
    def held(self, owner: str = ME, now: datetime = NOON):
        return locks.held("corpus", owner=owner, clock=lambda: now)

    def test_it_keeps_others_away_until_it_ends(self):
        with self.held() as mine, self.held(RIVAL) as theirs:
            assert (mine, theirs) == (True, False)
        with self.held(RIVAL) as theirs:
            assert theirs
        assert not Claim.objects.exists()

    def test_another_name_is_free(self):
        with self.held(), locks.held("other", owner=RIVAL) as theirs:
            assert theirs

    def test_it_ends_where_an_error_ends_the_work(self):
        with pytest.raises(ZeroDivisionError), self.held():
            raise ZeroDivisionError
        assert not Claim.objects.exists()

    def test_that_of_a_killed_worker_ends_by_itself(self):
        assert locks.take("corpus", owner=ME, now=NOON)  # and is killed
        assert not locks.take("corpus", owner=RIVAL, now=NOON + leases.LEASE / 2)
        assert locks.take("corpus", owner=RIVAL, now=NOON + leases.LEASE)

    def test_that_of_a_killed_worker_is_deleted_a_while_later(self):
        assert locks.take("corpus", owner=ME, now=NOON)  # and is killed
        leases.requeue_expired(now=NOON + leases.LEASE)
        assert Claim.objects.exists()
        leases.requeue_expired(now=NOON + 2 * leases.LEASE)
        assert not Claim.objects.exists()

    def test_a_late_worker_does_not_end_that_of_its_successor(self):
        with self.held():
            later = NOON + leases.LEASE
            assert locks.take("corpus", owner=RIVAL, now=later)
        assert Claim.objects.get().owner == RIVAL

    def test_the_pulse_renews_it(self):
        with locks.held("corpus", owner=ME, clock=lambda: NOON):
            leases.renew_all(owner=ME, now=NOON + timedelta(minutes=1))
            assert Claim.objects.get().lease_until == NOON + timedelta(minutes=1) + (
                leases.LEASE
            )

    def test_that_of_a_worker_known_to_be_dead_ends_at_once(self):
        assert locks.take("corpus", owner=ME, now=NOON)
        leases.release(owner="here/1/", now=NOON)
        assert locks.take("corpus", owner=RIVAL, now=NOON)


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_one_gets_it():
    def take(number: int) -> bool:
        return locks.take("corpus", owner=f"here/{number}/a", now=NOON)

    assert in_threads(6, take).count(True) == 1
    later = NOON + leases.LEASE

    def take_over(number: int) -> bool:
        return locks.take("corpus", owner=f"there/{number}/a", now=later)

    assert in_threads(6, take_over).count(True) == 1
