"""The page of a data set, and its API."""

from __future__ import annotations

import os
from io import BytesIO
from zipfile import ZipFile

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.models import Event
from scoring import analyses
from scoring.models import DataSet
from scoring.publishing import preview
from scoring.publishing.shelf import SHELF
from tests.pages.browsing import faults, log_in
from tests.support.messages import catch
from tests.support.scored import rate

PAGE = "/studies/ferry/export/dataset/"
API = "/api/v1/studies/ferry/dataset/"


@pytest.fixture
def study(make_study, client, alice, settings, tmp_path, monkeypatch):
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(
        analyses, "names", lambda: ("agreement", "correlations", "systems")
    )
    catch(monkeypatch, "data_set", lambda pk: None)
    client.force_login(alice)
    study = make_study()
    rate(study, "coherence", [[1, 2], [3, 4]])
    return study


def seen(client, address: str = PAGE) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_export_page_leads_there(client, study) -> None:
    assert PAGE in seen(client, "/studies/ferry/export/")


def test_the_preview_says_what_is_known_and_what_is_not(client, study) -> None:
    said = seen(client)
    assert "It includes means only" in said
    assert "The datasheet answers " in said
    assert "5.1 Which committee approved the experiment?" in said
    assert "We evaluated 8 texts by 4 systems" in said


def test_nobody_waits_for_the_preview_of_many_texts(client, study, monkeypatch) -> None:
    monkeypatch.setattr(preview, "MOST_TEXTS", 1)
    assert "too large for a preview" in seen(client)


def test_it_is_asked_for_waited_for_and_downloaded(client, study) -> None:
    assert "Create data set" in seen(client)
    assert client.post(f"{PAGE}make/")["Location"] == PAGE
    assert "every 2s" in seen(client)
    SHELF.perform(pk=study.data_set.pk, owner="a")
    assert client.get(f"{PAGE}?state=1")["HX-Refresh"] == "true"
    answer = client.get(f"{PAGE}download/")
    held = ZipFile(BytesIO(b"".join(answer.streaming_content))).namelist()
    assert {"ferry/README.md", "ferry/data/texts.parquet"} <= set(held)
    assert "ferry/replication/recompute.py" in held


def test_a_researcher_says_what_may_be_told(client, study) -> None:
    given = {"licence": "cc-by-4.0", "consents": ["files"], "authors": "Ada\nBen"}
    assert client.post(f"{PAGE}settings/", given).status_code == 302
    assert "It includes every rating" in seen(client)
    assert study.publication.people == ["Ada", "Ben"]
    assert Event.objects.get(verb="changed-publication").user.username == "alice"


def test_one_made_before_that_is_called_old(client, study) -> None:
    client.post(f"{PAGE}make/")
    SHELF.perform(pk=study.data_set.pk, owner="a")
    assert "have changed since" not in seen(client)
    client.post(f"{PAGE}settings/", {"licence": "cc0-1.0"})
    assert "have changed since" in seen(client)


def test_a_licence_that_is_no_name_is_refused_beside_its_field(client, study) -> None:
    answer = client.post(f"{PAGE}settings/", {"licence": "mine: <b>all</b>"})
    assert answer.status_code == 422
    assert "Enter the short name of a licence" in answer.content.decode()


def test_words_of_others_are_escaped(client, study) -> None:
    study.title = "<script>x</script>"
    study.save()
    assert "<script>x" not in seen(client)


def test_viewers_may_have_it_made_but_say_nothing(client, study, bob) -> None:
    study.members.create(user=bob, role="viewer")
    client.force_login(bob)
    assert client.post(f"{PAGE}make/").status_code == 302
    assert client.post(f"{PAGE}settings/", {}).status_code == 403


@pytest.fixture
def api(study, alice) -> APIClient:
    api = APIClient()
    api.force_authenticate(alice)
    return api


