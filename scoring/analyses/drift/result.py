"""The result of the analysis "drift"."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from scoring.analyses.shared.result import Compared, OutputName
from scoring.stats.correlation import CoefficientName
from scoring.stats.estimates import Number


class Spread(TypedDict):
    """Human scores of some texts."""

    n: float
    mean: float | None
    std: float | None


class System(Spread):
    name: str
    place: int


class InSystem(Number):
    human_std: float | None


class OfSystems(TypedDict):
    """One metric by system."""

    within: list[InSystem]
    pooled: Number
    std: Number


class Model(TypedDict):
    reason: str | None
    systems: list[System]
    rows: list[OfSystems]
    unnamed: NotRequired[int]  # absent where there is a reason


class OverDraws(TypedDict):
    mean: Number
    std: float | None
    first: Number
    human_std: float | None


class OfQuality(TypedDict):
    """One metric by subset."""

    subsets: list[OverDraws]
    stability: Number


class Subset(Spread):
    counts: list[int]


class Quality(TypedDict):
    reason: str | None
    rows: list[OfQuality]
    subsets: list[Subset]
    repeats: NotRequired[int]  # absent where there is a reason
    edges: NotRequired[list[float]]


class Result(Compared):
    coefficient: CoefficientName
    aspect: str
    n: int
    reason: str | None
    outputs: list[OutputName]
    model: Model
    quality: Quality
