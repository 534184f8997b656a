"""Metrics x aspects x coefficients (tables 3 and 4 of the paper on CTRLEval)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TypeVar

import plotly.graph_objects as go

from scoring.analyses.correlations import page_beside as beside
from scoring.analyses.correlations import page_sentinels as sentinels
from scoring.analyses.correlations.result import Ceiling, Column, Result
from scoring.analyses.needs import JUDGED
from scoring.analyses.shared.page_basis import basis, intervals, link, why
from scoring.analyses.shared.page_metrics import COEFFICIENTS, SHORT, rung
from scoring.drawing.ladders import Line, Panel, best_first, ladder
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value
from scoring.stats.estimates import Number

T = TypeVar("T")

LEAD = "Does a metric score texts as people do, and which metric does so best?"
NEED = JUDGED
NO_METRIC = "No metric has scores of these texts."
ONE_PERSON = "one person"
TRIVIAL = "Simple guesses"


def sections(result: Result) -> list[Section]:
    """From the numbers that papers print to what they are to be read beside."""
    if not result["outputs"] or not result["aspects"]:
        what = NO_METRIC if result["aspects"] else "The study has no aspect."
        return [Section("correlations", "Correlations with people", what)]
    result = ordered(result)
    return [
        _main(result),
        beside.ranks(result),
        beside.behind(result),
        *beside.groups(result),
        beside.accuracy(result),
        beside.metrics(result),
    ]


def ordered(result: Result) -> Result:
    """Outputs best first on all aspects together, in every part of the page."""
    order = best_first(result["main"])

    def sorted_out(cells: list[T]) -> list[T]:
        return [cells[place] for place in order]

    columns: list[Column] = [
        {
            **column,
            "aspects": [
                {
                    **one,
                    "cells": sorted_out(one["cells"]),
                    "ranks": sorted_out(one["ranks"]),
                }
                for one in column["aspects"]
            ],
        }
        for column in result["columns"]
    ]
    accuracy = result["accuracy"]
    if "floor" in result:
        result = {**result, "floor": sorted_out(result["floor"])}
    return {
        **result,
        "outputs": sorted_out(result["outputs"]),
        "columns": columns,
        "main": [sorted_out(cells) for cells in result["main"]],
        "behind": sorted_out(result["behind"]),
        "matrix": [sorted_out(row) for row in sorted_out(result["matrix"])],
        "accuracy": {**accuracy, "rows": sorted_out(accuracy["rows"])},
    }


def _main(result: Result) -> Section:
    primary = COEFFICIENTS[result["primary"]]
    return Section(
        "correlations",
        "Correlations with people",
        "Positive (blue): the metric agrees with people. Negative (orange): it says the"
        " reverse. Metrics are sorted by their mean over the aspects. Text lengths and"
        " predictors that know nothing of quality are grey.",
        partial(_chart, result),
        alt=f"{primary} of each metric with people on each aspect.",
        tables={"correlations": _table(result)},
        after=_small_print(result),
    )


def _chart(result: Result) -> go.Figure:
    ceilings = _ceiling_of_primary(result) or [None] * len(result["aspects"])
    panels = [
        Panel(
            [*cells, *sentinels.cells(result, at)],
            aspect["title"],
            [] if ceiling is None else [Line(ceiling, ONE_PERSON)],
        )
        for at, (aspect, cells, ceiling) in enumerate(
            zip(result["aspects"], result["main"], ceilings, strict=True)
        )
    ]
    return ladder(
        [rung(output) for output in result["outputs"]] + sentinels.rungs(result),
        panels,
        x_title=f"{COEFFICIENTS[result['primary']]} with people",
    )


def _ceiling_of_primary(result: Result) -> list[float | None]:
    """One rater against the rest on each aspect, where that was computed."""
    if result["primary"] not in result["coefficients"]:
        return []
    at = result["coefficients"].index(result["primary"])
    return [row[at]["value"] for row in result["ceiling"]["one"]]


def _table(result: Result) -> Table:
    """As papers print it: a row for each output, coefficients below each aspect."""
    shown, aspects = result["coefficients"], result["aspects"]
    sizes = _sizes(result)
    one_n = len({n for row in sizes for n in row}) == 1
    names = [*(SHORT[c] for c in shown), *([] if one_n else ["n"])]
    names += [TRIVIAL] if "floor" in result else []
    rows: list[list[Value]] = []
    for place, output in enumerate(result["outputs"]):
        row: list[Value] = [link(output)]
        for at in range(len(aspects)):
            for column in result["columns"]:
                found = column["aspects"][at]["cells"][place]
                row.append(Cell.of(found, heat=True, bold=bool(found["best"])))
            row += [] if one_n else [sizes[place][at]]
            row += _told(result, place, at)
        rows.append(row)
    unit = "systems" if result["level"] == "systems" else "texts"
    n = f" n = {sizes[0][0]} {unit}." if one_n else f" n: {unit}."
    which = ", ".join(COEFFICIENTS[c] for c in shown)
    people = sentinels.rows(result, one_n) + _people(result, one_n)
    return Table(
        ["Metric", *(names * len(aspects))],
        rows + people,
        f"Correlation of metrics with human scores ({which}), {basis(result)}, with"
        f" 95 % intervals.{n}",
        groups=[("", 1), *((aspect["title"], len(names)) for aspect in aspects)],
        notes=why(result),
        title="Correlation with human scores",
        foot=len(people),
    )


def _told(result: Result, place: int, at: int) -> list[Value]:
    """What the answer says of a metric, where a page has asked it."""
    if "floor" not in result:
        return []
    found = result["floor"][place][at]
    return [found["words"] or Cell(None, reason=found["reason"])]


def _sizes(result: Result) -> list[list[int | None]]:
    """n of each output and aspect."""
    return [
        [cells[place]["n"] for cells in result["main"]]
        for place in range(len(result["outputs"]))
    ]


def _people(result: Result, one_n: bool) -> list[list[Value]]:
    """One rater against the rest; and what no metric is expected to pass."""
    ceiling, rows = result["ceiling"], []
    named: list[tuple[str, Sequence[Sequence[Number]]]] = [
        ("One rater with the others", ceiling["one"]),
        ("The most that a metric could reach", ceiling["attainable"]),
    ]
    for name, found in named:
        if all(one["value"] is None for cells in found for one in cells):
            continue
        row: list[Value] = [name]
        for cells in found:
            row += [Cell.of(one, heat=True) for one in cells]
            row += [] if one_n else [cells[0]["n"]]
            row += [""] if "floor" in result else []
        rows.append(row)
    return rows


def _small_print(result: Result) -> str:
    names = ", ".join(f"{SHORT[c]}: {c.capitalize()}" for c in result["coefficients"])
    parts = [
        f"{names}. Human scores are means of valid ratings. Scores are reversed"
        " where lower is better.",
        intervals(result),
        "Bold: significantly better than every other metric in its column, text lengths"
        " included (see the ranks).",
    ]
    if result["heavy"] and "pearson" in result["coefficients"]:
        parts.append(
            "Heavy tails: one text in a hundred makes up more than a third of the"
            f" spread of {', '.join(result['heavy'])}. Such texts decide r, and its"
            " interval is too narrow: use ρ or τ-b instead."
        )
    if "floor" in result:
        parts.append(
            "Simple guesses, such as counting words, know nothing of quality. A"
            " metric that is not clearly better than each of them by"
            f" {SHORT[result['primary']]} has shown nothing yet, however large its"
            " correlation. The number is the guess's coefficient, or 0 if that is"
            " negative. That of a word count has no sign, because longer texts may be"
            " better or worse."
        )
    ceiling = result["ceiling"]
    if ceiling["method"]:
        parts.append(
            "One rater with the others: how well a rater would do as a metric"
            f" ({ceiling['method']}); the dotted line in the chart."
        )
    if ceiling["raters"] is not None:
        parts.append(
            "The most that a metric could reach: the correlation of a perfect metric"
            " with the mean rating, which is noisy itself. It comes from the"
            f" reliability of that mean (Spearman-Brown, {_ratings(ceiling)} ratings"
            " per text; roughly for ρ, not for τ-b)."
        )
    return " ".join(parts)


def _ratings(ceiling: Ceiling) -> str:
    low, high = ceiling["raters"], ceiling["raters_most"]
    return f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"
