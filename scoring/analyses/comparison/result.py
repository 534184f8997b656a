"""The result of the analysis "comparison"."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from scoring.analyses.answer.result import Row as Answered
from scoring.analyses.shared.result import AspectName, Basis, MeantOutput
from scoring.stats.correlation import CoefficientName
from scoring.stats.estimates import Number


class Row(TypedDict):
    """One aspect."""

    aspect: str
    first: Number
    second: Number
    difference: Number
    p: Number
    permutation: Number
    williams: Number
    needed: Number
    adjusted: Number


class Text(TypedDict):
    key: str
    system: str  # "" = unknown
    prompt: int  # from 1


class ByPeople(TypedDict):
    mean: float | None
    rank: float | None  # of 100
    n: int


class RankedText(Text):
    first: float  # rank by the first metric, of 100
    second: float
    people: list[ByPeople]


class Texts(TypedDict):
    n: int
    signature: str
    rows: list[RankedText]


class RankedByPeople(Text):
    metric: float  # rank by the metric, of 100
    people: float
    mean: float  # rating
    n_ratings: int  # 0 = a mean from a file
    difference: float  # metric minus people


class AgainstPeople(TypedDict):
    """One metric and people, on the aspect that it is meant for, or else the first."""

    aspect: str
    n: int
    rows: list[RankedByPeople]  # furthest apart first


class RatedText(Text):
    mean: float


class Pair(TypedDict):
    better: RatedText
    worse: RatedText
    first_right: bool
    apart: float


class Pairs(TypedDict):
    aspect: str
    rows: list[Pair]


class Result(Basis):
    coefficient: CoefficientName
    design: str
    population: str
    swaps: int
    asked: bool  # whether both metrics were chosen
    aspects: list[AspectName]
    reason: str  # why there is nothing to compare, "" = there is
    outputs: list[MeantOutput]
    rows: list[Row]
    texts: NotRequired[Texts]  # absent where there is a reason
    pairs: NotRequired[Pairs]
    # The answer's rows of the two, for each aspect; a page adds them.
    under: NotRequired[list[list[Answered]]]
    against_people: NotRequired[list[AgainstPeople]]  # of the first and of the second
