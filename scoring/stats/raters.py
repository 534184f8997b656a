"""Each rater against the others, and how well people agree at best.

Ratings come as one row each: text, rater, value. A rater is compared with a mean that
leaves the rater's own ratings out: with a mean that has them, anyone correlates.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from scoring.stats import jackknife
from scoring.stats._alpha import alphas_without
from scoring.stats._picks import PANEL, SPLITS, at_random, each_rater
from scoring.stats._ratings import Ratings, others_of, ratings
from scoring.stats._within import correlations, means, variance
from scoring.stats.agreement import Alpha, Level, alpha
from scoring.stats.correlation import Coefficient, check, named
from scoring.stats.estimates import Estimate
from scoring.stats.resampling import weighted

EACH_RATER = "each rater with the mean of the others, averaged by texts shared"
ONE_AT_RANDOM = (
    f"a rating drawn at random from each text with the mean of the rest, {SPLITS} times"
)
ALONE = "nobody else rated these texts"
ONE_TEXT = "one text shared with others"
SAME = "the others' ratings of these texts are all the same"


class Figure(NamedTuple):
    """A number, or why there is none."""

    value: float | None
    reason: str | None


class Rater(NamedTuple):
    """What one rater's ratings look like beside those of the others."""

    rater: object
    n: int  # texts rated
    correlation: Coefficient  # with the mean of the others; n = shared texts
    alpha_change: Figure  # alpha without the rater - alpha; > 0: drags it down
    bias: Figure  # mean of own - mean of the others, on shared texts
    sd_ratio: Figure  # spread of own ratings / of the others', on shared texts
    modal_share: float  # (0, 1]; share of the rater's most frequent answer


class Raters(NamedTuple):
    """All raters, and the alpha that they have together."""

    alpha: Alpha
    raters: tuple[Rater, ...]  # in the order of their names


class Ceiling(NamedTuple):
    """How well one rater can replace the others, and a perfect metric could."""

    one: Estimate  # correlation of one rater with the mean of the rest; n = texts
    single: Estimate  # reliability of one rating, [0, 1]
    mean: Estimate  # reliability of the mean of all ratings of a text, [0, 1]
    attainable: Estimate  # sqrt(mean): a metric that knew what raters mean, [0, 1]
    raters: float | None  # ratings per text: harmonic mean over texts with two
    method: str  # how one rater was taken


