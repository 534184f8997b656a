"""The result of the analysis "diagnosis"."""

from __future__ import annotations

from typing import TypedDict

from scoring.analyses.shared.result import MeantOutput
from scoring.stats.estimates import Number


class Kind(TypedDict):
    """A perturbation."""

    name: str
    n: int
    hurts: list[str]  # titles of aspects


class Part(TypedDict):
    """The negatives of one perturbation, or all, by a metric."""

    name: str
    sds: Number
    share: Number


class PeoplePart(Part):
    points: Number
    single: Number


class People(TypedDict):
    """A row for each perturbation, and one for all."""

    judged: list[PeoplePart]
    valid: list[PeoplePart]


class Row(TypedDict):
    """One metric."""

    scored: bool
    auc: Number
    parts: list[Part]


class Seen(TypedDict):
    """Perturbations by who notices them."""

    both: list[str]
    people: list[str]
    metric: list[str]
    raised: list[str]


class Result(TypedDict):
    policy: str
    n_texts: int
    n_negatives: int
    n: int
    n_discarded: int
    n_pages: int
    kinds: list[Kind]
    people: People
    outputs: list[MeantOutput]
    rows: list[Row]  # of each output, and so is the next
    seen: list[Seen]
