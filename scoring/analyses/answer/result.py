"""The result of the analysis "answer"."""

from __future__ import annotations

from typing import TypedDict

from scoring.analyses.shared.result import Compared, MeantOutput
from scoring.stats.answer.chips import Chip
from scoring.stats.answer.question import State
from scoring.stats.estimates import Number


class Sentinel(TypedDict):
    """A guess that cannot know quality."""

    key: str
    words: str  # "counting words"
    r: Number
    free: bool  # whether metrics are held against it: it does not need ratings
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

    key: str  # of a guess; "" = one rater
    difference: Number
    p: float | None  # one-sided: small where the metric is above; of this test alone


class Claims(TypedDict):
    """p of each claim, adjusted for its family, so that .05 decides; None = no test."""

    worse: float | None
    better: float | None
    like: float | None
    below: float | None
    beats: float | None
    little: float | None


class Row(TypedDict):
    """One metric."""

    output: MeantOutput
    name: str  # within a sentence
    r: Number
    floor: list[Against]  # to each free guess
    same: Number  # with the targets that one rater is measured with
    ceiling: Against
    keeps: Against  # minus the share of one rater's agreement that counts as like one
    claims: Claims
    family: int  # metrics that p is adjusted for
    code: Chip
    words: str
    hardest: str  # key of the guess that agrees most with people
    more: int | None  # additional prompts that would settle what is open
    more_words: str
    chosen: str  # "before" or "after" the results were shown; "" = not chosen


class Undirected(TypedDict):
    """A metric of which neither end is better: no rule speaks of it."""

    output: MeantOutput
    size: Number  # |r|, without an interval


class OfAspect(TypedDict):
    """The answer for one aspect."""

    key: str
    title: str
    sentence: str
    notes: list[str]  # what has to be known beside it, a sentence each
    state: State  # whether metrics can be judged at all
    unclear: bool  # whether people agree at all is not clear yet
    within_systems: bool  # knowing the system beats one rater, so texts are compared so
    rater_beats: bool | None  # whether one rater beats each guess; None = no rater
    more: int | None  # for the metric that the sentence speaks of
    more_words: str
    lead: str  # id of that metric; "" = none
    n_texts: int  # with a human score
    n_prompts: int  # that tell good from bad
    best: str  # key of the guess that reaches most
    sentinels: list[Sentinel]
    ceiling: Ceiling
    rows: list[Row]  # the best first
    undirected: list[Undirected]  # the largest first


class Rules(TypedDict):
    """What the rules count with."""

    alpha: float
    keeps: float
    little: float
    hardly: float
    min_prompts: int


class Result(Compared):
    coefficient: str
    rules: Rules
    rated: bool  # whether anyone has rated anything
    scored: bool  # whether any metric with a direction has scored anything
    signatures: list[str]  # "ctrleval: ctrleval|model:...", of all metrics
    undirected: list[str]  # metrics that are left out: no end of theirs is better
    aspects: list[OfAspect]
