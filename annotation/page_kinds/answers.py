"""What rooms ask of each kind of page about its answers."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol

from annotation.models import Seat
from annotation.page_kinds.questions import Position

# What is said at each place: a point of a scale, or whatever the kind asks for.
Answers = Mapping[Position, Any]


class Answering(Protocol):
    """How the answers on pages of one kind are read and kept.

    Seats come with survey and study.
    """

    def asked(self, seat: Seat) -> list[Position]:
        """All that a complete page answers, in its order."""

    def parse(self, seat: Seat, data: Mapping[str, str]) -> Answers:
        """What a form brings. What makes no sense counts as missing."""

    def wrong(self, seat: Seat, answers: Answers) -> list[Position]:
        """Those that are no answers on this page."""

    def store(self, seat: Seat, answers: Answers, now: datetime) -> None:
        """Keep them; others stay as they are. The seat is locked."""

    def saved(self, seat: Seat) -> Answers:
        """What was said so far, finished or not."""

    def missing(self, seat: Seat) -> list[Position]:
        """What is still to be answered, in the order of the page."""
