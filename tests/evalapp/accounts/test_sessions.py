"""A session ends when its owner says so, and workers need none."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.sessions.backends import signed_cookies
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.page_kinds import questions
from scoring import pulse
from tests.pages.rating import two_pages
from tests.pages.working import begin, url

pytestmark = pytest.mark.django_db


def log_in() -> Client:
    client = Client()
    client.post("/login/", {"username": "alice", "password": "alice-password"})
    assert client.get("/account/").status_code == 200
    return client


def copy_of(client: Client) -> Client:
    """A browser with a copy of the cookies."""
    copied = Client()
    for name, morsel in client.cookies.items():
        copied.cookies[name] = morsel.value
    return copied


def test_a_copied_cookie_lets_nobody_in_after_the_log_out(alice):
    client = log_in()
    thief = copy_of(client)
    assert thief.get("/account/").status_code == 200
    client.post("/logout/")
    assert thief.get("/account/").status_code == 302


def test_a_log_out_leaves_other_browsers_alone(alice):
    one, other = log_in(), log_in()
    one.post("/logout/")
    assert other.get("/account/").status_code == 200


def test_a_new_password_ends_all_other_sessions(alice):
    one, other = log_in(), log_in()
    new = "ferry-to-the-island-9"
    answer = one.post(
        "/account/password/",
        {
            "old_password": "alice-password",
            "new_password1": new,
            "new_password2": new,
        },
    )
    assert answer["Location"] == "/account/"
    assert one.get("/account/").status_code == 200
    assert other.get("/account/").status_code == 302


def test_a_session_stays_ended_when_a_closed_account_opens_again(alice, bob):
    client, other = log_in(), Client()
    other.force_login(bob)
    alice.is_active = False
    alice.save()
    alice.is_active = True
    alice.save()
    assert client.get("/account/").status_code == 302
    assert other.get("/account/").status_code == 200


def test_a_worker_deletes_ended_sessions_once_an_hour(alice):
    log_in()
    now = timezone.now()
    pulse.chores(now=now)
    assert Session.objects.count() == 1
    pulse.chores(now=now + timedelta(days=31))
    assert not Session.objects.exists()


def old_cookie(**held: object) -> Client:
    """A browser from when all sessions were signed cookies."""
    store = signed_cookies.SessionStore()
    store.update(held)
    store.save()
    client = Client()
    client.cookies["sessionid"] = store.session_key
    return client


def test_a_worker_in_the_middle_of_a_page_keeps_their_seat(make_study):
    study = two_pages(make_study)
    _, seat = begin(study, "w1")
    upgraded = old_cookie(workers={study.public_id.hex: "w1"})
    assert upgraded.get(seat.get_absolute_url()).status_code == 200
    assert old_cookie().get(seat.get_absolute_url()).status_code == 403


def test_a_former_session_of_a_researcher_lets_nobody_in(alice):
    client = old_cookie(
        _auth_user_id=str(alice.pk),
        _auth_user_backend="django.contrib.auth.backends.ModelBackend",
        _auth_user_hash=alice.get_session_auth_hash(),
    )
    assert client.get("/account/").status_code == 302
    assert client.get("/api/studies/").status_code in (401, 403)


def test_a_worker_needs_no_row_of_a_session(make_study):
    """Neither for a look nor for an answer, which costs as little as ever."""
    study = two_pages(make_study)
    client, seat = begin(study, "w1")
    with CaptureQueriesContext(connection) as asked:
        client.get(study.get_worker_url())
        client.get(seat.get_absolute_url())
        answer = client.post(
            url("answer", seat), {questions.field_name(1, "coherence"): 5}
        )
    assert answer.status_code == 204
    assert not [q for q in asked if "session" in q["sql"]]
    assert not Session.objects.exists()
