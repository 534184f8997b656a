"""The same statistics by plain loops over copied samples, with scipy."""

from __future__ import annotations

import warnings

import numpy as np
from scipy import stats

from scoring.stats.counts import Draws

SCIPY = {
    "pearson": stats.pearsonr,
    "spearman": stats.spearmanr,
    "kendall": stats.kendalltau,
}


def crossed(x, y, prompts, systems, *, rng, gaps):
    """Scores with gaps at random, of a text of every system for every prompt.

    Returns them with the prompt and the system of each row.
    """
    for scores in (x, y):
        scores[rng.random(scores.shape) < gaps] = np.nan
    return (
        x,
        y,
        np.repeat(np.arange(prompts), systems),
        np.tile(range(systems), prompts),
    )


def correlation(coefficient, x, y, times=None, least=3):
    """Of the sample in which each row stands `times`; NaN where there is none."""
    times = np.ones(len(x), int) if times is None else times.astype(int)
    both = ~(np.isnan(x) | np.isnan(y))
    if both.sum() < least:
        return np.nan
    x, y = np.repeat(x[both], times[both]), np.repeat(y[both], times[both])
    if len(x) < least or np.ptp(x) == 0 or np.ptp(y) == 0:
        return np.nan
    if len(x) == 2:  # where scipy gives up on p, and with it on tau
        return np.sign(x[1] - x[0]) * np.sign(y[1] - y[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return SCIPY[coefficient](x, y).statistic


def weighted(coefficient, x, y, draws: Draws):
    """`resampling.weighted` by a loop."""
    counts = draws.rows()
    found = np.empty((len(draws), x.shape[1], y.shape[1]))
    for b, m, a in np.ndindex(found.shape):
        found[b, m, a] = correlation(coefficient, x[:, m], y[:, a], counts[b])
    return found


def grouped(coefficient, x, y, groups, times=None, undefined="drop", average="macro"):
    """`groups.correlate` of the sample in which each row stands `times`.

    `times` = (of the group, of the row within it), as two vectors over the rows.
    """
    of_group, of_row = times or (np.ones(len(x)), np.ones(len(x)))
    least = 2 if coefficient == "kendall" else 3
    values, weights = [], []
    for group in np.unique(groups):
        rows = groups == group
        part = x[rows], y[rows], of_row[rows]
        value = correlation(coefficient, *part, least=least)
        both = ~(np.isnan(part[0]) | np.isnan(part[1]))
        n, human = part[2][both].sum(), part[1][both & (part[2] > 0)]
        if np.isnan(value) and undefined == "zero" and n >= least <= both.sum():
            value = 0.0 if np.ptp(human) > 0 else np.nan
        if not np.isnan(value):
            values.append(value)
            weights.append(of_group[rows][0] * (n if average == "micro" else 1))
    return np.average(values, weights=weights) if np.sum(weights) else np.nan


def system_level(coefficient, x, y, systems, times=None):
    """`groups.system_level` with means over the rows that stand `times`."""
    times = np.ones(len(x)) if times is None else times
    both = ~(np.isnan(x) | np.isnan(y)) & (times > 0)
    means = [
        [np.average(s[rows], weights=times[rows]) for s in (x, y)]
        for rows in (both & (systems == system) for system in np.unique(systems))
        if rows.any()
    ]
    found = np.array(means).reshape(-1, 2).T
    return correlation(coefficient, *np.round(found, 14))


def longer_tailed(sample: np.ndarray) -> tuple[float, float]:
    """One-sided p of mean 0, greater and less: t, of which one tail is longer."""
    n = len(sample)
    t = stats.ttest_1samp(sample, 0).statistic
    a = stats.skew(sample, bias=False) / n**0.5
    k = 2 / 3 * abs(a)
    if a * t < 0:
        t = np.sign(t) * np.log(1 + k * abs(t)) / k
    return stats.t.sf(t, n - 1), stats.t.cdf(t, n - 1)
