"""Where a metric comes close: on texts that people agree on, or where they do not.

After Elangovan et al., "Beyond Correlation" (ICLR 2025): a metric can look good because
it is right where people disagree, so that anybody is.
"""

from __future__ import annotations

import numpy as np

from scoring.stats.replacing.closeness import Marks

THIRDS = ("low", "middle", "high")


def variances(marks: Marks, n: int) -> np.ndarray:
    """Variance of each text's ratings (divided by their number), (n,).

    NaN where a text has fewer than two.
    """
    m = np.bincount(marks.text, minlength=n)
    there = np.maximum(m, 1)
    mean = np.bincount(marks.text, marks.value, minlength=n) / there
    apart = (marks.value - mean[marks.text]) ** 2
    found = np.bincount(marks.text, apart, minlength=n) / there
    return np.where(m >= 2, found, np.nan)


def thirds(variance: np.ndarray) -> np.ndarray:
    """A third for each text by the variance of its ratings, (n,): 0, 1, 2; -1 = none.

    Cut at the two terciles; texts of one variance stay together, so that the thirds
    differ in size, and one may be empty.

    Args:
        variance: (n,) NaN = fewer than two ratings.
    """
    known = ~np.isnan(variance)
    found = np.full(len(variance), -1)
    if known.any():
        given = np.round(variance[known], 9)
        first, second = np.quantile(given, (1 / 3, 2 / 3), method="inverted_cdf")
        found[known] = (given > first).astype(int) + (given > second)
    return found


def jensen_shannon(
    first: np.ndarray, second: np.ndarray, values: np.ndarray
) -> float | None:
    """Distance of two distributions of ratings, in [0, 1].

    sqrt((KL(p || m) + KL(q || m)) / 2) with m = (p + q) / 2 and logarithms of base 2
    (Lin 1991; Endres and Schindelin 2003): 0 = the same, 1 = nothing in common.

    Args:
        first: Ratings, each one of `values`, of any number.
        second: The same; NaN are left out.
        values: Points of the scale, rising, (V,).

    Returns:
        None where one of them is empty.
    """
    counts = []
    for given in (first, second):
        known = given[~np.isnan(given)]
        at = np.searchsorted(values, known)
        counts.append(np.bincount(at, minlength=len(values)).astype(np.float64))
    if any(count.sum() == 0 for count in counts):
        return None
    p, q = (count / count.sum() for count in counts)
    m = (p + q) / 2
    return float(np.sqrt(max(0.0, (_kl(p, m) + _kl(q, m)) / 2)))


def _kl(p: np.ndarray, m: np.ndarray) -> float:
    there = p > 0
    return float((p[there] * np.log2(p[there] / m[there])).sum())
