"""The result of the analysis "overview"."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from scoring.analyses.shared.result import Compared
from scoring.stats.grouping import Grouping


class Agreement(TypedDict):
    """Krippendorff's alpha of one aspect at one level of measurement."""

    aspect: str
    title: str  # of the aspect
    level: str
    own: bool  # what the question says
    alpha: float | None
    reason: str | None  # why alpha is None
    n_texts: int  # with at least two ratings
    n_ratings: int  # of those texts
    equal_share: float | None  # of pairs of ratings, uncorrected for chance


class Correlation(TypedDict):
    """One output of a metric against one human aspect, higher = better on both sides.

    Where closeness to human text is what counts, a single text has no direction: its
    scores are taken as they are, `oriented` is False.
    """

    metric: str
    signature: str
    signature_id: int | None  # None: counted for this table, there was no run
    metric_aspect: str  # key of the output
    label: str
    variant: str  # tells two signatures of one metric apart
    human_aspect: str
    title: str  # of the human aspect
    position: int  # of the human aspect in the study
    n: int  # texts with both scores; grouped, of the groups that count
    n_rated: int  # texts that people rated on this aspect, scored or not
    grouping: Grouping  # what texts are compared within; coefficients are averaged
    compared: str  # "12 texts of a prompt"
    pearson: float | None
    spearman: float | None
    kendall: float | None  # tau-b
    reason: str | None  # why there is no coefficient
    matching: bool  # the output is meant for this aspect
    oriented: bool
    baseline: bool  # a length, which a metric should beat
    # What the answer says of it and simple guesses; pages add it.
    trivial: NotRequired[str]
    # That an earlier version of the metric made the scores; pages add it.
    old_version: NotRequired[str | None]


class Mean(TypedDict):
    """A number, or why there is none."""

    value: float | None
    reason: str


class System(TypedDict):
    system: str
    n_texts: int  # with a human score
    means: list[Mean]  # of each aspect


class Result(Compared):
    aspects: list[str]  # titles
    rated: bool  # whether anyone has rated anything
    only_means: bool  # whether only means were uploaded, so that alpha has nothing
    agreement: list[Agreement]
    correlations: list[Correlation]
    systems: list[System]
