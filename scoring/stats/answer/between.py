"""Each metric between the floor and the ceiling, tested and corrected for their number.

A metric is better than trivial only if it beats every sentinel: an intersection-union
test, whose p is the largest of all (Berger 1982). Holm's correction is over metrics.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from scoring.stats._columns import columns
from scoring.stats.answer.floor import Sentinel
from scoring.stats.answer.measure import Gap, Measure, alike, gap
from scoring.stats.compare import ALPHA, adjust, all_pairs, holm
from scoring.stats.counts import TESTABLE, Estimate

CHANCE = "chance"


class Floor(NamedTuple):
    """The sentinels that exist, and each metric against each of them."""

    keys: list[str]  # those that exist, CHANCE last
    sentinels: list[Estimate]  # never below 0
    metrics: list[Estimate]
    gaps: list[list[Gap]]  # of each metric, in the order of `keys`
    apart: np.ndarray  # (M, M) adjusted p that two metrics differ, NaN = no test


class Tests(NamedTuple):
    """p-values of each metric, adjusted by Holm over the metrics; NaN = no test."""

    beats: np.ndarray  # (M,) that it beats every sentinel
    below: np.ndarray  # (M,) that some sentinel beats it
    ceiling: np.ndarray  # (M,) that it differs from one rater, either way
    family: int  # metrics that were corrected for


def against(
    measure: Measure, x: np.ndarray, y: np.ndarray, sentinels: Sequence[Sentinel]
) -> Floor:
    """Hold metrics against sentinels, each pair on the texts that the metric has.

    A sentinel counts as max(0, r), in each replicate as well: means without the text
    itself are below zero where there is nothing to know. Chance counts as 0.

    Args:
        measure: How, with replicates of the n texts.
        x: Metrics, (n, M), higher is better, NaN = missing.
        y: Human scores, (n,), NaN = none.
        sentinels: Those without scores are left out.
    """
    x = columns(x)
    there = [one for one in sentinels if one.reason is None]
    s = np.column_stack([*(one.scores for one in there), np.zeros(len(y))])
    s[np.isnan(y)] = np.nan
    metrics: list[Estimate] = [measure.estimate(column, y) for column in x.T]
    gaps: list[list[Gap]] = [[] for _ in metrics]
    in_draws = np.full((len(measure.draws), len(metrics)), np.nan)
    for places, mask in alike(x):
        target = np.where(mask, y, np.nan)
        drawn = measure.replicates(x[:, places], target)
        in_draws[:, places] = drawn
        floors = np.fmax(0, measure.replicates(s, target))
        values = [max(0.0, measure.value(k, target).value or 0.0) for k in s.T]
        for at, metric in enumerate(places):
            mine = metrics[metric]
            gaps[metric] = [
                gap(
                    (mine.value, value),
                    (drawn[:, at], floors[:, k]),
                    n=mine.n,
                    n_units=measure.n_units,
                )
                for k, value in enumerate(values)
            ]
    keys = [*(one.key for one in there), CHANCE]
    floored = [_floored(measure, k, y) for k in s.T]
    return Floor(keys, floored, metrics, gaps, _apart(measure, in_draws))


def tests(floor: Floor, ceiling: Sequence[Gap]) -> Tests:
    """Adjust the tests of all metrics.

    That some sentinel beats it: the least p times the number of sentinels (Bonferroni),
    as one of many is enough.
    """
    beats = np.array([_beats(gaps) for gaps in floor.gaps], np.float64)
    below = np.array([_below(gaps) for gaps in floor.gaps], np.float64)
    apart = np.array([np.nan if g.p is None else g.p for g in ceiling], np.float64)
    family = int(np.isfinite(beats).sum())
    return Tests(holm(beats), holm(below), holm(apart), family)


def close(floor: Floor, metric: int) -> list[int]:
    """Metrics that this one is above, but not clearly: the highest first."""
    values = np.array([np.nan if m.value is None else m.value for m in floor.metrics])
    below = values <= values[metric]
    below[metric] = False
    found = np.flatnonzero(below & ~(floor.apart[metric] < ALPHA))
    return [int(k) for k in found[np.argsort(-values[found], kind="stable")]]


def _apart(measure: Measure, in_draws: np.ndarray) -> np.ndarray:
    """Each two metrics by the paired bootstrap, adjusted for all pairs."""
    if measure.n_units < TESTABLE:
        return np.full((in_draws.shape[1],) * 2, np.nan)
    return adjust(all_pairs(in_draws))[0]


def _beats(gaps: Sequence[Gap]) -> float:
    """The largest p; 1 where the metric is not even ahead."""
    found = [1.0 if _value(one) <= 0 else one.p for one in gaps if one.p is not None]
    return float(max(found)) if len(found) == len(gaps) and found else np.nan


def _below(gaps: Sequence[Gap]) -> float:
    found = [1.0 if _value(one) >= 0 else one.p for one in gaps if one.p is not None]
    whole = len(found) == len(gaps) and found
    return float(min(1.0, min(found) * len(found))) if whole else np.nan


def _value(one: Gap) -> float:
    return one.estimate.value or 0.0


def _floored(measure: Measure, scores: np.ndarray, y: np.ndarray) -> Estimate:
    """What a sentinel reaches, never below 0."""
    made = measure.estimate(scores, y)
    if made.value is None:  # the same for all texts: it knows nothing
        return Estimate(0.0, None, None, None, int(np.isfinite(y).sum()))
    value, low, high = (None if r is None else max(0.0, r) for r in made[:3])
    return Estimate(value, low, high, made.reason, made.n)
