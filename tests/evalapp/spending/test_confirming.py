"""A session that somebody else has found pays nothing."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import RequestFactory
from django.utils import timezone

from evalapp.spending import confirming
from evalapp.spending.confirming import LOGGED_IN, NotConfirmed

pytestmark = pytest.mark.django_db


@pytest.fixture
def request_of(client):
    def make(user, **data):
        client.force_login(user)
        request = RequestFactory().post("/", data)
        request.user, request.session = user, client.session
        return request

    return make


def test_the_right_password_confirms(request_of, alice):
    confirming.confirm(request_of(alice, password="alice-password"))


@pytest.mark.parametrize("given", [{}, {"password": ""}, {"password": "wrong"}])
def test_no_password_and_a_wrong_one_do_not(request_of, alice, given):
    with pytest.raises(NotConfirmed):
        confirming.confirm(request_of(alice, **given))


def test_it_can_be_guessed_five_times_only(request_of, alice):
    for _ in range(5):
        with pytest.raises(NotConfirmed, match="wrong"):
            confirming.confirm(request_of(alice, password="wrong"))
    with pytest.raises(NotConfirmed, match="Too many"):
        confirming.confirm(request_of(alice, password="alice-password"))


class TestAccountsWithoutAPassword:
    """Those of an institution, and all where passwords are not taken."""

    @pytest.fixture
    def account(self, alice):
        alice.set_unusable_password()
        alice.save()
        return alice

    def test_a_fresh_login_confirms(self, request_of, account):
        confirming.confirm(request_of(account))

    def test_an_old_login_does_not(self, request_of, account):
        request = request_of(account)
        old = timezone.now() - confirming.FRESH - timedelta(seconds=1)
        request.session[LOGGED_IN] = old.isoformat()
        with pytest.raises(NotConfirmed):
            confirming.confirm(request)

    def test_a_session_from_before_this_was_noted_does_not(self, request_of, account):
        request = request_of(account)
        del request.session[LOGGED_IN]
        with pytest.raises(NotConfirmed):
            confirming.confirm(request)

    def test_a_password_that_the_site_does_not_take_is_not_asked_for(
        self, request_of, alice, settings
    ):
        settings.PASSWORD_LOGIN = False
        confirming.confirm(request_of(alice))
