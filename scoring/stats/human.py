"""The human score of a text: one number out of its ratings and imported means."""

from __future__ import annotations

import numpy as np

from scoring.stats._columns import tied


def human_scores(
    total: np.ndarray,
    n: np.ndarray,
    at: tuple[np.ndarray, np.ndarray],
    means: np.ndarray,
    means_n: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Mean rating of each text on each aspect, and the number of ratings behind it.

    score = (sum of ratings + sum of mean x n over the imported means)
            / (number of ratings + sum of n)

    Sum over count, because adding thirds gives two floats for one score; what still
    differs by rounding only is made equal, as ties count. An imported mean of unknown
    n counts where there is nothing else.

    Args:
        total: Sums of single ratings, (texts, aspects).
        n: Numbers of single ratings, (texts, aspects).
        at: Text and aspect of each imported mean, two arrays of shape (k,).
        means: Imported means, (k,).
        means_n: Ratings behind each imported mean, (k,); 0 = unknown.

    Returns:
        Scores, (texts, aspects) float64, NaN = not rated; and ratings behind them,
        (texts, aspects) int64, 0 also for a mean of unknown n.
    """
    total, n = total.astype(np.float64), n.astype(np.int64)
    np.add.at(total, at, means * means_n)
    np.add.at(n, at, means_n)
    values = np.divide(total, n, out=np.full(total.shape, np.nan), where=n > 0)
    alone = n[at] == 0
    values[at[0][alone], at[1][alone]] = means[alone]
    return tied(values.T).T, n
