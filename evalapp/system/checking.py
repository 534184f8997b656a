"""Tests a running site: each part from the inside, and its proxy from the outside.

Each check yields findings: what works, what might not, and what is wrong, with what to
do. A check that cannot be made is a finding, too.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.message import Message
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core import signing
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from evalapp import upgrades
from evalapp.system import health, overview
from evalapp.work import clocks

SALT = "evalapp.check_site"
SIGNED_SECONDS = 600  # a proxy may pass the largest upload on only when it has it all
TIMEOUT = 10
UPLOAD_TIMEOUT = 60  # a proxy may be silent while it passes on what it has buffered
CLAIMED = "203.0.113.7"  # an address of documentation: nobody really has it
CLOCKS = timedelta(seconds=5)
FREE_BYTES = 2 * 2**30


class Level(StrEnum):
    WELL = "ok"
    DOUBT = "look"
    WRONG = "wrong"


class Found(NamedTuple):
    part: str
    level: Level
    said: str


class Seen(NamedTuple):
    """What the site says of the request that asked it."""

    address: str
    secure: bool
    at: str
    bytes: int = 0  # of its body


Check = Callable[[], Iterator[Found]]


def run(checks: tuple[Check, ...]) -> Iterator[Found]:
    """All findings; one check that breaks does not hide the others."""
    for check in checks:
        part = check.__name__.replace("_", " ")
        try:
            yield from check()
        except Exception as error:
            yield Found(part, Level.WRONG, f"This check failed: {error}")


def secrets() -> Iterator[Found]:
    if settings.DEBUG:
        yield Found(
            "secrets",
            Level.WRONG,
            "DEBUG is on, so errors show settings and code to visitors. Remove DEBUG.",
        )
    elif not get_user_model().objects.filter(is_superuser=True, is_active=True):
        yield Found(
            "accounts",
            Level.DOUBT,
            "The site has no administrator. Run `manage.py createsuperuser`.",
        )
    else:
        yield Found(
            "secrets", Level.WELL, "DEBUG is off, and the site has an administrator."
        )


def parts() -> Iterator[Found]:
    """As the line System at the foot of each page of staff."""
    away = health.problems()
    for part in health.PARTS:
        if part in away:
            yield Found(part, Level.WRONG, away[part])
        else:
            yield Found(part, Level.WELL, "It works.")


def tables() -> Iterator[Found]:
    if upgrades.is_too_old(connection):
        yield Found("tables", Level.WRONG, upgrades.TOO_OLD)
        return
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if missing:
        are = "migration is" if len(missing) == 1 else "migrations are"
        said = f"{len(missing)} {are} missing. Run `manage.py migrate`."
        yield Found("tables", Level.WRONG, said)
    elif connection.vendor == "sqlite":
        said = "The database is SQLite: enough for one machine, not for several."
        yield Found("tables", Level.DOUBT, said)
    else:
        yield Found("tables", Level.WELL, "All migrations are applied.")


def queues() -> Iterator[Found]:
    for queue in overview.queues():
        if queue.workers:
            pieces = "piece" if queue.waiting == 1 else "pieces"
            said = f"{queue.workers} running, {queue.waiting} {pieces} of work waiting."
            yield Found(f"workers of {queue.name}", Level.WELL, said)
        else:
            said = f"No worker takes this queue. Start one with -Q {queue.name}."
            level = Level.WRONG if queue.waiting else Level.DOUBT
            yield Found(f"workers of {queue.name}", level, said)


def disk() -> Iterator[Found]:
    free = shutil.disk_usage(settings.DATA_DIR).free
    said = f"{free / 2**30:,.1f} GB are free in {settings.DATA_DIR}."
    level = Level.WELL if free > FREE_BYTES else Level.DOUBT
    yield Found("disk", level, said)


def clock() -> Iterator[Found]:
    """A lease is a time: machines whose clocks differ take work from each other."""
    if connection.vendor != "postgresql":
        yield Found("clock", Level.WELL, "The database uses this machine’s clock.")
        return
    yield _compared("database", timezone.now() - clocks.of_database())


def _compared(whose: str, apart: timedelta) -> Found:
    seconds = apart.total_seconds()
    said = (
        f"The clocks of this machine and the {whose} differ by {seconds:.1f} seconds."
    )
    if abs(apart) <= CLOCKS:
        return Found("clock", Level.WELL, said)
    return Found("clock", Level.WRONG, f"{said} Set both with NTP.")


# From the outside ---------------------------------------------------------------------


def site() -> Iterator[Found]:
    """Through the proxy, as visitors come."""
    try:
        status, headers, _ = fetch(f"{settings.PUBLIC_URL}/healthz")
    except OSError as error:
        said = f"{settings.PUBLIC_URL} does not answer: {_reason(error)}."
        yield Found("site", Level.WRONG, f"{said} Start it, or correct PUBLIC_URL.")
        return
    if status != 200:
        said = f"{settings.PUBLIC_URL}/healthz answers {status}, expected 200."
        yield Found("site", Level.WRONG, f"{said} Is another site at this address?")
        return
    yield Found("site", Level.WELL, f"{settings.PUBLIC_URL} answers.")
    if date := headers.get("Date"):
        theirs = parsedate_to_datetime(date)
        yield _compared("site", datetime.now(UTC) - theirs)
    yield from _https()
    yield from _proxy()
    yield from _uploads()


def _https() -> Iterator[Found]:
    if not settings.HTTPS:
        said = "PUBLIC_URL begins with http: passwords and answers can be read in"
        said += " transit. Use https if other people use the site."
        yield Found("https", Level.DOUBT, said)
        return
    host = urlsplit(settings.PUBLIC_URL).hostname
    try:
        status, headers, _ = fetch(f"http://{host}/login/")
    except OSError as error:
        said = f"http://{host} does not answer ({_reason(error)}), so people who type"
        said += " only the name may not reach the site."
        yield Found("https", Level.DOUBT, said)
        return
    if status in (301, 302, 307, 308) and _leads_to(headers).startswith("https://"):
        yield Found("https", Level.WELL, "Plain HTTP redirects to HTTPS.")
    else:
        said = f"http://{host} answers {status} instead of redirecting to https."
        yield Found("https", Level.WRONG, f"{said} Have the proxy redirect it.")


def _leads_to(headers: Message) -> str:
    return headers.get("Location") or ""


def _proxy() -> Iterator[Found]:
    seen = ask_what_is_seen()
    if seen is None:
        said = "The site does not accept this machine’s signature. Give both the same"
        yield Found("proxy", Level.WRONG, f"{said} SECRET_KEY.")
        return
    if settings.HTTPS and not seen.secure:
        said = "The site mistakes HTTPS for HTTP. Have the proxy set X-Forwarded-Proto."
        yield Found("proxy", Level.WRONG, said)
    if seen.address == CLAIMED:
        said = "The site believes any address that a visitor claims. Have the proxy"
        said += " replace X-Forwarded-For, or set BEHIND_PROXY=False if there is none."
        yield Found("proxy", Level.WRONG, said)
    else:
        said = f"The site sees this machine as {seen.address}. If that is the address"
        said += " of the proxy, have it set X-Forwarded-For."
        yield Found("proxy", Level.WELL, said)


def ask_what_is_seen() -> Seen | None:
    """The site's own words, for a request that claims an address that it has not."""
    status, _, body = fetch(_signed_url(), {"X-Forwarded-For": CLAIMED})
    return Seen(**json.loads(body)) if status == 200 else None


