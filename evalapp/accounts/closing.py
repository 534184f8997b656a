"""Close an account, open it again, or unlink it from the institution.

Its sessions end with it, wherever that happens: they would not let in while it is
closed, but go on when it opens again.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models.signals import post_save
from django.dispatch import receiver

from annotation import studies
from evalapp.accounts import tokens
from evalapp.accounts.models import Identity
from evalapp.spending import permission


@receiver(post_save, sender=User, dispatch_uid="end_sessions")
def end_sessions(instance: User, created: bool, **more: Any) -> None:
    """By a signal: the administration closes accounts, too."""
    if instance.is_active or created:
        return
    # A session says only inside whose it is. Accounts close too rarely for a column.
    found = [
        session.pk
        for session in Session.objects.iterator()
        if session.get_decoded().get(SESSION_KEY) == str(instance.pk)
    ]
    Session.objects.filter(pk__in=found).delete()


def unlink(*, identity: Identity, now: datetime) -> None:
    """The account is one of this site alone. What groups had granted ends."""
    user = identity.user
    with transaction.atomic():
        studies.follow_groups(user=user, roles={}, now=now)
        if identity.staff_by_group:
            user.is_staff = False
            user.save(update_fields=["is_staff"])
        if identity.spends_by_group:
            permission.disallow(user)
        identity.delete()


def close(*, user: User) -> None:
    """End its sessions and tokens now. No login opens it again."""
    with transaction.atomic():
        # First, as a login does: each would wait for what the other has locked.
        Identity.objects.filter(user=user).update(refused_at=None)
        user.is_active = False
        user.save(update_fields=["is_active"])
        tokens.end_all(user=user)


def reopen(*, user: User, now: datetime) -> None:
    """Let its owner in again, and let tokens that rested work for their full time."""
    with transaction.atomic():
        Identity.objects.filter(user=user).update(refused_at=None, seen_at=now)
        user.is_active = True
        user.save(update_fields=["is_active"])
