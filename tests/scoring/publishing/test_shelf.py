"""Data sets: asked for, made once, replaced, and gone after a day."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zipfile import ZipFile

import pytest
from kombu.exceptions import OperationalError

from evalapp import storage
from evalapp.work import dispatch, leases
from scoring import analyses
from scoring.models import DataSet
from scoring.publishing import packing, shelf
from scoring.publishing.shelf import SHELF
from tests.support.messages import catch
from tests.support.scored import rate

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def light(monkeypatch, settings, tmp_path):
    """A folder of the test's own, and data sets with one analysis."""
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(analyses, "names", lambda: ("correlations",))


@pytest.fixture
def sent(monkeypatch) -> list[int]:
    """Ids of the data sets that a worker was woken up for."""
    found: list[int] = []
    catch(monkeypatch, "data_set", found.append)
    return found


@pytest.fixture
def study(make_study):
    return make_study()


@pytest.fixture
def ask(study, sent, django_capture_on_commit_callbacks):
    def ask() -> None:
        with django_capture_on_commit_callbacks(execute=True):
            SHELF.ask(study=study)

    return ask


def make(study, now: datetime = NOON) -> Path | None:
    row = SHELF.find(study=study)
    SHELF.perform(pk=row.pk if row else 1, owner="a", clock=lambda: now)
    return SHELF.path(SHELF.find(study=study))


def test_who_asks_twice_wakes_one_worker_up(study, ask, sent) -> None:
    ask()
    ask()
    row = SHELF.find(study=study)
    assert sent == [row.pk]
    assert row.state == "queued"
    assert SHELF.path(row) is None


def test_the_file_is_there_when_it_is_made(study, ask) -> None:
    ask()
    path = make(study)
    assert path.name == "ferry-dataset-20261120-120000.zip"
    assert "ferry/replication/recompute.py" in ZipFile(path).namelist()
    assert SHELF.find(study=study).state == "done"


def test_a_new_one_takes_the_place_of_the_old(study, ask) -> None:
    ask()
    old = make(study)
    ask()
    new = make(study, NOON + timedelta(hours=1))
    assert (old.exists(), new.exists()) == (False, True)


def test_a_message_that_comes_twice_or_unasked_does_nothing(study, ask) -> None:
    assert make(study) is None
    ask()
    DataSet.objects.update(state="running", owner="b", lease_until=NOON + leases.LEASE)
    assert make(study, NOON + timedelta(minutes=1)) is None


def test_after_a_worker_died_another_one_makes_it(study, ask, sent) -> None:
    ask()
    DataSet.objects.update(state="running", owner="b", lease_until=NOON, attempt=1)
    dispatch.reap(now=NOON)
    assert len(sent) == 2
    assert make(study)


def test_who_lost_it_meanwhile_leaves_the_newer_file_alone(
    study, ask, monkeypatch
) -> None:
    ask()
    whole = packing.write

    def slowly(**given) -> None:
        whole(**given)
        DataSet.objects.update(owner="b", attempt=2)

    monkeypatch.setattr(packing, "write", slowly)
    assert make(study) is None
    assert SHELF.find(study=study).owner == "b"
    assert not storage.children(SHELF.folder(study))


def test_the_message_for_a_data_set_that_is_gone_does_nothing(db) -> None:
    SHELF.perform(pk=123, owner="a")
    assert not storage.children(shelf.FOLDER)


def test_a_failure_is_written_down(study, ask, monkeypatch) -> None:
    ask()
    monkeypatch.setattr(packing.writing, "fill", lambda **_: 1 / 0)
    assert make(study) is None
    assert SHELF.find(study=study).error == "ZeroDivisionError: division by zero"


def test_while_the_queue_is_away_it_waits(study, ask, sent, monkeypatch) -> None:
    def away(_):
        raise OperationalError

    with monkeypatch.context() as patch:
        catch(patch, "data_set", away)
        ask()
    row = SHELF.find(study=study)
    assert (row.state, row.sent_at) == ("queued", None)
    dispatch.reap(now=NOON)
    assert sent == [row.pk]


def test_it_is_told_apart_from_one_of_newer_data(study, ask) -> None:
    ask()
    make(study)
    before = SHELF.find(study=study).stamp
    rate(study, "coherence", [[1]])
    ask()
    make(study)
    assert SHELF.find(study=study).stamp != before


@pytest.mark.parametrize(("hours", "left"), [(23, True), (25, False)])
def test_what_is_older_than_a_day_is_deleted(study, ask, hours, left) -> None:
    ask()
    path = make(study)
    for file in path.parent.iterdir():
        os.utime(file, (NOON.timestamp(), NOON.timestamp()))
    SHELF.tidy(now=NOON + timedelta(hours=hours))
    assert path.parent.exists() == left
    assert (SHELF.find(study=study) is not None) == left


def test_bundles_of_older_versions_are_deleted_as_well(db) -> None:
    with storage.writing(f"{shelf.OLD}/1/a.zip") as path:
        path.touch()
    SHELF.tidy(now=datetime.now(UTC))
    assert storage.children(shelf.OLD)
    SHELF.tidy(now=datetime.now(UTC) + timedelta(hours=25))
    assert not storage.children(shelf.OLD)
