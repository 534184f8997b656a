"""The workers' pages in a frame on Mechanical Turk: no cookie, one token."""

from __future__ import annotations

import re
from html import escape
from urllib.parse import urlencode
from xml.etree import ElementTree

import pytest
from django.core import signing
from django.test import Client
from django.urls import get_script_prefix, reverse

from annotation import surveys
from annotation.contrib.mturk import views
from annotation.contrib.mturk.views import Visit
from annotation.crowd import practice
from annotation.models import Seat, Worker
from tests.pages.working import agreement, full_form, rows_in_tables

pytestmark = pytest.mark.django_db

SANDBOX = "https://workersandbox.mturk.com"
ACCEPTED = {
    "assignmentId": "3ABC",
    "hitId": "3HIT",
    "workerId": "A1WORKER",
    "turkSubmitTo": SANDBOX,
}


@pytest.fixture
def study(make_study):
    study = make_study(prompts=1, samples=2, platform="mturk", completion_code="C0DE")
    surveys.open_study(study=study)
    return study


@pytest.fixture
def turk():
    """A browser that gives a frame no cookies, and whose forms are checked."""
    return Client(enforce_csrf_checks=True)


def entry(study) -> str:
    return reverse("worker:mturk", args=[study.public_id])


def open_frame(turk, study, **more) -> str:
    """The address of the worker's own pages, without its last part."""
    answer = turk.get(entry(study), ACCEPTED | more)
    assert answer.status_code == 302
    return answer["Location"].removesuffix(study.get_worker_url())


def sit(turk, study) -> tuple[str, Seat]:
    mount = open_frame(turk, study)
    answer = turk.post(f"{mount}{study.get_worker_url()}start/", agreement(study))
    seat = Seat.objects.get(state=Seat.State.CLAIMED)
    assert answer["Location"] == f"{mount}{seat.get_absolute_url()}"
    return mount, seat


class TestArriving:
    @pytest.mark.parametrize(
        "query", [{}, {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "hitId": "3HIT"}]
    )
    def test_a_preview_shows_the_task_and_gives_nothing_to_do(self, turk, study, query):
        before = rows_in_tables()
        answer = turk.get(entry(study), query)
        said = answer.content.decode()
        assert "This is a preview" in said
        assert "How good is the coherence?" in said
        assert "<form" not in said
        assert rows_in_tables() == before

    def test_opening_an_accepted_hit_changes_nothing(self, turk, study):
        before = rows_in_tables()
        mount = open_frame(turk, study)
        assert turk.get(f"{mount}{study.get_worker_url()}").status_code == 200
        assert rows_in_tables() == before

    @pytest.mark.parametrize(
        "name, value",
        [
            ("turkSubmitTo", "https://evil.example"),
            ("turkSubmitTo", "https://www.mturk.com.evil.example"),
            ("turkSubmitTo", "http://www.mturk.com"),
            ("turkSubmitTo", ""),
            ("workerId", ""),
            ("workerId", "a b"),
            ("assignmentId", "<script>"),
            ("hitId", ""),
        ],
    )
    def test_a_link_of_another_shape_is_refused(self, turk, study, name, value):
        answer = turk.get(entry(study), ACCEPTED | {name: value})
        assert answer.status_code == 400
        assert "incomplete" in answer.content.decode()

    def test_studies_of_other_platforms_have_no_such_page(self, turk, make_study):
        assert turk.get(entry(make_study(name="plain"))).status_code == 404

    def test_a_plain_link_lets_nobody_name_themselves(self, turk, study):
        for query in ("", "?workerId=A1WORKER", "?=A1WORKER"):
            answer = turk.get(f"{study.get_worker_url()}{query}")
            assert answer.status_code == 403
            assert "from its HIT" in answer.content.decode()


