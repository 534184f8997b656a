"""Make, find, replace and end tokens. The key of one is shown once and not stored."""

from __future__ import annotations

import hashlib
import secrets
from datetime import date, datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User

from evalapp.accounts.models import Token

# Ended ones are listed for a while, so that the owner sees why a program fails.
LISTED = timedelta(days=30)


def make(
    *, user: User, name: str, now: datetime, days: int | None = None
) -> tuple[Token, str]:
    """A new token, which ends after some days or never, and its key."""
    key = new_key()
    token = Token.objects.create(
        user=user,
        name=name,
        digest=digest_of(key),
        created_at=now,
        expires_at=now + timedelta(days=days) if days else None,
    )
    return token, key


def rotate(*, token: Token, now: datetime) -> str:
    """Give it another key, for as long as the first one had. The old key ends."""
    key = new_key()
    lasts = token.expires_at - token.created_at if token.expires_at else None
    token.digest, token.created_at, token.used_on = digest_of(key), now, None
    token.expires_at = now + lasts if lasts else None
    token.save()
    return key


def find(*, key: str, now: datetime) -> Token | None:
    """The token that lets in now, and whose owner may come in."""
    owned = Token.objects.select_related("user__identity")
    found = owned.filter(digest=digest_of(key)).first()
    if found is None or found.has_ended(now) or not found.user.is_active:
        return None
    return found


def rests(*, user: User, now: datetime) -> bool:
    """Whether the owner of an account of an institution has been away for too long.

    Whoever has left it cannot log in there, and so is never refused here. If it was
    switched off or replaced, nobody can log in there: then any login here counts.
    """
    identity = getattr(user, "identity", None)
    if identity is None:
        return False
    seen = identity.seen_at
    if user.last_login and not identity.is_current:
        seen = max(seen, user.last_login)
    return bool(seen <= now - timedelta(days=settings.OIDC_TOKEN_DAYS))


def note_use(*, token: Token, today: date) -> None:
    if token.used_on != today:
        Token.objects.filter(pk=token.pk).update(used_on=today)


def end_all(*, user: User) -> None:
    Token.objects.filter(user=user).delete()


def tidy(*, now: datetime) -> None:
    Token.objects.filter(expires_at__lte=now - LISTED).delete()


def new_key() -> str:
    return secrets.token_hex(20)


def digest_of(key: str) -> str:
    """Plain SHA-256: unlike a password, 160 random bits cannot be guessed from it."""
    return hashlib.sha256(key.encode()).hexdigest()
