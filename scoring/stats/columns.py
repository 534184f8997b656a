"""The tables that a study's data consist of: columns of equal length, as arrays.

Rows refer to each other by position: `Ratings.text[k]` is a row of `Texts`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Literal, Self

import numpy as np

NONE = -1  # in place of a position: unknown
# Of one dimension, and what they hold.
Str = np.ndarray
Int = np.ndarray
Float = np.ndarray
Bool = np.ndarray
Number = np.ndarray  # integers where all are; points of scales are, sums need not be
DTYPES = {"str": np.str_, "int": np.int64, "float": np.float64, "bool": np.bool_}


def numbers(values: Sequence[object]) -> Number:
    """Make an array of integers, or of floats where one is no integer.

    >>> numbers([1, 2]).dtype, numbers([1, 2.5]).dtype
    (dtype('int64'), dtype('float64'))
    """
    whole = all(isinstance(number, int | np.integer) for number in values)
    return np.array(values, np.int64 if whole else np.float64)


def column_of(cells: Sequence[object], type: str) -> np.ndarray:
    """Cells as an array of what `column_type` names."""
    return numbers(cells) if type == "number" else np.array(cells, DTYPES[type])


@dataclass(frozen=True, slots=True)
class Columns:
    """Of equal length."""

    def __len__(self) -> int:
        return len(getattr(self, fields(self)[0].name))

    @classmethod
    def of(cls, rows: Iterable[Sequence[object]] = ()) -> Self:
        """Rows, whose cells are in the order of the columns."""
        cells = list(zip(*rows, strict=True)) or [()] * len(fields(cls))
        types = [column_type(cls, field.name) for field in fields(cls)]
        return cls(*map(column_of, cells, types))


@dataclass(frozen=True, slots=True)
class Aspect:
    """What people were asked."""

    key: str
    title: str
    higher_is_better: bool = True
    level: Literal["ordinal", "interval"] = "ordinal"  # of measurement
    # Its ends; None: those of the study. A sum of what people mark has no upper end.
    scale: tuple[int, int | None] | None = None


@dataclass(frozen=True, slots=True)
class System:
    """Who wrote texts: a generator, or people (kind "human")."""

    name: str
    kind: str = "generator"


@dataclass(frozen=True, slots=True)
class Texts(Columns):
    """One row for each text, in the order of their upload."""

    key: Str  # the researcher's own id
    prompt: Int  # the usual unit of resampling; of a turn: dialogue
    prefix: Int  # prompts of one beginning share it
    label: Str  # attribute label, "" = none
    system: Int  # row of systems, NONE = unknown
    sample: Int  # k-th text of its system for the prompt
    pair: Str  # twins of one pair share it, "" = none
    excluded: Bool  # by a researcher


@dataclass(frozen=True, slots=True)
class Drawn(Columns):
    """How each text came to be one that people are asked about; or no rows: all are."""

    asked: Bool
    stratum: Int  # of the draw, NONE = not drawn from
    probability: Float  # that it would be asked, NaN = not drawn from


@dataclass(frozen=True, slots=True)
class Ratings(Columns):
    """One row for each single rating, valid or discarded."""

    text: Int  # row of texts
    aspect: Int  # row of aspects
    rater: Str  # pseudonym, or as named in a file; "" = unknown
    value: Number
    valid: Bool  # False = on a page that was discarded
    page: Int  # the sitting, NONE = from a file
    position: Int  # place of the text on the page, NONE = from a file
    seconds: Float  # that the page was in view, NaN = unknown
    informed: Bool  # the rater had read the debriefing before


@dataclass(frozen=True, slots=True)
class Unsaid(Columns):
    """One row for each answer "cannot say": no rating, and counted nowhere else."""

    text: Int  # row of texts
    aspect: Int
    rater: Str
    valid: Bool
    page: Int
    informed: Bool


@dataclass(frozen=True, slots=True)
class Means(Columns):
    """Human scores that came as means, without their ratings."""

    text: Int  # row of texts
    aspect: Int
    mean: Float
    n: Int  # ratings behind it, 0 = unknown


@dataclass(frozen=True, slots=True)
class Negatives(Columns):
    """Texts that were damaged on purpose, hidden on the raters' pages."""

    name: Str  # "survey 12"
    source: Int  # row of the undamaged text, NONE = not among texts
    perturbation: Str
    hurts: Str  # keys of aspects, joined by spaces
    prompt: Int  # of its page


@dataclass(frozen=True, slots=True)
class NegativeRatings(Columns):
    """One row for each rating of a negative, whatever became of its page."""

    negative: Int  # row of negatives
    aspect: Int
    rater: Str
    value: Int
    valid: Bool
    page: Int
    informed: Bool


@dataclass(frozen=True, slots=True)
class Votes(Columns):
    """One row for each choice between the texts of two systems."""

    pair: Str  # what was compared
    question: Str
    first: Int  # row of systems
    second: Int
    ordered: Bool  # whether `first` was shown first
    rater: Str
    outcome: Int  # 1 = first, 2 = second, 0 = tie


@dataclass(frozen=True, slots=True)
class MarkedTexts(Columns):
    """One row for each text in which somebody looked for errors."""

    text: Int  # row of texts
    length: Int  # code points
    source: Int  # of its source, 0 = errors are not marked there


@dataclass(frozen=True, slots=True)
class MarkedWords(Columns):
    """Of some texts in which much is marked: all rows are as long as the longest."""

    text: Int  # row of texts
    words: Str
    source: Str  # "" = errors are not marked there


@dataclass(frozen=True, slots=True)
class ErrorMarks(Columns):
    """One row for each place that somebody marked.

    Who read a text and marked nothing has one row, without a place.
    """

    text: Int  # row of texts
    rater: Str  # as of ratings
    valid: Bool
    page: Int
    informed: Bool
    start: Int  # first code point, NONE = nothing was marked
    end: Int  # behind the last; equal to start: something is missing
    category: Str  # "" = there are none
    severity: Str  # "" = there are none
    side: Str  # "text" or "source"


@dataclass(frozen=True, slots=True)
class MetricMarks(Columns):
    """The same of metrics that say where errors are."""

    text: Int  # row of texts
    metric: Str  # its name
    start: Int
    end: Int
    category: Str
    severity: Str
    side: Str


@dataclass(frozen=True, slots=True)
class UnplacedErrors(Columns):
    """One row for each error of a metric whose place is not known."""

    text: Int  # row of texts
    metric: Str  # as of its marks
    code: Str  # "absent" or "ambiguous": how often its words stand in the text


def column_type(table: type, column: str) -> str:
    """Name the type of a column, of `DTYPES` or "number". Files are read by it, too."""
    return str(table.__annotations__[column]).lower()
