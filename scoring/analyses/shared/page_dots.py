"""A chart of numbers with intervals: a row for each metric, a dot for each series."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from scoring.analyses.shared.page_metrics import ZERO, row_height
from scoring.drawing.charts import LAYOUT, NAMES, plain
from scoring.stats.estimates import Number

DOT, FRAME = 13, 150  # pixels that a dot needs; the axis and the legend


@dataclass(frozen=True, slots=True)
class Series:
    """One dot in each row, all of one colour."""

    name: str
    cells: Sequence[Number | None]  # of each row, from the result of an analysis
    mark: dict[str, str]  # color, symbol


def dots(rows: list[str], series: list[Series], *, x_title: str) -> go.Figure:
    """Rows from the top, series one below the other within each.

    Args:
        rows: Names, safe for plotly.
        series: One cell for each row; what has no value is not drawn.
        x_title: Of the axis across.
    """
    figure = go.Figure(layout=LAYOUT)
    step = 0.8 / max(1, len(series))
    for k, one in enumerate(series):
        shift = (k - (len(series) - 1) / 2) * min(step, 0.25)
        figure.add_trace(_trace(rows, one, shift))
    figure.update_xaxes(
        **ZERO,
        # On two lines: a phone is too narrow for one.
        title={"text": x_title.replace(" with ", "<br>with ", 1), "standoff": 10},
    )
    figure.update_yaxes(
        **NAMES,
        tickvals=list(range(len(rows))),
        ticktext=rows,
        range=[len(rows) - 0.4, -0.6],
    )
    least = DOT * (len(series) + 1)
    row = max((row_height(name, least) for name in rows), default=least)
    height = FRAME + len(rows) * row
    figure.update_layout(height=height, legend={"traceorder": "normal"})
    return figure


def _trace(rows: list[str], series: Series, shift: float) -> go.Scatter:
    found = [
        (k, cell)
        for k, cell in enumerate(series.cells)
        if cell is not None and cell["value"] is not None
    ]
    cells = [cell for _, cell in found]
    name = plain(series.name)
    return go.Scatter(
        x=[cell["value"] for cell in cells],
        y=[k + shift for k, _ in found],
        mode="markers",
        name=name,
        marker={**series.mark, "size": 8},
        error_x={**whiskers(cells), "color": series.mark["color"]},
        customdata=[[rows[k].replace("<br>", " "), said(cell)] for k, cell in found],
        hovertemplate=(
            f"<b>%{{customdata[0]}}</b> · {name}<br>%{{x:.3f}}%{{customdata[1]}}"
            "<extra></extra>"
        ),
    )


def whiskers(cells: Sequence[Number]) -> dict[str, object]:
    """Error bars from intervals; none where there is no interval."""

    def apart(value: float | None, end: float | None) -> float:
        return 0.0 if value is None or end is None else abs(end - value)

    return {
        "type": "data",
        "symmetric": False,
        "array": [apart(cell["value"], cell["high"]) for cell in cells],
        "arrayminus": [apart(cell["value"], cell["low"]) for cell in cells],
        "thickness": 1.5,
        "width": 0,
    }


def said(cell: Number) -> str:
    """Interval and size, for the pointer."""
    ends = (
        f" [{cell['low']:.3f}, {cell['high']:.3f}]" if cell["low"] is not None else ""
    )
    return f"{ends}, n = {cell['n']}" if cell["n"] is not None else ends
