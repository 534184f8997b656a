"""5. The texts behind a correlation as a chart. No query, no request."""

from __future__ import annotations

from urllib.parse import quote

import numpy as np
import plotly.graph_objects as go

from scoring.drawing.charts import AXIS, BACKWARDS, LAYOUT, UNKNOWN, mark, plain
from scoring.drawing.tables import unit
from scoring.metrics import Output
from scoring.results.points import Scatter


def scatter(points: Scatter, *, scale: range, line: bool = False) -> go.Figure:
    """One point for each text: the metric's score across, people's mean up.

    Where lower is better, of either, its axis runs backwards, so that agreement always
    rises to the right, as in the oriented coefficients.
    """
    figure = go.Figure(layout=LAYOUT)
    systems = np.array(points.systems, dtype=object)
    for name in [*points.all_systems, ""]:
        chosen = np.flatnonzero(systems == name)
        if len(chosen):
            figure.add_trace(_dots(points, chosen, name))
    if line and points.row["pearson"] is not None:
        figure.add_trace(_least_squares(points))
    output = points.output
    figure.update_xaxes(
        **AXIS,
        title={"text": _axis_title(points.row["label"], output), "standoff": 10},
        autorange="reversed" if output.higher_is_better is False else True,
    )
    around = 0.0375 * (scale[-1] - scale[0])
    ends = [scale[0] - around, scale[-1] + around]
    rated = f"Human: {plain(points.row['title'])}, mean rating {scale[0]}-{scale[-1]}"
    figure.update_yaxes(
        **AXIS,
        title=f"{rated}<br>{BACKWARDS}" if points.low_means_good else rated,
        range=ends[::-1] if points.low_means_good else ends,
    )
    return figure


def _dots(points: Scatter, chosen: np.ndarray, system: str) -> go.Scatter:
    name = plain(system) or "unknown system"
    place = points.all_systems.index(system) if system else 0
    ratings = points.n_ratings[chosen]
    return go.Scatter(
        x=points.scores[chosen],
        y=points.means[chosen],
        mode="markers",
        name=name,
        marker={
            **mark(place),
            **({} if system else {"color": UNKNOWN}),
            "size": 8,
            "opacity": 0.75,
        },
        customdata=[
            [
                plain(points.keys[i]),
                f"{n:,} rating{'' if n == 1 else 's'}" if n else "a mean from a file",
                quote(points.keys[i], safe=""),  # for the address of the text
            ]
            for i, n in zip(chosen.tolist(), ratings.tolist(), strict=True)
        ],
        hovertemplate=(
            f"<b>%{{customdata[0]}}</b> · {name}<br>"
            f"{plain(points.output.title)}: %{{x:.4g}}<br>"
            f"{plain(points.row['title'])}: %{{y:.3g}} (%{{customdata[1]}})"
            "<extra></extra>"
        ),
    )


def _least_squares(points: Scatter) -> go.Scatter:
    slope, start = np.polyfit(points.scores, points.means, 1)
    ends = np.array([points.scores.min(), points.scores.max()])
    return go.Scatter(
        x=ends,
        y=slope * ends + start,
        mode="lines",
        name="least squares",
        line={"color": UNKNOWN, "width": 2, "dash": "dash"},
        hoverinfo="skip",
    )


def _axis_title(label: str, output: Output) -> str:
    """Two lines: a phone is too narrow for one."""
    lower = output.higher_is_better is False
    facts = [plain(unit(output.unit)), BACKWARDS if lower else ""]
    second = "; ".join(fact for fact in facts if fact)
    return f"{plain(label)}<br>{second}"
