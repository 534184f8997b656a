"""The result of the analysis "replaces"."""

from __future__ import annotations

from typing import Literal, TypedDict

from scoring.analyses.shared.result import MeantOutput
from scoring.stats.estimates import Number
from scoring.stats.replacing.closeness import Closeness
from scoring.stats.replacing.verdicts import Code

Drawn = Literal["", "unnamed", "few"]  # nobody knows who rated; nobody rated enough


class Part(TypedDict):
    """Texts on which people are sure, or less sure."""

    n_texts: int  # with a rating and a score
    advantage: Number
    r: Number  # Pearson's, with the mean rating


class Rater(TypedDict):
    """One rater, left out."""

    name: str
    n_texts: int
    n_prompts: int
    ties: float  # share of texts
    d: float  # mean; above epsilon = the rater is closer by more than that
    p_published: float | None
    p: float | None  # by prompt
    method: str  # "CR2"
    wins_published: bool
    wins: bool


class Row(TypedDict):
    """One metric, constant or sentinel."""

    output: MeantOutput | None  # None: a simple guess
    key: str  # of a simple guess: "mean", "length"; "" = a metric
    name: str  # within a sentence
    signature: str  # of the metric: "ctrleval|model:..."; "" = a simple guess
    mapped: bool  # to the scale of the question
    n_raters: int
    n_refused: int  # raters without a test by prompt
    n_open: int  # raters it seems to match, but on too few texts to be sure
    published: Number  # winning rate
    winning: Number  # by prompt
    advantage: Number
    parts: list[Part]  # low, middle and high variance; empty: no score
    distance: Number  # Jensen-Shannon, of the distributions of ratings
    raters: list[Rater]  # of the metric that the sentence speaks of, else empty
    methods: list[str]  # by prompt, each once
    passes: bool
    code: Code  # of a metric; "none" for a simple guess
    words: str


class OfAspect(TypedDict):
    key: str
    title: str
    closeness: Closeness
    sentence: str
    why: str  # what stands behind it, or what to do
    lead: str  # id of the metric that it speaks of; "" = none
    reason: str  # why there is nothing to compare; "" = there is
    drawn: Drawn  # why raters stand for ratings drawn at random; "" = they do not
    n_texts: int  # with two ratings
    n_raters: int  # with enough texts
    n_few: int  # raters with fewer texts than that
    rows: list[Row]  # metrics, the best first
    trivial: list[Row]
    undirected: list[str]  # metrics left out


class Result(TypedDict):
    epsilon: float
    who: str  # "a crowdworker"
    least_texts: int
    aspects: list[OfAspect]
