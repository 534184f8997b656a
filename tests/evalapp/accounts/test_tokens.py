"""API tokens: what lets a program in, and what ends it."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from evalapp.accounts import tidying, tokens
from evalapp.accounts.models import Token

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def make(user, **more) -> str:
    return tokens.make(user=user, name="script", now=timezone.now(), **more)[1]


def ask(key: str):
    return Client().get("/api/studies/", headers={"Authorization": f"Token {key}"})


class TestLettingIn:
    def test_a_key_lets_its_owner_in(self, alice):
        assert ask(make(alice)).status_code == 200

    def test_an_unknown_one_is_refused_in_a_sentence(self):
        answer = ask("0" * 40)
        assert answer.status_code == 401
        assert answer["WWW-Authenticate"] == "Token"
        assert answer.json() == {"errors": ["The token does not exist or has ended."]}

    def test_several_of_one_account_let_in(self, alice):
        assert [ask(make(alice)).status_code for _ in range(3)] == [200] * 3

    def test_no_key_is_stored(self, alice):
        key = make(alice)
        stored = str(Token.objects.values().get())
        assert key not in stored
        assert hashlib.sha256(key.encode()).hexdigest() in stored

    def test_an_account_that_is_not_active_stays_out(self, alice):
        key = make(alice)
        alice.is_active = False
        alice.save()
        assert ask(key).status_code == 401

    def test_it_ends_on_its_day(self, alice):
        _, key = tokens.make(user=alice, name="x", now=NOW, days=30)
        end = NOW + timedelta(days=30)
        assert tokens.find(key=key, now=end - timedelta(seconds=1)) is not None
        assert tokens.find(key=key, now=end) is None

    def test_a_second_call_of_a_day_writes_nothing(self, alice):
        key = make(alice)
        ask(key)
        assert Token.objects.get().used_on == timezone.now().date()
        with connection.execute_wrapper(refuse_writes):
            assert ask(key).status_code == 200


def refuse_writes(execute, sql, *rest):
    assert sql.startswith("SELECT"), sql
    return execute(sql, *rest)


class TestEnding:
    def test_a_new_key_ends_the_old_one_and_lasts_as_long(self, alice):
        token, old = tokens.make(user=alice, name="x", now=NOW, days=30)
        later = NOW + timedelta(days=20)
        new = tokens.rotate(token=token, now=later)
        assert tokens.find(key=old, now=later) is None
        found = tokens.find(key=new, now=later)
        assert found is not None and found.expires_at == later + timedelta(days=30)

    def test_a_new_password_ends_all_of_its_owner_alone(self, alice, bob):
        keys = [make(alice), make(alice), make(bob)]
        alice.set_password("another-password")
        alice.save()
        assert [ask(key).status_code for key in keys] == [401, 401, 200]

    def test_a_password_that_is_hashed_anew_ends_none(self, alice, settings):
        key = make(alice)
        settings.PASSWORD_HASHERS = [
            "django.contrib.auth.hashers.ScryptPasswordHasher",
            *settings.PASSWORD_HASHERS,
        ]
        before = alice.password
        data = {"username": "alice", "password": "alice-password"}
        assert Client().post("/login/", data).status_code == 302
        alice.refresh_from_db()
        assert alice.password != before
        assert ask(key).status_code == 200

    def test_ended_ones_are_listed_for_a_month(self, alice):
        tokens.make(user=alice, name="x", now=NOW, days=30)
        tidying.tidy(now=NOW + timedelta(days=59))
        assert Token.objects.exists()
        tidying.tidy(now=NOW + timedelta(days=60))
        assert not Token.objects.exists()


class TestApi:
    def test_one_that_a_program_logged_in_for_ends_after_a_month(self, alice):
        wanted = {"username": "alice", "password": "alice-password"}
        answer = Client().post("/api/token/", wanted).json()
        assert ask(answer["token"]).status_code == 200
        token = Token.objects.get()
        assert token.expires_at - token.created_at == timedelta(days=30)
        assert datetime.fromisoformat(answer["expires_at"]) == token.expires_at

    def test_a_wrong_password_gets_none(self, alice):
        wanted = {"username": "alice", "password": "wrong"}
        answer = Client().post("/api/token/", wanted)
        assert answer.status_code == 400
        assert "correct username and password" in answer.json()["errors"][0]
        assert not Token.objects.exists()


class TestCommand:
    def test_it_makes_a_token(self, alice):
        call_command("drf_create_token", "alice", stdout=(out := StringIO()))
        assert ask(out.getvalue().split()[2]).status_code == 200

    def test_it_can_end_the_others(self, alice):
        old = make(alice)
        call_command("drf_create_token", "alice", "--reset", stdout=StringIO())
        assert ask(old).status_code == 401
        assert Token.objects.count() == 1

    def test_it_knows_who_there_is(self):
        with pytest.raises(CommandError, match="there is no account nobody"):
            call_command("drf_create_token", "nobody")
