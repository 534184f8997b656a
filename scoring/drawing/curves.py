"""5. Divergence curves -> a plotly figure. No query, no request."""

from __future__ import annotations

from dataclasses import dataclass

import plotly.graph_objects as go

from scoring.drawing.charts import AXIS, COLOURS, LAYOUT, mark, plain

SIDE = 480  # pixels: about square, as both axes go from 0 to 1
ENDS = [-0.02, 1.02]
DASHES = ("solid", "dash", "dot")  # where there are more systems than colours


Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Curve:
    """exp(-s KL(p || r)) across, exp(-s KL(q || r)) up; r are mixtures of p and q."""

    system: str
    place: int  # of the system in the study, which gives it its colour
    points: list[Point]


def divergences(curves: list[Curve]) -> go.Figure:
    """One curve for each system, in its colour: the nearer to the corner the better.

    Across: how little of the mixture r human texts p miss; up: how little the system's
    texts q do (Pillutla et al. 2021, figure 3).
    """
    figure = go.Figure(layout=LAYOUT)
    for curve in curves:
        figure.add_trace(_line(curve))
    titles = {"x": "exp(−s KL(p‖r))", "y": "exp(−s KL(q‖r))"}
    figure.update_xaxes(
        **AXIS,
        title={"text": f"{titles['x']}<br>p: human texts", "standoff": 10},
        range=ENDS,
    )
    figure.update_yaxes(
        **AXIS,
        title={"text": f"q: the system's<br>{titles['y']}", "standoff": 20},
        range=ENDS,
    )
    legend = 20 * len(curves)
    figure.update_layout(height=SIDE + legend, showlegend=True)
    return figure


def _line(curve: Curve) -> go.Scatter:
    look, name = mark(curve.place), plain(curve.system)
    dash = DASHES[curve.place // len(COLOURS) % len(DASHES)]
    return go.Scatter(
        x=[x for x, _ in curve.points],
        y=[y for _, y in curve.points],
        mode="lines+markers",
        name=name,
        line={"color": look["color"], "width": 2, "dash": dash},
        marker={**look, "size": 5},
        hovertemplate=f"<b>{name}</b><br>%{{x:.3f}}, %{{y:.3f}}<extra></extra>",
    )
