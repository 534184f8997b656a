from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass

KEPT = re.compile(r"[A-Za-z0-9_-]{1,64}")


def gettext_noop(words: str) -> str:
    """Mark words for translators. Pages translate them, with Django's `gettext`."""
    return words


class BadWorkerId(ValueError):
    """The link names a worker in a shape that the platform never uses."""


@dataclass(frozen=True, slots=True)
class Platform:
    """How workers of one platform arrive and leave."""

    title: str  # within a sentence
    parameter: str  # of the link: carries the worker's id; empty where no link may
    shape: re.Pattern[str]
    how_to_arrive: str  # for a worker who came without an id
    how_to_return: str  # for one who left a page half done
    how_to_reach: str  # whom to write to where a study names no contact
    when_nothing_is_left: str
    new_id: Callable[[], str] | None = None  # where workers may come without an id
    home: Callable[[str], str] | None = None  # code -> where it is redeemed
    secret: str = ""  # of those kept: told to nobody but the worker, so it proves them
    keeps: tuple[str, ...] = ()  # parameters of the link that are kept with a worker
    link_end: str = ""  # what a researcher adds to the link: the platform fills it in
    label: str = ""  # in a form; empty: the title

    def worker_id(self, query: Mapping[str, str]) -> str | None:
        """The id that a link carries, None without one.

        Raises:
            BadWorkerId: If it has a shape that the platform never uses.
        """
        if not self.parameter or self.parameter not in query:
            return None
        found = query[self.parameter].strip()
        if not self.shape.fullmatch(found):
            raise BadWorkerId(f"{self.parameter} is not an id of {self.title}")
        return found

    def arrival(self, query: Mapping[str, str]) -> dict[str, str]:
        """What else the link says; a value in a shape of no platform is left out."""
        found = {name: query.get(name, "").strip() for name in self.keeps}
        return {name: value for name, value in found.items() if KEPT.fullmatch(value)}


def random_id() -> str:
    """An id that cannot be guessed: anyone who knows it can continue the work."""
    return secrets.token_urlsafe(16)
