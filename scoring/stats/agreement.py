"""How far people agree: Krippendorff's alpha of ratings with gaps, with intervals.

Krippendorff (2011), "Computing Krippendorff's alpha-reliability". Per rater: raters.py;
kappa and Gwet's AC: kappa.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Literal, NamedTuple, get_args

import numpy as np

from scoring.stats import jackknife
from scoring.stats._alpha import alphas, patterns, without_each
from scoring.stats.counts import LEVEL as COVERAGE
from scoring.stats.estimates import Estimate
from scoring.stats.jackknife import contrast, jackknifed, leave_out

try:
    import krippendorff
except ImportError:  # a bundle goes without it: it is GPL-3.0, and the rest is not
    krippendorff = None  # type: ignore[assignment,unused-ignore]

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS = get_args(Level)

# The package builds three arrays of units x values x values. Up to this many cells
# that is some 100 MB; above, or without the package, the same sums are taken as matrix
# products. Both are equal to 12 digits, so a bundle finds the same numbers.
MAX_CELLS = 4_000_000
# -1 and 1, say: the ratio of two values has no meaning unless both are positive.
MOST = (-np.inf, 1.0)  # what limits of alpha cannot pass
NO_DIFFERENCE = "the ratings differ, but not at this level of measurement"


class Alpha(NamedTuple):
    """Alpha, or why there is none, and what it rests on."""

    value: float | None  # (-inf, 1]; 1 = perfect agreement, 0 = as by chance
    reason: str | None  # why value is None
    n_units: int  # units with at least two ratings: the others say nothing
    n_ratings: int  # ratings of those units


def alpha(counts: np.ndarray, values: np.ndarray, level: Level) -> Alpha:
    """Measure how far raters agree, beyond what chance would give.

    alpha = 1 - sum_ck o_ck d_ck / sum_ck e_ck d_ck, where o are the observed and e the
    expected coincidences of the values c and k, and d is the squared difference that
    belongs to the level of measurement (Krippendorff 2011, section E). For ordinal
    data d_ck = (n_c/2 + sum of n between c and k + n_k/2)^2: it needs no distances
    between the points of a scale, only their order.

    Args:
        counts: How many raters gave unit u the value c, shape (n, V). Raters need not
            be the same, nor as many, for each unit.
        values: The value of each column, shape (V,), in any order.
        level: "nominal", "ordinal", "interval" or "ratio".

    Returns:
        The value, None with a reason where no unit has two ratings or where all
        ratings that can be compared are the same. Units with fewer than two ratings
        are left out and not counted.

    Raises:
        ValueError: If the level is unknown or the shapes do not match.

    >>> alpha(np.array([[2, 0], [1, 1], [0, 2]]), np.array([1, 2]), "nominal").value
    0.4444444444444444
    """
    if level not in LEVELS:
        raise ValueError(f"level {level!r}: expected one of {', '.join(LEVELS)}")
    counts, values = _used(counts, values)
    n_units, n_ratings = len(counts), int(counts.sum())
    if n_units == 0:
        return Alpha(None, "no text has two ratings", 0, 0)
    if len(values) < 2:
        return Alpha(None, "all ratings are the same", n_units, n_ratings)
    if krippendorff is None or n_units * len(values) ** 2 > MAX_CELLS:
        value = alphas(np.ones((1, n_units)), counts, values, level)[0]
    else:
        with np.errstate(invalid="ignore"):  # 0 / 0 is NO_DIFFERENCE
            value = krippendorff.alpha(
                value_counts=counts, value_domain=values, level_of_measurement=level
            )
    if not np.isfinite(value):
        return Alpha(None, NO_DIFFERENCE, n_units, n_ratings)
    return Alpha(float(value), None, n_units, n_ratings)


def equal_share(counts: np.ndarray) -> float | None:
    """Share of equal pairs of ratings, each unit weighted by its ratings, in [0, 1].

    1 - D_o of nominal alpha: what alpha corrects for chance. Read beside alpha, which
    is low when nearly all ratings are the same, however well raters agree.

    Args:
        counts: As in `alpha`, shape (n, V).

    Returns:
        None where no unit has two ratings.
    """
    counts = np.asarray(counts, np.int64)  # squares of smaller kinds may overflow
    m = counts.sum(axis=1)
    counts, m = counts[m >= 2], m[m >= 2]
    if len(counts) == 0:
        return None
    equal = (counts * (counts - 1)).sum(axis=1) / (m - 1)
    return float(equal.sum() / m.sum())


class Difference(NamedTuple):
    """Two alphas and what the first has over the second."""

    first: Estimate
    second: Estimate
    difference: Estimate


def alpha_interval(
    counts: np.ndarray,
    values: np.ndarray,
    level: Level,
    *,
    rng: np.random.Generator,
    units: np.ndarray | None = None,
    coverage: float = COVERAGE,
) -> Estimate:
    """Give alpha an interval: leave out each text, or each prompt, in turn.

    The jackknife with Student's t, on alpha's own scale: with z or the log of the
    disagreement it covers less. A text that is left out takes all its ratings along:
    raters of one text are not independent. With ten to twenty prompts of ratings with
    two values, or skewed ones, the interval of 95 % covers some 91 %.

    Args:
        counts: As in `alpha`, shape (n, V).
        values: As in `alpha`, shape (V,).
        level: As in `alpha`.
        rng: For groups of more than a hundred units, see `jackknife.leave_out`.
        units: What is left out together, shape (n,): the prompt of each text, to allow
            for texts of one prompt being alike. None leaves out single texts.
        coverage: Nominal coverage.

    Returns:
        Alpha with its limits, and as n the texts with two ratings. None with a reason
        as in `alpha`; no limits with fewer than ten units, or where alpha has no value
        without one of them.
    """
    point = alpha(counts, values, level)
    (counts,), values, units = _prepared([counts], values, units)
    found = patterns(counts)
    left = leave_out(units, rng=rng)
    without = _joined(
        alphas(weights, found.rows, values, level)
        for weights in without_each(found, left)
    )
    made = jackknifed(_or_nan(point), without, left, "natural")
    return jackknife.estimate(
        made, n=point.n_units, reason=point.reason, level=coverage, bounds=MOST
    )


def alpha_difference(
    first: np.ndarray,
    second: np.ndarray,
    values: np.ndarray,
    level: Level,
    *,
    rng: np.random.Generator,
    units: np.ndarray | None = None,
    coverage: float = COVERAGE,
) -> Difference:
    """Compare alpha of two sets of ratings of the same texts, as with and without QC.

    Both lack the same units in turn; a text with fewer than two ratings in one set
    counts for nothing there. So the difference has an interval of its own, narrower
    than the two suggest.

    Args:
        first: Counts as in `alpha`, shape (n, V).
        second: Other counts of the same texts, shape (n, V).
        values: As in `alpha`, shape (V,).
        level: As in `alpha`.
        rng: As in `alpha_interval`.
        units: As in `alpha_interval`.
        coverage: As in `alpha_interval`.

    Returns:
        Alpha of the first, of the second, and first minus second. The difference has
        as n the texts of either, and no value where one of the two has none.
    """
    a, b = alpha(first, values, level), alpha(second, values, level)
    (first, second), values, units = _prepared([first, second], values, units)
    found = patterns(np.hstack([first, second]))
    sides = np.split(found.rows, 2, axis=1)
    left = leave_out(units, rng=rng)
    without = _joined(
        np.stack([alphas(weights, side, values, level) for side in sides], axis=1)
        for weights in without_each(found, left)
    ).reshape(-1, 2)
    one, other = (
        jackknifed(_or_nan(point), column, left, "natural")
        for point, column in zip((a, b), without.T, strict=True)
    )
    _, reason = _minus(a, b)
    made = partial(jackknife.estimate, level=coverage)
    return Difference(
        made(one, n=a.n_units, reason=a.reason, bounds=MOST),
        made(other, n=b.n_units, reason=b.reason, bounds=MOST),
        made(contrast((1, one), (-1, other)), n=len(first), reason=reason),
    )


def _used(counts: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Units with two ratings or more, and values that occur in them, in order."""
    (counts,), values, _ = _prepared([counts], values, None)
    occurs = counts.sum(axis=0) > 0
    return counts[:, occurs], values[occurs]


