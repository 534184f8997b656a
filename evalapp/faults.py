"""A part of the installation that is away or broken, and what is said of it.

The visitor is asked to come back; the operator learns what is wrong and
what to do. Anything else is a fault of ours, and stays an error.
"""

from __future__ import annotations

import errno
import sys
from typing import NamedTuple

from django.conf import settings
from django.db import (
    DatabaseError,
    DataError,
    IntegrityError,
    InterfaceError,
    OperationalError,
    ProgrammingError,
)
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template import loader

from evalapp import storage

API = "/api/"
NUMBER = "EVALAPP_REQUEST"  # in META: what the log calls this request
RETRY_AFTER = 30  # seconds
AWAY = (
    "The site cannot read or save anything right now. What you saved before is not"
    " lost. Wait a minute, then try again."
)
BROKEN = (
    "Something went wrong. Try again. If it happens again, tell your administrator when"
    " it happened."
)
ON_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EIO)
CORRUPT = ("malformed", "not a database")


class Fault(NamedTuple):
    part: str  # database, files or storage
    told: str  # to the operator


def of(error: BaseException | None) -> Fault | None:
    """What is away, if that is why there is this error."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in ON_DISK:
            return Fault("files", _of_files(error))
        if isinstance(error, DatabaseError | InterfaceError):
            return _of_database(error)
        if isinstance(error, storage.Away):
            return Fault("storage", str(error))
        error = error.__cause__
    return None


def _of_files(error: OSError) -> str:
    where = error.filename or settings.DATA_DIR
    return (
        f"EvalApp cannot write to {where}: {error.strerror}. Free some space, or give"
        " EvalApp's user permission to write there."
    )


def _of_database(error: DatabaseError | InterfaceError) -> Fault | None:
    if isinstance(error, DataError | IntegrityError):
        return None  # may quote any words
    said, where = str(error).strip(), _where()
    if any(words in said for words in CORRUPT):
        advice = (
            f"is damaged ({said}). Stop EvalApp and put a backup in its place. Backups"
            f" that `up` made are in {settings.DATA_DIR / 'backups'}."
        )
    elif _lacks_tables(error):
        advice = f"lacks tables ({said}). Run `python manage.py migrate`."
    elif "readonly" in said or "unable to open" in said:
        advice = (
            f"cannot be opened or written to ({said}). Give EvalApp's user permission"
            " to write to the file and its folder."
        )
    elif "is full" in said or "No space" in said:
        advice = f"is on a disk that is full ({said}). Free some space."
    elif isinstance(error, OperationalError | InterfaceError):
        advice = f"does not answer ({said}). Start it, or correct DATABASE_URL."
    else:
        return None  # a query of ours is wrong
    return Fault("database", f"The database {where} {advice}")


def _lacks_tables(error: Exception) -> bool:
    if isinstance(error, ProgrammingError):  # PostgreSQL
        return "does not exist" in str(error)
    return str(error).startswith(("no such table", "no such column"))


def _where() -> str:
    """Without a password."""
    found = settings.DATABASES["default"]
    host = f" on {found['HOST']}" if found.get("HOST") else ""
    return f"{found['NAME']}{host}"


def server_error(request: HttpRequest) -> HttpResponse:
    """What is answered where a page has ended in an error. Needs no database."""
    away = of(sys.exc_info()[1]) is not None
    code = 503 if away else 500
    if request.path.startswith(API):
        said = {"errors": [AWAY if away else BROKEN]}
        answer: HttpResponse = JsonResponse(said, status=code)
    elif away:
        page = loader.render_to_string("503.html", {"said": AWAY})
        answer = HttpResponse(page, status=code)
    else:
        known = {"number": request.META.get(NUMBER, "")}
        return HttpResponse(loader.render_to_string("500.html", known), status=code)
    if away:
        answer["Retry-After"] = str(RETRY_AFTER)
    return answer
