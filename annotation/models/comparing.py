"""The answers that people can give when they compare two texts."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from django.utils.translation import gettext_noop

from annotation.models.studies import Study

# Answers as stored, seen from the first text of the pair. Which text was on the left is
# with the seat.
MUCH_FIRST, FIRST, TIE, SECOND, MUCH_SECOND = 1, 2, 3, 4, 5

# As a worker gave it, who saw the texts as A on the left and B on the right.
IN_WORDS = {
    MUCH_FIRST: gettext_noop("A is much better"),
    FIRST: gettext_noop("A is better"),
    TIE: gettext_noop("No difference"),
    SECOND: gettext_noop("B is better"),
    MUCH_SECOND: gettext_noop("B is much better"),
}

# By how much the first text is better: see `lead`.
LEADS = {
    2: "first much better",
    1: "first better",
    0: "no difference",
    -1: "second better",
    -2: "second much better",
}


def points(study: Study) -> tuple[int, ...]:
    """The answers that a study offers, from left to right."""
    much = (MUCH_FIRST, FIRST), (SECOND, MUCH_SECOND)
    low, high = much if study.pair_strength else ((FIRST,), (SECOND,))
    return (*low, *((TIE,) if study.pair_ties else ()), *high)


Answer = TypeVar("Answer", int, np.ndarray)


def turned(value: Answer) -> Answer:
    """The same answer seen from the other text."""
    return MUCH_FIRST + MUCH_SECOND - value


def seen(value: int | None, *, flipped: bool) -> int | None:
    """A stored answer from the left, and one from the left as it is stored."""
    return turned(value) if flipped and value is not None else value


def lead(value: int) -> int:
    """By how much the first text is better: from 2, much better, to -2, much worse."""
    return TIE - value
