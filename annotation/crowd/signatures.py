"""Links that a platform has signed: whoever knows an id cannot begin under it.

Prolific adds a token to the link of a study with a "secure" address. It is a JWT:
signed with RS256 by one of the keys that Prolific publishes, until it expires, for the
host of that address (`aud`), and with what the address names (`prolific`). Prolific
adds the workspace by itself. That is asked for, too: any researcher there can make a
study whose address is ours, with the id of anybody in it.

Asked for only where the operator names the workspaces.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest

from annotation import platforms
from annotation.crowd import cookies
from annotation.crowd.prolific_client import CallError, Client
from annotation.models import Study

log = logging.getLogger(__name__)

KEYS = "/.well-known/study/jwks.json"
SECONDS = 5.0  # someone waits for their page
LASTING = timedelta(hours=12)  # Prolific asks to fetch its keys once a day at least
# An unknown key may be a new one; strangers can invent more of them than we ask for.
AGAIN = timedelta(minutes=1)
LEEWAY = timedelta(minutes=1)  # of clocks
LONGEST = 4000  # characters
# The first of three parts is JSON, so it begins with {" in Base64. Whatever the
# parameter is called: the signature counts, not the name.
TOKEN = re.compile(r"eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")

Claims = Mapping[str, Any]
Keys = Mapping[str, Any]  # by their id
KeyOf = Callable[[str, datetime], Any]


class Unsigned(Exception):
    """The link is not signed for this person. The message says why, for the log."""


def are_asked_for(study: Study) -> bool:
    platform = platforms.of(study)
    return bool(platform and platform.signs and settings.PROLIFIC_WORKSPACES)


def check(request: HttpRequest, study: Study, external_id: str, now: datetime) -> bool:
    """Whether this browser has come by a signed link of this person, now or before.

    True as well where none is asked for.
    """
    if not are_asked_for(study):
        return True
    try:
        verify(request.GET, external_id, key_of=KEYRING.key, now=now)
    except Unsigned as error:
        log.warning("a link is not signed: %s", error)
        return is_shown(request, study, external_id)
    cookies.keep(request, "signed", study, external_id)
    return True


def is_shown(request: HttpRequest, study: Study, external_id: str) -> bool:
    """Whether it has come by such a link: this proves the person."""
    shown = cookies.of_study(request, "signed", study)
    return are_asked_for(study) and shown == external_id


def verify(
    query: Mapping[str, str],
    external_id: str,
    *,
    key_of: KeyOf,
    now: datetime,
) -> None:
    """Raises Unsigned unless the link has a token for exactly what it says."""
    claims = _claims(_token(query), key_of, now)
    if datetime.fromtimestamp(claims["exp"], now.tzinfo) < now - LEEWAY:
        raise Unsigned("it has expired")
    if urlsplit(settings.PUBLIC_URL).hostname not in map(_host, _listed(claims["aud"])):
        raise Unsigned("it is for another site")
    signed = claims["prolific"]
    if not isinstance(signed, dict) or (
        signed.get("workspace_id") not in settings.PROLIFIC_WORKSPACES
    ):
        raise Unsigned("it is of another workspace")
    if signed.get("PROLIFIC_PID") != external_id:
        raise Unsigned("it is for another person")
    for name in ("STUDY_ID", "SESSION_ID"):  # kept with the worker, and what they prove
        if signed.get(name) != query.get(name, "").strip():
            raise Unsigned(f"it has another {name}")


def _token(query: Mapping[str, str]) -> str:
    for value in query.values():
        if len(value) <= LONGEST and TOKEN.fullmatch(value):
            return value
    raise Unsigned("it has no token")


def _claims(token: str, key_of: KeyOf, now: datetime) -> Claims:
    import jwt  # only where it is asked for: see requirements-server.txt

    try:
        key = key_of(str(jwt.get_unverified_header(token).get("kid")), now)
        claims: Claims = jwt.decode(
            token,
            key,
            algorithms=["RS256"],
            # The times are compared with `now`, and the audience with our host.
            options={
                **{"verify_exp": False, "verify_aud": False, "verify_iat": False},
                "require": ["exp", "aud", "prolific"],
            },
        )
        float(claims["exp"])
    except (jwt.PyJWTError, ValueError, TypeError, OverflowError) as error:
        raise Unsigned(f"its token is not good ({type(error).__name__})") from error
    return claims


def _listed(audience: object) -> list[str]:
    return list(map(str, audience if isinstance(audience, list) else [audience]))


def _host(audience: str) -> str | None:
    """Prolific says that it is the domain; some tools meet the whole address there."""
    try:
        return urlsplit(audience if "//" in audience else f"//{audience}").hostname
    except ValueError:
        return None


class Keyring:
    """Prolific's public keys, kept in this process and fetched again now and then."""

    def __init__(self, fetch: Callable[[], Keys]) -> None:
        self._fetch = fetch
        self._keys: Keys = {}
        self._asked_at: datetime | None = None

    def key(self, name: str, now: datetime) -> Any:
        """Raises Unsigned where Prolific has no such key, or does not answer."""
        age = LASTING if self._asked_at is None else abs(now - self._asked_at)
        if age >= (LASTING if name in self._keys else AGAIN):
            self._asked_at = now  # before: who comes meanwhile does not ask, too
            self._refresh()
        if name not in self._keys:
            raise Unsigned("Prolific has no key of that name")
        return self._keys[name]

    def _refresh(self) -> None:
        try:
            self._keys = self._fetch()
        except CallError as error:
            log.warning("Prolific's keys could not be fetched: %s", error)


def fetched() -> Keys:
    """Those that Prolific publishes, without our token.

    Raises:
        CallError: It does not answer, or not in the form that is known.
    """
    import jwt

    client = Client("", settings.PROLIFIC_URL, seconds=SECONDS, tries=1)
    try:
        keys = jwt.PyJWKSet.from_dict(client.get(KEYS)).keys
    except (jwt.PyJWTError, ValueError, TypeError, AttributeError) as error:
        raise CallError(f"they are not keys ({type(error).__name__})") from error
    return {key.key_id: key.key for key in keys if key.key_id and key.key_type == "RSA"}


KEYRING = Keyring(lambda: fetched())
