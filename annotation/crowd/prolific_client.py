"""One call to Prolific: what it answered, or in a sentence why there is no answer.

Two kinds of failure, because money hangs on the difference: `Refused` is sure to have
changed nothing, after `Unknown` anything may have happened.
"""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.conf import settings

from annotation.storable import secrets

LOCAL = ("127.0.0.1", "localhost", "::1")  # servers of tests: the only ones without TLS
SECONDS = 10.0  # for one call
BUDGET = 45.0  # seconds for all calls of one request of a researcher
TRIES = 3
LONGEST_PAUSE = 5.0  # seconds, whatever Retry-After says
LARGEST = 4_000_000  # bytes of an answer
PIECE = 65_536
TOLD = 300  # characters of what Prolific says
AGAIN = (429, 500, 502, 503, 504)

Answer = dict[str, Any]


class CallError(Exception):
    """There is no usable answer. The message says why, and what to do."""

    pause: float | None = None  # seconds, after which trying again may help


class Refused(CallError):
    """Prolific did not do it: it said so, or could not be reached at all."""


class Unknown(CallError):
    """The request may have arrived: nobody knows whether it was carried out."""


class NoToken(Refused):
    """The site has no token for Prolific."""


class Client:
    """Calls with the site's token, or with none. Anything that prints it shows none."""

    def __init__(
        self,
        token: str,
        address: str,
        *,
        seconds: float = SECONDS,
        tries: int = TRIES,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        parts = urlsplit(address)
        if parts.scheme != "https" and parts.hostname not in LOCAL:
            raise Refused("PROLIFIC_URL must begin with https://.")
        self._token, self._parts, self._seconds = token, parts, seconds
        self._tries = tries
        self._sleep, self._clock = sleep, clock
        self._end = clock() + BUDGET

    def __repr__(self) -> str:
        return f"Client({self._parts.netloc!r})"

    def get(self, path: str, **query: object) -> Answer:
        """Read; tried again where that may help.

        Raises:
            CallError: There is no usable answer.
        """
        end = f"?{urlencode(query)}" if query else ""
        return self._repeat("GET", path + end, None)

    def post(self, path: str, body: Mapping[str, Any], *, again: bool) -> Answer:
        """Send. `again`: whether doing it twice is the same as once.

        Raises:
            Refused: It was not done.
            Unknown: It may have been done.
        """
        send = self._repeat if again else self._once
        return send("POST", path, json.dumps(body).encode())

    def _repeat(self, method: str, path: str, body: bytes | None) -> Answer:
        for n in range(1, self._tries + 1):
            try:
                return self._once(method, path, body)
            except CallError as error:
                if error.pause is None or n == self._tries:
                    raise
                self._sleep(min(error.pause, LONGEST_PAUSE))
        raise AssertionError  # the last try returns or raises

    def _once(self, method: str, path: str, body: bytes | None) -> Answer:
        if self._clock() > self._end:
            raise Refused("Prolific is too slow right now. Try again in a minute.")
        line = self._opened()
        headers = {
            "Accept": "application/json",
            **({"Authorization": f"Token {self._token}"} if self._token else {}),
            **({"Content-Type": "application/json"} if body is not None else {}),
        }
        try:
            line.request(method, path, body, headers)
            response = line.getresponse()
            content = self._read(response)
        except (OSError, http.client.HTTPException) as error:
            failed = Unknown("Prolific did not answer in time. Try again in a minute.")
            failed.pause = 1.0
            raise failed from error
        finally:
            line.close()
        return self._understood(response, content)

    def _opened(self) -> http.client.HTTPConnection:
        host, port = self._parts.hostname or "", self._parts.port
        secure = self._parts.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        line = kind(host, port, timeout=self._seconds)
        try:
            line.connect()
        except OSError as error:
            raise Refused(
                f"{host} cannot be reached from this site. Nothing was sent. Ask your"
                " administrator whether the site may connect to it."
            ) from error
        return line

    def _read(self, response: http.client.HTTPResponse) -> bytes:
        """Bounded in bytes and in time: a server may send a byte at a time."""
        end, content = self._clock() + self._seconds, bytearray()
        while piece := response.read1(PIECE):
            content += piece
            if len(content) > LARGEST or self._clock() > end:
                raise TimeoutError
        return bytes(content)

    def _understood(self, response: http.client.HTTPResponse, content: bytes) -> Answer:
        status = response.status
        found = _parsed(content)
        if 200 <= status < 300:
            if found is None and content.strip():
                raise Unknown("Prolific sent an answer that EvalApp does not know.")
            return found or {}
        told = self._told(found)
        if status < 400:
            # Followed to another host, it would carry the token there.
            raise Unknown("Prolific sent us to another address, which is not followed.")
        # Of a 408 nobody knows how much of the request had arrived.
        said_no = status < 500 and status != 408
        kind: type[CallError] = Refused if said_no else Unknown
        failed = kind(_said(status, told))
        if status in AGAIN:
            failed.pause = _pause(response)
        raise failed

    def _told(self, found: Answer | None) -> str:
        """What Prolific says about its error, bounded and without the token."""
        error = (found or {}).get("error", found)
        words = (self._hidden(one) for one in _words(error, 3))
        return " ".join(words)[:TOLD]

    def _hidden(self, words: str) -> str:
        """Before it is cut: half a token would not be found."""
        return secrets.hidden(words, self._token, "[token]")[:TOLD]


def site() -> Client:
    """With what the operator has set up.

    Raises:
        NoToken: Nothing is set up.
    """
    if not settings.PROLIFIC_TOKEN:
        raise NoToken("This site has no token for Prolific: set PROLIFIC_TOKEN.")
    return Client(settings.PROLIFIC_TOKEN, settings.PROLIFIC_URL)


def _parsed(content: bytes) -> Answer | None:
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _said(status: int, told: str) -> str:
    why = {
        401: "Prolific does not accept this token. Set PROLIFIC_TOKEN to a new one.",
        403: "Prolific does not allow this for the account of this token.",
        404: "Prolific does not have this any more.",
        429: "Prolific has had too many requests. Try again in a minute.",
    }.get(status)
    if why is None and status >= 500:
        why = "Prolific has a problem of its own. Try again later."
    why = why or "Prolific did not accept this."
    return f"{why} It said: {told}" if told else why


def _words(found: object, depth: int) -> list[str]:
    """Sentences anywhere in an error, which may be nested."""
    if isinstance(found, str):
        return [" ".join(found.split())]
    if not depth:
        return []
    inner: list[object] = []
    if isinstance(found, dict):
        # Of an error of Prolific: what happened, then what it means.
        keys = [key for key in ("title", "detail") if key in found] or list(found)
        inner = [found[key] for key in keys[:5]]
    elif isinstance(found, list):
        inner = found[:5]
    return [word for one in inner for word in _words(one, depth - 1)]


def _pause(response: http.client.HTTPResponse) -> float:
    given = (response.headers.get("Retry-After") or "").strip()
    whole = given.isascii() and given.isdecimal()
    return float(given[:9]) if whole else 1.0
