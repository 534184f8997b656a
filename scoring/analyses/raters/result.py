"""The result of the analysis "raters"."""

from __future__ import annotations

from typing import Literal, TypedDict

from scoring.stats.estimates import Number


class Rater(TypedDict):
    """One rater beside the average rater."""

    rater: str
    n: int  # ratings
    # One answer to everything; both ends of the scale and no point between.
    habit: Literal["", "constant", "ends"]
    mean: Number  # of own ratings
    severity: Number  # points of the scale; above 0: stricter
    spread: Number  # above 1: answers lie further apart
    right: Number  # share of ratings that are the most likely answer


class System(TypedDict):
    """One system by its ratings, and by an average rater."""

    place: int  # -1: texts without a system
    system: str
    n_texts: int
    mean: Number
    corrected: Number
    change: Number  # corrected less mean
    rank: float | None  # by the mean
    corrected_rank: float | None


class Answers(TypedDict):
    """What a rater answers where an answer is most likely true."""

    rater: str
    truth: int
    n: Number  # ratings expected there
    shares: list[Number]  # of each value


class OfAspect(TypedDict):
    key: str
    title: str
    higher_is_better: bool
    sentence: str
    reason: str | None  # why there is no model
    n_ratings: int
    n_texts: int
    n_unknown: int  # ratings of raters whom nobody can tell apart
    n_groups: int  # of raters who share texts; 0 = no model
    rater_sd: Number  # log odds
    text_sd: Number
    spread_sd: Number
    raters: list[Rater]  # the strictest first
    systems: list[System]  # the best by the corrected score first
    values: list[int]
    answers: list[Answers]
    why_no_answers: str | None


class Result(TypedDict):
    aspects: list[OfAspect]
