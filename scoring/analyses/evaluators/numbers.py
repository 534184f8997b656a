"""How many evaluators, and references, does a metric need? (section 4.7 of CTRLEval)"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scoring.analyses.evaluators import by_reference
from scoring.analyses.evaluators.result import (
    Ensemble,
    LeftOut,
    Result,
    Row,
    Single,
)
from scoring.analyses.evaluators.result import Point as ShownPoint
from scoring.analyses.shared import choice
from scoring.analyses.shared.grouping import Grouped, Within, within
from scoring.stats import signature, subsets
from scoring.stats.correlation import CoefficientName
from scoring.stats.data import Data, Evaluators, Output
from scoring.stats.estimates import Estimate, number
from scoring.stats.option import option
from scoring.stats.subsets import Point

TITLE = "Evaluators"
VERSION = 4
PLACE = 50
GROUP = "Metrics"
NEEDS = frozenset({"ratings", "scores", "evaluators"})
# Beyond the first few, half as many again each time: a curve needs no more.
EVERY = 4

Signed = dict[str, signature.Part]  # parts of a signature


@dataclass(frozen=True)
class Options(Grouped):
    """Which metrics, against what, and how evaluators are averaged."""

    coefficient: CoefficientName = option("pearson", "Coefficient", of="coefficients")
    aspect: str = option(
        "", "Aspect", of="aspects", none="the one that a metric is meant for"
    )
    outputs: tuple[str, ...] = option(
        (), "Metrics", of="outputs", help="Leave empty for all that have evaluators."
    )
    weights: str = option(
        "metric",
        "Weights of evaluators",
        choices=(
            ("metric", "those kept beside their scores"),
            ("none", "all equal"),
        ),
    )
    repeats: int = option(
        subsets.REPEATS,
        "Sets per size",
        min=1,
        max=100,
        help="If there are fewer, all of them are used.",
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """One run of the analysis."""

    data: Data
    options: Options
    within: Within
    seed: int  # the same sets, whatever else was chosen

    @property
    def rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    def signed(self, signed: Signed, **parts: signature.Part) -> str:
        asked = {**self.within.signed(), **signed, **parts}
        return choice.signed(self.data, self.options, self.options.coefficient, **asked)

    def point(self, found: Point, signed: Signed) -> ShownPoint:
        k, mean, std, n_subsets, n, reason = found
        of = {"evaluators": k, "repeats": self.options.repeats, "n": n}
        made = number(
            Estimate(mean, n=n, reason=reason, signature=self.signed(signed, **of))
        )
        return {"k": k, "mean": made, "std": std, "n_subsets": n_subsets}


def compute(data: Data, options: Options, rng: np.random.Generator) -> Result:
    """The curve of each metric with evaluators, each evaluator alone, and ensembles."""
    seed = int(rng.integers(2**32))
    data, compared = within(options.apply(data), options)
    asked = _Asked(data, options, compared, seed)
    rows: list[Row] = []
    left_out: list[LeftOut] = []
    drawn: dict[bytes, str] = {}
    for output, one in choice.with_evaluators(data):
        if options.outputs and one.output not in options.outputs:
            continue
        same = drawn.setdefault(one.s.tobytes() + one.w.tobytes(), output.name)
        reason = f"the same as {same}" if same != output.name else why_not(one)
        if reason:
            left_out.append({"name": output.name, "reason": reason})
            continue
        rows.append(_row(asked, one, output))
    return {
        **compared.about(),
        "coefficient": options.coefficient,
        "weights": options.weights,
        "repeats": options.repeats,
        "rows": rows,
        "left_out": left_out,
        "labels": sorted({label for label in data.texts.label.tolist() if label}),
        "references": by_reference.rows(
            data,
            aspect=options.aspect,
            outputs=options.outputs,
            coefficient=options.coefficient,
            within=compared,
            repeats=options.repeats,
            seed=seed,
            shown=lambda point, signed: asked.point(point, {**signed}),
        ),
        "ensemble": _ensemble(asked),
    }


def why_not(found: Evaluators) -> str:
    """Why an output's evaluators cannot be drawn by number; "" if they can."""
    given = ~np.isnan(found.s)
    n_each = given.sum(axis=1)
    have = n_each > 0
    if not have.any():
        return "no text has its evaluators"
    if n_each.max() < 2:
        return "it has only one evaluator"
    if (given[have] != given[have][0]).any():
        low, high = n_each[have].min(), n_each[have].max()
        return (
            f"its evaluators differ from text to text ({low} to {high} of them), so the"
            " same number stands for different questions"
        )
    return ""


