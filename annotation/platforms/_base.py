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


class BadAddress(ValueError):
    """No address that workers may be sent to. The message says what is expected."""


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
    # Address that the platform gives a study, worker's id -> where who has finished
    # goes. Raises BadAddress for any but the platform's own: see `way_home`.
    own_home: Callable[[str, str], str] | None = None
    signs: bool = False  # whether it can sign its links: see `crowd.signatures`
    secret: str = ""  # of those kept: told to nobody but the worker, so it proves them
    keeps: tuple[str, ...] = ()  # parameters of the link that are kept with a worker
    link_end: str = ""  # what a researcher adds to the link: the platform fills it in
    label: str = ""  # in a form; empty: the title
    note: str = ""  # beside the label where a platform is chosen
    place: int = 5  # among those that are offered; then by name
    has_codes: bool = True  # whether people redeem a completion code there
    grants_credit: bool = False  # of a course, instead of money
    door: str = ""  # the contrib app without which nobody can come
    approves_by: str = ""  # the kept parameter that it approves by; empty: the id

    @property
    def gives_ids(self) -> bool:
        """Whether everyone who comes is known by an account there."""
        return self.new_id is None

    def way_home(self, code: str, *, worker: str, address: str) -> str | None:
        """Where someone who has finished goes on; None where nothing leads there.

        Args:
            code: Their completion code.
            worker: Their id on the platform.
            address: What the study keeps for platforms that give it one.
        """
        if self.home is not None:
            return self.home(code) if code else None
        if self.own_home is None or not address or not self.shape.fullmatch(worker):
            return None
        try:
            return self.own_home(address, worker)
        except BadAddress:  # stored before its platform was chosen
            return None

    def why_no_address(self, address: str) -> str:
        """Why a study cannot keep this one for those who have finished; empty if not.

        Workers follow it: only an address that the platform gives itself will do.
        """
        if self.own_home is None:
            said = f"{self.label or self.title} needs no such address."
            return f"{said} Leave this field empty."
        try:
            self.own_home(address, "1")
        except BadAddress as error:
            return str(error)
        return ""

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
