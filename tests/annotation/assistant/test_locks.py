"""Of one account one file is read at a time; other accounts do not wait."""

from __future__ import annotations

from contextlib import ExitStack
from threading import BoundedSemaphore

import pytest

from annotation import assistant
from annotation.assistant.locks import alone
from evalapp.work.models import Claim

pytestmark = pytest.mark.django_db


@pytest.fixture
def impatient(monkeypatch) -> None:
    monkeypatch.setattr("annotation.assistant.locks.PATIENCE", 0)


def test_a_second_file_is_refused_while_the_first_is_read(alice, impatient):
    with alone(alice), pytest.raises(assistant.Busy), alone(alice):
        pytest.fail("two at once")
    with alone(alice):
        pass


def test_files_of_many_accounts_leave_threads_for_pages(
    django_user_model, impatient, monkeypatch
):
    """A process has eight: three read, two wait for a moment, three make pages."""
    monkeypatch.setattr("annotation.assistant.locks.LONGEST_WAIT", 0)
    people = [django_user_model.objects.create(username=f"u{n}") for n in range(4)]
    with ExitStack() as reading:
        for person in people[:3]:
            reading.enter_context(alone(person))
        with pytest.raises(assistant.Busy, match="Many files"), alone(people[3]):
            pytest.fail("a fourth")
    with alone(people[3]):
        pass


def test_nobody_waits_where_enough_others_do(alice, impatient, monkeypatch):
    monkeypatch.setattr("annotation.assistant.locks.LONGEST_WAIT", 1000)
    monkeypatch.setattr("annotation.assistant.locks._threads", BoundedSemaphore(1))
    with alone(alice), pytest.raises(assistant.Busy, match="Many files"), alone(alice):
        pytest.fail("it waited")


def test_another_account_does_not_wait(alice, bob, impatient):
    with alone(alice), alone(bob):
        assert Claim.objects.count() == 2


def test_a_file_that_cannot_be_read_leaves_nothing_behind(alice, impatient):
    with pytest.raises(ZeroDivisionError), alone(alice):
        raise ZeroDivisionError
    assert not Claim.objects.exists()


def test_a_refusal_does_not_end_the_turn_of_the_first(alice, impatient):
    with alone(alice):
        for _ in range(2):
            with pytest.raises(assistant.Busy), alone(alice):
                pass
        assert Claim.objects.count() == 1


def test_who_comes_a_moment_too_early_waits(alice, monkeypatch):
    module = "annotation.assistant.locks"
    monkeypatch.setattr(f"{module}.PATIENCE", 1000)
    monkeypatch.setattr(
        f"{module}.time.sleep", lambda seconds: Claim.objects.all().delete()
    )
    with alone(alice), alone(alice):
        pass
