"""What "the best" of ARGENT's grid means: how one model does on some texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from scoring.stats import correlation, jackknife, pickup
from scoring.stats.by_prompt import of_texts
from scoring.stats.estimates import Estimate

SEED = 0  # the same groups of units for every model


class Texts(NamedTuple):
    """Texts to tell apart. Arrays of shape (n,); None: nothing is known of it."""

    texts: list[str]
    real: np.ndarray  # bool
    unit: np.ndarray  # what is drawn together: a document with its damaged copy
    pair: np.ndarray | None = None  # which two are twins; -1 = it has none
    system: np.ndarray | None = None
    strength: np.ndarray | None = None  # of its system, by votes; NaN = not known
    human: np.ndarray | None = None  # mean rating, the higher the better; NaN = none


class Criterion(NamedTuple):
    """One way to choose. The larger its number, the better the model."""

    name: str
    title: str  # of a column
    words: str
    of_study: bool  # whether it needs the texts of a study
    measure: Callable[[Texts, np.ndarray], Estimate]


def area(texts: Texts, scores: np.ndarray) -> Estimate:
    """Area of the pick-up curve, 0 to 100, with the jackknife over units."""
    return pickup.area_by_unit(scores, texts.real, texts.unit, rng=_rng())


def accuracy(texts: Texts, scores: np.ndarray) -> Estimate:
    """Share of pairs in which the real text scores higher, in %; a tie is an error."""
    assert texts.pair is not None
    real, twin = pairs(texts)
    unit = texts.unit[real]
    share = pickup.twins(scores[real], scores[twin], unit=unit).strict
    return share.transformed(lambda part: 100 * part)


def votes(texts: Texts, scores: np.ndarray) -> Estimate:
    """Spearman's rho of the systems' mean scores with their strengths by votes."""
    assert texts.system is not None and texts.strength is not None
    known = np.isfinite(scores) & np.isfinite(texts.strength)
    names, at = np.unique(texts.system[known], return_inverse=True)
    n_each = np.bincount(at, minlength=len(names))
    means, strengths = (
        np.bincount(at, one[known], minlength=len(names)) / n_each
        for one in (scores, texts.strength)
    )
    found = correlation.spearman(means, strengths, ("mean scores", "strengths"))
    if found.value is None:
        return Estimate(None, n=found.n, reason=found.reason)
    low, high = correlation.fisher(found.value, found.n, "spearman") or (None, None)
    reason = "too few systems for an interval" if low is None else None
    return Estimate(found.value, low, high, found.n, reason)


def ratings(texts: Texts, scores: np.ndarray) -> Estimate:
    """Pearson's r with the mean ratings of the texts, over whole units."""
    assert texts.human is not None
    known = np.isfinite(scores) & np.isfinite(texts.human)
    x, y = scores[known], texts.human[known]
    found = correlation.pearson(x, y, ("scores", "ratings"))
    if found.value is None:
        return Estimate(None, n=found.n, reason=found.reason)
    left = jackknife.leave_out(texts.unit[known], rng=_rng())
    made = of_texts(x, y, left, coefficient="pearson").at(0, 0)
    return jackknife.estimate(made, n=found.n)


CRITERIA = {
    one.name: one
    for one in (
        Criterion(
            "area",
            "area (%)",
            "area of the pick-up curve (%, 50 is chance)",
            False,
            area,
        ),
        Criterion(
            "accuracy",
            "accuracy (%)",
            "share of pairs in which the real text scores higher (%, 50 is chance)",
            False,
            accuracy,
        ),
        Criterion(
            "votes",
            "Spearman with votes",
            "Spearman correlation of systems' mean scores with votes on the systems",
            True,
            votes,
        ),
        Criterion(
            "ratings",
            "r with ratings",
            "Pearson correlation with the mean ratings of the texts",
            True,
            ratings,
        ),
    )
}


def pairs(texts: Texts) -> tuple[np.ndarray, np.ndarray]:
    """Places of the real and of the synthetic text of each pair that has both."""
    assert texts.pair is not None
    real = {pair: k for k, pair in enumerate(texts.pair.tolist()) if texts.real[k]}
    twin = {pair: k for k, pair in enumerate(texts.pair.tolist()) if not texts.real[k]}
    both = sorted((real.keys() & twin.keys()) - {-1})
    return (
        np.array([real[pair] for pair in both], np.intp),
        np.array([twin[pair] for pair in both], np.intp),
    )


def problem(criterion: str, texts: Texts, half: str) -> str | None:
    """Why a half cannot be used to choose in this way, if so."""
    n_real, n_other = int(texts.real.sum()), int((~texts.real).sum())
    if criterion in ("area", "accuracy") and not (n_real and n_other):
        return (
            f"the {half} half, by prompt, needs real and synthetic texts: it has"
            f" {n_real} and {n_other}"
        )
    if criterion == "accuracy" and not len(pairs(texts)[0]):
        return (
            f"the {half} half has no pair of a real and a synthetic text: import the"
            " texts with a column “pair”, or choose by area"
        )
    if criterion == "votes" and (n := _n_systems(texts)) < correlation.MIN_PAIRS:
        return (
            f"the {half} half has texts of {n} systems with votes, expected"
            f" {correlation.MIN_PAIRS} or more: import votes, or choose by area"
        )
    if criterion == "ratings" and (n := _n_rated(texts)) < correlation.MIN_PAIRS:
        return (
            f"the {half} half has {n} rated texts, expected {correlation.MIN_PAIRS} or"
            " more: collect ratings, or choose by area"
        )
    return None


def _n_systems(texts: Texts) -> int:
    assert texts.system is not None and texts.strength is not None
    return len(np.unique(texts.system[np.isfinite(texts.strength)]))


def _n_rated(texts: Texts) -> int:
    return 0 if texts.human is None else int(np.isfinite(texts.human).sum())


def _rng() -> np.random.Generator:
    return np.random.default_rng(SEED)
