"""What a correlation is to be read beside: people, length, systems, pairs, metrics."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scoring.stats import pairs, raters, signature
from scoring.stats.analyses._cells import cell, of_estimate
from scoring.stats.analyses._rated import of_aspect
from scoring.stats.analyses._setting import (
    NAMES,
    Setting,
    coefficient_name,
    units,
)
from scoring.stats.analyses.results.common import Number
from scoring.stats.analyses.results.correlations import (
    Accuracy,
    Attainable,
    Baseline,
    Behind,
    Calibrated,
    Ceiling,
)
from scoring.stats.answer import ceiling
from scoring.stats.answer.measure import Measure
from scoring.stats.correlation import CoefficientName, partial
from scoring.stats.counts import DRAWS, Draws, estimate
from scoring.stats.data import NONE
from scoring.stats.groups import correlate, replicates
from scoring.stats.partials import partial_replicates

NOT_OF_SYSTEMS = "of single texts only"
ONLY_FLAT = (
    "only available for all texts together: under “Compare texts”, choose “all with"
    " each other”"
)
NO_LENGTH = "no length of the texts is known"
NO_SYSTEM = "no text has a known system"


# People as a metric --------------------------------------------------------------


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
        none = cell(None, NOT_OF_SYSTEMS)
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
        "draws": DRAWS,
        "min_ratings": 2,
        "raters": "one with the rest" if "each" in found.method else "one at random",
    }
    name = coefficient_name(coefficient)
    attainable = of_estimate(
        found.attainable, made.signature(f"{name}-attainable", **parts)
    )
    return _OneCeiling(
        of_estimate(found.one, made.signature(f"{name}-with-rest", **parts)),
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
    rated = of_aspect(made.data, at)
    aspect = made.data.aspects[at]
    sign = 1 if aspect.higher_is_better else -1
    panel = ceiling.panel(rated.text, rated.raters, sign * rated.value, rng=rng)
    measure = Measure(coefficient, made.draws.first(DRAWS), made.groups)
    one = ceiling.against(measure, np.empty((len(made.data.texts), 0)), panel).one
    parts: dict[str, signature.Part] = {
        "aspect": aspect.key,
        "n": one.n,
        "draws": DRAWS,
        "min_ratings": 2,
        "raters": "one with the rest" if "each" in panel.method else "one at random",
    }
    signed = made.signature(f"{coefficient_name(coefficient)}-with-rest", **parts)
    method = panel.method if one.value is not None else ""
    none = cell(None, ONLY_FLAT)
    return _OneCeiling(of_estimate(one, signed), {**none}, method, None)


# What is behind a number -------------------------------------------------------------


def behind(made: Setting, coefficient: str) -> list[list[Behind]]:
    """Over all texts, within systems, and given length: of single texts, always.

    For each output, for each aspect.
    """
    pooled = _pooled(made, coefficient)
    within = _within(made, coefficient)
    partial = _given_length(made, coefficient)

    def found(m: int, a: int) -> Behind:
        return {
            "pooled": _behind_cell(made, "pooled", coefficient, pooled, m, a),
            "within": _behind_cell(made, "within", coefficient, within, m, a),
            "partial": _behind_cell(made, "partial", coefficient, partial, m, a),
        }

    n_outputs, n_aspects = len(made.data.outputs), len(made.data.aspects)
    return [[found(m, a) for a in range(n_aspects)] for m in range(n_outputs)]


Part = tuple[
    dict[tuple[int, int], tuple[float | None, str | None, int]], np.ndarray, Draws
]


def _behind_cell(
    made: Setting, name: str, coefficient: str, of: Part, m: int, a: int
) -> Number:
    values, in_replicates, draws = of
    value, reason, n = values[m, a]
    found = estimate(
        value, in_replicates[:, m, a], n=n, n_units=draws.n_units, reason=reason
    )
    output = made.data.outputs[m]
    if n == 0 and output.reason:
        found = found._replace(reason=output.reason)
    signed = made.signature(
        coefficient_name(coefficient),
        aspect=made.data.aspects[a].key,
        metric=output.id,
        level="texts",
        group="system" if name == "within" else "none",
        average="macro" if name == "within" else None,
        undefined=made.options.undefined if name == "within" else None,
        given="words" if name == "partial" else None,
        n=n,
    )
    return of_estimate(found, signed)


def _pooled(made: Setting, coefficient: str) -> Part:
    values = {
        (m, a): correlate(x, y, coefficient=coefficient, names=NAMES)[:3]
        for m, x in enumerate(made.x.T)
        for a, y in enumerate(made.y.T)
    }
    found = replicates(made.x, made.y, made.draws, coefficient=coefficient)
    return values, found, made.draws


def _within(made: Setting, coefficient: str) -> Part:
    systems = made.data.texts.system
    rows = np.flatnonzero(systems != NONE)
    x, y, draws = (
        made.x[rows],
        made.y[rows],
        made.draws.only(rows),
    )
    some = {
        "coefficient": coefficient,
        "groups": systems[rows],
        "undefined": made.options.undefined,
    }
    values = {
        (m, a): correlate(x[:, m], y[:, a], names=NAMES, **some)[:3]  # type: ignore[arg-type]
        if len(rows)
        else (None, NO_SYSTEM, 0)
        for m in range(x.shape[1])
        for a in range(y.shape[1])
    }
    return values, replicates(x, y, draws, **some), draws  # type: ignore[arg-type]


def _given_length(made: Setting, coefficient: str) -> Part:
    z = made.words
    shape = len(made.draws), made.x.shape[1], made.y.shape[1]
    if z is None:
        none = {cell: (None, NO_LENGTH, 0) for cell in np.ndindex(shape[1:])}
        return none, np.full(shape, np.nan), made.draws  # type: ignore[return-value]
    names = (*NAMES, "number of words")
    values = {
        (m, a): partial(x, y, z, coefficient, names)
        for m, x in enumerate(made.x.T)
        for a, y in enumerate(made.y.T)
    }
    found = partial_replicates(made.x, made.y, z, made.draws, coefficient=coefficient)
    return values, found, made.draws  # type: ignore[return-value]


# Metrics with each other -------------------------------------------------------------


def matrix(made: Setting, coefficient: str) -> list[list[Number]]:
    """Each two outputs with each other, as they are compared with people."""
    n = len(made.data.outputs)
    found = [[cell(None) for _ in range(n)] for _ in range(n)]
    alike = made.data.of_one_level(np.isfinite(made.y).any(axis=1))
    x = np.where(alike[:, np.newaxis], made.x, np.nan)
    names = ("scores of the one", "scores of the other")
    for i in range(n):
        for j in range(i, n):
            value = made.value(coefficient, x[:, i], x[:, j], names)
            signed = made.signature(
                coefficient_name(coefficient),
                metric=made.data.outputs[i].id,
                other=made.data.outputs[j].id,
                n=value.n,
                raters=None,
                min_ratings=None,
                draws=None,
                unit=None,
                seed=None,
            )
            one = cell(value.value, value.reason, n=value.n, signature=signed)
            found[i][j] = found[j][i] = one
    return found


# Pairs -------------------------------------------------------------------------------


def accuracies(made: Setting, rng: np.random.Generator) -> Accuracy:
    """How often each metric orders two texts, and two systems, as people do."""
    seed = int(rng.integers(2**32))
    n_outputs, n_aspects = len(made.data.outputs), len(made.data.aspects)
    return {
        "within": _pair_groups(made)[0],
        "rows": [
            [
                {**_tie_calibrated(made, m, a), "soft": _soft(made, m, a, seed)}
                for a in range(n_aspects)
            ]
            for m in range(n_outputs)
        ],
        "baselines": [_senseless(made, a, rng) for a in range(n_aspects)],
    }


def _pair_groups(made: Setting) -> tuple[str, np.ndarray]:
    """Which texts make pairs: of all texts there are too many, and prompts differ."""
    texts = made.data.texts
    if made.options.grouping == "system":
        return "system", texts.system
    if made.options.grouping == "item":
        return "item", texts.slot
    return "prompt", texts.prompt


def _tie_calibrated(made: Setting, m: int, a: int) -> Calibrated:
    name, groups = _pair_groups(made)
    x, y = made.x[:, m], made.y[:, a]
    found = pairs.tie_calibrated(x, y, groups)
    output, aspect = made.data.outputs[m], made.data.aspects[a].key
    n = int((~np.isnan(x) & ~np.isnan(y)).sum())
    reason = output.reason if n == 0 and output.reason else found.reason
    if found.accuracy is None or found.epsilon is None:
        none = cell(None, reason, n=found.n_pairs)
        return {"accuracy": none, "epsilon": none}
    draws = Draws(tuple(c[:DRAWS] for c in made.draws.counts), made.draws.at)
    replicates = pairs.accuracy_replicates(x, y, draws, groups, epsilon=found.epsilon)
    made_of: dict[str, signature.Part] = {
        "aspect": aspect,
        "metric": output.id,
        "level": "texts",
        "group": name,
        "average": "macro",
        "undefined": None,
        "n": n,
        "pairs": found.n_pairs,
        "draws": len(draws),
    }
    accuracy = estimate(
        found.accuracy, replicates, n=found.n_pairs, n_units=draws.n_units
    )
    return {
        "accuracy": of_estimate(accuracy, made.signature("acc-t", **made_of)),
        "epsilon": cell(
            found.epsilon,
            n=found.n_pairs,
            signature=made.signature("acc-t epsilon", **made_of),
        ),
    }


def _soft(made: Setting, m: int, a: int, seed: int) -> Number:
    texts = made.data.texts
    rows = np.flatnonzero(texts.system != NONE)
    found = pairs.soft_pairwise_accuracy(
        made.x[rows, m],
        made.y[rows, a],
        texts.slot[rows],
        texts.system[rows],
        rng=np.random.default_rng(seed),  # the same signs for every metric
    )
    signed = made.signature(
        "soft pairwise accuracy",
        aspect=made.data.aspects[a].key,
        metric=made.data.outputs[m].id,
        level="systems",
        group=None,
        average=None,
        undefined=None,
        systems_compared=found.n_systems,
        pairs=found.n_pairs,
        draws=DRAWS,
        unit="signs of items",
    )
    return cell(found.value, found.reason, n=found.n_pairs, signature=signed)


def _senseless(made: Setting, a: int, rng: np.random.Generator) -> Baseline:
    """What a constant and what a random metric get, of all rated texts."""
    name, groups = _pair_groups(made)
    y = made.y[:, a]
    found = pairs.tie_calibrated(rng.standard_normal(len(y)), y, groups, rng=rng)
    signed = made.signature(
        "acc-t",
        aspect=made.data.aspects[a].key,
        level="texts",
        group=name,
        average="macro",
        undefined=None,
        pairs=found.n_pairs,
        draws=pairs.RANDOM_DRAWS,
        unit=None,
    )
    return {
        "constant": cell(
            found.constant_baseline, found.reason, n=found.n_pairs, signature=signed
        ),
        "random": cell(
            found.random_baseline, found.reason, n=found.n_pairs, signature=signed
        ),
        "ties": found.share_human_ties,
    }
