from __future__ import annotations

import threading
from pathlib import Path

import pytest

import scoring.metrics
from evalapp.work import retries
from scoring.metrics._engine import models
from scoring.runs import loading
from tests.support.messages import catch


@pytest.fixture
def extra(monkeypatch):
    """The tests' own metrics beside the real ones; nothing loaded, nobody stopped."""
    folder = str(Path(__file__).parent / "extra_metrics")
    monkeypatch.setattr(
        scoring.metrics, "__path__", [*scoring.metrics.__path__, folder]
    )
    from scoring.metrics import letters

    monkeypatch.setattr(letters, "loads", [])
    monkeypatch.setattr(letters, "while_scoring", None)
    loading.forget_all()
    monkeypatch.setattr(retries, "_stopping", threading.Event())
    return letters


@pytest.fixture
def sent(monkeypatch):
    """Ids of the chunks whose message went out, instead of the broker."""
    ids: list[int] = []
    catch(monkeypatch, "score_chunk", ids.append)
    return ids


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr("scoring.runs.starting.TEXTS_PER_CHUNK", 4)


@pytest.fixture
def trained_here(extra, sent, settings, tmp_path):
    """Checkpoints of a folder of their own."""
    settings.DATA_DIR = tmp_path
    yield
    models.checkpoints_in(None)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """Folder of an encoder that trains in milliseconds."""
    from tests.scoring.metrics.tiny_encoder import tiny_encoder

    models.limit_threads(1)
    return tiny_encoder(tmp_path_factory.mktemp("tiny"))
