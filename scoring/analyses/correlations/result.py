"""The result of the analysis "correlations"."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from scoring.analyses.answer.result import Sentinel
from scoring.analyses.shared.result import AspectName, Basis, MeantOutput
from scoring.stats.correlation import CoefficientName
from scoring.stats.estimates import Number


class Groups(TypedDict):
    """How many groups have a coefficient, and how many have none and why."""

    n_groups: int
    n_undefined_metric: int
    n_undefined_human: int
    n_small: int


class Correlation(Number):
    best: bool
    groups: Groups


class OfAspect(TypedDict):
    """A number for each output."""

    cells: list[Correlation]
    ranks: list[Number]
    family: int


class Column(TypedDict):
    coefficient: CoefficientName
    aspects: list[OfAspect]


class Attainable(Number):
    n_raters: NotRequired[float | None]  # absent where there is no ceiling at all


class Ceiling(TypedDict):
    """For each aspect, for each coefficient."""

    one: list[list[Number]]
    attainable: list[list[Attainable]]
    method: str
    raters: float | None
    raters_most: float | None


class Behind(TypedDict):
    pooled: Number
    within: Number
    partial: Number


class Calibrated(TypedDict):
    accuracy: Number
    epsilon: Number


class PairCells(Calibrated):
    soft: Number


class Baseline(TypedDict):
    constant: Number
    random: Number
    ties: float | None


class Accuracy(TypedDict):
    within: str
    rows: list[list[PairCells]]  # for each output, for each aspect
    baselines: list[Baseline]  # for each aspect


class Told(TypedDict):
    """What the answer says of a metric and simple guesses."""

    words: str
    reason: str  # why there are no words


class Result(Basis):
    coefficients: list[CoefficientName]
    primary: CoefficientName
    aspects: list[AspectName]
    outputs: list[MeantOutput]
    columns: list[Column]
    heavy: list[str]
    main: list[list[Correlation]]  # for each aspect, for each output
    ceiling: Ceiling
    behind: list[list[Behind]]  # for each output, for each aspect
    matrix: list[list[Number]]
    accuracy: Accuracy
    # For each output, for each aspect; a page adds it, the analysis does not.
    floor: NotRequired[list[list[Told]]]
    # For each aspect, with the main coefficient; likewise.
    sentinels: NotRequired[list[list[Sentinel]]]
