"""What probes give, kept as JSON: the types of their results, and nothing that runs.

Who changes one raises the VERSION of the protocols.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict


class Spread(TypedDict):
    """Over seeds; None where there is none."""

    mean: float | None
    sd: float | None
    values: list[float]


class Clusters(TypedDict):
    """A number of clusters, K."""

    asked: int
    used: int


class Probed(TypedDict):
    """What all probes tell of one encoder."""

    n_texts: int
    seeds: int
    seconds: dict[str, float]  # by stage


class ComparedRow(TypedDict):
    key: str
    title: str
    n: int
    cells: list[dict[str, Spread]]  # for each K, of each divergence


class Compared(Probed):
    """Of "perturbations" and "clusters"."""

    rows: list[ComparedRow]
    clusters: list[Clusters]
    n_reference: int


class Accuracy(Clusters):
    accuracy: Spread


class Attribute(TypedDict):
    name: str
    n: int
    left_out: int
    categories: int
    n_train: int
    n_test: int
    column: bool  # whether the corpus says which texts train and which test
    reason: str  # why there is no number, or ""
    baseline: Spread | None
    ways: dict[str, list[Accuracy]]  # by what clusters are learned on, for each K


class Attributes(Probed):
    attributes: list[Attribute]
    clusters: list[int]
    n_learn_on: int


class Feature(TypedDict):
    key: str
    title: str
    mean: float
    r2: list[Spread]  # for each K


class Surface(Probed):
    features: list[Feature]
    clusters: list[Clusters]
    left_out: int
    n_learn_on: int


class Encoder(TypedDict):
    """What stands before the result of each encoder."""

    model: str
    hash: str
    pooling: str
    width: int


class Result(TypedDict):
    version: int
    n_corpus: int
    encoders: Sequence[Encoder]  # each with what its protocol gives


class ComparedEncoder(Encoder, Compared):
    pass


class AttributesEncoder(Encoder, Attributes):
    pass


class SurfaceEncoder(Encoder, Surface):
    pass
