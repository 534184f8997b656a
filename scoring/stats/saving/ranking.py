"""Ranks of systems, as far as the tests of all their differences allow."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from scoring.stats.compare import holm
from scoring.stats.saving.correcting import Estimates

ALPHA = 0.05


def pairs(n_systems: int) -> np.ndarray:
    """Each two systems once, (C, 2), the first with the lower place."""
    found = list(combinations(range(n_systems), 2))
    return np.array(found, np.int64).reshape(-1, 2)


def ranges(
    found: Estimates, of: np.ndarray, n_systems: int, *, higher_is_better: bool
) -> list[tuple[int, int] | None]:
    """Best and worst rank of each system, 1 = best.

    A system comes behind those that are significantly better than it, and before those
    that are significantly worse, at 5 % for all pairs together (Holm's method).

    Args:
        found: The differences of the pairs.
        of: The pairs, (C, 2).
        n_systems: How many systems there are.
        higher_is_better: Whether a higher mean is a better one.

    Returns:
        None for a system that no test knows: its intervals are refused.
    """
    adjusted = holm(found.p)
    sign = 1 if higher_is_better else -1
    better, worse, known = np.zeros((3, n_systems), np.int64)
    for (one, other), value, p in zip(of, found.value * sign, adjusted, strict=True):
        if np.isnan(p):
            continue
        known[[one, other]] = 1
        if p < ALPHA:
            up, down = (one, other) if value > 0 else (other, one)
            better[down] += 1
            worse[up] += 1
    return [
        (1 + int(better[s]), n_systems - int(worse[s])) if known[s] else None
        for s in range(n_systems)
    ]
