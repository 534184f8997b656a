"""Requests that no page can understand are answered with 400, without a traceback."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection

from annotation.models import Report
from scoring.models import EvaluatorTable
from tests.annotation.seating import lay_out, sit
from tests.pages.working import begin, url, worker_page

pytestmark = pytest.mark.django_db

FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def study(make_study):
    study = make_study()
    lay_out(study)
    return study


@pytest.mark.parametrize(
    "charset", ["utf-16", "utf-7", "unicode_escape", "rot13", "idna", "nothing", "\x7f"]
)
@pytest.mark.parametrize("kind", [FORM, "multipart/form-data; boundary=x"])
def test_a_form_in_another_encoding_is_refused(client, study, charset, kind):
    """Also where the CSRF token is looked for, which is in the form."""
    client.handler.enforce_csrf_checks = True
    client.cookies["csrftoken"] = "a" * 32
    body = b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n+2AA-\r\n--x--\r\n'
    for path in ("/login/", study.get_worker_url()):
        answer = client.generic("POST", path, body, f"{kind}; charset={charset}")
        assert answer.status_code == 400
        assert "The text of a request must be in UTF-8." in answer.content.decode()


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"path": "/login/?x=%00"}, 400),
        ({"path": "/login/", "headers": {"Host": "elsewhere.example"}}, 400),
        ({"path": "/login/", "headers": {"Content-Type": "a; charset=x"}}, 400),
        ({"path": "/nothing/"}, 404),
        ({"path": "/static/nothing.css"}, 404),
        ({"path": "/login/"}, 200),
    ],
)
@pytest.mark.parametrize("https", [False, True])
def test_every_page_is_refused_in_frames_and_runs_no_scripts_of_others(
    client, settings, asked, status, https
):
    settings.SECURE_SSL_REDIRECT = https  # asks for the host before all else
    client.raise_request_exception = False
    answer = client.get(**asked)
    assert answer.status_code in (status, 301 if https else status)
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize("charset", ["UTF-8", "utf8", '"utf-8"', "us-ascii"])
def test_utf_8_has_many_names(client, study, charset):
    answer = client.post(
        "/login/", "username=a", content_type=f"{FORM}; charset={charset}"
    )
    assert answer.status_code == 200


def test_a_broken_form_is_no_fault_of_ours(client):
    client.handler.enforce_csrf_checks = True
    client.cookies["csrftoken"] = "a" * 32
    many = "&".join(f"a{n}=1" for n in range(2000))
    assert client.post("/login/", many, content_type=FORM).status_code == 400


@pytest.mark.parametrize("query", ["?q=%00", "?%00=a", "?page=1&key=%1b", "%07/"])
def test_an_address_with_control_characters_is_refused(client, query):
    answer = client.get(f"/login/{query}")
    assert answer.status_code == 400
    assert "The address contains" in answer.content.decode()


def test_the_api_says_it_in_json(client, alice):
    client.force_login(alice)
    answer = client.get("/api/studies/?limit=%00")
    assert answer.status_code == 400
    assert answer.json() == {
        "errors": ["The address contains a NUL character at position 1."]
    }


@pytest.mark.parametrize("path", ["nothing/", "studies/ferry/nothing/", "studies/é/"])
def test_an_address_that_the_api_does_not_have_is_answered_in_json(client, path):
    answer = client.get(f"/api/{path}")
    assert answer.status_code == 404
    assert answer.json() == {
        "errors": ["This address is not part of the API. See /api/ for the list."]
    }
    assert client.get("/nothing/")["Content-Type"].startswith("text/html")


@pytest.mark.parametrize("back", ["null", "1e5", "~root", "//evil.example", "login"])
def test_a_freed_seat_leads_back_to_a_page_of_its_study(client, study, alice, back):
    client.force_login(alice)
    seat = sit(study, "w1")
    path = f"/studies/ferry/seats/{seat.public_id}/free/"
    answer = client.post(path, {"back": back})
    assert answer.url == f"/studies/ferry/{worker_page(seat.worker)}"
    assert client.post(path, {"back": "monitor"}).url == "/studies/ferry/monitor/"


def test_half_a_character_in_evaluators_is_refused_before_it_is_stored(client, study):
    client.force_login(study.owner)
    table = {"labels": ["\ud800", "b"], "words": [["a", "b"]]}
    table |= {"prompts": ["<gen_result> <mask_token>"]}
    file = SimpleUploadedFile("t.json", json.dumps({"s": table}).encode())
    answer = client.post(
        "/studies/ferry/metrics/evaluators/upload/json/", {"json": file}
    )
    assert answer.status_code == 400
    assert "The file contains half of a surrogate pair" in answer.content.decode()
    assert not EvaluatorTable.objects.exists()


def test_evaluators_that_were_stored_with_half_a_character_open_their_pages(
    client, study
):
    if connection.vendor == "postgresql":
        pytest.skip("PostgreSQL stores no such thing")
    client.force_login(study.owner)
    made = EvaluatorTable.objects.create(
        study=study,
        name="s",
        labels=["a\ud800", "b"],
        prompts=["<gen_result> \udfff<mask_token>"],
        words=[["a", "b"]],
    )
    for path in ("/", ".json", f"/{made.pk}/"):
        assert client.get(f"/studies/ferry/metrics/evaluators{path}").status_code == 200


def test_what_a_worker_writes_is_kept_without_control_characters(study):
    client, seat = begin(study)
    client.post(url("report", seat), {"report-1": "a\x00b\x07\nc", "about": "1"})
    assert [one.reason for one in Report.objects.all()] == ["ab\nc"]


class TestAnotherMethod:
    def test_who_opens_what_takes_forms_is_led_to_the_page_above(
        self, client, alice, study
    ):
        client.force_login(alice)
        at = "/studies/ferry/"
        for address, page in (
            ("metrics/start/", "metrics/"),
            ("probing/start/", "probing/"),
            ("invites/7/revoke/?page=2", "invites/?page=2"),  # none of one invite
            ("damaged-texts/", ""),
        ):
            answer = client.get(f"{at}{address}")
            assert (answer.status_code, answer.url) == (302, f"{at}{page}")
        assert client.get("/logout/").url == "/"

    def test_else_a_page_says_what_to_do(self, client, alice, study):
        client.force_login(alice)
        answer = client.put("/studies/ferry/metrics/")
        assert answer.status_code == 405
        assert "Nothing was changed." in answer.content.decode()
        assert answer.headers["Allow"] == "GET, HEAD"

    def test_the_api_answers_as_before(self, client, alice, study):
        client.force_login(alice)
        answer = client.delete("/api/studies/")
        assert answer.status_code == 405
        assert "not allowed" in answer.content.decode()
