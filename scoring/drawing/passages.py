"""5. A text whose words have grounds of different depth, for pages alone."""

from __future__ import annotations

from dataclasses import dataclass

DEPTHS = 4  # grounds that can be told apart


@dataclass(frozen=True, slots=True)
class Stretch:
    """Words of one look."""

    words: str
    share: float  # in [0, 1]: how deep their ground is
    underlined: bool = False
    says: str = ""  # the same in words, for who does not see it

    @property
    def depth(self) -> int:
        """From 0, no ground, to `DEPTHS`."""
        return -int(-self.share * DEPTHS // 1)


@dataclass(frozen=True, slots=True)
class Passage:
    title: str
    stretches: tuple[Stretch, ...]
