"""Correlation of two sets of scores with gaps: Pearson, Spearman, Kendall's tau."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, get_args

import numpy as np
import scipy  # loads scipy.stats, which takes a second, when it is first used

from scoring.stats import _kendall

# Two points always lie on a line: r = 1 or -1 by construction.
MIN_PAIRS = 3

CoefficientName = Literal["pearson", "spearman", "kendall"]
SCIPY = {"pearson": "pearsonr", "spearman": "spearmanr", "kendall": "kendalltau"}
COEFFICIENTS: tuple[CoefficientName, ...] = get_args(CoefficientName)
VARIANTS = ("a", "b", "c")

Names = tuple[str, str]


class Coefficient(NamedTuple):
    """A coefficient, or why there is none, and the number of pairs behind it."""

    value: float | None  # [-1, 1]
    reason: str | None  # why value is None
    n: int  # pairs in which neither is missing


class PairCounts(NamedTuple):
    """How the pairs of texts compare in two sets of scores."""

    concordant: int
    discordant: int
    human_ties: int  # equal for people only
    metric_ties: int  # equal for the metric only
    both_ties: int


def pearson(x: np.ndarray, y: np.ndarray, names: Names = ("x", "y")) -> Coefficient:
    """Correlate two sets of scores as they are.

    r = sum (x - mean x)(y - mean y) / sqrt(sum (x - mean x)^2 sum (y - mean y)^2).

    Args:
        x: Scores of texts, shape (n,). NaN = missing; a pair with a missing score is
            left out.
        y: Other scores of the same texts, likewise.
        names: What x and y are, for the reason.

    Returns:
        r in [-1, 1]; None with a reason if fewer than 3 pairs are left, or if one
        side is constant or infinite. Linear: an outlier counts for much.

    >>> pearson(np.array([1, 2, 3, np.nan]), np.array([2, 4, 7, 1]))
    Coefficient(value=0.9933992677987828, reason=None, n=3)
    """
    return _coefficient("pearsonr", x, y, names)


def spearman(x: np.ndarray, y: np.ndarray, names: Names = ("x", "y")) -> Coefficient:
    """Correlate the ranks of two sets of scores.

    rho = Pearson's r of the ranks; equal scores share the mean of their ranks.

    Args:
        x: As in `pearson`.
        y: As in `pearson`.
        names: As in `pearson`.

    Returns:
        rho in [-1, 1], or None with a reason as in `pearson`.
    """
    return _coefficient("spearmanr", x, y, names)


def kendall(
    x: np.ndarray, y: np.ndarray, names: Names = ("x", "y"), variant: str = "b"
) -> Coefficient:
    """Compare the order of each pair of texts in two sets of scores.

    tau-b = (C - D) / sqrt((C + D + T_x)(C + D + T_y)), where C pairs of texts are in
    the same order, D in opposite order, and T_x (T_y) are equal in x (y) only.
    tau-a = (C - D) / (n (n - 1) / 2), which no tie lets reach 1.
    tau-c = 2 (C - D) / (n^2 (k - 1) / k), where k is the number of different scores in
    x or in y, whichever is less (Stuart 1953).

    Args:
        x: As in `pearson`.
        y: As in `pearson`.
        names: As in `pearson`.
        variant: "a", "b" or "c".

    Returns:
        tau in [-1, 1], or None with a reason as in `pearson`, whatever the variant.

    Raises:
        ValueError: If the variant is unknown or the shapes do not match.
    """
    if variant not in VARIANTS:
        raise ValueError(f"variant {variant!r}: expected one of {', '.join(VARIANTS)}")
    found = _coefficient("kendalltau", x, y, names)
    if variant == "b" or found.value is None:
        return found
    if variant == "c":
        x, y = _present(x, y)
        value = scipy.stats.kendalltau(x, y, variant="c").statistic
        return found._replace(value=float(np.clip(value, -1, 1)))
    pairs = pair_counts(x, y)
    excess = pairs.concordant - pairs.discordant
    return found._replace(value=excess / (found.n * (found.n - 1) // 2))


def named(
    coefficient: str, x: np.ndarray, y: np.ndarray, names: Names = ("x", "y")
) -> Coefficient:
    """The coefficient of that name: "pearson", "spearman" or "kendall" (tau-b).

    Raises:
        ValueError: If the coefficient is unknown or the shapes do not match.
    """
    check(coefficient)
    return _coefficient(SCIPY[coefficient], x, y, names)


def check(coefficient: str) -> None:
    """Refuse another word than the three.

    Raises:
        ValueError: If the coefficient is unknown.
    """
    if coefficient not in COEFFICIENTS:
        raise ValueError(f"{coefficient!r}: expected one of {', '.join(COEFFICIENTS)}")


def pair_counts(x: np.ndarray, y: np.ndarray) -> PairCounts:
    """Count how the pairs of texts compare; the five add up to n (n - 1) / 2.

    Args:
        x: Metric scores, shape (n,). NaN = missing; a text with a gap is left out.
        y: Human scores of the same texts. Equal means equal: give means as sum / count,
            which are the same float for the same ratings.

    Raises:
        ValueError: If the shapes do not match.

    >>> tuple(pair_counts(np.array([1, 2, 3]), np.array([1, 4, 4])))
    (2, 0, 1, 0, 0)
    """
    x, y = _present(x, y)
    n = len(x)
    if n < 2:
        return PairCounts(0, 0, 0, 0, 0)
    tied_x, tied_y, both = _ties(x), _ties(y), _ties(np.stack([x, y]))
    untied = n * (n - 1) // 2 - tied_x - tied_y + both
    concordant = (untied + _kendall.excess(x, y)) // 2
    return PairCounts(
        concordant, untied - concordant, tied_y - both, tied_x - both, both
    )


def fisher(
    value: float, n: int, coefficient: str, level: float = 0.95
) -> tuple[float, float] | None:
    """Interval of a correlation of n independent pairs, without resampling.

    tanh(atanh r +- z c / sqrt(n - b)) with c = 1, b = 3 for Pearson (Fisher 1921), and
    c = sqrt(1 + r^2 / 2), b = 3 for Spearman; c = sqrt(0.437), b = 4 for Kendall's
    tau-b (Bonett & Wright 2000). Texts of one prompt are not independent: this is for
    single texts, or for systems where there are too few to resample.

    Args:
        value: The coefficient, in [-1, 1].
        n: Pairs behind it.
        coefficient: "pearson", "spearman" or "kendall".
        level: Nominal coverage.

    Returns:
        Low and high; None if n is too small (3, or 4 for Kendall) or |value| is 1.

    Raises:
        ValueError: If the coefficient is unknown.
    """
    check(coefficient)
    lost = 4 if coefficient == "kendall" else 3
    if n <= lost or abs(value) >= 1:
        return None
    spread = {"pearson": 1.0, "spearman": 1 + value**2 / 2, "kendall": 0.437}
    z = float(scipy.special.ndtri((1 + level) / 2))
    reach = z * math.sqrt(spread[coefficient] / (n - lost))
    middle = math.atanh(value)
    return math.tanh(middle - reach), math.tanh(middle + reach)


def partial(
    x: np.ndarray,
    y: np.ndarray,
    z: np.ndarray,
    coefficient: str,
    names: tuple[str, str, str] = ("x", "y", "z"),
) -> Coefficient:
    """Correlate two sets of scores with a third held fixed, such as the length.

    r_xy.z = (r_xy - r_xz r_yz) / sqrt((1 - r_xz^2)(1 - r_yz^2)), with the chosen
    coefficient throughout.

    Args:
        x: Scores of texts, shape (n,). NaN = missing; only texts that have all three
            count.
        y: Other scores of the same texts, likewise.
        z: What is held fixed of the same texts, likewise.
        coefficient: "pearson", "spearman" or "kendall" (tau-b).
        names: What x, y and z are, for the reason.

    Returns:
        A value in [-1, 1]; None with a reason as in `pearson`, with fewer than 4 texts,
        or where z alone fixes x or y.

    Raises:
        ValueError: If the coefficient is unknown or the shapes do not match.
    """
    check(coefficient)
    columns = [np.asarray(scores, np.float64) for scores in (x, y, z)]
    if len({scores.shape for scores in columns}) > 1 or columns[0].ndim != 1:
        raise ValueError("expected three vectors of one length")
    all_three = ~np.isnan(columns).any(axis=0)
    x, y, z = (scores[all_three] for scores in columns)
    n = len(x)
    if n <= MIN_PAIRS:  # one degree of freedom goes to z
        return Coefficient(None, f"fewer than {MIN_PAIRS + 1} texts have all three", n)
    values = []
    for pair, i, j in (((x, y), 0, 1), ((x, z), 0, 2), ((y, z), 1, 2)):
        found = _coefficient(SCIPY[coefficient], *pair, (names[i], names[j]))
        if found.value is None:
            return found
        values.append(found.value)
    xy, xz, yz = values
    for r, name in ((xz, names[0]), (yz, names[1])):
        if 1 - r**2 <= 1e-12:
            return Coefficient(None, f"{name}: fixed by {names[2]}", n)
    value = (xy - xz * yz) / math.sqrt((1 - xz**2) * (1 - yz**2))
    return Coefficient(float(np.clip(value, -1, 1)), None, n)


def _ties(scores: np.ndarray) -> int:
    """Pairs of equal scores, or of equal columns."""
    sizes = np.unique(scores, axis=-1, return_counts=True)[1]
    return int((sizes * (sizes - 1) // 2).sum())


def _present(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The pairs in which neither is missing, as float64."""
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(
            f"expected two vectors of one length, got {x.shape}, {y.shape}"
        )
    both = ~(np.isnan(x) | np.isnan(y))
    return x[both], y[both]


