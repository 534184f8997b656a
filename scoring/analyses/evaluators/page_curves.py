"""A chart of means with their SD against how many scores were averaged."""

from __future__ import annotations

from dataclasses import dataclass

import plotly.graph_objects as go

from scoring.analyses.evaluators.result import Point
from scoring.analyses.shared.page_metrics import ZERO
from scoring.drawing.charts import AXIS, LAYOUT


@dataclass(frozen=True, slots=True)
class Line:
    """The points of one metric, each with k, mean (a cell) and std."""

    name: str  # safe for plotly
    points: list[Point]
    mark: dict[str, str]  # color, symbol


def curves(lines: list[Line], *, x_title: str, y_title: str) -> go.Figure:
    """One line for each metric; numbers double from tick to tick."""
    figure = go.Figure(layout=LAYOUT)
    for k, line in enumerate(lines):
        # A little apart, where bars would hide bars: the axis is logarithmic.
        figure.add_trace(_trace(line, 1 + 0.03 * (k - (len(lines) - 1) / 2)))
    ticks = _ticks(max((p["k"] for line in lines for p in line.points), default=1))
    figure.update_xaxes(
        **AXIS,
        title={"text": x_title, "standoff": 10},
        type="log",
        tickvals=ticks,
        ticktext=[str(k) for k in ticks],
        tickangle=0,
    )
    figure.update_yaxes(**ZERO, title=y_title)
    legend = sum(line.name.count("<br>") + 1 for line in lines)
    figure.update_layout(height=400 + 20 * legend, showlegend=True)
    return figure


def _ticks(last: int) -> list[int]:
    """1, 2, 4, ... and the last, with room for their words on a phone."""
    found = [1]
    while found[-1] * 2 * 1.4 <= last:
        found.append(found[-1] * 2)
    return sorted({*found, last})


def _trace(line: Line, shift: float) -> go.Scatter:
    shown = [point for point in line.points if point["mean"]["value"] is not None]
    stds = [point["std"] or 0.0 for point in shown]
    return go.Scatter(
        x=[point["k"] * shift for point in shown],
        y=[point["mean"]["value"] for point in shown],
        mode="lines+markers",
        name=line.name,
        marker={**line.mark, "size": 8},
        line={"color": line.mark["color"], "width": 1.5},
        error_y={"type": "data", "array": stds, "thickness": 1.5, "width": 0},
        customdata=[
            [point["k"], std, point["n_subsets"]]
            for point, std in zip(shown, stds, strict=True)
        ],
        hovertemplate=(
            f"<b>{line.name}</b><br>%{{customdata[0]}}: "
            "%{y:.3f} ± %{customdata[1]:.3f}, sets: %{customdata[2]}<extra></extra>"
        ),
    )
