"""What do people change, and which references make a metric agree with people?

Sections 2 and 5.1 of ARGENT: a reference that a person made from the very text, with as
few changes as possible, should serve a metric better than one that was written before.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np

from scoring.analyses.references.result import (
    ByKind,
    Effort,
    Result,
    Spread,
)
from scoring.analyses.shared import choice, rivals
from scoring.analyses.shared.grouping import Grouped, Within, within
from scoring.analyses.shared.rivals import Rivals
from scoring.stats import cluster_t, signature
from scoring.stats.correlation import CoefficientName
from scoring.stats.data import Data, Output
from scoring.stats.estimates import Estimate, Number, number
from scoring.stats.jackknife import LeaveOut
from scoring.stats.option import option

TITLE = "References"
VERSION = 3
PLACE = 55
GROUP = "Metrics"
NEEDS = frozenset({"ratings", "scores"})

OPTION = "reference_kind"  # of metrics that compare texts with references
KINDS = ("prewritten", "targeted", "all")
# Upper ends of bins of HTER: 0 alone, then what is above the end before. The last bin
# has what is above all of them.
ENDS = (0.0, *(float(end) for end in range(10, 101, 10)))
NOT_SCORED = "the metric was not run with this kind of reference"


@dataclass(frozen=True)
class Options(Grouped):
    """Against which aspect, and which metrics."""

    coefficient: CoefficientName = option("pearson", "Coefficient", of="coefficients")
    aspect: str = option(
        "", "Aspect", of="aspects", none="the one that a metric is meant for"
    )
    outputs: tuple[str, ...] = option(
        (), "Metrics", of="outputs", help="Leave empty for all that read references."
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    data: Data
    options: Options
    scores: np.ndarray  # (n, outputs), as given
    left: LeaveOut
    within: Within

    def signed(self, statistic: str, **parts: signature.Part) -> str:
        return choice.signed(
            self.data,
            self.options,
            statistic,
            level="texts",
            unit="prompts",
            **{"interval": self.within.interval(self.left), **parts},
        )


def compute(data: Data, options: Options, rng: np.random.Generator) -> Result:
    """HTER of the texts, and each metric with each kind of reference."""
    data, compared = within(options.apply(data), options)
    left = rivals.left_out(data.texts.prompt, int(rng.integers(2**32)))
    asked = _Asked(data, options, data.scores, left, compared)
    families = _families(asked)
    several = [one for one in families if len(one) > 1]
    rows = [_by_kind(asked, one) for one in several]
    return {
        **compared.about(),
        "coefficient": options.coefficient,
        "kinds": list(KINDS),
        "ends": list(ENDS),
        "effort": [_effort(asked, one) for one in data.outputs if is_hter(one)],
        "rows": rows,
        "alone": [
            output.name for one in families if len(one) == 1 for output in one.values()
        ],
        "family": rivals.adjust([d for row in rows for d in row["differences"]]),
    }


def kind_of(output: Output) -> str:
    """Which references its run read; empty where the metric reads none."""
    chosen = json.loads(output.options) if output.options else {}
    found = chosen.get(OPTION, "")
    return found if found in KINDS else ""


def is_hter(output: Output) -> bool:
    """Whether it is TER of a text against its own corrections."""
    return (output.metric, output.key, kind_of(output)) == ("ter", "ter", "targeted")


# How much people changed -------------------------------------------------------------


def _effort(asked: _Asked, output: Output) -> Effort:
    data = asked.data
    place = data.output(output.id)
    hter = asked.scores[:, place]
    there = np.isfinite(hter)
    groups = [("", there)]
    if len(data.systems) > 1:
        groups += [
            (system.name, there & (data.texts.system == k))
            for k, system in enumerate(data.systems)
        ]
    return {
        "output": choice.described(data, place, ""),
        "without": int((~there).sum()),
        "rows": [_spread(asked, output, name, hter, rows) for name, rows in groups],
    }


def _spread(
    asked: _Asked, output: Output, system: str, hter: np.ndarray, rows: np.ndarray
) -> Spread:
    found = hter[rows]
    bins = np.searchsorted(ENDS, found, side="left")
    return {
        "system": system,
        "mean": _mean(asked, output, system, hter, rows),
        "median": float(np.median(found)) if len(found) else None,
        "untouched": int((found == 0).sum()),
        "counts": np.bincount(bins, minlength=len(ENDS) + 1).tolist(),
    }


def _mean(
    asked: _Asked, output: Output, system: str, hter: np.ndarray, rows: np.ndarray
) -> Number:
    n = int(rows.sum())
    if not n:
        return number(
            Estimate(None, n=0, reason="nobody corrected a text of this system")
        )
    made = cluster_t.mean(hter[rows], asked.data.texts.prompt[rows], skewed=True)
    signature = asked.signed(
        "mean", output=output.id, system=system or None, n=n, interval="cr2-hall-t"
    )
    return number(made.with_signature(signature))


# Which references agree with people --------------------------------------------------


def _families(asked: _Asked) -> list[dict[str, Output]]:
    """Outputs that differ only in the kind of reference, by kind."""
    wanted = asked.options.outputs
    chosen = {_family(one) for one in asked.data.outputs if one.id in wanted}
    found: dict[str, dict[str, Output]] = {}
    for one in asked.data.outputs:
        family = _family(one)
        if kind_of(one) and (not wanted or family in chosen):
            found.setdefault(family, {}).setdefault(kind_of(one), one)
    return list(found.values())


def _family(output: Output) -> str:
    """What outputs share that differ in nothing but the kind of reference."""
    options = json.loads(output.options) if output.options else {}
    others = {name: value for name, value in options.items() if name != OPTION}
    return json.dumps([output.metric, output.key, others], sort_keys=True)


def _by_kind(asked: _Asked, family: dict[str, Output]) -> ByKind:
    """On the texts that have a score with each kind that there is."""
    data = asked.data
    outputs = [family.get(kind) for kind in KINDS]
    there = [one for one in outputs if one]
    first = there[0]
    at = choice.aspect_place(data, asked.options.aspect or first.measures or "")
    scores = [_signed_scores(asked, one) if one else None for one in outputs]
    known = [x for x in scores if x is not None]
    shared = np.isfinite(np.stack(known)).all(axis=0)
    human = np.where(shared, choice.human_of(data, at), np.nan)

    def signed(statistic: str, variant: int, **parts: int) -> str:
        one = outputs[variant]
        named: dict[str, signature.Part] = {**parts}
        if "minus" in parts:
            named["minus"] = KINDS[parts["minus"]]
        return asked.signed(
            statistic,
            output=one.id if one else None,
            references=KINDS[variant],
            **asked.within.signed(),
            **named,
        )

    kinds = Rivals(human, scores, [""] * len(KINDS), asked.left, asked.within, signed)
    base = outputs.index(first)
    coefficient = asked.options.coefficient
    key = data.aspects[at].key if at is not None else ""
    values = [one[coefficient] for one in rivals.values(kinds)]
    return {
        "output": {
            **choice.described(data, data.output(first.id), key),
            "variant": "",  # which tells the kinds apart, as the columns do
        },
        "aspect": data.aspects[at].title if at is not None else "",
        "n": int(np.isfinite(human).sum()),
        "scored": [k for k, one in enumerate(outputs) if one],
        "values": [
            one if output else number(Estimate(None, reason=NOT_SCORED))
            for one, output in zip(values, outputs, strict=True)
        ],
        "differences": rivals.differences(kinds, coefficient, base),
    }


def _signed_scores(asked: _Asked, output: Output) -> np.ndarray:
    found: np.ndarray = asked.scores[:, asked.data.output(output.id)] * output.sign
    return found
