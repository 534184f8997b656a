"""The page of the reproduction bundle."""

from __future__ import annotations

from datetime import timedelta
from io import BytesIO
from zipfile import ZipFile

import pytest
from django.utils import timezone

from scoring import shelving
from scoring.shelving import Bundle
from scoring.stats import analyses
from tests.scored import rate

PAGE = "/studies/ferry/export/bundle/"


@pytest.fixture
def study(make_study, client, alice, settings, tmp_path, monkeypatch):
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(analyses, "NAMES", ("correlations",))
    monkeypatch.setattr("scoring.tasks.bundle.delay", lambda pk: None)
    client.force_login(alice)
    return make_study()


def seen(client, address: str = PAGE) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_export_page_leads_there(client, study) -> None:
    assert PAGE in seen(client, "/studies/ferry/export/")


def test_it_is_asked_for_waited_for_and_downloaded(client, study) -> None:
    assert "Make the bundle" in seen(client)
    assert client.post(f"{PAGE}make/")["Location"] == PAGE
    waiting = seen(client)
    assert "every 2s" in waiting
    assert "No worker is running" in waiting
    shelving.make(study_id=study.pk)
    assert client.get(f"{PAGE}?state=1")["HX-Refresh"] == "true"
    assert "Download ferry-" in seen(client)
    answer = client.get(f"{PAGE}download/")
    assert answer.streaming
    assert "attachment" in answer["Content-Disposition"]
    held = ZipFile(BytesIO(b"".join(answer.streaming_content))).namelist()
    assert {"recompute.py", "data/ratings.csv", "design.json"} <= set(held)


def test_one_of_older_ratings_is_called_so(client, study) -> None:
    client.post(f"{PAGE}make/")
    shelving.make(study_id=study.pk)
    assert "have changed since" not in seen(client)
    rate(study, "coherence", [[1]])
    assert "have changed since" in seen(client)


def test_a_failure_is_shown_with_its_reason(client, study) -> None:
    failed = Bundle("failed", timezone.now(), error="OSError: <full>")
    shelving.note(study, failed)
    page = seen(client)
    assert "OSError: &lt;full&gt;" in page
    assert "Make the bundle" in page


def test_nobody_waits_for_a_worker_that_died(client, study) -> None:
    shelving.note(study, Bundle("running", timezone.now() - timedelta(hours=1)))
    page = seen(client)
    assert "has ended before it was ready" in page
    assert "every 2s" not in page


def test_without_a_bundle_there_is_nothing_to_download(client, study) -> None:
    assert client.get(f"{PAGE}download/").status_code == 404


def test_a_stranger_gets_none(client, study, bob) -> None:
    client.post(f"{PAGE}make/")
    shelving.make(study_id=study.pk)
    client.force_login(bob)
    assert client.get(f"{PAGE}download/").status_code == 404
