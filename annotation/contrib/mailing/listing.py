"""The mailing list of a study: read it, and keep it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.utils.crypto import salted_hmac

from annotation import events, platforms
from annotation.models import Recipient, Study

MOST_AT_ONCE = 500
MOST_CHARACTERS = 200  # of a name
MOST_TOLD = 10  # mistakes
HEADERS = {"name", "email", "e-mail", "mail", "address", "email address"}


class ListError(ValueError):
    """These people cannot be listed. The message says why."""


class Person(NamedTuple):
    name: str
    address: str


def read(text: str) -> list[Person]:
    """Lines with an address, or a name and an address in either order.

    Raises:
        ListError: With the lines that cannot be read.
    """
    found: list[Person] = []
    wrong: list[str] = []
    try:
        rows = list(csv.reader(io.StringIO(text.lstrip("\ufeff")), strict=False))
    except csv.Error as error:
        raise ListError("The list cannot be read. Use one person per line.") from error
    for number, row in enumerate(rows, start=1):
        cells = [" ".join(cell.split()) for cell in row if cell.strip()]
        person = _person(cells)
        if person:
            found.append(person)
        elif cells and not _is_header(cells):
            wrong.append(f"line {number} ({' , '.join(cells)[:60]})")
    _refuse_if_wrong(found, wrong)
    return found


def add(
    *, study: Study, people: Iterable[Person], now: datetime, user: User | None = None
) -> int:
    """List those who are not listed yet; return how many.

    Whoever does not want to be written to stays off the list.

    Raises:
        ListError: The study takes no invites.
    """
    if study.platform != platforms.DIRECT:
        title = platforms.label(platforms.DIRECT)
        raise ListError(
            f"Workers of this study come from {study.get_platform_display()}. Emails"
            f' with invite links need the platform "{title}".'
        )
    with transaction.atomic():
        # A form that is sent twice comes in turn.
        Study.objects.select_for_update().get(pk=study.pk)
        by_digest = {digest(study, one.address): one for one in people}
        known = study.recipients.filter(digest__in=by_digest)
        # An address that was deleted, but did not unsubscribe, may be entered again.
        for row in known.filter(address="", refused_at=None):
            row.name, row.address = by_digest[row.digest]
            row.save(update_fields=["name", "address"])
        listed = set(known.values_list("digest", flat=True))
        new = [
            Recipient(study=study, name=one.name, address=one.address, digest=key)
            for key, one in by_digest.items()
            if key not in listed
        ]
        Recipient.objects.bulk_create(new)
        if new:
            detail = f"{len(new)} {'address' if len(new) == 1 else 'addresses'}"
            events.log(
                study=study, verb="listed-addresses", now=now, user=user, detail=detail
            )
    return len(new)


def digest(study: Study, address: str) -> str:
    where = f"{study.public_id}:{address.strip().lower()}"
    return salted_hmac("recipient", where).hexdigest()


def _person(cells: list[str]) -> Person | None:
    at = [n for n, cell in enumerate(cells) if _is_address(cell)]
    if len(at) != 1 or len(cells) > 2:
        return None
    name = cells[1 - at[0]] if len(cells) == 2 else ""
    return Person(name, cells[at[0]]) if len(name) <= MOST_CHARACTERS else None


def _is_address(cell: str) -> bool:
    if len(cell) > 254:
        return False
    try:
        validate_email(cell)
    except ValidationError:
        return False
    return True


def _is_header(cells: list[str]) -> bool:
    return {cell.lower() for cell in cells} <= HEADERS


def _refuse_if_wrong(found: list[Person], wrong: list[str]) -> None:
    if wrong:
        more = "" if len(wrong) <= MOST_TOLD else f" and {len(wrong) - MOST_TOLD} more"
        raise ListError(
            "Each line needs one email address, and a name if you like:"
            f" {', '.join(wrong[:MOST_TOLD])}{more}."
        )
    if not 1 <= len(found) <= MOST_AT_ONCE:
        raise ListError(f"Enter 1 to {MOST_AT_ONCE} people; these are {len(found)}.")
