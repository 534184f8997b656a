"""Bring scores to the scale of a question: a distance to a rating needs one scale."""

from __future__ import annotations

import numpy as np
import scipy

from scoring.stats.answer import floor


def is_on_scale(scores: np.ndarray, unit: str, ends: tuple[int, int]) -> bool:
    """Whether scores need no map: their unit names the scale, or else all lie on it.

    A range in the unit decides, whatever the values: all scores of an F1 in [0, 1] lie
    on a slider from 0 to 100, and mean something else there.

    Args:
        scores: (n,) NaN = none.
        unit: Of the output, with its range at the end: "points, [1, 5]".
        ends: Of the scale.
    """
    low, high = ends
    if named := named_range(unit):
        return named == (low, high)
    known = scores[~np.isnan(scores)]
    return bool(len(known) and known.min() >= low and known.max() <= high)


def named_range(unit: str) -> tuple[float, float] | None:
    """The last range that a unit names, such as "[0, 1)" or "[0, inf)"; None = none."""
    for start in range(len(unit) - 1, -1, -1):
        if unit[start] not in "[(":
            continue
        inside = unit[start + 1 :].replace(")", "]").partition("]")[0]
        try:
            low, high = (float(end) for end in inside.split(","))
        except ValueError:  # other words in brackets
            continue
        if low < high:
            return low, high
    return None


def mapped(scores: np.ndarray, human: np.ndarray, prompt: np.ndarray) -> np.ndarray:
    """The rising step function that fits human scores best, learned on other prompts.

    For each fold of prompts, isotonic regression of the human scores on the metric over
    the other folds (Barlow et al. 1972), linear between the scores that were seen and
    constant beyond them. No text has a part in what it is mapped to, nor has any other
    text of its prompt.

    Args:
        scores: Higher is better, (n,), NaN = none.
        human: Mean ratings, higher is better, (n,), NaN = none.
        prompt: Of each text, (n,).

    Returns:
        On the scale of `human`, (n,); NaN where either is missing, and everywhere if
        fewer than two prompts have both.
    """
    known = ~np.isnan(scores) & ~np.isnan(human)
    found, fold = np.full(len(scores), np.nan), np.full(len(scores), -1)
    fold[known] = floor.folds(prompt[known])
    names = np.unique(fold[known])
    for k in names if len(names) > 1 else ():
        learn, use = known & (fold != k), fold == k
        found[use] = _fitted(scores[learn], human[learn], scores[use])
    return found


def _fitted(x: np.ndarray, y: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Isotonic regression of y on x, read at other points."""
    levels, place = np.unique(x, return_inverse=True)
    n = np.bincount(place)
    fit = scipy.optimize.isotonic_regression(np.bincount(place, y) / n, weights=n)
    found: np.ndarray = np.interp(at, levels, fit.x)
    return found


def to_points(scores: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The nearest value that can be given, (n,): a mean equals no rating otherwise.

    Halfway between two counts as the lower. NaN stays.

    Args:
        scores: (n,) on the scale, NaN = none.
        values: Points of the scale, rising, (V,).
    """
    middles = (values[1:] + values[:-1]) / 2
    at = np.searchsorted(middles, scores, side="left").clip(0, len(values) - 1)
    return np.where(np.isnan(scores), np.nan, values[at])


def constants(value: np.ndarray, n: int) -> dict[str, np.ndarray]:
    """What somebody gives who always answers the same: (n,) for "mean" and "mode".

    The mean of all ratings, and the most frequent one (the lowest of several), which
    stands for a metric that looks at nothing.

    Args:
        value: All ratings, (k,), one at least.
        n: How many texts there are.
    """
    values, count = np.unique(value, return_counts=True)
    usual = float(values[count.argmax()])
    return {"mean": np.full(n, float(value.mean())), "mode": np.full(n, usual)}
