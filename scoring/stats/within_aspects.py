"""Krippendorff's alpha over several aspects, where only differences within one count.

With ratings of all aspects in one table, a unit being a text and an aspect, texts that
are fluent but off topic make raters "agree": differences between the aspects' means are
part of the expected disagreement. Alpha is then above that of every single aspect. Here
disagreement is expected and observed within each aspect, and added up:

    alpha = 1 - sum_a D_o,a / sum_a D_e,a

D_o,a and D_e,a are the sums over all coincidences of aspect a, as in
`agreement.alpha`; for ordinal data the distances of an aspect are divided by the square
of its number of ratings, and for interval data by the square of the width of its scale,
so that they are shares and aspects can be added. So it is the mean of the aspects'
alphas, weighted by their expected disagreement.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scoring.stats import _alpha, agreement, jackknife
from scoring.stats.agreement import Level
from scoring.stats.estimates import Estimate

NONE = "no aspect has two different ratings that can be compared"


def alpha_within(
    counts: Sequence[np.ndarray],
    values: Sequence[np.ndarray],
    levels: Sequence[Level],
    *,
    rng: np.random.Generator,
    units: np.ndarray | None = None,
) -> Estimate:
    """Alpha within aspects, with the interval of `agreement.alpha_interval`.

    Args:
        counts: For each aspect a how many raters gave text u the value c, (n, V_a), of
            the same texts in the same order.
        values: For each aspect the value of each column, (V_a,), in rising order, from
            the lowest to the highest point of its scale.
        levels: For each aspect, as in `agreement.alpha`.
        rng: As in `agreement.alpha_interval`.
        units: What is left out together, (n,); None: single texts, with all aspects.

    Returns:
        In (-inf, 1]; n: texts with two ratings on some aspect. None with a reason
        where no aspect has two different ratings that can be compared.
    """
    table = np.hstack(counts) if counts else np.zeros((0, 0), np.int64)
    used = np.any([one.sum(axis=1) >= 2 for one in counts], axis=0)
    units = np.arange(len(table)) if units is None else np.asarray(units)
    if counts:
        table, units = table[used], units[used]
    found = _alpha.patterns(table)
    edges = np.cumsum([len(one) for one in values])[:-1]
    sides = np.split(found.rows, edges, axis=1) if counts else []
    aspects = list(zip(sides, values, levels, strict=True))
    value = _within(found.times[np.newaxis], aspects)[0]
    left = jackknife.leave_out(units, rng=rng)
    without = [_within(w, aspects) for w in _alpha.without_each(found, left)]
    made = jackknife.jackknifed(value, np.concatenate(without), left, "natural")
    return jackknife.estimate(made, n=len(table), reason=NONE, bounds=agreement.MOST)


# Counts of the patterns of an aspect, its values, its level.
_Aspect = tuple[np.ndarray, np.ndarray, Level]


def _within(weights: np.ndarray, aspects: Sequence[_Aspect]) -> np.ndarray:
    """Of each replicate, (B,); NaN where nothing is to be disagreed about."""
    observed, expected = np.zeros(len(weights)), np.zeros(len(weights))
    for counts, values, level in aspects:
        sums = _alpha.disagreement(weights, counts, values, level)
        scale: float | np.ndarray = 1.0
        if level == "ordinal":
            scale = np.maximum(sums.n, 1) ** 2
        elif level == "interval":
            scale = max(float(values[-1] - values[0]), 1.0) ** 2
        observed += sums.observed / scale
        expected += sums.expected / np.maximum(sums.n - 1, 1) / scale
    ratio = np.full(len(weights), np.nan)
    np.divide(observed, expected, out=ratio, where=expected > 0)
    return 1 - ratio
