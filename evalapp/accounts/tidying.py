from __future__ import annotations

from datetime import datetime

from django.contrib.sessions.models import Session

from evalapp.accounts import tokens
from evalapp.limits import once, throttling


def tidy(*, now: datetime) -> None:
    """Delete what has ended: sessions, tokens, counters of guesses, answers."""
    Session.objects.filter(expire_date__lte=now).delete()
    tokens.tidy(now=now)
    throttling.tidy(now=now)
    once.tidy(now=now)
