"""The page of the reproduction bundle."""

from __future__ import annotations

import os
from io import BytesIO
from zipfile import ZipFile

import pytest
from django.utils import timezone

from scoring import analyses
from scoring.models import Bundle
from scoring.replication import shelf
from tests.support.messages import catch
from tests.support.scored import rate

PAGE = "/studies/ferry/export/bundle/"


@pytest.fixture
def study(make_study, client, alice, settings, tmp_path, monkeypatch):
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(analyses, "names", lambda: ("correlations",))
    catch(monkeypatch, "bundle", lambda pk: None)
    client.force_login(alice)
    return make_study()


def seen(client, address: str = PAGE) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_export_page_leads_there(client, study) -> None:
    assert PAGE in seen(client, "/studies/ferry/export/")


def test_it_is_asked_for_waited_for_and_downloaded(client, study) -> None:
    assert "Create bundle" in seen(client)
    assert client.post(f"{PAGE}make/")["Location"] == PAGE
    waiting = seen(client)
    assert "every 2s" in waiting
    assert "No worker that can do this is running" in waiting
    shelf.SHELF.perform(pk=study.bundle.pk, owner="a")
    assert client.get(f"{PAGE}?state=1")["HX-Refresh"] == "true"
    assert "Download ferry-" in seen(client)
    answer = client.get(f"{PAGE}download/")
    assert answer.streaming
    assert "attachment" in answer["Content-Disposition"]
    held = ZipFile(BytesIO(b"".join(answer.streaming_content))).namelist()
    assert {"recompute.py", "data/ratings.csv", "design.json"} <= set(held)


def test_one_of_older_ratings_is_called_so(client, study) -> None:
    client.post(f"{PAGE}make/")
    shelf.SHELF.perform(pk=study.bundle.pk, owner="a")
    assert "have changed since" not in seen(client)
    rate(study, "coherence", [[1]])
    assert "have changed since" in seen(client)


def test_a_failure_is_shown_with_its_reason(client, study) -> None:
    Bundle.objects.create(study=study, state="failed", error="OSError: <full>")
    page = seen(client)
    assert "OSError: &lt;full&gt;" in page
    assert "Create bundle" in page


def test_after_a_failure_the_older_file_keeps_its_own_time(client, study) -> None:
    client.post(f"{PAGE}make/")
    shelf.SHELF.perform(pk=study.bundle.pk, owner="a")
    os.utime(shelf.path(shelf.find(study=study)), (0, 0))
    Bundle.objects.update(state="failed", error="full", finished_at=timezone.now())
    assert 'Created <time data-moment datetime="1970-01-01' in seen(client)


def test_a_file_on_another_machine_is_called_so(client, study) -> None:
    Bundle.objects.create(
        study=study, state="done", file="a.zip", finished_at=timezone.now()
    )
    page = seen(client)
    assert "has its own <code>DATA_DIR</code>" in page
    assert "every 2s" not in page


def test_without_a_bundle_there_is_nothing_to_download(client, study) -> None:
    assert client.get(f"{PAGE}download/").status_code == 404


def test_a_stranger_gets_none(client, study, bob) -> None:
    client.post(f"{PAGE}make/")
    shelf.SHELF.perform(pk=study.bundle.pk, owner="a")
    client.force_login(bob)
    assert client.get(f"{PAGE}download/").status_code == 404
