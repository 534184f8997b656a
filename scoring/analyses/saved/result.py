"""The result of the analysis "saved"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict

from scoring.analyses.shared.result import MeantOutput
from scoring.stats.estimates import Number

# "drawn": people rated a random part; "tried": parts were drawn from what they rated.
Kind = Literal["drawn", "tried", "nothing"]


class System(TypedDict):
    place: int
    system: str
    kind: str


class SystemRow(TypedDict):
    """One system by people alone, and with the help of the metric."""

    n: int  # rated texts, of one draw if tried
    n_texts: int
    people: Number
    corrected: Number
    rank: Sequence[int] | None  # best and worst, by people alone
    corrected_rank: Sequence[int] | None
    weight: float | None  # of the metric
    saved: float | None  # share of the ratings


class Difference(TypedDict):
    first: int
    second: int
    people: Number
    corrected: Number


class MetricRow(TypedDict):
    """What one metric saves on an aspect."""

    output: MeantOutput
    name: str  # within a sentence
    weight: float | None  # mean over systems
    like: float | None  # ratings that people alone would need
    saved: Number  # share of them; its interval is over draws, if tried


class OfAspect(TypedDict):
    key: str
    title: str
    higher_is_better: bool
    kind: Kind
    sentence: str
    refused: str  # what to do and why ratings are not corrected; "" = they are
    n_texts: int  # that could have been drawn
    n_rated: int  # texts
    n_ratings: int
    n_prompts: int  # with a rated text; mean over draws if tried
    lead: str  # id of the metric that helps here; "" = none
    systems: list[SystemRow]
    differences: list[Difference]
    metrics: list[MetricRow]  # the one that saves most first


class Result(TypedDict):
    target: str
    drawn: str  # by the study: "simple", "system", or "" = all texts are asked about
    share: int  # percent that is tried
    tries: int
    least_prompts: int
    systems: list[System]
    aspects: list[OfAspect]
