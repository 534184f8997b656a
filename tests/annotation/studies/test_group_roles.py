"""Roles by groups of an institution; how they are told is in its own tests."""

from __future__ import annotations

import pytest

from annotation import studies
from annotation.models import Member
from tests.annotation.seating import NOON

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study, bob):
    """Its only owner is so by a group."""
    study = make_study()
    study.members.all().delete()
    follow(bob, ferry="owner")
    return study


def follow(user, **roles):
    studies.follow_groups(user=user, roles=roles, now=NOON)


@pytest.mark.parametrize("roles", [{}, {"ferry": "viewer"}])
def test_the_only_owner_stays_one_and_the_log_says_so(study, bob, roles):
    follow(bob, **roles)
    member = study.members.get()
    assert (member.role, member.before_group) == ("owner", None)
    last = study.events.order_by("pk").last()
    assert (last.verb, last.about) == ("kept-group-role", "bob")
    assert last.detail == "The study has no other owner."
    follow(bob, **roles)  # by hand from then on: nothing more to say
    assert study.events.order_by("pk").last() == last


def test_beside_another_owner_they_go(study, alice, bob):
    Member.objects.create(study=study, user=alice, role="owner")
    follow(bob)
    assert study.members.get().user == alice
