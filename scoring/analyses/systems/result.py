"""The result of the analysis "systems"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from scoring.analyses.shared.result import ByCoefficient, MeantOutput
from scoring.stats.estimates import Number


class System(TypedDict):
    place: int
    system: str
    kind: str
    n_texts: int  # that are not empty
    n_no_output: int  # that are
    n_prompts: int


class Row(TypedDict):
    """One system by people."""

    mean: Number
    rank: int | None
    rank_of_mean: float | None
    range: Sequence[int] | None  # best and worst rank


class Difference(TypedDict):
    first: int
    second: int
    difference: Number
    p: Number
    adjusted: Number


class Aspect(TypedDict):
    key: str
    title: str
    higher_is_better: bool
    unit: str  # of its means: the ends of its scale; its key without an upper end
    order: list[int]
    rows: list[Row]
    family: int
    n_units: int
    testable: bool
    differences: list[Difference]


class Mean(Number):
    std: NotRequired[float]  # where there are several seeds
    seeds: NotRequired[int]
    spread: NotRequired[float]  # SD that other texts would cause
    chance: NotRequired[float]  # this and the next two: of some metrics of systems
    excess: NotRequired[float]
    p: NotRequired[float]


class MetricPair(TypedDict):
    """Two systems by one metric of whole systems."""

    first: int
    second: int
    difference: Number
    p: Number
    adjusted: Number


class Metric(MeantOutput):
    higher_is_better: bool | None
    unit: str
    means: Sequence[Mean]
    ranks: list[float | None]
    of_system: NotRequired[bool]  # there, and true, for metrics of whole systems only
    closeness: NotRequired[str]
    n_without: NotRequired[int]  # empty texts without a score; not of whole systems
    unranked: NotRequired[str]  # why no system has a rank
    pairs: NotRequired[list[MetricPair]]


class OverSeeds(Number):
    std: float | None
    seeds: int


class LevelRow(MeantOutput, ByCoefficient[Number]):
    """One metric beside a ranking by people."""

    soft: Number
    of_system: bool
    directed: NotRequired[bool]  # this and the next: of metrics of whole systems only
    metric: NotRequired[str]
    seeds: NotRequired[ByCoefficient[OverSeeds]]


class Target(TypedDict):
    """A ranking of systems by people."""

    title: str
    kind: str
    n_systems: int
    rows: list[LevelRow]


class Result(TypedDict):
    systems: list[System]
    n_units: int
    n_unknown: int
    aspects: list[Aspect]
    metrics: list[Metric]
    targets: list[Target]