def test_practice_comes_first_in_a_frame_too(turk, make_study):
    study = make_study(platform="mturk")
    text = practice.Text("It left. It came back.", {"coherence": (4, 5)}, "Whole.")
    practice.define(study=study, prefix="", label="", attempts=1, texts=[text])
    surveys.open_study(study=study)
    mount = open_frame(turk, study)
    start = f"{mount}{study.get_worker_url()}start/"
    page = turk.post(start, agreement(study))["Location"]
    assert page == f"{mount}{reverse('worker:practice', args=[study.public_id])}"
    assert "It left. It came back." in turk.get(page).content.decode()
    keys = study.aspects.values_list("key", flat=True)
    given = {"number": "1"} | {f"a-1-{key}": "5" for key in keys}
    tried = f"{mount}{reverse('worker:practice_try', args=[study.public_id])}"
    assert turk.post(tried, given)["Location"].startswith(mount)
    answer = turk.post(start)
    assert answer["Location"] == f"{mount}{Seat.objects.get().get_absolute_url()}"


class TestWorking:
    def test_a_page_is_rated_without_a_cookie(self, turk, study):
        mount, seat = sit(turk, study)
        page = turk.get(f"{mount}{seat.get_absolute_url()}").content.decode()
        assert f'action="{mount}' in page
        form = full_form(seat)
        saved = turk.post(f"{mount}{seat.get_absolute_url()}answer/", form)
        assert saved.status_code == 204
        done = turk.post(
            f"{mount}{seat.get_absolute_url()}submit/", form | {"then": "stop"}
        )
        asked = reverse("worker:finish", args=[study.public_id])
        assert done["Location"] == f"{mount}{asked}"
        assert not turk.cookies
        seat.refresh_from_db()
        assert seat.state == Seat.State.VALID

    def test_the_assignment_is_kept_with_the_worker(self, turk, study):
        sit(turk, study)
        worker = Worker.objects.get()
        assert (worker.platform, worker.external_id) == ("mturk", "A1WORKER")
        assert worker.arrival == {"assignmentId": "3ABC", "hitId": "3HIT"}

    def test_the_end_submits_the_hit_to_where_it_came_from(self, turk, study):
        mount, seat = sit(turk, study)
        address = f"{mount}{seat.get_absolute_url()}submit/"
        turk.post(address, full_form(seat, then="stop"))
        answer = turk.post(f"{mount}{study.get_worker_url()}finish/", follow=True)
        page = answer.content.decode()
        assert f'<form method="post" action="{SANDBOX}/mturk/externalSubmit">' in page
        assert 'name="assignmentId" value="3ABC"' in page
        assert 'name="code" value="C0DE"' in page
        assert f"form-action 'self' {SANDBOX}" in answer["Content-Security-Policy"]

    def test_no_code_and_no_form_before_a_page_is_handed_in(self, turk, study):
        mount, seat = sit(turk, study)
        page = turk.get(f"{mount}{study.get_worker_url()}done/").content.decode()
        assert "externalSubmit" not in page
        assert "C0DE" not in page

    def test_somebody_elses_page_is_closed(self, turk, study):
        _, seat = sit(turk, study)
        other = open_frame(turk, study, workerId="A2OTHER")
        assert turk.get(f"{other}{seat.get_absolute_url()}").status_code == 404

    def test_only_workers_pages_exist_in_the_frame(self, turk, study):
        mount = open_frame(turk, study)
        for path in ("/", "/login/", "/admin/", "/api/studies/", "/studies/ferry/"):
            assert turk.get(f"{mount}{path}").status_code == 404