def others_mean(unit: np.ndarray, rater: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Mean of what the other raters gave to the text of each rating.

    Args:
        unit: As in `_ratings.ratings`, shape (k,).
        rater: As in `_ratings.ratings`, shape (k,).
        value: As in `_ratings.ratings`, shape (k,).

    Returns:
        Shape (k,); NaN where nobody else rated the text, where the rating is missing,
        and where the same rater rated the text again later.

    >>> others_mean(np.array([7, 7, 7, 9]), np.array([1, 2, 3, 1]),
    ...             np.array([1, 2, 6, 5]))
    array([4. , 3.5, 1.5, nan])
    """
    known = ratings(unit, rater, value)
    found = np.full(len(np.asarray(value)), np.nan)
    found[known.row] = others_of(known)
    return found


def leave_one_out(
    unit: np.ndarray,
    rater: np.ndarray,
    value: np.ndarray,
    *,
    level: Level = "ordinal",
    coefficient: str = "pearson",
) -> Raters:
    """Compare each rater with the others.

    Args:
        unit: As in `_ratings.ratings`, shape (k,).
        rater: As in `_ratings.ratings`, shape (k,).
        value: As in `_ratings.ratings`, shape (k,).
        level: Of measurement, for alpha.
        coefficient: "pearson", "spearman" or "kendall".

    Returns:
        Alpha, and for each rater the correlation with the mean of the others; alpha of
        all other ratings minus alpha; the mean difference to the mean of the others;
        the SD (of a sample) of the rater's ratings over that of all others' ratings of
        the same texts; the share of the most frequent answer. None with a reason else.

    Raises:
        ValueError: If the level or the coefficient is unknown.
    """
    check(coefficient)
    known = ratings(unit, rater, value)
    values, column = np.unique(known.value, return_inverse=True)
    counts = _table(known.unit, column, len(values))
    together = alpha(counts, values, level)
    without = alphas_without(counts, values, level, (known.unit, column, known.rater))
    changes = without - (np.nan if together.value is None else together.value)
    answers = _table(known.rater, column, len(values))
    made = zip(
        known.names.tolist(),
        answers.sum(axis=1),
        _with_others(known, coefficient),
        changes,
        _biases(known),
        _spreads(known),
        answers.max(axis=1, initial=0) / np.maximum(answers.sum(axis=1), 1),
        strict=True,
    )
    nothing_left = together.reason or "without this rater there is nothing to compare"
    return Raters(together, tuple(_rater(nothing_left, *figures) for figures in made))


def ceiling(
    unit: np.ndarray,
    rater: np.ndarray | None,
    value: np.ndarray,
    *,
    rng: np.random.Generator,
    coefficient: str = "pearson",
    units: np.ndarray | None = None,
) -> Ceiling:
    """Measure how well a person does as a metric: the bar a metric is to reach.

    r is the correlation of one rater with the mean of the other raters of each text.
    Up to 20 raters: of each rater in turn, averaged with the number of shared texts as
    weight. More, or unknown ones: of a rating drawn from each text, the mean of 20 such
    draws; raters' habits then count as noise, as they do for a metric.

    Raters being alike (Spearman 1910, Brown 1910), r^2 = p R(p, k), where p is the
    reliability of one rating, k + 1 the ratings per text and R as in `spearman_brown`;
    this is solved for p. With the mean of all ratings no metric is expected to
    correlate better than sqrt(R(p, m)), m ratings per text (harmonic mean).

    Args:
        unit: As in `_ratings.ratings`, shape (k,).
        rater: As in `_ratings.ratings`, shape (k,).
        value: As in `_ratings.ratings`, shape (k,).
        rng: Where ratings are drawn from, and groups of many units.
        coefficient: "pearson", "spearman" or "kendall". The reliabilities hold for
            Pearson, for Spearman roughly, for Kendall not.
        units: What is left out together for the intervals, of each rating, shape (k,);
            None: single texts.

    Returns:
        None with a reason where no text has two ratings, too few do, or they do not
        vary. The limits of the reliabilities are those of r, 0 where r is negative.

    Raises:
        ValueError: If the coefficient is unknown or the lengths differ.
    """
    check(coefficient)
    known = ratings(unit, rater, value)
    m = np.bincount(known.unit)
    texts = np.flatnonzero(m >= 2)
    is_panel = rater is not None and len(known.names) <= PANEL
    method = EACH_RATER if is_panel else ONE_AT_RANDOM
    picks = each_rater(known) if is_panel else at_random(known, rng)
    drawn = known.unit if units is None else np.asarray(units)[known.row]
    one = _one_with_rest(known, picks, drawn, coefficient, rng)
    if len(texts) == 0:
        return Ceiling(one, one, one, one, None, method)
    k = round(len(texts) / float((1 / m[texts]).sum()), 9)
    # How many others one rating is compared with: a panel compares every rating.
    times = m[texts] if is_panel else np.ones(len(texts))
    rest = times.sum() / float((times / (m[texts] - 1)).sum())
    if coefficient == "kendall":
        none = Estimate(None, n=one.n, reason="not defined for Kendall's tau")
        return Ceiling(one, none, none, none, k, method)
    single = _mapped(one, lambda r: single_reliability(r, rest))
    mean = _mapped(single, lambda r: spearman_brown(r, k))
    return Ceiling(one, single, mean, _mapped(mean, np.sqrt), k, method)


def spearman_brown(r: float, k: float) -> float:
    """Reliability of the mean of k raters, when that of one is r.

    R = k r / (1 + (k - 1) r) (Spearman 1910, Brown 1910).

    Args:
        r: In [0, 1].
        k: Positive, not necessarily whole; below 1 goes from more raters to fewer.

    Raises:
        ValueError: If r or k is out of range.

    >>> spearman_brown(0.5, 3)
    0.75
    """
    if not 0 <= r <= 1 or k <= 0:
        raise ValueError(f"expected r in [0, 1] and k > 0, got {r} and {k}")
    return k * r / (1 + (k - 1) * r)


def single_reliability(r: float, rest: float) -> float:
    """The p of r^2 = p R(p, rest): a quadratic equation in p.

    Args:
        r: Correlation of one rater with the mean of the rest, in [0, 1].
        rest: How many the rest are.
    """
    half = r**2 * (rest - 1) / (2 * rest)
    return float(min(1.0, half + np.sqrt(half**2 + r**2 / rest)))


def _mapped(made: Estimate, function: Callable[[float], float]) -> Estimate:
    """A number and its limits through a rising function of [0, 1]."""
    if made.value is not None and made.value < 0:
        return Estimate(None, n=made.n, reason="raters disagree more than by chance")
    return made.transformed(lambda part: float(function(max(0.0, part))))


def _one_with_rest(
    known: Ratings,
    picks: list[np.ndarray],
    units: np.ndarray,
    coefficient: str,
    rng: np.random.Generator,
) -> Estimate:
    """The mean correlation of the picked ratings with the rest, with its interval."""
    rest = others_of(known)
    n = int((np.bincount(known.unit) >= 2).sum())
    points = [
        named(coefficient, known.value[rows], rest[rows], ("one rater", "the rest"))
        for rows in picks
    ]
    kept = [i for i, point in enumerate(points) if point.value is not None]
    if not kept:
        reason = points[0].reason if n else "no text has two ratings"
        return Estimate(None, n=n, reason=reason)
    shared = ~np.isnan(rest)
    left = jackknife.leave_out(units[shared], rng=rng)
    at = np.cumsum(shared) - 1
    without = [
        weighted(
            coefficient,
            known.value[picks[i], np.newaxis],
            rest[picks[i], np.newaxis],
            left.draws.only(at[picks[i]]),
        )[:, 0, 0]
        for i in kept
    ]
    n_pairs = np.array([points[i].n for i in kept], np.float64)
    value = np.average([points[i].value for i in kept], weights=n_pairs)
    made = jackknife.jackknifed(value, _average(without, n_pairs), left, "fisher")
    return jackknife.estimate(made, n=n)


def _average(replicates: list[np.ndarray], n_pairs: np.ndarray) -> np.ndarray:
    """Weighted mean of what is defined in each replicate."""
    table = np.stack(replicates, axis=1)
    weights = np.where(np.isnan(table), 0, n_pairs)
    total = weights.sum(axis=1)
    sums = (np.nan_to_num(table) * weights).sum(axis=1)
    return np.divide(sums, total, out=np.full(len(table), np.nan), where=total > 0)


def _rater(
    nothing_left: str,
    name: str,
    n: int,
    r: Coefficient,
    change: float,
    bias: float,
    ratio: float,
    share: float,
) -> Rater:
    unlike = SAME if r.n > 1 else ALONE if r.n == 0 else ONE_TEXT
    return Rater(
        name,
        int(n),
        r,
        _figure(change, nothing_left),
        _figure(bias, ALONE),
        _figure(ratio, unlike),
        float(share),
    )


def _figure(value: float, reason: str) -> Figure:
    return Figure(float(value), None) if np.isfinite(value) else Figure(None, reason)


def _table(row: np.ndarray, column: np.ndarray, width: int) -> np.ndarray:
    """How often each row and column meet, (rows, width)."""
    height = int(row.max(initial=-1)) + 1
    cells = np.bincount(row * width + column, minlength=height * width)
    return cells.reshape(height, width)


def _with_others(known: Ratings, coefficient: str) -> list[Coefficient]:
    rest = others_of(known)
    shared = ~np.isnan(rest)
    return correlations(
        known.value[shared],
        rest[shared],
        known.rater[shared],
        len(known.names),
        coefficient,
    )


def _biases(known: Ratings) -> np.ndarray:
    away = known.value - others_of(known)
    shared = ~np.isnan(away)
    return means(away[shared], known.rater[shared], len(known.names))


def _spreads(known: Ratings) -> np.ndarray:
    """Standard deviation of own ratings over that of the others', shared texts only."""
    size = len(known.names)
    m = np.bincount(known.unit)[known.unit]
    x = known.value - known.value.mean() if len(known.value) else known.value
    kept = m > 1
    who, own = known.rater[kept], x[kept]
    sums = [np.bincount(known.unit, part)[known.unit[kept]] for part in (x, x**2)]
    others = (m[kept] - 1, sums[0] - own, sums[1] - own**2)
    mine = (np.ones(len(own)), own, own**2)
    own_variance, variance_of_others = (
        variance(*(np.bincount(who, part, size) for part in parts))
        for parts in (mine, others)
    )
    ratio = np.full(size, np.nan)
    varies = variance_of_others > 0
    np.divide(own_variance, variance_of_others, out=ratio, where=varies)
    return np.sqrt(ratio)
