"""The tables that a study's data consist of: columns of equal length, as arrays.

Rows refer to each other by position: `Ratings.text[k]` is a row of `Texts`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

NONE = -1  # in place of a position: unknown


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

    key: np.ndarray  # (n,) str: the researcher's own id
    prompt: np.ndarray  # (n,) int: the usual unit of resampling; of a turn: dialogue
    prefix: np.ndarray  # (n,) int: prompts of one beginning share it
    label: np.ndarray  # (n,) str: attribute label, "" = none
    system: np.ndarray  # (n,) int: row of systems, NONE = unknown
    sample: np.ndarray  # (n,) int: k-th text of its system for the prompt
    pair: np.ndarray  # (n,) str: twins of one pair share it, "" = none
    excluded: np.ndarray  # (n,) bool: by a researcher

    def __len__(self) -> int:
        return len(self.key)


@dataclass(frozen=True, slots=True)
class Drawn:
    """How each text came to be one that people are asked about; or no rows: all are."""

    asked: np.ndarray  # (n,) bool
    stratum: np.ndarray  # (n,) int: of the draw, NONE = not drawn from
    probability: np.ndarray  # (n,) float: that it would be asked, NaN = not drawn from

    def __len__(self) -> int:
        return len(self.asked)


@dataclass(frozen=True, slots=True)
class Ratings:
    """One row for each single rating, valid or discarded."""

    text: np.ndarray  # (k,) int: row of texts
    aspect: np.ndarray  # (k,) int: row of aspects
    rater: np.ndarray  # (k,) str: pseudonym, or as named in a file; "" = unknown
    value: np.ndarray  # (k,) int
    valid: np.ndarray  # (k,) bool: False = on a page that was discarded
    page: np.ndarray  # (k,) int: the sitting, NONE = from a file
    position: np.ndarray  # (k,) int: place of the text on the page, NONE = from a file
    seconds: np.ndarray  # (k,) float: that the page was in view, NaN = unknown
    informed: np.ndarray  # (k,) bool: the rater had read the debriefing before

    def __len__(self) -> int:
        return len(self.text)


@dataclass(frozen=True, slots=True)
class Unsaid:
    """One row for each answer "cannot say": no rating, and counted nowhere else."""

    text: np.ndarray  # (k,) int: row of texts
    aspect: np.ndarray  # (k,) int
    rater: np.ndarray  # (k,) str
    valid: np.ndarray  # (k,) bool
    page: np.ndarray  # (k,) int
    informed: np.ndarray  # (k,) bool

    def __len__(self) -> int:
        return len(self.text)


@dataclass(frozen=True, slots=True)
class Means:
    """Human scores that came as means, without their ratings."""

    text: np.ndarray  # (k,) int: row of texts
    aspect: np.ndarray  # (k,) int
    mean: np.ndarray  # (k,) float
    n: np.ndarray  # (k,) int: ratings behind it, 0 = unknown

    def __len__(self) -> int:
        return len(self.text)


@dataclass(frozen=True, slots=True)
class Negatives:
    """Texts that were damaged on purpose, hidden on the raters' pages."""

    name: np.ndarray  # (m,) str: "survey 12"
    source: np.ndarray  # (m,) int: row of the undamaged text, NONE = not among texts
    perturbation: np.ndarray  # (m,) str
    hurts: np.ndarray  # (m,) str: keys of aspects, joined by spaces
    prompt: np.ndarray  # (m,) int: of its page

    def __len__(self) -> int:
        return len(self.name)


@dataclass(frozen=True, slots=True)
class NegativeRatings:
    """One row for each rating of a negative, whatever became of its page."""

    negative: np.ndarray  # (k,) int: row of negatives
    aspect: np.ndarray  # (k,) int
    rater: np.ndarray  # (k,) str
    value: np.ndarray  # (k,) int
    valid: np.ndarray  # (k,) bool
    page: np.ndarray  # (k,) int
    informed: np.ndarray  # (k,) bool

    def __len__(self) -> int:
        return len(self.negative)


@dataclass(frozen=True, slots=True)
class Votes:
    """One row for each choice between the texts of two systems."""

    pair: np.ndarray  # (k,) str: what was compared
    question: np.ndarray  # (k,) str
    first: np.ndarray  # (k,) int: row of systems
    second: np.ndarray  # (k,) int
    ordered: np.ndarray  # (k,) bool: whether `first` was shown first
    rater: np.ndarray  # (k,) str
    outcome: np.ndarray  # (k,) int: 1 = first, 2 = second, 0 = tie

    def __len__(self) -> int:
        return len(self.pair)


# Which columns are not whole numbers. Files are read by it, too.
_TYPES = {
    **{("Texts", name): "str" for name in ("key", "label", "pair")},
    ("Texts", "excluded"): "bool",
    ("Drawn", "asked"): "bool",
    ("Drawn", "probability"): "float",
    ("Ratings", "rater"): "str",
    ("Ratings", "valid"): "bool",
    ("Ratings", "seconds"): "float",
    ("Ratings", "informed"): "bool",
    ("Unsaid", "rater"): "str",
    ("Unsaid", "valid"): "bool",
    ("Unsaid", "informed"): "bool",
    ("Means", "mean"): "float",
    **{("Negatives", name): "str" for name in ("name", "perturbation", "hurts")},
    ("NegativeRatings", "rater"): "str",
    ("NegativeRatings", "valid"): "bool",
    ("NegativeRatings", "informed"): "bool",
    **{("Votes", name): "str" for name in ("pair", "question", "rater")},
    ("Votes", "ordered"): "bool",
}


def column_type(table: str, column: str) -> str:
    """Name the type of a column: str, int, float or bool."""
    return _TYPES.get((table, column), "int")
