"""Ratings in the order in which the ordinal model reads them, and its parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy  # loads scipy.sparse when it is first used


@dataclass(frozen=True, slots=True)
class Rows:
    """Ratings sorted by text: k of them, T texts, R raters, S systems, K points.

    Texts with the same raters follow each other, and have these in one order.
    """

    text: np.ndarray  # (k,) 0, ..., T - 1, rising
    rater: np.ndarray  # (k,) 0, ..., R - 1
    point: np.ndarray  # (k,) 0, ..., K - 1
    system: np.ndarray  # (T,) 0, ..., S - 1: of each text
    starts: np.ndarray  # (T + 1,) where the ratings of each text begin
    times: np.ndarray  # (R, K) how often each rater gave each point, or as if they had
    groups: list[np.ndarray]  # raters who share texts, directly or through others
    n_raters: int
    n_systems: int
    n_points: int

    @property
    def n_texts(self) -> int:
        return len(self.system)

    @property
    def cell(self) -> np.ndarray:
        """Which rater and point, (k,), as a flat table of both has them."""
        return self.rater * self.n_points + self.point

    def by_text(self, of_rating: np.ndarray) -> np.ndarray:
        """Sums over the ratings of each text, (T,)."""
        return np.add.reduceat(of_rating, self.starts[:-1])

    def by_rater(self, of_rating: np.ndarray) -> np.ndarray:
        """Sums over the ratings of each rater, (R,)."""
        return np.bincount(self.rater, of_rating, self.n_raters)


def rows(
    text: np.ndarray, rater: np.ndarray, point: np.ndarray, system: np.ndarray
) -> Rows:
    """Sort ratings by text, and texts by who rated them.

    Args:
        text: (k,) 0, ..., T - 1, each at least once.
        rater: (k,) 0, ..., R - 1, each at least once.
        point: (k,) 0, ..., K - 1, each at least once.
        system: (T,) 0, ..., S - 1, each at least once.
    """
    crew = _crews(text, rater, len(system))
    order = np.lexsort((rater, crew[text]))
    n = np.bincount(crew[text])
    shape = int(rater.max()) + 1, int(point.max()) + 1
    times = np.bincount(rater * shape[1] + point, minlength=shape[0] * shape[1])
    return Rows(
        crew[text][order],
        rater[order],
        point[order],
        system[np.argsort(crew)],
        np.concatenate([[0], np.cumsum(n)]),
        times.reshape(shape),
        _groups(text, rater),
        shape[0],
        int(system.max()) + 1,
        shape[1],
    )


def every(of: Rows, nth: int) -> Rows:
    """The ratings of each nth text, and who and what occurs in them."""
    kept = of.text % nth == 0
    columns = of.text, of.rater, of.point
    text, rater, point = (np.unique(c[kept], return_inverse=True)[1] for c in columns)
    system = np.unique(of.system[::nth], return_inverse=True)[1]
    return rows(text, rater, point, system)


def _crews(text: np.ndarray, rater: np.ndarray, n_texts: int) -> np.ndarray:
    """New numbers of the texts, (T,): those with the same raters follow each other."""
    order = np.lexsort((rater, text))
    n = np.bincount(text, minlength=n_texts)
    starts = np.cumsum(n) - n
    key = np.zeros((n_texts, 2), np.int64)
    for size in np.unique(n).tolist():
        texts = np.flatnonzero(n == size)
        who = rater[order][starts[texts][:, np.newaxis] + np.arange(size)]
        key[texts, 0] = size
        key[texts, 1] = np.unique(who, axis=0, return_inverse=True)[1].ravel()
    found = np.empty(n_texts, np.int64)
    found[np.lexsort((key[:, 1], key[:, 0]))] = np.arange(n_texts)
    return found


def _groups(text: np.ndarray, rater: np.ndarray) -> list[np.ndarray]:
    n = int(rater.max()) + 1, int(text.max()) + 1
    cells = np.ones(len(text)), (rater, n[0] + text)
    seen = scipy.sparse.coo_array(cells, shape=(sum(n), sum(n)))
    n_groups, of = scipy.sparse.csgraph.connected_components(seen, directed=False)
    return [np.flatnonzero(of[: n[0]] == k) for k in range(n_groups)]


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
