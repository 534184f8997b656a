"""Overview while a worker draws the pages of a large study."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation import surveys
from annotation.models import Opening, Study
from annotation.surveys import opening
from evalapp.work import dispatch, heartbeats
from tests.pages.browsing import faults, log_in

AT = "/studies/ferry/"


@pytest.fixture
def study(make_study, monkeypatch):
    monkeypatch.setattr(opening, "MAX_TEXTS", 0)
    monkeypatch.setattr(dispatch, "send", lambda task, pk, queue: None)
    return make_study()


@pytest.mark.django_db
class TestOverview:
    pytestmark = pytest.mark.usefixtures("as_alice")

    def test_it_tells_how_far_the_pages_are_and_that_no_worker_runs(
        self, client, study
    ):
        page = client.post(f"{AT}open/", follow=True).content.decode()
        assert "The study opens when all its pages have been created." in page
        assert (
            "No worker that can do this is running: the study waits in the queue"
            in page
        )
        assert f'hx-get="{AT}opening/"' in page
        assert "Set up study" not in page
        begun = timezone.now() - timedelta(minutes=1)
        Opening.objects.update(done=500, total=2000, started_at=begun)
        heartbeats.beat(owner="other/1/x", now=timezone.now())
        page = client.get(f"{AT}opening/").content.decode()
        assert "500 of 2000 so far · about 4 minutes left" in page
        assert "No worker" not in page

    def test_it_is_loaded_anew_once_the_study_is_open(self, client, study):
        row = surveys.start_opening(study=study)
        opening.OPENINGS.perform(pk=row.pk, owner="me")
        assert client.get(f"{AT}opening/").headers["HX-Refresh"] == "true"
        assert "Pause study" in client.get(AT).content.decode()

    def test_a_failure_is_told_beside_the_button(self, client, make_study, study):
        study.prompts.filter(position=1).update(label=None)
        study.generations.filter(prompt__position=1).delete()
        opening.OPENINGS.perform(pk=surveys.start_opening(study=study).pk, owner="me")
        assert client.get(f"{AT}opening/").headers["HX-Refresh"] == "true"
        page = client.get(AT).content.decode()
        assert "The study could not be opened. No damaged text can be made" in page
        setup = client.get(f"{AT}setup/").content.decode()
        assert "Run the study without damaged texts" in setup

    def test_cancelled_it_is_a_draft_as_before(self, client, study):
        client.post(f"{AT}open/")
        page = client.post(f"{AT}opening/cancel/", follow=True).content.decode()
        assert "Set up study" in page
        assert "could not be opened" not in page

    def test_others_neither_see_nor_cancel_it(self, client, bob, study):
        client.post(f"{AT}open/")
        client.force_login(bob)
        assert client.get(f"{AT}opening/").status_code == 404
        assert client.post(f"{AT}opening/cancel/").status_code == 404
        assert Opening.objects.get().state == Opening.State.QUEUED

    def test_the_api_answers_that_it_is_accepted(self, client, study):
        change = {"path": f"/api{AT}state/", "data": {"state": "open"}}
        answer = client.post(**change, content_type="application/json")
        assert answer.status_code == 202
        assert answer.json()["state"] == "draft"
        row = Opening.objects.get()
        assert answer.json()["opening"] == {
            **{"state": "queued", "done": 0, "total": 0, "error": ""}
        }
        opening.OPENINGS.perform(pk=row.pk, owner="me")
        answer = client.post(**change, content_type="application/json")
        assert (answer.status_code, answer.json()["state"]) == (200, "open")


@pytest.mark.django_db(transaction=True)
def test_the_page_follows_the_worker_by_itself(page, live_server, study):
    log_in(page, live_server.url)
    page.goto(page.base + AT + "open/")
    page.get_by_role("button", name="Open study").click()
    assert page.locator("#opening").is_visible()
    assert faults(page) == []
    opening.OPENINGS.perform(pk=Opening.objects.get().pk, owner="me")
    study.refresh_from_db()
    assert study.state == Study.State.OPEN
    page.get_by_role("button", name="Pause study").wait_for()
    assert page.problems == []
