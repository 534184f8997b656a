"""Who guesses passwords has to wait; nobody else does."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth import authenticate
from django.db import connection
from django.test import Client

from evalapp.limits import login

pytestmark = pytest.mark.django_db


def enter(password: str, name: str = "alice", client: Client | None = None, **extra):
    data = {"username": name, "password": password}
    return (client or Client()).post("/login/", data, **extra)


def is_refused(answer) -> bool:
    return b"Too many wrong passwords" in answer.content


def behind(address: str) -> dict[str, str]:
    """What a request carries that came through a proxy from there."""
    return {"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_FOR": address}


def test_behind_a_proxy_nobody_elsewhere_locks_the_owner_out(alice, settings):
    settings.BEHIND_PROXY = True
    for _ in range(6):
        last = enter("wrong", **behind("203.0.113.66"))
    assert is_refused(last)
    assert enter("alice-password", **behind("198.51.100.7")).status_code == 302


def test_one_address_cannot_go_through_a_list_of_names(alice):
    answers = [enter("wrong", f"name{n}") for n in range(31)]
    assert [is_refused(answer) for answer in answers] == [False] * 30 + [True]
    assert is_refused(enter("alice-password"))
    assert enter("alice-password", REMOTE_ADDR="192.0.2.7").status_code == 302


def test_right_passwords_of_many_people_use_up_no_guesses(alice):
    for _ in range(40):
        assert enter("alice-password").status_code == 302


def test_one_names_typos_do_not_use_up_the_guesses_of_its_address(alice, bob):
    for _ in range(40):
        enter("wrong")
    assert enter("bob-password", "bob").status_code == 302


def test_an_empty_password_is_no_right_one(alice):
    for _ in range(5):
        enter("wrong")
        enter("")
    assert is_refused(enter("alice-password"))


def test_addresses_of_one_network_count_as_one_with_ipv6(alice):
    for n in range(6):
        last = enter("wrong", REMOTE_ADDR=f"2001:db8::{n}")
    assert is_refused(last)
    elsewhere = enter("alice-password", REMOTE_ADDR="2001:db8:0:1::1")
    assert elsewhere.status_code == 302


def test_the_api_and_the_login_count_together(alice, client):
    wanted = {"username": "alice", "password": "wrong"}
    for _ in range(5):
        assert client.post("/api/token/", wanted).status_code == 400
    refused = client.post("/api/token/", wanted)
    assert (refused.status_code, refused["Retry-After"]) == (429, "60")
    assert is_refused(enter("alice-password"))


def test_the_old_password_is_not_guessed_at_a_computer_left_logged_in(client, alice):
    client.force_login(alice)
    wanted = {"new_password1": "x-78-ferry-x", "new_password2": "x-78-ferry-x"}
    for _ in range(5):
        client.post("/account/password/", {"old_password": "wrong", **wanted})
    right = {"old_password": "alice-password", **wanted}
    assert is_refused(client.post("/account/password/", right))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("path", ["/login/", "/api/token/"])
def test_of_many_guesses_at_one_moment_five_are_checked(alice, monkeypatch, path):
    checked = []

    def check(*args, **kwargs):
        checked.append(1)
        return authenticate(*args, **kwargs)

    monkeypatch.setattr("django.contrib.auth.forms.authenticate", check)

    def guess(number: int) -> None:
        Client().post(path, {"username": "alice", "password": f"wrong {number}"})
        connection.close()

    with ThreadPoolExecutor(24) as pool:
        list(pool.map(guess, range(24)))
    assert len(checked) == login.TRIES
