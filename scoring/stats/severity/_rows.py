"""Ratings in the order in which the ordinal model reads them, and its parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


@dataclass(frozen=True, slots=True)
class Rows:
    """Ratings sorted by text: k of them, T texts, R raters, S systems, K points."""

    text: np.ndarray  # (k,) 0, ..., T - 1, rising
    rater: np.ndarray  # (k,) 0, ..., R - 1
    point: np.ndarray  # (k,) 0, ..., K - 1
    system: np.ndarray  # (T,) 0, ..., S - 1: of each text
    starts: np.ndarray  # (T + 1,) where the ratings of each text begin
    n_raters: int
    n_systems: int
    n_points: int

    @property
    def n_texts(self) -> int:
        return len(self.system)

    def by_text(self, of_rating: np.ndarray) -> np.ndarray:
        """Sums over the ratings of each text, (T,)."""
        return np.bincount(self.text, of_rating, self.n_texts)

    def by_rater(self, of_rating: np.ndarray) -> np.ndarray:
        """Sums over the ratings of each rater, (R,)."""
        return np.bincount(self.rater, of_rating, self.n_raters)

    @property
    def times(self) -> np.ndarray:
        """How often each rater gave each point, (R, K)."""
        cells = self.rater * self.n_points + self.point
        size = self.n_raters * self.n_points
        return np.bincount(cells, minlength=size).reshape(-1, self.n_points)


def rows(
    text: np.ndarray, rater: np.ndarray, point: np.ndarray, system: np.ndarray
) -> Rows:
    """Sort ratings by text.

    Args:
        text: (k,) 0, ..., T - 1, each at least once.
        rater: (k,) 0, ..., R - 1, each at least once.
        point: (k,) 0, ..., K - 1, each at least once.
        system: (T,) 0, ..., S - 1, each at least once.
    """
    order = np.argsort(text, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(text))])
    return Rows(
        text[order],
        rater[order],
        point[order],
        system,
        starts,
        int(rater.max()) + 1,
        int(system.max()) + 1,
        int(point.max()) + 1,
    )


class Parameters(NamedTuple):
    """What is estimated; `spread` is None in the model where raters differ in none."""

    thresholds: np.ndarray  # (K - 1,) rising
    systems: np.ndarray  # (S,) the first is 0
    text: float  # SD of texts
    rater: float  # SD of raters' severity
    spread: float | None  # SD of raters' stretching of the thresholds


def unpack(at: np.ndarray, like: Rows) -> Parameters:
    """Parameters from one vector: first threshold, logs of the gaps, systems, SDs."""
    k = like.n_points - 1
    cuts = at[0] + np.concatenate([[0.0], np.cumsum(np.exp(at[1:k]))])
    s = k + like.n_systems - 1
    spread = float(at[s + 2]) if len(at) > s + 2 else None
    systems = np.concatenate([[0.0], at[k:s]])
    return Parameters(cuts, systems, float(at[s]), float(at[s + 1]), spread)


def pack(made: Parameters) -> np.ndarray:
    """The vector of parameters, as `unpack` reads it."""
    cuts = made.thresholds
    spread = [] if made.spread is None else [made.spread]
    return np.concatenate(
        [
            cuts[:1],
            np.log(np.diff(cuts)),
            made.systems[1:],
            [made.text, made.rater, *spread],
        ]
    )


def chain(at: np.ndarray, like: Rows) -> np.ndarray:
    """Derivatives of (thresholds, systems, SDs) by the vector, (p, p)."""
    k = like.n_points - 1
    found = np.eye(len(at))
    found[:k, 0] = 1.0
    found[:k, 1:k] = np.tril(np.ones((k, k)), -1)[:, : k - 1] * np.exp(at[1:k])
    return found