def test_one_of_older_ratings_is_called_so(client, study) -> None:
    client.post(f"{PAGE}make/")
    SHELF.perform(pk=study.data_set.pk, owner="a")
    assert "have changed since" not in seen(client)
    rate(study, "coherence", [[1]])
    assert "have changed since" in seen(client)


def test_a_failure_is_shown_with_its_reason(client, study) -> None:
    DataSet.objects.create(study=study, state="failed", error="OSError: <full>")
    page = seen(client)
    assert "OSError: &lt;full&gt;" in page
    assert "Create data set" in page


def test_after_a_failure_the_older_file_keeps_its_own_time(client, study) -> None:
    client.post(f"{PAGE}make/")
    SHELF.perform(pk=study.data_set.pk, owner="a")
    os.utime(SHELF.path(SHELF.find(study=study)), (0, 0))
    DataSet.objects.update(state="failed", error="full", finished_at=timezone.now())
    assert 'Created <time data-moment datetime="1970-01-01' in seen(client)


def test_a_file_on_another_machine_is_called_so(client, study) -> None:
    DataSet.objects.create(
        study=study, state="done", file="a.zip", finished_at=timezone.now()
    )
    page = seen(client)
    assert "has its own <code>DATA_DIR</code>" in page
    assert "every 2s" not in page


def test_without_a_data_set_there_is_nothing_to_download(client, study) -> None:
    assert client.get(f"{PAGE}download/").status_code == 404


def test_a_stranger_gets_none(client, study, bob) -> None:
    client.post(f"{PAGE}make/")
    SHELF.perform(pk=study.data_set.pk, owner="a")
    client.force_login(bob)
    assert client.get(f"{PAGE}download/").status_code == 404


@pytest.mark.parametrize("end", ["", "download/"])
def test_the_address_of_bundles_leads_there(client, study, bob, end) -> None:
    bundle = f"/studies/ferry/export/bundle/{end}"
    assert client.get(bundle)["Location"] == PAGE
    client.force_login(bob)
    assert client.get(bundle).status_code == 404


def test_that_of_the_api_does_so_with_its_method(api, study) -> None:
    bundle = API.replace("dataset", "bundle")
    answer = api.post(bundle, follow=True)
    assert (answer.status_code, answer.json()["state"]) == (202, "queued")
    SHELF.perform(pk=study.data_set.pk, owner="a")
    assert api.get(f"{bundle}download/", follow=True).streaming


def test_the_api_does_the_same(api, study) -> None:
    found = api.get(API).json()
    assert (found["state"], found["single_ratings"]) == ("none", "none")
    assert [one["digest"] for one in found["consents"]] == ["files"]
    told = {"licence": "cc-by-4.0", "consents": ["files"]}
    assert api.patch(API, told, format="json").json()["single_ratings"] == "all"
    assert Event.objects.filter(verb="changed-publication").count() == 1
    assert api.post(API).status_code == 202
    SHELF.perform(pk=study.data_set.pk, owner="a")
    assert api.get(API).json()["ready"]
    file = api.get(f"{API}download/")
    assert b"".join(file.streaming_content)[:2] == b"PK"


def test_the_api_refuses_what_is_no_licence(api) -> None:
    assert api.patch(API, {"licence": "<b>"}, format="json").status_code == 400


def test_before_one_is_made_there_is_nothing_to_download(api) -> None:
    assert api.get(f"{API}download/").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_in_a_browser_it_follows_the_worker_by_itself(page, live_server, study) -> None:
    log_in(page, live_server.url)
    page.goto(page.base + PAGE)
    assert faults(page) == []
    page.get_by_role("button", name="Create data set").click()
    page.wait_for_url(f"**{PAGE}")
    assert faults(page) == []
    SHELF.perform(pk=DataSet.objects.get(study=study).pk, owner="a")
    page.get_by_role("link", name="Download").first.wait_for()
    assert faults(page) == []
    assert page.problems == []