def _prepared(
    sets: list[np.ndarray], values: np.ndarray, units: np.ndarray | None
) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """Texts with two ratings in any of the sets, with the values in rising order."""
    values = np.asarray(values)
    sets = [np.asarray(counts, np.int64) for counts in sets]
    for counts in sets:
        if counts.ndim != 2 or values.shape != counts.shape[1:]:
            raise ValueError(
                "expected counts (n, V) and values (V,),"
                f" got {counts.shape} and {values.shape}"
            )
    rows = {len(part) for part in [*sets, *([] if units is None else [units])]}
    if len(rows) > 1:
        raise ValueError(f"expected one number of rows, got {sorted(rows)}")
    order = np.argsort(values, kind="stable")
    used = np.any([counts.sum(axis=1) >= 2 for counts in sets], axis=0)
    sets = [counts[used][:, order] for counts in sets]
    units = np.arange(len(used)) if units is None else np.asarray(units)
    return sets, values[order], units[used]


def _joined(slabs: Iterable[np.ndarray]) -> np.ndarray:
    return np.concatenate([*slabs])


def _or_nan(point: Alpha) -> float:
    return np.nan if point.value is None else point.value


def _minus(first: Alpha, second: Alpha) -> tuple[float | None, str | None]:
    if first.value is None:
        return None, f"first: {first.reason}"
    if second.value is None:
        return None, f"second: {second.reason}"
    return first.value - second.value, None
