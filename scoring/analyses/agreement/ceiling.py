"""How well one rater can replace all, and how reliable the mean of several is."""

from __future__ import annotations

from functools import partial

import numpy as np

from scoring.analyses.agreement.options import Asked
from scoring.analyses.agreement.result import (
    CeilingRow,
    Curve,
    Needed,
    Point,
)
from scoring.analyses.shared.cells import by_coefficient
from scoring.analyses.shared.rated import Rated
from scoring.analyses.shared.setting import coefficient_name
from scoring.stats import rater_numbers, raters
from scoring.stats.correlation import COEFFICIENTS, CoefficientName
from scoring.stats.estimates import Estimate, Number, number

# Ratings per text for which reliability is predicted, and what it should reach.
SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20)
TARGETS = (0.8, 0.9)


def ceiling(
    asked: Asked, one: Rated, rng: np.random.Generator
) -> tuple[CeilingRow, Estimate]:
    """One rater and the mean of the rest; and the reliability of one rating."""
    found = {
        name: raters.ceiling(
            one.unit,
            one.raters,
            one.value,
            rng=rng,
            coefficient=name,
            units=asked.units(one.text),
        )
        for name in COEFFICIENTS
    }
    pearson = found["pearson"]

    def drawn(statistic: str, estimate: Estimate) -> Number:
        signed = asked.drawn(statistic, one.key, n=estimate.n)
        return number(asked.over(estimate).with_signature(signed))

    def with_rest(name: CoefficientName) -> Number:
        return drawn(f"{coefficient_name(name)}-with-rest", found[name].one)

    row: CeilingRow = {
        **one.named(),
        **by_coefficient(with_rest),
        "single": drawn("reliability-of-one", pearson.single),
        "mean": drawn("reliability-of-mean", pearson.mean),
        "attainable": drawn("attainable", pearson.attainable),
        "raters": pearson.raters,
        "method": pearson.method,
        "needed": [_needed(asked, one, pearson.single, goal) for goal in TARGETS],
    }
    return row, pearson.single


def _needed(asked: Asked, one: Rated, single: Estimate, goal: float) -> Needed:
    """Ratings per text for a reliability; its limits are those of one rating's."""
    signed = asked.drawn("ratings-needed", one.key, reliability=goal)
    if single.value is None:
        none = number(Estimate(None, reason=single.reason, signature=signed))
        return {**none, "target": goal}
    value, low, high = (
        None if p is None else rater_numbers.needed(p, goal)
        for p in (single.value, single.high, single.low)
    )
    reason = None
    if value is None or high is None:
        reason = (
            "the reliability of one rating may be 0: no number of ratings would be"
            " enough"
        )
    made = number(Estimate(value, low, high, reason=reason, signature=signed))
    return {**made, "target": goal}


def curve(
    asked: Asked, one: Rated, single: Estimate, rng: np.random.Generator
) -> Curve:
    """Reliability of the mean of k ratings: as predicted, and as measured."""
    points = {
        point.k: point
        for point in rater_numbers.halves(one.unit, one.raters, one.value, rng=rng)
    }
    rows: list[Point] = []
    for k in sorted({*SIZES, *points}):
        made = asked.drawn("spearman-brown", one.key, k=k)
        by_formula = single.transformed(partial(raters.spearman_brown, k=k))
        predicted = number(by_formula.with_signature(made))
        halves = asked.signed(
            "pearson-of-halves", one.key, k=k, seed=asked.options.seed
        )
        point = points.get(k)
        too_few = f"no text has {2 * k} ratings"
        measured = (
            number(
                Estimate(point.mean, n=point.n, reason=point.reason, signature=halves)
            )
            if point
            else number(Estimate(None, n=0, reason=too_few, signature=halves))
        )
        rows.append({"k": k, "predicted": predicted, "measured": measured})
    return {**one.named(), "rows": rows}
