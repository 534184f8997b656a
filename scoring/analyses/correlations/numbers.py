"""How well each metric agrees with people: metrics x aspects x coefficients.

Tables 3 and 4 of the paper on CTRLEval (Ke et al. 2022), with intervals, tests between
metrics, and what else a number may owe its size to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from scoring.analyses.correlations import beside, one_rater
from scoring.analyses.correlations.result import (
    Column,
    Correlation,
    Groups,
    OfAspect,
    Result,
)
from scoring.analyses.shared import setting
from scoring.analyses.shared.setting import Correlating, Setting
from scoring.stats.compare import ALPHA, Comparison, compare_all
from scoring.stats.correlation import (
    COEFFICIENTS,
    HEAVY,
    CoefficientName,
    tail_share,
)
from scoring.stats.data import Data, Output
from scoring.stats.estimates import Estimate, Number, number
from scoring.stats.groups import GroupedCoefficient
from scoring.stats.jackknife import FEW_TO_TEST, LEAST, Jackknifed, all_pairs
from scoring.stats.option import option

TITLE = "Correlations"
VERSION = 7
PLACE = 20
GROUP = "Metrics"
NEEDS = frozenset({"ratings", "scores"})


@dataclass(frozen=True)
class Options(Correlating):
    """Which coefficients, and how they are computed."""

    outputs: tuple[str, ...] = option(
        (),
        "Metrics",
        of="outputs",
        help="Leave empty for all. With fewer, differences are significant sooner",
    )
    coefficients: tuple[str, ...] = option((), "Coefficients shown", of="coefficients")
    primary: CoefficientName = option(
        "pearson",
        "Main coefficient",
        of="coefficients",
        help="Used in the chart and in tables with one coefficient",
    )


def compute(data: Data, options: Options, rng: np.random.Generator) -> Result:
    """All tables of the page, over the same units."""
    data = options.apply(data)
    order = setting.in_order(data.outputs, options.outputs)
    made = setting.setting(data, options, rng, columns=order)
    aspects = made.data.aspects
    wanted = options.coefficients or COEFFICIENTS
    shown = [c for c in COEFFICIENTS if c in wanted]
    columns = [_column(made, c) for c in shown]
    return {
        **made.about(),
        "coefficients": shown,
        "primary": options.primary,
        "aspects": [{"key": a.key, "title": a.title} for a in aspects],
        "outputs": [
            setting.about_output(data.outputs[place], place, aspects) for place in order
        ],
        "columns": columns,
        "heavy": [output.name for output in _heavy(made)],
        "main": _main(made, options.primary, columns),
        "ceiling": one_rater.ceilings(made, shown, rng),
        "behind": beside.behind(made, options.primary),
        "matrix": beside.matrix(made, options.primary),
        "accuracy": beside.accuracies(made, rng),
    }


def _heavy(made: Setting) -> Iterator[Output]:
    """Outputs of which a few texts decide Pearson's r."""
    alike = made.data.of_one_level(np.isfinite(made.y).any(axis=1))
    for output, scores in zip(made.data.outputs, made.x[alike].T, strict=True):
        if (tail_share(scores) or 0.0) > HEAVY:
            yield output


def _column(made: Setting, coefficient: CoefficientName) -> Column:
    """A coefficient of every output with every aspect, and what the tests say."""
    jackknifed = made.jackknifed(coefficient)
    return {
        "coefficient": coefficient,
        "aspects": [
            _of_aspect(made, coefficient, at, jackknifed.at(slice(None), at))
            for at in range(len(made.data.aspects))
        ],
    }


def _of_aspect(
    made: Setting, coefficient: str, at: int, jackknifed: Jackknifed
) -> OfAspect:
    aspect = made.data.aspects[at].key
    values = [made.value(coefficient, column, made.y[:, at]) for column in made.x.T]
    compared = _compared(values, jackknifed)
    cells: list[Correlation] = [
        {
            **made.cell(
                coefficient,
                value,
                jackknifed.at(place),
                output=made.data.outputs[place],
                aspect=aspect,
            ),
            "best": compared.best == place,
            "groups": _groups(value),
        }
        for place, value in enumerate(values)
    ]
    return {
        "cells": cells,
        "ranks": _ranks(made, coefficient, aspect, compared, cells),
        "family": compared.family,
    }


def _groups(value: GroupedCoefficient) -> Groups:
    return {
        "n_groups": value.n_groups,
        "n_undefined_metric": value.n_undefined_metric,
        "n_undefined_human": value.n_undefined_human,
        "n_small": value.n_small,
    }


def _compared(values: list[GroupedCoefficient], jackknifed: Jackknifed) -> Comparison:
    numbers = [np.nan if v.value is None else v.value for v in values]
    return compare_all(np.array(numbers), all_pairs(jackknifed))


def _ranks(
    made: Setting,
    coefficient: str,
    aspect: str,
    compared: Comparison,
    cells: list[Correlation],
) -> list[Number]:
    """The cluster of each output: a rank is another only where a test says so."""
    signed = made.signature(
        f"rank by {setting.coefficient_name(coefficient)}",
        aspect=aspect,
        test="t",
        correction="holm",
        family=compared.family,
        alpha=ALPHA,
    )
    found = []
    for rank, one in zip(compared.ranks, cells, strict=True):
        reason = one["reason"] if rank is None else None
        if rank is not None and compared.family == 0:
            rank, reason = None, _untested(made, len(cells))
        found.append(
            number(Estimate(rank, n=one["n"], reason=reason, signature=signed))
        )
    return found


def _untested(made: Setting, n_outputs: int) -> str:
    if n_outputs < 2:
        return "nothing to compare it with"
    few = made.left.n_units < LEAST
    return FEW_TO_TEST if few else "no two metrics could be tested"


def _main(
    made: Setting, primary: CoefficientName, columns: list[Column]
) -> list[list[Correlation]]:
    """Cells of the main coefficient by aspect, which need not be among those shown."""
    for column in columns:
        if column["coefficient"] == primary:
            return [aspect["cells"] for aspect in column["aspects"]]
    return [aspect["cells"] for aspect in _column(made, primary)["aspects"]]
