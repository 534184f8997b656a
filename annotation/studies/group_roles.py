"""Roles that someone has because of a group of their institution.

They follow the groups. What was granted by hand stays, and so does the only owner.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q

from annotation import events
from annotation.models import Member, Study
from annotation.studies.members import is_only_owner

Role = Member.Role
HEIGHT = {Role.VIEWER: 1, Role.EDITOR: 2, Role.OWNER: 3}


def follow_groups(*, user: User, roles: Mapping[str, str], now: datetime) -> None:
    """Give exactly these roles by groups: {name of a study: role}.

    A role by hand is raised if the group's is higher, and comes back when that ends.
    The only owner of a study stays so by hand, and the log says it.
    """
    by_group = Member.objects.filter(user=user).exclude(before_group=None)
    with transaction.atomic():
        _lock(Q(pk__in=by_group.values("study")) | Q(name__in=roles, deleted_at=None))
        for member in by_group.select_related("study"):
            if member.study.name not in roles:
                _give_back(member, now)
        for study in Study.objects.filter(name__in=roles, deleted_at=None):
            _give(study, user, Role(roles[study.name]), now)


def _lock(which: Q) -> None:
    """Let nobody else change who works on these studies.

    Else the last two owners could go at once, each because the other one stays.
    """
    studies = Study.objects.filter(which).order_by("pk")
    list(studies.select_for_update().values_list("pk", flat=True))


def _give_back(member: Member, now: datetime) -> None:
    """The role from before the group; none where there was none."""
    if member.before_group != Role.OWNER and is_only_owner(member):
        _keep(member, now)
        return
    if member.before_group:
        member.role, member.before_group = member.before_group, None
        member.save()
    else:
        member.delete()
    _log(member, "lost-group-role", now)


def _give(study: Study, user: User, role: str, now: datetime) -> None:
    member, is_new = Member.objects.get_or_create(
        study=study, user=user, defaults={"role": role, "before_group": ""}
    )
    if not is_new:
        own = member.role if member.before_group is None else member.before_group
        by_hand = bool(own) and HEIGHT[Role(own)] >= HEIGHT[Role(role)]
        wanted = (own, None) if by_hand else (role, own)
        if (member.role, member.before_group) == wanted:
            return
        if wanted[0] != Role.OWNER and is_only_owner(member):
            _keep(member, now)
            return
        member.role, member.before_group = wanted
        member.save()
    _log(member, "got-group-role", now)


def _keep(member: Member, now: datetime) -> None:
    """From now on it is by hand: a study without an owner would be nobody's."""
    member.before_group = None
    member.save()
    _log(member, "kept-group-role", now, "The study has no other owner.")


def _log(member: Member, verb: str, now: datetime, detail: str = "") -> None:
    events.log(
        study=member.study,
        verb=verb,
        now=now,
        about=member.user.get_username(),
        detail=detail or member.role,
    )
