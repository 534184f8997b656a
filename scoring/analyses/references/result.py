"""The result of the analysis "references"."""

from __future__ import annotations

from typing import TypedDict

from scoring.analyses.shared.result import Compared, OutputName
from scoring.analyses.variants.result import Difference
from scoring.stats.correlation import CoefficientName
from scoring.stats.estimates import Number


class Spread(TypedDict):
    """HTER of the texts of one system, or of all."""

    system: str  # "" = all texts
    mean: Number
    median: float | None
    untouched: int  # texts that nobody had to change
    counts: list[int]  # of texts, by bin


class Effort(TypedDict):
    """HTER under one set of options."""

    output: OutputName
    without: int  # texts that have none: nobody corrected them
    rows: list[Spread]  # all texts first


class ByKind(TypedDict):
    """One metric against people, by the kind of reference that it reads."""

    output: OutputName
    aspect: str
    n: int  # texts that have a score with each kind
    scored: list[int]  # which of the `kinds` it was run with
    values: list[Number]  # in the order of `kinds`
    differences: list[Difference]  # to the first kind of `scored`


class Result(Compared):
    coefficient: CoefficientName
    kinds: list[str]
    ends: list[float]  # of the bins: the first holds 0 alone, the last has no end
    effort: list[Effort]
    rows: list[ByKind]
    alone: list[str]  # metrics that were scored with one kind only
    family: int
