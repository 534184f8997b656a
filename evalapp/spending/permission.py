"""Who may spend the site's money and send mail in its name.

Being let in is not enough: with an institution's login, that is every student.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Group, Permission, User
from django.contrib.contenttypes.models import ContentType

from evalapp.spending.models import Budget

PERMISSION = "spending.spend"
GROUP = "Spending"  # of the administration; its members have the permission


class MayNotSpend(Exception):
    """The message says so, and what to do."""


REFUSED = (
    "Your account may not spend this site’s money or send its email. Ask your"
    " administrator for permission to spend."
)


def may_spend(user: Any) -> bool:
    """Staff, and whoever has the permission, by a group or by hand."""
    return bool(user.is_active and (user.is_staff or user.has_perm(PERMISSION)))


def why_not(user: Any) -> str:
    """Why they may not, for people; empty if they may."""
    return "" if may_spend(user) else REFUSED


def check(user: User | None) -> None:
    """Ask again, by what the database says now.

    Args:
        user: Who spends; None is the operator, at a command line.

    Raises:
        MayNotSpend: They may not.
    """
    if user is None:
        return
    now = User.objects.filter(pk=user.pk).first()
    if now is None or not may_spend(now):
        raise MayNotSpend(REFUSED)


def allow(user: User) -> bool:
    """Put them into the group; False if they were in it."""
    group = _group()
    if user.groups.filter(pk=group.pk).exists():
        return False
    user.groups.add(group)
    return True


def disallow(user: User) -> None:
    """Take them out of the group. A permission that was given by hand stays."""
    user.groups.remove(*user.groups.filter(name=GROUP))


def _group() -> Group:
    group, is_new = Group.objects.get_or_create(name=GROUP)
    if is_new:
        kind = ContentType.objects.get_for_model(Budget)
        named = {"name": Budget._meta.permissions[0][1]}
        permission, _ = Permission.objects.get_or_create(
            content_type=kind, codename="spend", defaults=named
        )
        group.permissions.add(permission)
    return group