class TestToken:
    def test_a_changed_or_foreign_token_is_refused(self, turk, study):
        mount = open_frame(turk, study)
        foreign = signing.dumps({"study": study.public_id.hex}, salt="other")
        for bad in (f"{mount}x", f"/m/{foreign}", "/m/nothing"):
            answer = turk.get(f"{bad}{study.get_worker_url()}")
            assert answer.status_code == 403
            assert "from its HIT" in answer.content.decode()

    def test_it_ends(self, turk, study, monkeypatch):
        mount = open_frame(turk, study)
        monkeypatch.setattr(views, "MAX_AGE", -1)
        assert turk.get(f"{mount}{study.get_worker_url()}").status_code == 403

    def test_it_says_who_and_which_assignment(self, turk, study):
        visit = Visit.read(open_frame(turk, study).removeprefix("/m/"))
        assert (visit.worker, visit.assignment) == ("A1WORKER", "3ABC")
        assert visit.submit_url == f"{SANDBOX}/mturk/externalSubmit"

    def test_other_requests_are_as_they_were(self, turk, study):
        open_frame(turk, study)
        mount = open_frame(turk, study)
        turk.get(f"{mount}{study.get_worker_url()}")
        turk.get(f"{mount}/nothing/")
        assert get_script_prefix() == "/"
        assert study.get_worker_url().startswith("/w/")


class TestHeaders:
    def test_only_these_pages_may_be_framed_and_by_mechanical_turk_only(
        self, turk, study
    ):
        mount = open_frame(turk, study)
        paths = (f"{mount}{study.get_worker_url()}", entry(study), "/m/bad/w/")
        for path in paths:
            answer = turk.get(path)
            policy = answer["Content-Security-Policy"]
            ancestors = re.search(r"frame-ancestors ([^;]*)", policy)[1]
            assert ancestors == "https://*.mturk.com"
            assert "default-src 'self'" in policy
            assert "X-Frame-Options" not in answer
        answer = turk.get(study.get_worker_url())
        assert "frame-ancestors 'none'" in answer["Content-Security-Policy"]
        assert answer["X-Frame-Options"] == "DENY"
        assert "mturk" not in answer["Content-Security-Policy"]

    def test_outside_the_frame_forms_are_checked_as_before(self, turk, study):
        assert turk.post(f"{study.get_worker_url()}start/").status_code == 403


def test_the_researcher_downloads_the_question(client, alice, study):
    client.force_login(alice)
    answer = client.get(reverse("study_mturk", args=[study.name]))
    root = ElementTree.fromstring(answer.content)
    assert root.tag.endswith("}ExternalQuestion")
    assert root[0].text == f"http://testserver{entry(study)}"
    assert root[1].text == "0"


def test_in_a_browser_the_frame_works_without_cookies(live_server, page, study):
    """Mechanical Turk itself is played by the test."""
    sent = []
    frame = escape(f"{live_server.url}{entry(study)}?{urlencode(ACCEPTED)}")

    def play_turk(route):
        if route.request.method == "POST":
            sent.append(route.request.post_data)
            return route.fulfill(body="<p>Submitted", content_type="text/html")
        body = f'<iframe src="{frame}" width="900" height="700"></iframe>'
        return route.fulfill(body=body, content_type="text/html")

    page.route(f"{SANDBOX}/**", play_turk)
    # Elsewhere the site has an address that every page may open in a frame.
    page.context.grant_permissions(["local-network-access"])
    page.goto(f"{SANDBOX}/projects/1/tasks")
    hit = page.frame_locator("iframe")
    hit.get_by_label("I have read this and want to take part").check()
    hit.get_by_role("button", name="Start").click()
    hit.locator("input[type=radio]").first.wait_for()
    seat = Seat.objects.get()
    for name, value in full_form(seat).items():
        hit.locator(f'input[name="{name}"][value="{value}"]').click()
    hit.get_by_role("button", name="Submit and stop here").click()
    hit.get_by_role("button", name="Finish now and get my code").click()
    hit.get_by_role("button", name="Submit the HIT").click()
    hit.get_by_text("Submitted").wait_for()
    assert sent == [f"assignmentId=3ABC&code={study.completion_code}"]
    seat.refresh_from_db()
    assert seat.state == Seat.State.VALID
    assert page.context.cookies() == []
    assert page.problems == []
