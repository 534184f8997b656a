"""The tables that a study's data consist of: columns of equal length, as arrays.

Rows refer to each other by position: `Ratings.text[k]` is a row of `Texts`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

NONE = -1  # in place of a position: unknown
# Of one dimension, and what they hold.
Str = np.ndarray
Int = np.ndarray
Float = np.ndarray
Bool = np.ndarray


@dataclass(frozen=True, slots=True)
class Aspect:
    """What people were asked."""

    key: str
    title: str
    higher_is_better: bool = True
    level: Literal["ordinal", "interval"] = "ordinal"  # of measurement
    scale: tuple[int, int] | None = None  # its ends; None: those of the study


@dataclass(frozen=True, slots=True)
class System:
    """Who wrote texts: a generator, or people (kind "human")."""

    name: str
    kind: str = "generator"


@dataclass(frozen=True, slots=True)
class Texts:
    """One row for each text, in the order of their upload."""

    key: Str  # the researcher's own id
    prompt: Int  # the usual unit of resampling; of a turn: dialogue
    prefix: Int  # prompts of one beginning share it
    label: Str  # attribute label, "" = none
    system: Int  # row of systems, NONE = unknown
    sample: Int  # k-th text of its system for the prompt
    pair: Str  # twins of one pair share it, "" = none
    excluded: Bool  # by a researcher

    def __len__(self) -> int:
        return len(self.key)


@dataclass(frozen=True, slots=True)
class Drawn:
    """How each text came to be one that people are asked about; or no rows: all are."""

    asked: Bool
    stratum: Int  # of the draw, NONE = not drawn from
    probability: Float  # that it would be asked, NaN = not drawn from

    def __len__(self) -> int:
        return len(self.asked)


@dataclass(frozen=True, slots=True)
class Ratings:
    """One row for each single rating, valid or discarded."""

    text: Int  # row of texts
    aspect: Int  # row of aspects
    rater: Str  # pseudonym, or as named in a file; "" = unknown
    value: Int
    valid: Bool  # False = on a page that was discarded
    page: Int  # the sitting, NONE = from a file
    position: Int  # place of the text on the page, NONE = from a file
    seconds: Float  # that the page was in view, NaN = unknown
    informed: Bool  # the rater had read the debriefing before

    def __len__(self) -> int:
        return len(self.text)


@dataclass(frozen=True, slots=True)
class Unsaid:
    """One row for each answer "cannot say": no rating, and counted nowhere else."""

    text: Int  # row of texts
    aspect: Int
    rater: Str
    valid: Bool
    page: Int
    informed: Bool

    def __len__(self) -> int:
        return len(self.text)


@dataclass(frozen=True, slots=True)
class Means:
    """Human scores that came as means, without their ratings."""

    text: Int  # row of texts
    aspect: Int
    mean: Float
    n: Int  # ratings behind it, 0 = unknown

    def __len__(self) -> int:
        return len(self.text)


@dataclass(frozen=True, slots=True)
class Negatives:
    """Texts that were damaged on purpose, hidden on the raters' pages."""

    name: Str  # "survey 12"
    source: Int  # row of the undamaged text, NONE = not among texts
    perturbation: Str
    hurts: Str  # keys of aspects, joined by spaces
    prompt: Int  # of its page

    def __len__(self) -> int:
        return len(self.name)


@dataclass(frozen=True, slots=True)
class NegativeRatings:
    """One row for each rating of a negative, whatever became of its page."""

    negative: Int  # row of negatives
    aspect: Int
    rater: Str
    value: Int
    valid: Bool
    page: Int
    informed: Bool

    def __len__(self) -> int:
        return len(self.negative)


@dataclass(frozen=True, slots=True)
class Votes:
    """One row for each choice between the texts of two systems."""

    pair: Str  # what was compared
    question: Str
    first: Int  # row of systems
    second: Int
    ordered: Bool  # whether `first` was shown first
    rater: Str
    outcome: Int  # 1 = first, 2 = second, 0 = tie

    def __len__(self) -> int:
        return len(self.pair)


def column_type(table: type, column: str) -> str:
    """Name the type of a column: str, int, float or bool. Files are read by it, too."""
    return str(table.__annotations__[column]).lower()
