"""The page Account."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from evalapp.accounts import tokens
from evalapp.accounts.models import Token

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice")]


def page_of(client) -> str:
    return client.get("/account/").content.decode()


def key_in(answer) -> str:
    (key,) = re.findall(r'id="key" value="([0-9a-f]{40})"', answer.content.decode())
    return key


def lets_in(key: str) -> bool:
    header = {"Authorization": f"Token {key}"}
    return Client().get("/api/studies/", headers=header).status_code == 200


@pytest.fixture
def token(alice):
    made, key = tokens.make(user=alice, name="Nightly upload", now=timezone.now())
    made.key = key
    return made


def test_every_page_leads_to_it(client):
    assert 'href="/account/">Account</a>' in client.get("/").content.decode()


def test_it_says_what_ends_with_the_password(client):
    said = page_of(client)
    assert "all your API tokens end" in said
    assert "logged out everywhere but here" in said


def test_a_key_is_shown_once(client):
    made = client.post("/account/tokens/make/", {"name": "Upload", "days": "30"})
    key = key_in(made)
    assert lets_in(key)
    assert "no-store" in made["Cache-Control"]
    assert "Upload" in page_of(client) and key not in page_of(client)
    token = Token.objects.get()
    assert token.expires_at - token.created_at == timedelta(days=30)


def test_a_token_may_last_for_good(client):
    client.post("/account/tokens/make/", {"name": "Upload", "days": ""})
    assert Token.objects.get().expires_at is None


@pytest.mark.parametrize("wrong", [{"name": ""}, {"name": "x", "days": "-1"}])
def test_a_form_that_is_wrong_makes_none(client, wrong):
    answer = client.post("/account/tokens/make/", {"days": "30", **wrong})
    assert answer.status_code == 400
    assert "Please fix" in answer.content.decode()
    assert not Token.objects.exists()


def test_a_replaced_key_ends(client, token):
    new = key_in(client.post(f"/account/tokens/{token.pk}/rotate/"))
    assert lets_in(new) and not lets_in(token.key)


def test_a_revoked_token_ends(client, token):
    answer = client.post(f"/account/tokens/{token.pk}/revoke/", follow=True)
    assert "lets nobody in any more" in answer.content.decode()
    assert not lets_in(token.key)


@pytest.mark.parametrize("what", ["rotate", "revoke"])
def test_nobody_else_can_touch_it(bob, token, what):
    client = Client()
    client.force_login(bob)
    assert "Nightly upload" not in page_of(client)
    answer = client.post(f"/account/tokens/{token.pk}/{what}/")
    assert answer.status_code == 404
    assert lets_in(token.key)


def test_one_that_has_ended_says_so(client, alice):
    tokens.make(user=alice, name="x", now=timezone.now() - timedelta(9), days=8)
    assert "ended on" in page_of(client)


class TestPassword:
    def change(self, client, old="alice-password", new="ferry-to-the-island-9"):
        data = {"old_password": old, "new_password1": new, "new_password2": new}
        return client.post("/account/password/", data, follow=True)

    def test_a_new_one_ends_all_tokens(self, client, token):
        said = self.change(client).content.decode()
        assert "Your password is changed" in said and "You have no tokens" in said
        assert not lets_in(token.key)

    def test_a_weak_one_is_refused(self, client, alice, token):
        answer = self.change(client, new="alice")
        assert answer.status_code == 400
        assert "too short" in answer.content.decode()
        assert lets_in(token.key)

    def test_it_needs_the_old_one(self, client, token):
        assert self.change(client, old="wrong").status_code == 400
        assert lets_in(token.key)
