"""What is known of systems while a study runs, and of the prompts that tell it."""

from __future__ import annotations

from typing import NamedTuple


class Compared(NamedTuple):
    """Two systems, the first minus the second, on the prompts that have both."""

    number: int  # among all pairs
    first: str
    second: str
    n: int
    mean: float | None  # None: no prompt has both
    low: float | None  # None: no mean is left, see `sequences.interval`
    high: float | None
    sign: int  # 1 or -1 where the order is certain


class Progress(NamedTuple):
    """Which prompts and pages have all that they need."""

    prompts: list[int]  # ids of those that are compared, in order
    n_counted: int  # before the first open one; no more than some are compared
    n_closed: int
    n_prompts: int
    n_pages: int  # that are wanted
    n_pages_left: int

    @property
    def is_cut(self) -> bool:
        return self.n_counted > len(self.prompts)
