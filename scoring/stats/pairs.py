"""How often a metric orders two texts, or two systems, as people do."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scoring.stats._grouped import split
from scoring.stats.counts import Draws
from scoring.stats.soft import SoftAccuracy as SoftAccuracy
from scoring.stats.soft import soft_pairwise_accuracy as soft_pairwise_accuracy

# Means of ratings that are equal on paper differ in the last digits of a float.
HUMAN_TIE = 1e-9
METRIC_TIE = 1e-12  # relative: metrics have any scale
EQUAL = 1e-12  # accuracies that differ by less are equal
# One array of so many pairs takes 80 MB; 4,472 texts without groups have as many.
MAX_PAIRS = 10_000_000
RANDOM_DRAWS = 20

NO_PAIR = "no two texts of a group have both scores"
ALL_TIED = "human scores: all the same in each group"


class TieCalibrated(NamedTuple):
    """Accuracy with the best tie threshold, and what a metric without sense gets."""

    accuracy: float | None  # [0, 1], at epsilon
    epsilon: float | None  # metric scores that differ by this or less are tied
    share_human_ties: float | None  # of all pairs
    constant_baseline: float | None  # accuracy of a metric that ties all
    random_baseline: float | None  # of random metrics, calibrated; None without rng
    n_pairs: int
    reason: str | None  # why accuracy is None


class CrossFitted(NamedTuple):
    """Accuracy of each half at the threshold that was fitted on the other."""

    accuracy: float | None  # [0, 1]
    epsilons: tuple[float, float] | None
    reason: str | None


class _Pairs(NamedTuple):
    """Every two texts of each group, of the rows that have both scores."""

    metric: np.ndarray  # (P,) difference of the two metric scores
    human: np.ndarray  # (P,) -1, 0 or 1
    weight: np.ndarray  # (P,) one over the pairs of the group; sums to n_groups
    group: np.ndarray  # (P,) intp
    first: np.ndarray  # (P,) intp, a row of those that were kept
    second: np.ndarray
    tie: float  # metric scores this close differ by rounding only
    n_groups: int  # with at least one pair


def tie_calibrated(
    metric: np.ndarray,
    human: np.ndarray,
    groups: np.ndarray | None = None,
    *,
    rng: np.random.Generator | None = None,
    draws: int = RANDOM_DRAWS,
) -> TieCalibrated:
    """Measure how often metric and people agree on better, worse or equal.

    acc(eps) = mean over groups of (C + T_hm) / N: C pairs in the same order and T_hm
    tied in both, of N pairs, where the metric ties a pair iff its scores differ by eps
    or less; eps is the value, of 0 and all observed differences, with the best acc,
    and the smallest such (Deutsch, Foster & Freitag 2023, arXiv 2305.14324).
    Exact, by one sort of the pairs. It is optimistic, as eps is fitted on the very
    scores that it is measured on: `cross_fitted` is not.

    Args:
        metric: Scores of texts, higher is better, shape (n,). NaN = missing; a text
            that lacks one is left out.
        human: Human scores of the same texts, likewise. Scores within 1e-9 are tied.
            Z-scores per rater have no ties: do not use them here.
        groups: The group of each text, shape (n,), mostly its prompt; only texts of
            one group are compared. None = all with all.
        rng: Draws the random metrics for the baseline; None = no such baseline.
        draws: How many random metrics.

    Returns:
        None with a reason if there is no pair, if all human scores of each group are
        the same, if a score is infinite, or with more than 10 million pairs.

    >>> tie_calibrated(np.array([1, 2, 4.5]), np.array([1, 1, 2]))[:2]
    (1.0, 1.0)
    """
    pairs = _pairs(metric, human, groups)
    if isinstance(pairs, str):
        return TieCalibrated(None, None, None, None, None, 0, pairs)
    tied = pairs.human == 0
    if tied.all():
        return TieCalibrated(None, None, 1.0, 1.0, None, len(tied), ALL_TIED)
    accuracy, epsilon = _calibrate(pairs)
    constant = _share(pairs.weight[tied].sum() / pairs.n_groups)
    chance = None if rng is None else _random_accuracy(pairs, rng, draws)
    share = float(tied.mean())
    return TieCalibrated(accuracy, epsilon, share, constant, chance, len(tied), None)


def cross_fitted(
    metric: np.ndarray,
    human: np.ndarray,
    groups: np.ndarray | None = None,
    *,
    rng: np.random.Generator,
) -> CrossFitted:
    """Fit the tie threshold on one half and measure on the other, both ways.

    The halves are of whole groups, or of texts where there are no groups; the result
    is the mean of both accuracies, weighted by groups.

    Args:
        metric: As in `tie_calibrated`.
        human: As in `tie_calibrated`.
        groups: As in `tie_calibrated`.
        rng: Draws the halves.
    """
    metric, human = _vectors(metric, human)
    known = ~(np.isnan(metric) | np.isnan(human))
    unit = np.arange(len(metric)) if groups is None else np.asarray(groups)
    names, at = np.unique(unit[known], return_inverse=True)
    side = np.zeros(len(metric), np.int8)
    side[known] = (rng.permutation(len(names)) % 2)[at.reshape(-1)]
    halves = []
    for half in (0, 1):
        part = known & (side == half)
        own = None if groups is None else np.asarray(groups)[part]
        made = _pairs(metric[part], human[part], own)
        if isinstance(made, str):
            return CrossFitted(None, None, f"one half of the texts: {made}")
        if (made.human == 0).all():
            return CrossFitted(None, None, f"one half of the texts: {ALL_TIED}")
        halves.append(made)
    epsilons = (_calibrate(halves[0])[1], _calibrate(halves[1])[1])
    total = sum(
        (made.weight * _correct(made, epsilon)).sum()
        for made, epsilon in zip(halves, reversed(epsilons), strict=True)
    )
    n_groups = sum(made.n_groups for made in halves)
    return CrossFitted(_share(total / n_groups), epsilons, None)


def accuracy_replicates(
    metric: np.ndarray,
    human: np.ndarray,
    draws: Draws,
    groups: np.ndarray | None = None,
    *,
    epsilon: float,
) -> np.ndarray:
    """Accuracy (C + T_hm) / N in each replicate, with the threshold held fixed.

    A group that is drawn whole twice counts twice. Where single texts or systems are
    drawn, a pair counts as often as its two texts meet, but no text meets its own copy:
    such pairs are tied in both, and would make every metric look better.

    Args:
        metric: As in `tie_calibrated`.
        human: As in `tie_calibrated`.
        groups: As in `tie_calibrated`.
        draws: Of the same n rows.
        epsilon: The threshold, from `tie_calibrated`.

    Returns:
        Shape (B,); NaN where a replicate has no pair.
    """
    metric, human = _vectors(metric, human)
    known = np.flatnonzero(~(np.isnan(metric) | np.isnan(human)))
    group = np.zeros(len(metric), np.intp) if groups is None else np.asarray(groups)
    draws, metric, human = draws.only(known), metric[known], human[known]
    if np.isinf(metric).any() or np.isinf(human).any():
        return np.full(len(draws), np.nan)
    names, at = np.unique(group[known], return_inverse=True)
    whole, cutting = split(draws, at.reshape(-1), len(names))
    right, taken = np.zeros((2, len(draws)))
    for m in _members(at.reshape(-1)):
        correct = _correct_matrix(metric[m], human[m], epsilon)
        times = whole.only(at[m[:1]]).rows()[:, 0] if whole.counts else 1.0
        found, n = _judged(correct, cutting.only(m), len(draws))
        share = np.divide(found, n, out=np.zeros(len(draws)), where=n > 0)
        right += times * share
        taken += times * (n > 0)
    return np.divide(right, taken, out=np.full(len(draws), np.nan), where=taken > 0)


def _judged(correct: np.ndarray, draws: Draws, b: int) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of different texts of a group that are judged right, and all, (b,) each."""
    apart = correct - np.eye(len(correct))
    if not draws.counts:  # the same in every replicate
        all_pairs = float(len(correct) * (len(correct) - 1))
        return np.full(b, apart.sum()), np.full(b, all_pairs)
    found, n = np.zeros((2, b))
    for part in draws.slabs():
        w = draws.rows(part)
        found[part] = ((w @ apart) * w).sum(axis=1)
        n[part] = w.sum(axis=1) ** 2 - (w * w).sum(axis=1)
    return found, n