# Where so few texts make up so much of the spread, they decide Pearson's r.
TAIL, HEAVY = 0.01, 1 / 3


def tail_share(values: np.ndarray) -> float | None:
    """Tell how much of the spread of scores lies with the most extreme 1 % of texts.

    Share of sum (x - mean x)^2 that the largest terms have, in (0, 1]: 0.08 for a
    normal distribution, above 1/3 where tails are heavy, as of likelihoods that were
    not put in logarithms. A sample without those few texts cannot know of them, so
    intervals of Pearson's r are then too narrow, however many texts there are.

    Args:
        values: Scores, shape (n,). NaN and infinite ones are left out.

    Returns:
        None with fewer than 100 scores, of which 1 % is none, or if all are the same.
    """
    values = values[np.isfinite(values)]
    if len(values) * TAIL < 1 or np.ptp(values) <= 1e-12 * np.abs(values).max():
        return None
    scaled = values / np.abs(values).max()  # squares of huge scores are infinite
    squares = np.sort((scaled - scaled.mean()) ** 2)
    return float(squares[-int(len(values) * TAIL) :].sum() / squares.sum())


def _coefficient(
    function: str, x: np.ndarray, y: np.ndarray, names: Names
) -> Coefficient:
    x, y = _present(x, y)
    if reason := _undefined(x, y, names):
        return Coefficient(None, reason, len(x))
    # Rounding may carry a perfect correlation just past 1.
    value = float(np.clip(getattr(scipy.stats, function)(x, y).statistic, -1, 1))
    if np.isnan(value):
        return Coefficient(None, "the scores are too large to compute with", len(x))
    return Coefficient(value, None, len(x))


def _undefined(x: np.ndarray, y: np.ndarray, names: Names) -> str | None:
    if len(x) < MIN_PAIRS:
        return f"fewer than {MIN_PAIRS} pairs of scores"
    for scores, name in zip((x, y), names, strict=True):
        if np.isinf(scores).any():
            return f"{name}: some are infinite"
        # Differences this small are rounding, and would give any correlation.
        if np.ptp(scores) <= 1e-12 * np.abs(scores).max():
            return f"{name}: all the same"
    return None
