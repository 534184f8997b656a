"""How well metrics agree with people by how many references each text has.

For each text k of its references are drawn, others in each draw. With several of them
a metric takes the best score (eq. 1 of ARGENT) or the mean: both are shown, whichever
the run took.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from scoring.analyses.evaluators.result import ByReference
from scoring.analyses.evaluators.result import Point as ShownPoint
from scoring.analyses.shared import choice
from scoring.analyses.shared.grouping import Within
from scoring.stats import subsets
from scoring.stats.data import Data, Evaluators, Output
from scoring.stats.subsets import Point

Shown = Callable[[Point, dict[str, str]], ShownPoint]


def rows(
    data: Data,
    *,
    aspect: str,
    outputs: tuple[str, ...],
    coefficient: str,
    within: Within,
    repeats: int,
    seed: int,
    shown: Shown,
) -> list[ByReference]:
    """A row for each output some of whose texts have two references or more."""
    found = []
    for output, scores in choice.with_references(data):
        wanted = not outputs or output.id in outputs
        if wanted and _most(scores) > 1:
            at = choice.aspect_place(data, aspect or output.measures or "")
            found.append(
                _row(
                    data, output, scores, at, coefficient, within, repeats, seed, shown
                )
            )
    return found


def _row(
    data: Data,
    output: Output,
    scores: Evaluators,
    at: int | None,
    coefficient: str,
    within: Within,
    repeats: int,
    seed: int,
    shown: Shown,
) -> ByReference:
    key = data.aspects[at].key if at is not None else ""

    def points(best: bool) -> list[ShownPoint]:
        taken = "best" if best else "mean"
        signed = {"aspect": key, "output": output.id, "references": taken}
        curve = subsets.curve_by_text(
            scores.s * output.sign,
            choice.human_of(data, at),
            rng=np.random.default_rng(seed),
            sizes=tuple(range(1, _most(scores) + 1)),
            repeats=repeats,
            coefficient=coefficient,
            best=best,
            **within.how,
        )
        return [shown(one, signed) for one in curve]

    return {
        "output": choice.described(data, data.output(output.id), key),
        "aspect": data.aspects[at].title if at is not None else "",
        "best": points(True),
        "mean": points(False),
    }


def _most(scores: Evaluators) -> int:
    """References of the text that has most."""
    return int((~np.isnan(scores.s)).sum(axis=1).max(initial=0))
