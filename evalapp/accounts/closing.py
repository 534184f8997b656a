"""What ends when an account closes, wherever that happens: its sessions.

They would not let in while it is closed, but go on when it opens again.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db.models.signals import post_save
from django.dispatch import receiver


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
