"""Being let in is not enough to spend the site's money."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from evalapp.spending import permission
from evalapp.spending.permission import MayNotSpend

pytestmark = pytest.mark.django_db


def test_who_is_let_in_may_not_spend(bob):
    assert not permission.may_spend(bob)
    with pytest.raises(MayNotSpend):
        permission.check(bob)


def test_staff_may(staff):
    permission.check(staff)


def test_the_operator_at_a_command_line_may():
    permission.check(None)


def test_a_closed_account_may_not(staff):
    User.objects.update(is_active=False)
    with pytest.raises(MayNotSpend):
        permission.check(staff)


def test_a_deleted_account_may_not(staff):
    User.objects.all().delete()
    with pytest.raises(MayNotSpend):
        permission.check(staff)


def test_members_of_the_group_may_until_they_leave_it(bob):
    assert permission.allow(bob)
    permission.check(bob)
    assert not permission.allow(bob)
    permission.disallow(bob)
    with pytest.raises(MayNotSpend):
        permission.check(bob)


def test_a_permission_given_by_hand_outlives_the_group(alice):
    permission.allow(alice)
    permission.disallow(alice)
    permission.check(alice)


def test_the_operator_gives_and_takes_it_by_a_command(bob, capsys):
    call_command("accounts", "may-spend", "bob")
    permission.check(bob)
    call_command("accounts", "list")
    assert "may spend" in capsys.readouterr().out
    call_command("accounts", "may-not-spend", "bob")
    with pytest.raises(MayNotSpend):
        permission.check(bob)
