"""Who marked what in which text: the arrays that agreement and F are computed from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scoring.stats.spans.marks import Mark, Marks, Side


@dataclass(frozen=True, slots=True)
class Pages:
    """What people marked: a page is one text as one person read it."""

    text: np.ndarray  # (k,) int, row of the texts
    rater: np.ndarray  # (k,) int
    marks: tuple[Marks, ...]  # of each page; () = read, and nothing marked

    def __len__(self) -> int:
        return len(self.marks)

    def by_text(self, n_texts: int) -> list[np.ndarray]:
        """Rows of the pages of each text."""
        order = np.argsort(self.text, kind="stable")
        ends = np.cumsum(np.bincount(self.text, minlength=n_texts))
        return np.split(order, ends[:-1]) if n_texts else []

    def only(self, keep: Callable[[Mark], bool]) -> Pages:
        """All pages, with those of their marks that `keep` is true of."""
        return replace(self, marks=tuple(filtered(each, keep) for each in self.marks))


@dataclass(frozen=True, slots=True)
class Texts:
    """What can be marked: n texts."""

    length: np.ndarray  # (n,) int, code points
    prompt: np.ndarray  # (n,) int: what is left out together
    system: np.ndarray  # (n,) int
    source: np.ndarray | None = None  # (n,) int, code points; None = not to be marked

    def __len__(self) -> int:
        return len(self.length)

    @property
    def sides(self) -> dict[Side, np.ndarray]:
        """Lengths of each side that can be marked."""
        sides: dict[Side, np.ndarray] = {"text": self.length}
        if self.source is not None:
            sides["source"] = self.source
        return sides


# A metric's marks of each text; None = it has not read the text.
Predicted = Sequence[Marks | None]


def filtered(marks: Marks, keep: Callable[[Mark], bool]) -> Marks:
    """Those of the marks that `keep` is true of."""
    return tuple(mark for mark in marks if keep(mark))
