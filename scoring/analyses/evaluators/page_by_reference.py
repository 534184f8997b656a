"""Agreement with people by the number of references."""

from __future__ import annotations

from functools import partial

from scoring.analyses.evaluators.page_curves import Line, curves
from scoring.analyses.evaluators.result import ByReference, Point, Result
from scoring.analyses.shared.page_basis import compared, why
from scoring.analyses.shared.page_metrics import full, link, mark_of
from scoring.analyses.shared.page_words import coefficient
from scoring.drawing.charts import plain
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value


def section(result: Result) -> Section:
    rows = result["references"]
    lines = [
        Line(full(row["output"]), row["best"], mark_of(row["output"])) for row in rows
    ]
    aspects = list(dict.fromkeys(row["aspect"] for row in rows))
    about = aspects[0] if len(aspects) == 1 else "the matching aspect"
    return Section(
        "references",
        "Number of references",
        "We draw k of the references of each text at random and take the best score,"
        " many times. If the curve still rises at its end, more references would help.",
        partial(
            curves,
            lines,
            x_title="Number of references (k)",
            y_title=f"{coefficient(result)} with {plain(about)}",
        ),
        alt=f"{coefficient(result)} by the number of references.",
        tables={"references": _table(result)},
        after=(
            "A text that has fewer than k references is left out at k, so the number of"
            " texts may fall from row to row. SD is over the draws: it shows how much"
            " the choice of references matters, not how certain the number is."
        ),
    )


def _table(result: Result) -> Table:
    rows: list[list[Value]] = [
        line for row in result["references"] for line in _lines(row)
    ]
    return Table(
        ["Metric", "References", "Texts", "Best", "SD", "Mean", "SD"],
        rows,
        f"{coefficient(result)} between human scores and a metric with k references of"
        f" each text, {compared(result)}: with the best of the k scores, and with"
        " their mean.",
        notes=why(result),
        title=f"{coefficient(result)} by number of references",
    )


def _lines(row: ByReference) -> list[list[Value]]:
    return [
        [
            link(row["output"]),
            best["k"],
            best["mean"]["n"],
            *_cells(best),
            *_cells(mean),
        ]
        for best, mean in zip(row["best"], row["mean"], strict=True)
    ]


def _cells(point: Point) -> list[Value]:
    found = Cell.of(point["mean"], heat=True)
    why = "" if point["std"] is not None else found.reason or "only one draw"
    return [found, Cell(point["std"], reason=why)]
