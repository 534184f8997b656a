"""The result of the analysis "evaluators"."""

from __future__ import annotations

from typing import TypedDict

from scoring.analyses.shared.result import Compared, OutputName
from scoring.stats.correlation import CoefficientName
from scoring.stats.estimates import Number


class Point(TypedDict):
    """The mean over sets of k evaluators, or metrics."""

    k: int
    mean: Number
    std: float | None
    n_subsets: int


class Single(TypedDict):
    r: Number
    share: float | None


class Row(TypedDict):
    output: OutputName
    metric: str
    options: str  # of its run, as JSON
    aspect: str
    n_evaluators: int
    curve: list[Point]
    single: list[Single]


class ByReference(TypedDict):
    """One metric with k references of each text: the best score, and the mean."""

    output: OutputName
    aspect: str
    best: list[Point]
    mean: list[Point]


class LeftOut(TypedDict):
    name: str
    reason: str


class Ensemble(TypedDict):
    aspect: str
    metrics: list[str]
    curve: list[Point]
    reason: str | None


class Result(Compared):
    coefficient: CoefficientName
    weights: str
    repeats: int
    rows: list[Row]
    left_out: list[LeftOut]
    labels: list[str]
    references: list[ByReference]
    ensemble: Ensemble
