"""The result of the analysis "preferences"."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from scoring.stats.estimates import Number


class System(TypedDict):
    place: int
    system: str
    kind: str
    component: int  # from 1
    elo: Number
    strength: Number
    best: int | None  # ranks that it may have
    worst: int | None
    n: int | None
    won: int
    lost: int
    tied: int
    n_undefined: int


class Pair(TypedDict):
    first: str
    second: str
    won: int
    lost: int
    tied: int
    share: Number


class Position(Number):
    p: float | None
    n_unknown: int


class Fit(Number):
    df: int
    p: float | None
    smallest: float | None


class Effect(Number):
    key: str  # "position", "length"
    one: float | None  # what one unit is: an SD of the relative length


class Steady(TypedDict):
    """Strengths with position and length held fixed, of votes with known lengths."""

    systems: list[SteadySystem]
    effects: list[Effect]
    n_votes: int
    n_unknown: int  # votes left out, because a length is unknown


class SteadySystem(TypedDict):
    system: str
    plain: Number  # Elo points of the same votes, ties as half wins
    steady: Number  # with position and length held fixed


class Question(TypedDict):
    question: str
    n_votes: int
    n_ties: int
    n_pairs: int
    n_raters: int
    n_units: int
    systems: list[System]
    pairs: list[Pair]
    nu: Number
    tie_rate: float | None
    components: list[list[str]]
    left_out: list[str]
    position: Position
    fit: Fit
    steady: Steady | None  # None: no length is known


class JudgedSystem(TypedDict):
    place: int
    system: str
    kind: str
    judge: Number  # Elo points
    people: Number | None  # the same of people's votes on that question


class Agreement(TypedDict):
    n_pairs: int  # that both saw
    n_votes: int  # of people, on these
    judge: Number  # chance that the judge agrees with a person
    people: Number  # chance that two people agree
    kappa: Number  # Cohen's, of the judge with people's votes


class Judge(TypedDict):
    """A judge over the network. None of its votes is among people's."""

    name: str
    question: str
    n_votes: int
    n_ties: int
    people: str | None  # the question of people that it stands beside; None: no such
    systems: list[JudgedSystem]
    agreement: Agreement | None


class Result(TypedDict):
    unit: str
    ridge: float
    half_ties: bool
    n_votes: int
    questions: list[Question]
    judge: NotRequired[Judge]  # only where one was chosen
