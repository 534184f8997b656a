"""How words of a worker's own came about: counts of the page, never the words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from annotation.models import Seat

AWAY_SECONDS = 5  # as static/annotation/crowd/writing.js has it
MOST = 1_000_000  # of anything: what a browser claims is bounded


class Writing(NamedTuple):
    """In the text fields of one page, corrections and reports among them."""

    pastes: int  # of what does not stand on the page itself
    pasted: int  # characters
    left: int  # how often the page was left for a while from such a field


def read(said: str) -> Writing | None:
    """As the page writes it, "2:310:1"; None where it makes no sense.

    >>> read("2:310:1")
    Writing(pastes=2, pasted=310, left=1)
    """
    parts = said[:40].split(":")
    whole = [int(one) for one in parts if one.isascii() and one.isdigit()]
    if len(whole) != len(parts) or len(whole) != len(Writing._fields):
        return None
    return Writing(*(min(one, MOST) for one in whole))


def of(seat: Seat) -> Writing | None:
    """What is known; None where no page has counted."""
    if seat.pastes is None or seat.pasted is None or seat.left is None:
        return None
    return Writing(seat.pastes, seat.pasted, seat.left)


def total(seats: Iterable[Seat]) -> Writing | None:
    """Over the pages that counted; None where none did."""
    found = [one for one in map(of, seats) if one is not None]
    return Writing(*map(sum, zip(*found, strict=True))) if found else None


def shown(seat: Seat) -> str:
    """From which the page continues."""
    found = of(seat)
    return ":".join(map(str, found)) if found else ""


def note(seat: Seat, writing: Writing | None) -> list[str]:
    """Put it on the seat, which is not saved. Counts never go back.

    Returns:
        The fields that changed.
    """
    known = of(seat)
    if writing is None:
        return []
    most = writing if known is None else Writing(*map(max, known, writing))
    if most == known:
        return []
    seat.pastes, seat.pasted, seat.left = most
    return list(Writing._fields)