def _pairs(
    metric: np.ndarray, human: np.ndarray, groups: np.ndarray | None
) -> _Pairs | str:
    """All pairs within groups, or why there are none."""
    metric, human = _vectors(metric, human)
    known = ~(np.isnan(metric) | np.isnan(human))
    group = np.zeros(len(metric), np.intp) if groups is None else np.asarray(groups)
    metric, human = metric[known], human[known]
    for scores, name in ((metric, "metric"), (human, "human")):
        if np.isinf(scores).any():
            return f"{name} scores: some are infinite"
    _, code = np.unique(group[known], return_inverse=True)
    order = np.argsort(code.reshape(-1), kind="stable")
    code = code.reshape(-1)[order]
    partners = np.cumsum(np.bincount(code))[code] - np.arange(len(code)) - 1
    n_pairs = int(partners.sum())
    if n_pairs == 0:
        return NO_PAIR
    if n_pairs > MAX_PAIRS:
        return f"{n_pairs:,} pairs are too many: compare within groups"
    first = np.repeat(np.arange(len(code)), partners)
    begins = np.repeat(np.cumsum(partners) - partners, partners)
    second = first + 1 + np.arange(n_pairs) - begins
    group, first, second = code[first], order[first], order[second]
    size = np.bincount(group)
    tie = METRIC_TIE * float(np.abs(metric).max())
    return _Pairs(
        metric[first] - metric[second],
        _sign(human[first] - human[second], HUMAN_TIE),
        1 / size[group],
        group,
        first,
        second,
        tie,
        int(np.count_nonzero(size)),
    )


