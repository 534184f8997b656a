"""Texts of two kinds that belong together: twins, or answers to one prompt."""

from __future__ import annotations

import numpy as np

# So many pairs say enough; all of 50,000 texts with all of 50,000 would not fit.
MOST_PAIRS = 200_000


def matched(
    real: np.ndarray,
    synthetic: np.ndarray,
    group: np.ndarray,
    *,
    rng: np.random.Generator,
    most: int = MOST_PAIRS,
) -> tuple[np.ndarray, np.ndarray, int]:
    """Pair each real text with each synthetic one of its group.

    Args:
        real: Which texts are of the one kind, (n,), bool.
        synthetic: Which are of the other kind, (n,), bool.
        group: What texts of a pair have in common, (n,), of any kind.
        rng: Draws pairs, where there are too many.
        most: About how many pairs to return.

    Returns:
        Rows of the real and of the synthetic texts, each (k,), and how many pairs there
        are in all. Where those are more than `most`, so many are drawn of them, and the
        few that come twice count once.
    """
    _, at = np.unique(group, return_inverse=True)
    at = at.reshape(-1)
    n_groups = int(at.max(initial=-1)) + 1
    ours, theirs = (
        rows[np.argsort(at[rows], kind="stable")]
        for rows in (np.flatnonzero(real), np.flatnonzero(synthetic))
    )
    n_ours, n_theirs = (
        np.bincount(at[rows], minlength=n_groups) for rows in (ours, theirs)
    )
    pairs = n_ours * n_theirs
    total, ends = int(pairs.sum()), np.cumsum(pairs)
    chosen = np.arange(total) if total <= most else rng.integers(total, size=most)
    chosen = np.unique(chosen)
    in_group = np.searchsorted(ends, chosen, side="right")
    within = chosen - (ends - pairs)[in_group]
    starts = [np.cumsum(n) - n for n in (n_ours, n_theirs)]
    first, second = np.divmod(within, np.maximum(n_theirs[in_group], 1))
    return (
        ours[starts[0][in_group] + first],
        theirs[starts[1][in_group] + second],
        total,
    )
