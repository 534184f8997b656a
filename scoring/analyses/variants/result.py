"""The result of the analysis "variants"."""

from __future__ import annotations

from typing import TypedDict

from scoring.analyses.shared.result import ByCoefficient, Compared
from scoring.stats.correlation import CoefficientName
from scoring.stats.estimates import Number


class Difference(TypedDict):
    """A variant minus the reference."""

    difference: Number
    p: float | None
    adjusted: float | None
    reason: str | None


class Column(TypedDict):
    """One output of all variants."""

    label: str
    aspect: str
    meant: bool  # for this aspect
    values: list[ByCoefficient[Number]]
    differences: list[Difference]


class Run(TypedDict):
    options: dict[str, object]  # those in which runs differ
    all_options: dict[str, object]
    variant: str
    signature_id: int | None
    signature: str
    small_model: bool
    parameters: int | None


class Table(TypedDict):
    reference: int  # which variant the others are compared with
    columns: list[Column]
    family: int


class Runs(Table):
    metric: str
    rows: list[Run]


class Ways(Table):
    """The ways to combine the evaluators of a run."""

    ways: list[str]


class Weights(Ways, Run):
    metric: str


class Result(Compared):
    coefficient: CoefficientName
    runs: list[Runs]
    weights: list[Weights]
