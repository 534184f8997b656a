"""The result of the analysis "synthetic"."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from scoring.analyses.shared.result import MeantOutput
from scoring.stats.estimates import Number


class Batches(TypedDict):
    n: int
    real: int
    synthetic: int


class Curve(TypedDict):
    k: list[float]
    mean: list[float]
    std: list[float]
    upper: list[float]
    lower: list[float]


class OfBatches(TypedDict):
    batch: Number
    std: Number
    curve: Curve | None


class Twins(TypedDict):
    strict: Number
    half: Number
    n_ties: int


class Numbers(OfBatches, Twins):
    area: Number


class Row(MeantOutput, Numbers):
    people: bool


class Search(TypedDict):
    """How texts were drawn."""

    batches: Batches
    unit: str
    n_units: int
    match: str
    n_pairs: int
    n_possible: int


class Result(TypedDict):
    reason: str | None
    real: list[str]
    synthetic: list[str]
    n_real: int
    n_synthetic: int
    rows: list[Row]
    # Absent where there is a reason.
    batches: NotRequired[Batches]
    unit: NotRequired[str]
    n_units: NotRequired[int]
    match: NotRequired[str]
    n_pairs: NotRequired[int]
    n_possible: NotRequired[int]
