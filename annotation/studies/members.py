"""Who works on a study. There is always an owner, unless it is a study of staff."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q

from annotation import events
from annotation.models import Member, Study

Role = Member.Role


class MemberError(ValueError):
    """The members cannot be changed so. The message says why, and what to do."""


def add_member(
    *, study: Study, who: str, role: str, user: User | None, now: datetime
) -> Member:
    """Let someone in.

    Args:
        study: Where.
        who: The user name of an account, or its e-mail address.
        role: "owner", "editor" or "viewer".
        user: Who asks.
        now: When.
    """
    account = _account(who.strip())
    try:
        with transaction.atomic():
            member = Member.objects.create(study=study, user=account, role=_known(role))
            _log(member, "added-member", role, user, now)
    except IntegrityError as error:
        raise MemberError(
            f"{account} is a member already: change the role in the table."
        ) from error
    return member


def change_role(*, member: Member, role: str, user: User | None, now: datetime) -> None:
    with transaction.atomic():
        found = _locked(member)
        # From now on it is by hand, even if a group had given the same.
        Member.objects.filter(pk=found.pk).update(before_group=None)
        if found.role == _known(role):
            return
        _refuse_without_owner(found)
        Member.objects.filter(pk=found.pk).update(role=role)
        _log(found, "changed-role", f"from {found.role} to {role}", user, now)


def remove_member(*, member: Member, user: User | None, now: datetime) -> None:
    """Let them in no more. Members remove themselves, too: they leave."""
    with transaction.atomic():
        found = _locked(member)
        _refuse_without_owner(found)
        found.delete()
        left = user is not None and user.pk == found.user_id
        _log(found, "left-study" if left else "removed-member", found.role, user, now)


def _account(who: str) -> User:
    active = User.objects.filter(is_active=True)
    if found := active.filter(username=who).first():
        return found
    by_email = list(active.filter(Q(email__iexact=who) & ~Q(email=""))[:2])
    if len(by_email) > 1:
        raise MemberError(
            f"Several accounts have the e-mail address {who[:150]}: enter a user name."
        )
    if not by_email:
        raise MemberError(
            f"There is no account “{who[:150]}”. Enter a user name or an e-mail address"
            " exactly as it is in the account, or ask your administrator to create one."
        )
    return by_email[0]


def _known(role: str) -> str:
    if role not in Role.values:
        raise MemberError(
            f"“{role[:30]}” is not a role: choose {', '.join(Role.values)}."
        )
    return role


def _locked(member: Member) -> Member:
    """The row as it is now, while nobody else changes the members of its study."""
    Study.objects.select_for_update().get(pk=member.study_id)
    found = Member.objects.select_related("user", "study").filter(pk=member.pk).first()
    if found is None:
        raise MemberError("This person is no longer a member.")
    return found


def _refuse_without_owner(member: Member) -> None:
    if is_only_owner(member):
        raise MemberError(
            f"{member.user} is the only owner. Make someone else an owner first."
        )


def is_only_owner(member: Member) -> bool:
    """Whether the study would have no owner without them. One query at most."""
    others = member.study.members.filter(role=Role.OWNER).exclude(pk=member.pk)
    return member.role == Role.OWNER and not others.exists()


def _log(
    member: Member, verb: str, detail: str, user: User | None, now: datetime
) -> None:
    events.log(
        study=member.study,
        verb=verb,
        now=now,
        user=user,
        about=member.user.get_username(),
        detail=detail,
    )
