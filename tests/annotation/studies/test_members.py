from __future__ import annotations

import pytest

from annotation import studies
from annotation.models import Event, Study
from annotation.studies import MemberError
from tests.annotation.seating import NOON

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study):
    return make_study()


def add(study, who, role="viewer", user=None):
    return studies.add_member(study=study, who=who, role=role, user=user, now=NOON)


def test_a_member_is_found_by_name_or_by_e_mail(study, bob, staff):
    assert add(study, " bob ").user == bob
    type(staff).objects.filter(pk=staff.pk).update(email="Staff@example.org")
    assert add(study, "staff@example.org", "editor").user == staff


def test_only_a_member_finds_the_study_and_with_their_role(study, alice, bob):
    assert not Study.objects.visible_to(bob).exists()
    add(study, "bob", "editor")
    assert Study.objects.visible_to(bob).get().role == "editor"
    assert Study.objects.visible_to(alice).get().role == "owner"
    assert Study.objects.visible_to(alice).filter(role="owner").count() == 1


@pytest.mark.parametrize(
    ("who", "role", "told"),
    [
        ("nobody", "viewer", "no account “nobody”"),
        ("", "viewer", "no account"),
        ("alice", "viewer", "alice is a member already"),
        ("bob", "king", "is not a role: choose owner, editor, viewer"),
    ],
)
def test_what_cannot_be_is_said(study, bob, who, role, told):
    with pytest.raises(MemberError, match=told):
        add(study, who, role)
    assert study.members.count() == 1


def test_an_e_mail_address_of_two_accounts_names_nobody(study, bob, staff):
    type(bob).objects.filter(pk__in=[bob.pk, staff.pk]).update(email="a@b.org")
    with pytest.raises(MemberError, match="Several accounts"):
        add(study, "a@b.org")


def test_who_may_not_log_in_is_no_member(study, bob):
    type(bob).objects.filter(pk=bob.pk).update(is_active=False)
    with pytest.raises(MemberError, match="no account"):
        add(study, "bob")


def test_the_last_owner_stays(study, alice, bob):
    own = study.members.get()
    with pytest.raises(MemberError, match="alice is the only owner"):
        studies.remove_member(member=own, user=alice, now=NOON)
    with pytest.raises(MemberError, match="Make someone else an owner first"):
        studies.change_role(member=own, role="viewer", user=alice, now=NOON)


def test_a_study_is_handed_over(study, alice, bob):
    add(study, "bob", "owner", alice)
    studies.remove_member(member=study.members.get(user=alice), user=alice, now=NOON)
    assert study.owner == bob
    assert not Study.objects.visible_to(alice).exists()


def test_each_change_is_in_the_log(study, alice, bob):
    member = add(study, "bob", "viewer", alice)
    studies.change_role(member=member, role="editor", user=alice, now=NOON)
    studies.remove_member(member=member, user=alice, now=NOON)
    told = Event.objects.order_by("pk").values_list("verb", "about", "detail")
    assert list(told) == [
        ("added-member", "bob", "viewer"),
        ("changed-role", "bob", "from viewer to editor"),
        ("removed-member", "bob", "editor"),
    ]


def test_a_study_uses_others_only_if_all_members_may_see_them(make_study, bob):
    ours, theirs = make_study(), make_study(name="lake")
    assert theirs in Study.objects.open_to_all_of(ours)
    add(ours, "bob")
    assert theirs not in Study.objects.open_to_all_of(ours)
    assert ours in Study.objects.open_to_all_of(theirs)
    add(theirs, "bob")
    assert theirs in Study.objects.open_to_all_of(ours)
