"""What in a metric matters? (tables 5, 6 and 7 of the paper on CTRLEval)

One metric run with other options, or with another model, side by side; and other ways
to combine its evaluators, computed from the parts that its runs keep.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.analyses.shared import choice, rivals
from scoring.analyses.shared.grouping import Grouped, Within, within
from scoring.analyses.shared.rivals import Rivals
from scoring.analyses.variants.result import (
    Column,
    Result,
    Run,
    Runs,
    Ways,
    Weights,
)
from scoring.stats import learned_weights, weighting
from scoring.stats.correlation import CoefficientName
from scoring.stats.data import Data, Evaluators, Output
from scoring.stats.jackknife import LeaveOut
from scoring.stats.learned_weights import Learned
from scoring.stats.option import option

TITLE = "Variants"
VERSION = 6
PLACE = 60
GROUP = "Metrics"
NEEDS = frozenset({"ratings", "scores", "evaluators"})

# The paper's ways, and weights learned from the ratings of other prompts.
WAYS = (*weighting.WAYS, "learned")

Parts = list[tuple[Output, Evaluators]]


@dataclass(frozen=True)
class Options(Grouped):
    """Against which aspect, and which variant is the first."""

    coefficient: CoefficientName = option(
        "pearson", "Coefficient of the differences", of="coefficients"
    )
    aspect: str = option(
        "", "Aspect", of="aspects", none="the one that a score is meant for"
    )
    reference: str = option(
        "",
        "Compare with the variant of",
        of="outputs",
        none="the first run of each metric",
    )
    outputs: tuple[str, ...] = option(
        (),
        "Runs",
        of="outputs",
        help="Shows only the runs of these metrics. For example, give runs with other"
        " weights, pattern functions or models a table of their own. Leave empty"
        " for all.",
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    data: Data
    options: Options
    scores: np.ndarray  # (n, outputs), higher is better
    left: LeaveOut
    within: Within

    @property
    def outputs(self) -> list[Output]:
        """Those of the runs that were chosen; of all where none were."""
        every, wanted = self.data.outputs, self.options.outputs
        runs = {_run(one) for one in every if not wanted or one.id in wanted}
        return [one for one in every if _run(one) in runs]

    def signed(self, statistic: str, **parts: str | int | None) -> str:
        return choice.signed(
            self.data,
            self.options,
            statistic,
            level="texts",
            **self.within.signed(),
            interval=self.within.interval(self.left),
            unit="prompts",
            **parts,
        )


def compute(data: Data, options: Options, rng: np.random.Generator) -> Result:
    """A table for each metric with variants, and one for each with evaluators."""
    data, compared = within(options.apply(data), options)
    left = rivals.left_out(data.texts.prompt, int(rng.integers(2**32)))
    asked = _Asked(data, options, data.metric_scores(), left, compared)
    return {
        **compared.about(),
        "coefficient": options.coefficient,
        "runs": [_runs(asked, metric, ids) for metric, ids in _families(asked)],
        "weights": _all_weights(asked),
    }


# Several runs of one metric ----------------------------------------------------------


def _families(asked: _Asked) -> list[tuple[str, list[str]]]:
    """Metrics with several signatures that share an output; runs in order."""
    found: dict[str, dict[str, set[str]]] = {}
    for one in asked.outputs:
        found.setdefault(one.metric, {}).setdefault(_run(one), set()).add(one.key)
    return [
        (metric, list(runs))
        for metric, runs in found.items()
        if any(
            sum(key in keys for keys in runs.values()) > 1
            for key in set().union(*runs.values())
        )
    ]


def _run(output: Output) -> str:
    """What outputs of one signature share."""
    return output.id.rsplit(":", 1)[0] if output.id.endswith(output.key) else output.id


def _runs(asked: _Asked, metric: str, runs: list[str]) -> Runs:
    outputs = [one for one in asked.outputs if one.metric == metric]
    keys = [
        key
        for key in dict.fromkeys(one.key for one in outputs)
        if sum(one.key == key for one in outputs) > 1
    ]
    firsts = [next(one for one in outputs if _run(one) == run) for run in runs]
    chosen = [_run(one) for one in outputs if one.id == asked.options.reference]
    reference = runs.index(chosen[0]) if chosen and chosen[0] in runs else 0
    columns = []
    for key in keys:
        of_run = {_run(one): one for one in outputs if one.key == key}
        variants = [of_run.get(run) for run in runs]
        columns.append(_column(asked, variants, reference))
    return {
        "metric": metric,
        "reference": reference,
        "rows": _told_apart(firsts),
        "columns": columns,
        "family": rivals.adjust([d for c in columns for d in c["differences"]]),
    }


def _told_apart(firsts: list[Output]) -> list[Run]:
    """What differs between runs: options, or what else their signatures say."""
    options = [json.loads(one.options) if one.options else {} for one in firsts]
    names = sorted({name for chosen in options for name in chosen})
    differ = [
        name
        for name in names
        if len({json.dumps(chosen.get(name)) for chosen in options}) > 1
    ]
    rows: list[Run] = []
    for one, chosen in zip(firsts, options, strict=True):
        rows.append(
            {
                "options": {name: chosen.get(name) for name in differ},
                "all_options": chosen,
                "variant": one.variant,
                "signature_id": one.signature_id,
                "signature": one.signature,
                "small_model": one.small_model,
                "parameters": one.parameters,
            }
        )
    return rows


def _column(asked: _Asked, variants: list[Output | None], reference: int) -> Column:
    places = [asked.data.output(one.id) if one else None for one in variants]
    scores = [None if at is None else asked.scores[:, at] for at in places]
    some = next(one for one in variants if one)

    def signed(statistic: str, variant: int, **parts: Any) -> str:
        if "minus" in parts:
            parts["minus"] = _id(variants[parts["minus"]])
        return asked.signed(statistic, output=_id(variants[variant]), **parts)

    reasons = [one.reason if one else "" for one in variants]
    return _compared(asked, some, scores, reasons, signed, reference)


def _id(output: Output | None) -> str | None:
    return output.id if output else None


def _compared(
    asked: _Asked,
    output: Output,
    scores: list[np.ndarray | None],
    reasons: list[str],
    signed: Callable[..., str],
    reference: int,
) -> Column:
    """One output of all variants with its aspect."""
    at = choice.aspect_place(asked.data, asked.options.aspect or output.measures or "")
    aspect = asked.data.aspects[at] if at is not None else None

    def with_aspect(statistic: str, variant: int, **parts: Any) -> str:
        return signed(statistic, variant, aspect=aspect and aspect.key, **parts)

    human = choice.human_of(asked.data, at)
    columns = Rivals(human, scores, reasons, asked.left, asked.within, with_aspect)
    coefficient = asked.options.coefficient
    return {
        "label": output.label,
        "aspect": aspect.title if aspect else "",
        "meant": aspect is not None and output.measures == aspect.key,
        "values": rivals.values(columns),
        "differences": rivals.differences(columns, coefficient, reference),
    }


# Weights of evaluators ---------------------------------------------------------------


def _all_weights(asked: _Asked) -> list[Weights]:
    """A table for each run whose evaluators can be combined in other ways."""
    chosen = {one.id for one in asked.outputs}
    every = _with_evaluators(asked.data)
    runs = [run for run in every if run[0][0].id in chosen]
    firsts = [run[0][0] for run in runs]
    found: list[Weights] = []
    for run, first in zip(runs, firsts, strict=True):
        others = [one for one in firsts if one.metric == first.metric]
        about = _told_apart(others)[others.index(first)]
        found.append({"metric": first.metric, **about, **_weights(asked, run)})
    return found


def _with_evaluators(data: Data) -> list[Parts]:
    """For each run, the evaluators that can be combined in other ways.

    Runs that differ only in how they combine the same evaluators are one.
    """
    runs: dict[str, Parts] = {}
    for output, found in choice.with_evaluators(data):
        if (~np.isnan(found.s)).sum(axis=1).max(initial=0) > 1:
            runs.setdefault(_run(output), []).append((output, found))
    different: dict[tuple[bytes, ...], Parts] = {}
    for run in runs.values():
        same = tuple(part.tobytes() for _, one in run for part in (one.s, one.w))
        different.setdefault(same, run)
    return list(different.values())


def _weights(asked: _Asked, run: Parts) -> Ways:
    columns = []
    for output, found in run:
        scores: list[np.ndarray | None] = [
            output.sign * weighting.combined(found.s, found.w, way)
            for way in weighting.WAYS
        ]
        columns.append(_ways(asked, output, scores, _learned(asked, output, found)))
    return {
        "reference": 0,
        "ways": list(WAYS),
        "columns": columns,
        "family": rivals.adjust([d for c in columns for d in c["differences"]]),
    }


def _learned(asked: _Asked, output: Output, found: Evaluators) -> Learned:
    """With weights from the ratings of the aspect that the output is compared with."""
    data = asked.data
    at = choice.aspect_place(data, asked.options.aspect or output.measures or "")
    human = choice.human_of(data, at)
    rng = np.random.default_rng(asked.options.seed)
    return learned_weights.cross_fitted(
        output.sign * found.s, found.w, human, data.texts.prompt, rng=rng
    )


def _ways(
    asked: _Asked, output: Output, scores: list[np.ndarray | None], learned: Learned
) -> Column:
    reasons = [output.reason] * len(scores) + [learned.reason or ""]
    scores = [*scores, None if learned.reason else learned.scores]

    def signed(statistic: str, variant: int, **parts: Any) -> str:
        if "minus" in parts:
            parts["minus"] = WAYS[parts["minus"]]
        weights = WAYS[variant]
        return asked.signed(statistic, output=output.id, weights=weights, **parts)

    return _compared(asked, output, scores, reasons, signed, 0)
