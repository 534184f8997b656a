"""The result of the analysis "answer"."""

from __future__ import annotations

from typing import TypedDict

from scoring.stats.analyses.results.common import MeantOutput, Number
from scoring.stats.answer.rules import Code


class Sentinel(TypedDict):
    """A predictor that cannot know quality."""

    key: str
    words: str  # "counting words"
    r: Number  # never below 0
    reason: str | None  # why there is none of it here


class Several(TypedDict):
    """What the mean of several raters reaches."""

    raters: int
    r: Number


class Ceiling(TypedDict):
    one: Number
    several: list[Several]
    method: str
    was_sorted: bool  # "raters" were places in sorted lists: taken as unnamed


class Against(TypedDict):
    """A metric minus something, on the same texts."""

    key: str  # of a sentinel; "" = one rater
    difference: Number
    p: float | None  # two-sided, of this comparison alone


class Row(TypedDict):
    """One metric."""

    output: MeantOutput
    name: str  # within a sentence
    r: Number
    floor: list[Against]  # to each sentinel that there is
    beats: float | None  # p that it beats each of them, adjusted
    below: float | None  # p that one of them beats it, adjusted
    same: Number  # with the targets that one rater is measured with
    ceiling: Against
    apart: float | None  # p that it differs from one rater, adjusted
    code: Code
    words: str
    hardest: str  # key of the sentinel that it is least ahead of
    more: int | None  # prompts more that would decide what is open
    more_words: str


class Undirected(TypedDict):
    """A metric of which neither end is better: no rule speaks of it."""

    output: MeantOutput
    size: Number  # |r|, without an interval


class OfAspect(TypedDict):
    """The answer for one aspect."""

    key: str
    title: str
    sentence: str
    more: int | None  # for the metric that the sentence speaks of
    more_words: str
    lead: str  # id of that metric; "" = none
    n_texts: int  # with a human score
    n_prompts: int  # of these
    family: int  # metrics that p-values are adjusted for
    best: str  # key of the sentinel that reaches most
    sentinels: list[Sentinel]
    ceiling: Ceiling
    rows: list[Row]  # the best first
    undirected: list[Undirected]  # the largest first


class Rules(TypedDict):
    """What the rules count with."""

    alpha: float
    power: float
    margin: float
    medium: float
    min_prompts: int


class Result(TypedDict):
    coefficient: str
    grouping: str
    grouping_why: str  # what the rule that chose it found; "" = someone chose it
    draws: int
    rules: Rules
    rated: bool  # whether anyone has rated anything
    scored: bool  # whether any metric with a direction has scored anything
    signatures: list[str]  # "ctrleval: ctrleval|model:...", of all metrics
    undirected: list[str]  # metrics that are left out: no end of theirs is better
    aspects: list[OfAspect]