def _calibrate(pairs: _Pairs) -> tuple[float, float]:
    """The best accuracy and the smallest threshold that reaches it."""
    correct = _correct(pairs, 0.0)
    gain = pairs.weight * ((pairs.human == 0) - correct.astype(np.float64))
    distance = np.abs(pairs.metric)
    order = np.argsort(distance)
    distance, gain = distance[order], np.cumsum(gain[order])
    # A threshold ties all pairs of its distance, so only the last of them counts.
    ends = np.flatnonzero(np.append(np.diff(distance) > pairs.tie, True))
    reached = np.append(0.0, gain[ends])
    thresholds = np.append(0.0, distance[ends])
    thresholds[thresholds <= pairs.tie] = 0.0
    best = np.flatnonzero(reached >= reached.max() - EQUAL * pairs.n_groups)[0]
    total = (pairs.weight * correct).sum() + reached[best]
    return _share(total / pairs.n_groups), float(thresholds[best])


def _random_accuracy(pairs: _Pairs, rng: np.random.Generator, draws: int) -> float:
    n = int(pairs.second.max()) + 1
    n = max(n, int(pairs.first.max()) + 1)
    found = []
    for _ in range(draws):
        scores = rng.standard_normal(n)
        made = pairs._replace(metric=scores[pairs.first] - scores[pairs.second])
        found.append(_calibrate(made._replace(tie=0.0))[0])
    return float(np.mean(found))


def _correct(pairs: _Pairs, epsilon: float) -> np.ndarray:
    return _sign(pairs.metric, epsilon + pairs.tie) == pairs.human


def _correct_matrix(
    metric: np.ndarray, human: np.ndarray, epsilon: float
) -> np.ndarray:
    """Whether each two texts of a group are judged right, (g, g) float64."""
    close = epsilon + METRIC_TIE * float(np.abs(metric).max())
    ours = _sign(np.subtract.outer(metric, metric), close)
    theirs = _sign(np.subtract.outer(human, human), HUMAN_TIE)
    return (ours == theirs).astype(np.float64)


def _members(group: np.ndarray) -> list[np.ndarray]:
    """Rows of each group that has two or more."""
    if len(group) == 0:
        return []
    _, code = np.unique(group, return_inverse=True)
    order = np.argsort(code.reshape(-1), kind="stable")
    cuts = np.cumsum(np.bincount(code.reshape(-1)))[:-1]
    return [rows for rows in np.split(order, cuts) if len(rows) >= 2]


def _sign(difference: np.ndarray, tie: float) -> np.ndarray:
    """-1, 0 or 1; 0 up to `tie`."""
    return (difference > tie).astype(np.int8) - (difference < -tie).astype(np.int8)


def _share(value: float) -> float:
    """Sums of weights may pass 1 by rounding."""
    return float(np.clip(value, 0, 1))


def _vectors(metric: np.ndarray, human: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    metric, human = np.asarray(metric, np.float64), np.asarray(human, np.float64)
    if metric.shape != human.shape or metric.ndim != 1:
        raise ValueError(
            f"expected two vectors of one length, got {metric.shape}, {human.shape}"
        )
    return metric, human
