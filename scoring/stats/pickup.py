"""How early a metric picks the real texts out of a batch: the pick-up rate of ARGENT.

Texts are sorted by the metric, best first, and the share of the real ones that is found
is drawn against the share of the batch that is read.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy  # loads scipy.stats, which takes a second, when it is first used

from scoring.stats import clustered, jackknife
from scoring.stats.counts import LEVEL, Draws
from scoring.stats.estimates import Estimate

N_BATCHES = 10
N_REAL = 10
N_SYNTHETIC = 90
NO_OVERLAP = "the scores of real and synthetic texts do not overlap"


class Pickup(NamedTuple):
    """The curve of one batch of n texts, or why there is none. Arrays of shape (n,)."""

    k: np.ndarray  # % of the batch that is read: 100 m / n for m = 1..n
    rate: np.ndarray  # share of the real texts found so far, in [0, 1]
    upper: np.ndarray  # of a metric that puts all real texts first
    lower: np.ndarray  # of one that puts them last
    area: float | None  # [0, 100]; 50 = as by chance
    n_real: int
    n_synthetic: int
    reason: str | None  # why area is None


class Batches(NamedTuple):
    """Curves of many batches drawn from the same texts. Arrays of shape (n,)."""

    k: np.ndarray
    mean: np.ndarray
    std: np.ndarray  # over batches, ddof 1
    upper: np.ndarray
    lower: np.ndarray
    areas: tuple[float, ...]  # one per batch
    area: float | None  # mean of areas
    area_std: float | None
    reason: str | None


class Twins(NamedTuple):
    """How often a real text scores higher than its synthetic twin, in [0, 1]."""

    strict: Estimate  # a tie counts as a loss
    half: Estimate  # a tie counts as half a win
    n_ties: int


def curve(scores: np.ndarray, real: np.ndarray) -> Pickup:
    """Draw the pick-up rate of one batch.

    pick(m) = real texts among the m best / n_r, U(m) = min(m, n_r) / n_r and
    L(m) = max(0, m - n_s) / n_r, for m = 1..n texts (the percents of the paper are
    m / n, and the same for a batch of 100).
    area = 100 sum_m (pick - L) / sum_m (U - L), which is 100 times the area under the
    ROC curve: the chance that a real text scores higher than a synthetic one.

    Args:
        scores: One per text, higher = more real, shape (n,). NaN = missing; the text
            is left out.
        real: Which texts are real, shape (n,), bool.

    Returns:
        Equal scores count as in random order: each has the mean of what all orders
        would find. Area is None, and the arrays are empty, where no text is real or
        none is synthetic.

    Raises:
        ValueError: If the shapes differ.

    >>> curve(np.array([4, 3, 2, 1]), np.array([True, False, True, False])).area
    75.0
    """
    scores, real = _known(scores, real)
    n, n_r = len(scores), int(real.sum())
    n_s = n - n_r
    if reason := _missing(n_r, n_s):
        none = np.zeros(0)
        return Pickup(none, none, none, none, None, n_r, n_s, reason)
    m = np.arange(1, n + 1)
    levels, which = np.unique(-scores, return_inverse=True)
    read = np.append(0, np.cumsum(np.bincount(which)))
    found = np.append(0, np.cumsum(np.bincount(which, real)))
    rate = np.interp(m, read, found) / n_r  # straight through texts of equal score
    upper = np.minimum(m, n_r) / n_r
    lower = np.maximum(0, m - n_s) / n_r
    area = 100 * _auc(scores, real)
    return Pickup(100 * m / n, rate, upper, lower, area, n_r, n_s, None)


def area_interval(
    scores: np.ndarray, real: np.ndarray, *, level: float = LEVEL
) -> Estimate:
    """Give the area of the curve the interval of DeLong, for independent texts.

    With V_i = the share of synthetic texts below real text i, W_j = the share of real
    texts above synthetic text j (ties half):
    var(area) = var(V) / n_r + var(W) / n_s (DeLong et al. 1988).

    Args:
        scores: As in `curve`.
        real: As in `curve`.
        level: Nominal coverage.

    Returns:
        On the scale of the area, cut off at 0 and 100. No interval with fewer than two
        texts of a kind, where the two kinds do not overlap, or where all scores are
        the same.
    """
    scores, real = _known(scores, real)
    n_r, n_s = int(real.sum()), int((~real).sum())
    if reason := _missing(n_r, n_s):
        return Estimate(None, n=n_r + n_s, reason=reason)
    ranks = scipy.stats.rankdata(scores)
    above = (ranks[real] - scipy.stats.rankdata(scores[real])) / n_s
    below = (ranks[~real] - scipy.stats.rankdata(scores[~real])) / n_r
    area = 100 * float(above.mean())
    if min(n_r, n_s) < 2:
        reason = "an interval needs two real and two synthetic texts"
        return Estimate(area, n=n_r + n_s, reason=reason)
    variance = above.var(ddof=1) / n_r + below.var(ddof=1) / n_s
    if variance == 0:
        # Each text is then above all of the other kind, below all, or equal to all.
        tied = scores.min() == scores.max()
        reason = "all scores are the same" if tied else NO_OVERLAP
        return Estimate(area, n=n_r + n_s, reason=reason)
    half = 100 * float(scipy.stats.norm.isf((1 - level) / 2) * variance**0.5)
    return Estimate(area, max(area - half, 0.0), min(area + half, 100.0), n_r + n_s)


def area_by_unit(
    scores: np.ndarray,
    real: np.ndarray,
    unit: np.ndarray,
    *,
    rng: np.random.Generator,
    level: float = LEVEL,
) -> Estimate:
    """Give the area of the curve the interval of the jackknife over units.

    For texts that share a prompt, where the interval of DeLong is too narrow.

    Args:
        scores: As in `curve`.
        real: As in `curve`.
        unit: The prompt of each text, shape (n,).
        rng: For groups of more than a hundred units, see `jackknife.leave_out`.
        level: Nominal coverage.
    """
    unit = np.asarray(unit)[~np.isnan(np.asarray(scores, np.float64))]
    scores, real = _known(scores, real)
    n_r, n_s = int(real.sum()), int((~real).sum())
    if reason := _missing(n_r, n_s):
        return Estimate(None, n=n_r + n_s, reason=reason)
    left = jackknife.leave_out(unit, rng=rng)
    areas = np.concatenate(
        [_weighted_auc(scores, real, left.draws, p) for p in left.draws.slabs(3)]
    )
    made = jackknife.jackknifed(100 * _auc(scores, real), 100 * areas, left, "natural")
    return jackknife.estimate(made, n=n_r + n_s, level=level, bounds=(0.0, 100.0))


def batches(
    scores: np.ndarray,
    real: np.ndarray,
    *,
    rng: np.random.Generator,
    n_batches: int = N_BATCHES,
    n_real: int = N_REAL,
    n_synthetic: int = N_SYNTHETIC,
) -> Batches:
    """Draw batches from all texts, and average their curves.

    The paper takes 10 sets of 10 real and 90 synthetic texts. A batch has no text
    twice; batches are drawn independently and may share some.

    Args:
        scores: As in `curve`, of all texts there are.
        real: As in `curve`, of all texts there are.
        rng: Where the batches come from.
        n_batches: How many.
        n_real: Real texts of a batch.
        n_synthetic: Synthetic texts of a batch.

    Returns:
        No area where there are fewer texts than one batch needs.
    """
    scores, real = _known(scores, real)
    ours, theirs = np.flatnonzero(real), np.flatnonzero(~real)
    reason = _too_few(len(ours), len(theirs), n_real, n_synthetic, n_batches)
    if reason:
        none = np.zeros(0)
        return Batches(none, none, none, none, none, (), None, None, reason)
    kind = np.arange(n_real + n_synthetic) < n_real
    curves = []
    for _ in range(n_batches):
        batch = [
            rng.choice(ours, n_real, replace=False),
            rng.choice(theirs, n_synthetic, replace=False),
        ]
        curves.append(curve(scores[np.concatenate(batch)], kind))
    rates = np.stack([found.rate for found in curves])
    areas = np.array([found.area for found in curves], np.float64)
    one = n_batches < 2
    return Batches(
        k=curves[0].k,
        mean=rates.mean(axis=0),
        std=np.zeros(rates.shape[1]) if one else rates.std(axis=0, ddof=1),
        upper=curves[0].upper,
        lower=curves[0].lower,
        areas=tuple(float(area) for area in areas),
        area=float(areas.mean()),
        area_std=None if one else float(areas.std(ddof=1)),
        reason=None,
    )


def twins(
    real: np.ndarray,
    synthetic: np.ndarray,
    *,
    unit: np.ndarray | None = None,
    level: float = LEVEL,
) -> Twins:
    """Compare each real text with the synthetic one that was made from it.

    Args:
        real: Scores of the real texts, shape (n,), higher = more real. A pair with a
            missing score is left out.
        synthetic: Scores of their synthetic twins, likewise.
        unit: What shares something, shape (n,); single pairs where None.
        level: Nominal coverage.
    """
    real, synthetic = (np.asarray(a, np.float64) for a in (real, synthetic))
    kept = ~(np.isnan(real) | np.isnan(synthetic))
    n = int(kept.sum())
    if n == 0:
        none = Estimate(None, n=0, reason="no pair with two scores")
        return Twins(none, none, 0)
    won, tied = (real > synthetic)[kept], (real == synthetic)[kept]
    unit = np.arange(len(kept)) if unit is None else np.asarray(unit)
    strict, half = (
        clustered.share(points, unit[kept], level=level)
        for points in (won, won + tied / 2)
    )
    return Twins(strict, half, int(tied.sum()))


def _known(scores: np.ndarray, real: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scores, real = np.asarray(scores, np.float64), np.asarray(real, bool)
    if scores.shape != real.shape or scores.ndim != 1:
        raise ValueError(
            f"expected two vectors of one length, got {scores.shape}, {real.shape}"
        )
    kept = ~np.isnan(scores)
    return scores[kept], real[kept]


def _missing(n_real: int, n_synthetic: int) -> str | None:
    if n_real == 0:
        return "no real texts with a score"
    return "no synthetic texts with a score" if n_synthetic == 0 else None


def _too_few(
    ours: int, theirs: int, n_real: int, n_synthetic: int, n_batches: int
) -> str | None:
    if min(n_real, n_synthetic, n_batches) < 1:
        return "a batch needs real and synthetic texts"
    if ours < n_real:
        return f"fewer than {n_real} real texts"
    return f"fewer than {n_synthetic} synthetic texts" if theirs < n_synthetic else None


def _auc(scores: np.ndarray, real: np.ndarray) -> float:
    """Mann and Whitney's U / (n_r n_s), from the mean ranks of equal scores."""
    n_r, n_s = int(real.sum()), int((~real).sum())
    ranks = scipy.stats.rankdata(scores)
    return float((ranks[real].sum() - n_r * (n_r + 1) / 2) / (n_r * n_s))


def _weighted_auc(
    scores: np.ndarray, real: np.ndarray, made: Draws, part: slice
) -> np.ndarray:
    """The same in replicates; NaN where one has no real or no synthetic text."""
    order = np.argsort(scores, kind="stable")
    rows, real = made.only(order).rows(part), real[order]
    sorted_ = scores[order]
    starts = np.flatnonzero(np.append(True, sorted_[1:] != sorted_[:-1]))
    ours = np.add.reduceat(rows * real, starts, axis=1)
    theirs = np.add.reduceat(rows * ~real, starts, axis=1)
    below = np.cumsum(theirs, axis=1) - theirs / 2
    with np.errstate(invalid="ignore"):
        found: np.ndarray = (ours * below).sum(axis=1) / (
            ours.sum(axis=1) * theirs.sum(axis=1)
        )
    return found
