"""Passwords that are switched off, and who has to wait after wrong ones."""

from __future__ import annotations

import logging
from io import StringIO
from types import SimpleNamespace

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

import evalapp.urls  # noqa: F401 -- before a test sets INSTITUTION, which it reads
from evalapp.accounts.models import Identity
from evalapp.contrib.institution import rescuing

pytestmark = pytest.mark.django_db


def said_by(*words: str) -> str:
    out = StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


def enter(client, password: str, name: str = "alice", **extra):
    return client.post("/login/", {"username": name, "password": password}, **extra)


class TestSwitchedOff:
    @pytest.fixture(autouse=True)
    def off(self, settings):
        settings.PASSWORD_LOGIN = False

    def test_a_right_password_opens_nothing(self, client, alice):
        answer = enter(client, "alice-password")
        assert "This site does not accept passwords" in answer.content.decode()
        sent = {"username": "alice", "password": "alice-password"}
        answer = client.post("/api/token/", sent)
        assert answer.status_code == 400
        assert "accept passwords" in str(answer.json()["errors"])

    def test_nobody_changes_one_either(self, client, alice):
        client.force_login(alice)
        page = client.get("/account/").content.decode()
        assert "Change password" not in page
        assert client.post("/account/password/", {}).status_code == 403


class TestLinked:
    """An account with a password, of someone of the institution."""

    SAID = "This account logs in through the University, not with a password."

    @pytest.fixture(autouse=True)
    def linked(self, alice, settings):
        settings.INSTITUTION = SimpleNamespace(
            url="https://x", name="the University", link_by_email=False
        )
        return Identity.objects.create(
            user=alice, issuer="https://x", subject="1", seen_at=timezone.now()
        )

    def test_a_right_password_opens_nothing_and_says_why(self, client):
        assert self.SAID in enter(client, "alice-password").content.decode()
        assert client.get("/account/").status_code == 302

    def test_whoever_does_not_know_it_learns_nothing_of_the_account(self, client):
        said = enter(client, "wrong").content.decode()
        assert "correct username and password" in said and self.SAID not in said

    def test_a_right_password_counts_as_no_guess(self, client):
        for _ in range(7):
            assert self.SAID in enter(client, "alice-password").content.decode()

    def test_no_program_gets_a_token_for_it(self, client):
        sent = {"username": "alice", "password": "alice-password"}
        answer = client.post("/api/token/", sent)
        assert answer.status_code == 400 and self.SAID in answer.json()["errors"][0]

    def test_where_its_institution_is_no_more_a_password_does(self, client, settings):
        settings.INSTITUTION.url = "https://another"
        assert enter(client, "alice-password").status_code == 302
        settings.INSTITUTION = None
        assert enter(client, "alice-password").status_code == 302

    def test_nobody_changes_its_password(self, client, alice):
        client.force_login(alice)
        page = client.get("/account/").content.decode()
        assert "You log in with the University" in page
        assert "Change password" not in page
        assert client.post("/account/password/", {}).status_code == 403

    def test_a_rescue_link_opens_it(self, alice):
        assert rescuing.user_of(key=rescuing.key_for(user=alice)) == alice


class TestRescue:
    def test_a_key_opens_its_account_until_someone_has_logged_in(self, client, alice):
        key = rescuing.key_for(user=alice)
        assert rescuing.user_of(key=key) == alice
        client.login(username="alice", password="alice-password")
        assert rescuing.user_of(key=key) is None

    def test_a_key_ends(self, alice, monkeypatch):
        key = rescuing.key_for(user=alice)
        monkeypatch.setattr(rescuing, "MINUTES", -1)
        assert rescuing.user_of(key=key) is None

    @pytest.mark.parametrize("key", ["", "x", "x:y:z"])
    def test_a_made_up_key_opens_nothing(self, key):
        assert rescuing.user_of(key=key) is None

    def test_of_a_closed_account_there_is_none(self, alice):
        key = rescuing.key_for(user=alice)
        said_by("accounts", "close", "alice")
        assert rescuing.user_of(key=key) is None

    def test_without_an_institution_a_password_is_set_anew(self, alice):
        with pytest.raises(CommandError, match="changepassword"):
            said_by("rescue", "alice")


class TestAccounts:
    def test_the_list_says_how_each_logs_in(self, alice, staff):
        said_by("accounts", "close", "alice")
        assert said_by("accounts").splitlines() == [
            "alice: password, never logged in, closed",
            "staff: password, never logged in, staff",
        ]
        said_by("accounts", "open", "alice")
        alice.refresh_from_db()
        assert alice.is_active

    def test_a_name_that_nobody_has_is_told(self):
        with pytest.raises(CommandError, match="there is no account nobody"):
            said_by("accounts", "close", "nobody")


class TestUnlock:
    def lock(self, client, name: str = "alice", **extra) -> None:
        for _ in range(6):
            enter(client, "wrong", name, **extra)

    def test_staff_see_who_waits_and_let_them_in(self, client, alice, bob):
        assert said_by("unlock") == "No account has to wait.\n"
        self.lock(client)
        assert said_by("unlock").startswith("alice waits until ")
        assert said_by("unlock", "Alice") == "Alice can log in again.\n"
        assert enter(client, "alice-password").status_code == 302

    def test_a_name_without_an_account_is_not_told(self, client):
        """It may be a password that was typed into the wrong field."""
        self.lock(client, "my-secret-password")
        assert said_by("unlock") == "No account has to wait.\n"

    def test_a_name_is_let_in_from_everywhere(self, client, alice):
        self.lock(client)
        self.lock(client, REMOTE_ADDR="192.0.2.7")
        said_by("unlock", "alice")
        for address in ("127.0.0.1", "192.0.2.7"):
            answer = enter(client, "alice-password", REMOTE_ADDR=address)
            assert answer.status_code == 302

    def test_an_address_is_let_in_for_all_names(self, client, alice):
        for n in range(31):
            enter(client, "wrong", f"name{n}")
        assert enter(client, "alice-password").status_code == 200
        said_by("unlock", "--address", "127.0.0.1")
        assert enter(client, "alice-password").status_code == 302

    def test_who_does_not_wait_is_told(self, alice):
        with pytest.raises(CommandError, match="wrong password for alice lately"):
            said_by("unlock", "alice")


def test_the_log_names_addresses_for_fail2ban_and_no_typed_words(client, alice, caplog):
    with caplog.at_level(logging.WARNING, logger="evalapp.limits.login"):
        for _ in range(6):
            enter(client, "wrong", REMOTE_ADDR="192.0.2.7")
        enter(client, "x", "my-secret-password", REMOTE_ADDR="192.0.2.8")
    said = [record.getMessage() for record in caplog.records]
    assert said == [
        *["wrong password for the account alice from 192.0.2.7"] * 5,
        "too many wrong passwords for the account alice from 192.0.2.7",
        "wrong password for no account from 192.0.2.8",
    ]
