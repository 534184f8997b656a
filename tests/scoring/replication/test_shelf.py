"""Bundles on disk: asked for, made once, replaced, and gone after a day."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zipfile import ZipFile

import pytest
from kombu.exceptions import OperationalError

from scoring import bundles, bundling, shelving
from scoring.stats import analyses
from tests.scored import rate

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def light(monkeypatch, settings, tmp_path):
    """A shelf of the test's own, and bundles with one analysis."""
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(analyses, "NAMES", ("correlations",))


@pytest.fixture
def sent(monkeypatch) -> list[int]:
    """Ids of the studies that a worker was woken up for."""
    found: list[int] = []
    monkeypatch.setattr("scoring.tasks.bundle.delay", found.append)
    return found


@pytest.fixture
def study(make_study):
    return make_study()


@pytest.fixture
def ask(study, sent, django_capture_on_commit_callbacks):
    def ask(now: datetime = NOON) -> None:
        with django_capture_on_commit_callbacks(execute=True):
            bundles.ask(study=study, now=now)

    return ask


def make(study, now: datetime = NOON) -> Path | None:
    shelving.make(study_id=study.pk, clock=lambda: now)
    return shelving.path(study=study)


def test_who_asks_twice_wakes_one_worker_up(study, ask, sent) -> None:
    ask()
    ask()
    assert sent == [study.pk]
    assert shelving.find(study=study).pending(NOON)
    assert shelving.path(study=study) is None


def test_the_bundle_lies_on_the_shelf_when_it_is_made(study, ask) -> None:
    ask()
    path = make(study)
    assert path.name == "ferry-20261120-120000.zip"
    assert "recompute.py" in ZipFile(path).namelist()
    assert shelving.find(study=study).state == "done"


def test_a_new_one_takes_the_place_of_the_old(study, ask) -> None:
    ask()
    old = make(study)
    ask(NOON + timedelta(hours=1))
    new = make(study, NOON + timedelta(hours=1))
    assert (old.exists(), new.exists()) == (False, True)


def test_a_message_that_comes_twice_or_unasked_does_nothing(study, ask) -> None:
    assert make(study) is None
    shelving.note(study, shelving.Bundle("running", NOON))
    assert make(study, NOON + timedelta(minutes=1)) is None


def test_after_a_worker_died_another_one_may_make_it(study, ask, sent) -> None:
    shelving.note(study, shelving.Bundle("running", NOON))
    later = NOON + timedelta(minutes=20)
    ask(later)
    assert sent == [study.pk]
    assert make(study, later)


def test_the_message_for_a_study_that_is_gone_does_nothing(db) -> None:
    shelving.make(study_id=123)
    assert not (shelving.settings.DATA_DIR / "bundles").exists()


def test_a_failure_is_written_down(study, ask, monkeypatch) -> None:
    ask()
    monkeypatch.setattr(bundling, "_readme", lambda *_: 1 / 0)
    assert make(study) is None
    assert shelving.find(study=study).error == "ZeroDivisionError: division by zero"


def test_a_queue_that_is_away_is_told(study, ask, monkeypatch) -> None:
    def away(_):
        raise OperationalError

    monkeypatch.setattr("scoring.tasks.bundle.delay", away)
    ask()
    assert "does not take messages" in shelving.find(study=study).error


def test_it_is_told_apart_from_one_of_newer_data(study, ask) -> None:
    ask()
    make(study)
    before = shelving.find(study=study).stamp
    rate(study, "coherence", [[1]])
    ask()
    make(study)
    assert shelving.find(study=study).stamp != before


@pytest.mark.parametrize(("hours", "left"), [(23, True), (25, False)])
def test_what_is_older_than_a_day_is_deleted(study, ask, hours, left) -> None:
    ask()
    path = make(study)
    for file in path.parent.iterdir():
        os.utime(file, (NOON.timestamp(), NOON.timestamp()))
    shelving.tidy(now=NOON + timedelta(hours=hours))
    assert path.parent.exists() == left
