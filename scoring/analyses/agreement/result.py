"""The result of the analysis "agreement"."""

from __future__ import annotations

from typing import TypedDict

from scoring.analyses.shared.result import ByCoefficient
from scoring.stats.correlation import CoefficientName
from scoring.stats.estimates import Number


class Scope(TypedDict):
    """Ratings of one aspect, or of all together."""

    key: str
    aspect: str
    pooled: bool  # of all aspects


class Alpha(Scope):
    alpha: Number
    equal: Number
    gwet: Number
    n_units: int
    n_ratings: int


# "with" is a word of Python.
Sides = TypedDict("Sides", {"without": Number, "with": Number})


class Compared(Scope, Sides):
    """Alpha without and with what was discarded."""

    n_discarded: int
    change: Number


class Quality(TypedDict):
    policy: str
    n_ratings: int
    n_discarded: int
    n_pages: int
    rows: list[Compared]


class BesideOthers(TypedDict):
    """A worker's ratings beside those of the others."""

    correlation: Number
    change: Number
    bias: Number
    sd_ratio: Number
    modal: Number


class Sittings(TypedDict):
    seconds: Number
    pages: Number
    discarded: Number


class Worker(BesideOthers, Sittings):
    worker: str
    n: int


class Workers(TypedDict):
    aspect: str
    n_unknown: int
    alpha: float | None
    rows: list[Worker]


class Needed(Number):
    target: float


class CeilingRow(Scope, ByCoefficient[Number]):
    single: Number
    mean: Number
    attainable: Number
    raters: float | None
    method: str
    needed: list[Needed]


class Ceiling(TypedDict):
    rows: list[CeilingRow]


class Point(TypedDict):
    k: int
    predicted: Number
    measured: Number


class Curve(Scope):
    rows: list[Point]


class Spread(Scope):
    n: int
    n_unsaid: int  # workers who could not say
    scale: str  # "1–5", or "from 0" without an upper end
    mean: Number
    sd: Number
    shares: list[Number]


class Distribution(TypedDict):
    names: list[str]
    rows: list[Spread]


class Result(TypedDict):
    level: str  # of all aspects, or "own": they differ
    resample: str
    coefficient: CoefficientName
    with_discarded: bool
    n_texts: int
    rows: list[Alpha]
    quality: Quality
    workers: Workers
    ceiling: Ceiling
    curve: list[Curve]
    distribution: Distribution