def sizes(n: int) -> tuple[int, ...]:
    """How many evaluators to try: 1, 2, 3, 4, 6, 8, 12, 16, ... and all.

    >>> sizes(10)
    (1, 2, 3, 4, 6, 8, 10)
    """
    found = list(range(1, min(n, EVERY) + 1))
    power = EVERY
    while power < n:
        found += [power * 3 // 2, power * 2]
        power *= 2
    return (*(k for k in found if k < n), n)


def _row(asked: _Asked, found: Evaluators, output: Output) -> Row:
    data, options = asked.data, asked.options
    wanted = options.aspect or output.measures or ""
    at = choice.aspect_place(data, wanted)
    aspect = data.aspects[at] if at is not None else None
    key = aspect.key if aspect else ""
    human = choice.human_of(data, at)
    used = ~np.isnan(found.s).all(axis=0)
    scores = found.s[:, used] * output.sign
    weights = found.w[:, used] if options.weights == "metric" else None
    curve = subsets.curve(
        scores,
        human,
        rng=asked.rng,
        weights=weights,
        sizes=sizes(scores.shape[1]),
        repeats=options.repeats,
        coefficient=options.coefficient,
        **asked.within.how,
    )
    signed: Signed = {"aspect": key, "output": output.id, "weights": options.weights}
    return {
        "output": choice.described(data, data.output(output.id), key),
        "metric": output.metric,
        "options": output.options,
        "aspect": aspect.title if aspect else "",
        "n_evaluators": int(used.sum()),
        "curve": [asked.point(one, signed) for one in curve],
        "single": _single(asked, scores, found.w[:, used], human, signed),
    }


def _single(
    asked: _Asked,
    scores: np.ndarray,
    weights: np.ndarray,
    human: np.ndarray,
    signed: Signed,
) -> list[Single]:
    """Each evaluator alone, with its mean share of the weights."""
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = weights / np.nansum(weights, axis=1, keepdims=True)
    found: list[Single] = []
    for j, column in enumerate(scores.T):
        one = asked.within.correlate(asked.options.coefficient, column, human)
        known = shares[np.isfinite(shares[:, j]), j]
        made_of = asked.signed(signed, evaluator=j + 1, n=one.n)
        found.append(
            {
                "r": number(
                    Estimate(one.value, n=one.n, reason=one.reason, signature=made_of)
                ),
                "share": float(known.mean()) if len(known) else None,
            }
        )
    return found


# Several metrics in place of several evaluators --------------------------------------


def _ensemble(asked: _Asked) -> Ensemble:
    """Means of k metrics, each brought to mean 0 and SD 1 over the texts."""
    data, options = asked.data, asked.options
    at = choice.aspect_place(data, options.aspect)
    aspect = data.aspects[at] if at is not None else None
    key = aspect.key if aspect else ""
    places = [
        place
        for place in choice.for_aspect(data, key, options.outputs)
        if not data.outputs[place].baseline
    ]
    human = choice.human_of(data, at)
    scores = data.metric_scores()[:, places] if places else np.empty((len(human), 0))
    scores, kept = standardised(scores)
    found: Ensemble = {
        "aspect": aspect.title if aspect else "",
        "metrics": [data.outputs[place].name for place in np.array(places)[kept]]
        if places
        else [],
        "curve": [],
        "reason": None,
    }
    if scores.shape[1] < 2:
        return {**found, "reason": "fewer than two metrics whose scores differ"}
    curve = subsets.curve(
        scores,
        human,
        rng=asked.rng,
        sizes=sizes(scores.shape[1]),
        repeats=options.repeats,
        coefficient=options.coefficient,
        **asked.within.how,
    )
    outputs = ",".join(data.outputs[place].id for place in np.array(places)[kept])
    signed: Signed = {"aspect": key, "outputs": outputs, "weights": "none"}
    points = [asked.point(one, signed) for one in curve]
    return {**found, "curve": points}


def standardised(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Columns (n, M) with mean 0 and SD 1 of what is finite; which of them vary.

    What is not finite is missing: an ensemble has no use for an infinite score.
    """
    scores = np.where(np.isfinite(scores), scores, np.nan)
    some = (~np.isnan(scores)).sum(axis=0) > 1
    scores = scores[:, some]
    spread = np.nanstd(scores, axis=0)
    vary = spread > 1e-12 * np.nanmax(np.abs(scores), axis=0, initial=0)
    kept = np.flatnonzero(some)[vary]
    made = (scores - np.nanmean(scores, axis=0))[:, vary] / spread[vary]
    return made, kept
