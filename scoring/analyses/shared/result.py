"""What the results of several analyses hold."""

from __future__ import annotations

from typing import Generic, TypedDict, TypeVar

T = TypeVar("T")


class ByCoefficient(TypedDict, Generic[T]):
    pearson: T
    spearman: T
    kendall: T


class AspectName(TypedDict):
    key: str
    title: str


class OutputName(TypedDict):
    """What a table says of an output, and where its name leads."""

    id: str
    place: int  # gives it its colour
    label: str
    variant: str
    key: str
    signature_id: int | None  # None: no run gave it, so it leads nowhere
    aspect: str  # key of the one beside which its points are shown; "" = none
    baseline: bool
    badges: list[str]


class MeantOutput(OutputName):
    meant_for: str  # title of an aspect; "" = none


class Compared(TypedDict):
    """Which texts are compared with each other, the same on every page."""

    grouping: str
    grouping_why: str  # which texts, and why the rule chose them; "" = nothing is rated
    compared: str  # "12 texts of a prompt"; "" = nothing is rated
    undefined: str  # what a group counts in which only a metric is constant


class Basis(Compared):
    """Of what coefficients were computed, and how."""

    level: str
    resample: str
    min_ratings: int
    n_units: int
    n_texts: int
    n_systems: int
