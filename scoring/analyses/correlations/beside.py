"""What a correlation is to be read beside: people, length, systems, pairs, metrics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from scoring.analyses.correlations.result import (
    Accuracy,
    Baseline,
    Behind,
    Calibrated,
)
from scoring.analyses.shared.setting import (
    NAMES,
    Setting,
    coefficient_name,
)
from scoring.stats import jackknife, pairs, signature
from scoring.stats.by_prompt import of_texts, once
from scoring.stats.correlation import partial
from scoring.stats.counts import DRAWS
from scoring.stats.data import NONE
from scoring.stats.estimates import Estimate, Number, number
from scoring.stats.groups import correlate
from scoring.stats.jackknife import Jackknifed, jackknifed
from scoring.stats.partials import partial_replicates

NO_LENGTH = "no length of the texts is known"
NO_SYSTEM = "no text has a known system"


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


Part = tuple[dict[tuple[int, int], tuple[float | None, str | None, int]], Jackknifed]


def _behind_cell(
    made: Setting, name: str, coefficient: str, of: Part, m: int, a: int
) -> Number:
    values, without = of
    value, reason, n = values[m, a]
    found = jackknife.estimate(without.at(m, a), n=n, reason=reason)
    output = made.data.outputs[m]
    if n == 0 and output.reason:
        found = replace(found, reason=output.reason)
    signed = made.signature(
        coefficient_name(coefficient),
        aspect=made.data.aspects[a].key,
        metric=output.id,
        level="texts",
        group="system" if name == "within" else "none",
        average="macro" if name == "within" else None,
        undefined=made.options.undefined if name == "within" else None,
        given="words" if name == "partial" else None,
        interval="jackknife-t",
        n=n,
    )
    return number(found.with_signature(signed))


def _pooled(made: Setting, coefficient: str) -> Part:
    values = {
        (m, a): correlate(x, y, coefficient=coefficient, names=NAMES)[:3]
        for m, x in enumerate(made.x.T)
        for a, y in enumerate(made.y.T)
    }
    return values, of_texts(made.x, made.y, made.left, coefficient=coefficient)


def _within(made: Setting, coefficient: str) -> Part:
    systems = made.data.texts.system
    rows = np.flatnonzero(systems != NONE)
    x, y, left = made.x[rows], made.y[rows], made.left.only(rows)
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
    return values, of_texts(x, y, left, **some)  # type: ignore[arg-type]


def _given_length(made: Setting, coefficient: str) -> Part:
    z, left = made.words, made.left
    shape = made.x.shape[1], made.y.shape[1]
    if z is None:
        none = {cell: (None, NO_LENGTH, 0) for cell in np.ndindex(shape)}
        nowhere = np.full((len(left.draws), *shape), np.nan)
        nothing = np.full(shape, np.nan)
        return none, jackknifed(nothing, nowhere, left, "fisher")  # type: ignore[return-value]
    names = (*NAMES, "number of words")
    values = {
        (m, a): partial(x, y, z, coefficient, names)
        for m, x in enumerate(made.x.T)
        for a, y in enumerate(made.y.T)
    }
    whole, without = (
        partial_replicates(made.x, made.y, z, draws, coefficient=coefficient)
        for draws in (once(len(z)), left.draws)
    )
    return values, jackknifed(whole[0], without, left, "fisher")  # type: ignore[return-value]


# Metrics with each other -------------------------------------------------------------


def matrix(made: Setting, coefficient: str) -> list[list[Number]]:
    """Each two outputs with each other, as they are compared with people."""
    n = len(made.data.outputs)
    found = [[number(Estimate(None)) for _ in range(n)] for _ in range(n)]
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
                interval=None,
                unit=None,
                seed=None,
            )
            one = number(
                Estimate(value.value, n=value.n, reason=value.reason, signature=signed)
            )
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
    if made.within.grouping == "system":
        return "system", texts.system
    return "prompt", texts.prompt


def _tie_calibrated(made: Setting, m: int, a: int) -> Calibrated:
    name, groups = _pair_groups(made)
    x, y = made.x[:, m], made.y[:, a]
    found = pairs.tie_calibrated(x, y, groups)
    output, aspect = made.data.outputs[m], made.data.aspects[a].key
    n = int((~np.isnan(x) & ~np.isnan(y)).sum())
    reason = output.reason if n == 0 and output.reason else found.reason
    if found.accuracy is None or found.epsilon is None:
        none = number(Estimate(None, n=found.n_pairs, reason=reason))
        return {"accuracy": none, "epsilon": none}
    without = pairs.accuracy_replicates(
        x, y, made.left.draws, groups, epsilon=found.epsilon
    )
    made_of: dict[str, signature.Part] = {
        "aspect": aspect,
        "metric": output.id,
        "level": "texts",
        "group": name,
        "average": "macro",
        "undefined": None,
        "n": n,
        "pairs": found.n_pairs,
        "interval": "jackknife-t",
    }
    accuracy = jackknife.estimate(
        jackknifed(found.accuracy, without, made.left, "natural"),
        n=found.n_pairs,
        bounds=(0.0, 1.0),
    )
    return {
        "accuracy": number(accuracy.with_signature(made.signature("acc-t", **made_of))),
        "epsilon": number(
            Estimate(
                found.epsilon,
                n=found.n_pairs,
                signature=made.signature("acc-t epsilon", **made_of),
            )
        ),
    }


def _soft(made: Setting, m: int, a: int, seed: int) -> Number:
    texts = made.data.texts
    rows = np.flatnonzero(texts.system != NONE)
    found = pairs.soft_pairwise_accuracy(
        made.x[rows, m],
        made.y[rows, a],
        texts.prompt[rows],
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
        interval=None,
        draws=DRAWS,
        unit="signs of prompts",
    )
    return number(
        Estimate(found.value, n=found.n_pairs, reason=found.reason, signature=signed)
    )


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
        interval=None,
        draws=pairs.RANDOM_DRAWS,
        unit=None,
    )
    return {
        "constant": number(
            Estimate(
                found.constant_baseline,
                n=found.n_pairs,
                reason=found.reason,
                signature=signed,
            )
        ),
        "random": number(
            Estimate(
                found.random_baseline,
                n=found.n_pairs,
                reason=found.reason,
                signature=signed,
            )
        ),
        "ties": found.share_human_ties,
    }
