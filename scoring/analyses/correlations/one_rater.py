"""One person as a metric: how well one rater agrees with the rest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scoring.analyses.correlations.result import Attainable, Ceiling
from scoring.analyses.shared.rated import of_aspect
from scoring.analyses.shared.setting import Setting, coefficient_name, units
from scoring.stats import raters, signature
from scoring.stats.answer import ceiling
from scoring.stats.answer.evidence import Measure, targets
from scoring.stats.correlation import CoefficientName
from scoring.stats.estimates import Estimate, Number, number

NOT_OF_SYSTEMS = "of single texts only"
ONLY_FLAT = (
    "only available for all texts together: under “Compare texts”, choose “all with"
    " each other”"
)


class _OneCeiling(NamedTuple):
    one: Number
    attainable: Attainable
    method: str
    raters: float | None


def ceilings(
    made: Setting, coefficients: list[CoefficientName], rng: np.random.Generator
) -> Ceiling:
    """How well one person agrees with the rest, for each aspect and coefficient."""
    found = [
        [_ceiling(made, at, coefficient, rng) for coefficient in coefficients]
        for at in range(len(made.data.aspects))
    ]
    methods = {one.method for row in found for one in row if one.method}
    ks = [one.raters for row in found for one in row if one.raters]
    return {
        "one": [[one.one for one in row] for row in found],
        "attainable": [[one.attainable for one in row] for row in found],
        "method": " / ".join(sorted(methods)),
        "raters": min(ks, default=None),
        "raters_most": max(ks, default=None),
    }


def _ceiling(
    made: Setting, at: int, coefficient: str, rng: np.random.Generator
) -> _OneCeiling:
    chosen, data = made.options, made.data
    if made.of_systems:
        none = number(Estimate(None, reason=NOT_OF_SYSTEMS))
        return _OneCeiling(none, {**none}, "", None)
    if chosen.grouping != "none":
        return _grouped_ceiling(made, at, coefficient, rng)
    rated = data.ratings
    rows = np.flatnonzero(rated.aspect == at)
    text, rater = rated.text[rows], rated.rater[rows]
    by = units(data, chosen.resample)
    found = raters.ceiling(
        text,
        # Ratings of nobody in particular count as one rater each.
        np.where(rater == "", np.char.add("\0", rows.astype(str)), rater),
        rated.value[rows],
        rng=rng,
        coefficient=coefficient,
        units=by[text],
    )
    parts: dict[str, signature.Part] = {
        "aspect": data.aspects[at].key,
        "n": found.one.n,
        "interval": "jackknife-t",
        "min_ratings": 2,
        "raters": "one with the rest" if "each" in found.method else "one at random",
    }
    name = coefficient_name(coefficient)
    attainable = number(
        found.attainable.with_signature(made.signature(f"{name}-attainable", **parts))
    )
    return _OneCeiling(
        number(found.one.with_signature(made.signature(f"{name}-with-rest", **parts))),
        {**attainable, "n_raters": found.raters},
        found.method if found.one.value is not None else "",
        found.raters,
    )


def _grouped_ceiling(
    made: Setting, at: int, coefficient: str, rng: np.random.Generator
) -> _OneCeiling:
    """One person within groups of texts, as the answer measures it.

    The most that a metric could reach is known of all texts together only.
    """
    rated, chosen = of_aspect(made.data, at), made.options
    aspect = made.data.aspects[at]
    sign = 1 if aspect.higher_is_better else -1
    panel = ceiling.panel(rated.text, rated.raters, sign * rated.value, rng=rng)
    one = Estimate(None, n=0, reason=ceiling.NO_PAIR)
    if panel.picks:
        groups = None if made.within.grouping == "item" else made.groups
        _, prompt = np.unique(made.data.texts.prompt, return_inverse=True)
        measure = Measure(coefficient, prompt.reshape(-1), groups, chosen.seed)
        nothing = np.empty((len(prompt), 0))
        of = measure.agreement(targets(panel.picks, np.empty(0), nothing))
        one = of.estimate(0, "one side is all the same")
    parts: dict[str, signature.Part] = {
        "aspect": aspect.key,
        "n": one.n,
        "interval": "jackknife-t",
        "min_ratings": 2,
        "raters": "one with the rest" if "each" in panel.method else "one at random",
    }
    signed = made.signature(f"{coefficient_name(coefficient)}-with-rest", **parts)
    method = panel.method if one.value is not None else ""
    none = number(Estimate(None, reason=ONLY_FLAT))
    return _OneCeiling(number(one.with_signature(signed)), {**none}, method, None)