def _signed_url() -> str:
    token = signing.dumps("seen", salt=SALT)
    return f"{settings.PUBLIC_URL}/system/seen/?token={token}"


def is_signed(token: str) -> bool:
    try:
        signing.loads(token, salt=SALT, max_age=SIGNED_SECONDS)
    except signing.BadSignature:
        return False
    return True


def _uploads() -> Iterator[Found]:
    """The largest file must reach the site, which tells how much of it has come."""
    size = settings.UPLOAD_MAX_BYTES
    mb = size // 2**20
    kind = {"Content-Type": "application/octet-stream"}  # else it is read as a form
    try:
        status, _, answer = fetch(_signed_url(), kind, body=bytes(size))
    except OSError as error:
        said = f"An upload of {mb} MB did not get through: {_reason(error)}."
        yield Found("uploads", Level.WRONG, f"{said} Raise the limit of the proxy.")
        return
    if status == 413:
        said = f"The proxy refuses an upload of {mb} MB (413). Raise its limit to"
        yield Found("uploads", Level.WRONG, f"{said} {2 * mb} MB.")
        return
    came = _came(answer) if status == 200 else None
    if came == size:
        yield Found("uploads", Level.WELL, f"Uploads of {mb} MB get through.")
        return
    said = f"The site should report that it received all {size:,} bytes of an upload."
    said += f" It answered {status}" if came is None else f" It reported {came:,} bytes"
    said += ". Look at the logs of the proxy and of the site."
    yield Found("uploads", Level.WRONG, said)


def _came(answer: bytes) -> int | None:
    """How much the site has read; None if this is no answer of ours."""
    try:
        return int(json.loads(answer)["bytes"])
    except (ValueError, KeyError, TypeError):
        return None


class _Stay(HTTPRedirectHandler):
    """A redirect is what some checks look for."""

    def redirect_request(self, *args: object) -> None:
        return None


def fetch(
    url: str, headers: dict[str, str] | None = None, body: bytes | None = None
) -> tuple[int, Message, bytes]:
    """Status, headers and the first kilobytes; never follows a redirect.

    Raises:
        OSError: Nobody answers, or not as HTTP should.
    """
    request = Request(url, data=body, headers=headers or {})  # noqa: S310 -- PUBLIC_URL
    seconds = UPLOAD_TIMEOUT if body else TIMEOUT
    try:
        with build_opener(_Stay).open(request, timeout=seconds) as answer:
            return answer.status, answer.headers, answer.read(10_000)
    except HTTPError as error:
        with error:
            return error.code, error.headers, error.read(10_000)


def _reason(error: OSError) -> str:
    return str(error.reason if isinstance(error, URLError) else error).rstrip(".")


CHECKS: tuple[Check, ...] = (secrets, parts, tables, queues, disk, clock, site)
