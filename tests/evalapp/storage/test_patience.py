"""How long a storage that is silent keeps pages waiting."""

from __future__ import annotations

import runpy

import pytest

from evalapp import storage
from evalapp.storage import patience
from scoring.scores import stored_models
from tests.evalapp.storage.test_storage import write


@pytest.fixture
def pages(monkeypatch):
    """This process answers requests."""
    monkeypatch.setattr(patience, "_hurries", True)


@pytest.fixture
def silent(bucket):
    """Requests to a storage that gives no answer. None of them takes time."""
    from botocore.exceptions import ReadTimeoutError

    asked: list[str] = []

    def wait(request, **_):
        asked.append(request.method)
        raise ReadTimeoutError(endpoint_url=request.url)

    bucket.use()
    bucket.client.meta.events.register("before-send.s3", wait)
    return asked


def ask() -> str:
    with pytest.raises(storage.Away) as caught:
        storage.find("a")
    return str(caught.value)


def test_the_site_waits_a_few_seconds_and_work_longer(bucket, monkeypatch):
    longest = []
    for hurries in (True, False):
        monkeypatch.setattr(patience, "_hurries", hurries)
        bucket.use()
        told = bucket.client.meta.config
        tries = told.retries["total_max_attempts"]
        longest.append((tries * told.connect_timeout, tries * told.read_timeout))
    assert longest == [(4, 10), (15, 180)]


def test_a_process_that_answers_requests_hurries(monkeypatch):
    monkeypatch.setattr(patience, "_hurries", False)
    monkeypatch.setattr("django.core.wsgi.get_wsgi_application", lambda: None)
    runpy.run_module("evalapp.wsgi")
    assert patience.mine() == patience.OF_PAGES


def test_a_page_waits_for_one_file_and_not_for_each(pages, silent):
    said = ask()
    for _ in range(5):
        assert ask() == said
    for name in ("a", "b", "c"):  # as the page of metrics asks for sizes of models
        assert stored_models.outline(f"stored:{name}") is None
    assert len(silent) == patience.OF_PAGES.tries


def test_one_of_them_asks_again_after_a_while(pages, silent, monkeypatch):
    monkeypatch.setattr(patience, "PAUSE", 0.0)
    ask(), ask()
    assert len(silent) == 2 * patience.OF_PAGES.tries


def test_while_one_asks_again_no_other_waits_with_it(pages):
    silence = patience.Silence()
    silence.note("it is silent")
    silence._until = 1.0  # long ago
    silence.check()
    with pytest.raises(storage.Away, match="it is silent"):
        silence.check()


def test_it_is_used_again_as_soon_as_it_answers(bucket, pages, monkeypatch):
    write("a")
    store = storage.store()
    store._silence.note("it is silent")
    store._silence._until = 1.0  # long ago
    assert storage.find("a") and storage.find("a")


def test_work_asks_each_time(silent):
    ask(), ask()
    assert len(silent) == 2 * patience.OF_WORK.tries
