"""Whether what a request shows lets somebody in, before any middleware has looked."""

from __future__ import annotations

import logging
from datetime import datetime
from importlib import import_module

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.db import DatabaseError, InterfaceError, close_old_connections
from django.http import parse_cookie

from evalapp.accounts import tokens

log = logging.getLogger(__name__)


def lets_in(*, cookie: str, authorization: str, now: datetime) -> bool:
    """Whether the cookie is that of a login, or the token one that works.

    If the database is away, yes: it is asked again when the request is whole.
    """
    close_old_connections()
    try:
        return _has_token(authorization, now) or _has_login(cookie)
    except (DatabaseError, InterfaceError) as error:
        log.warning(
            "a login could not be looked up: %s", f"{type(error).__name__}: {error}"
        )
        return True
    finally:
        close_old_connections()


def _has_token(authorization: str, now: datetime) -> bool:
    kind, _, key = authorization.strip().partition(" ")
    return kind.lower() == "token" and bool(tokens.find(key=key.strip(), now=now))


def _has_login(cookie: str) -> bool:
    key = parse_cookie(cookie).get(settings.SESSION_COOKIE_NAME)
    engine = import_module(settings.SESSION_ENGINE)
    return bool(key) and SESSION_KEY in engine.SessionStore(key)
