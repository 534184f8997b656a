"""Which texts people are asked about, where they rate a random part only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Draw:
    """A stratified random draw without replacement; simple with one stratum."""

    drawn: np.ndarray  # (n,) bool
    stratum: np.ndarray  # (n,) int, from 0
    chance: np.ndarray  # (n,) float in (0, 1]: inclusion probability

    def __len__(self) -> int:
        return len(self.drawn)


def one_stratum(n: int) -> np.ndarray:
    """All texts alike: the strata of a simple draw, (n,)."""
    return np.zeros(n, np.int64)


def by_group(groups: np.ndarray) -> np.ndarray:
    """A stratum for each group, such as a system; (n,) int, from 0."""
    return np.unique(groups, return_inverse=True)[1].reshape(-1)


def draw(stratum: np.ndarray, share: float, rng: np.random.Generator) -> Draw:
    """Draw this share of each stratum, without replacement.

    Of a stratum of N texts, n = share N rounded are drawn, but no fewer than two: with
    one there is no variance. Each text of it has the inclusion probability n / N.

    Args:
        stratum: Of each text, (n,) int, from 0.
        share: In (0, 1].
        rng: Where the randomness comes from.

    Raises:
        ValueError: If the share is not in (0, 1].
    """
    if not 0 < share <= 1:
        raise ValueError(f"expected a share above 0 and at most 1, got {share}")
    sizes, n = np.bincount(stratum), wanted(stratum, share)
    order = np.lexsort((rng.random(len(stratum)), stratum))
    first = np.cumsum(sizes) - sizes
    place = np.empty(len(stratum), np.int64)
    place[order] = np.arange(len(stratum)) - first[stratum[order]]
    return Draw(place < n[stratum], stratum, n[stratum] / sizes[stratum])


def wanted(stratum: np.ndarray, share: float) -> np.ndarray:
    """How many texts are drawn of each stratum, (strata,) int."""
    sizes = np.bincount(stratum)
    n = np.minimum(np.maximum(np.round(share * sizes), 2), sizes)
    return np.asarray(n.astype(np.int64))
