"""What a conversation consists of, and the one plain form that metrics read. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple


class Turn(NamedTuple):
    """What one side says at a time."""

    role: str
    text: str

    @property
    def speaker(self) -> str:
        """The role as people write it: files often begin it with a small letter."""
        return self.role[:1].upper() + self.role[1:]

    def __str__(self) -> str:
        return f"{self.speaker}: {self.text}"


def as_text(turns: Iterable[Turn]) -> str:
    """Turns one below the other: "User: Hi!", "System: Hello.".

    Metrics read it as the source of a turn. A turn of several lines keeps them.
    """
    return "\n".join(map(str, turns))


def turns_of(messages: Sequence[Mapping[str, str]]) -> list[Turn]:
    """As they are stored: [{"role": "user", "text": "Hi!"}, ...]."""
    return [Turn(one["role"], one["text"]) for one in messages]
