"""5. Arrays -> plotly figures. No query, no request.

One look for all: no chart junk, axes named with their units, and the same colour for
the same system on every page. Colours of text and grid come from the page's own theme,
in static/js/charts.js.
"""

from __future__ import annotations

import html
from typing import Any
from urllib.parse import quote

import numpy as np
import plotly.graph_objects as go

from scoring.meta_evaluation import Scatter
from scoring.metrics import Output
from scoring.tables import unit

# Okabe and Ito (2008): told apart with every common form of colour blindness. Black is
# left out, as it vanishes on a dark page; grey is for texts of an unknown system.
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442")
UNKNOWN = "#8c8c8c"
SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "x", "star")

LAYOUT = {
    "template": "none",
    "font": {"family": "system-ui, sans-serif", "size": 13},
    "paper_bgcolor": "rgba(0,0,0,0)",
    "plot_bgcolor": "rgba(0,0,0,0)",
    "margin": {"l": 64, "r": 16, "t": 24, "b": 56},
    "hoverlabel": {"align": "left"},
    "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
}
BACKWARDS = "runs backwards, lower is better"
AXIS = {"zeroline": False, "automargin": True, "ticks": "outside", "showline": True}
# Of names: ticks that are not seen keep these off the bars.
NAMES = {
    **AXIS,
    **{"showline": False, "showgrid": False},
    **{"ticklen": 6, "tickcolor": "rgba(0,0,0,0)"},
}


def drawn(figure: go.Figure | None) -> go.Figure | None:
    """The figure, or None where it would be axes with nothing between them."""
    if figure is None:
        return None
    values = (trace.z if trace.type == "heatmap" else trace.x for trace in figure.data)
    anything = any(v is not None for found in values for v in _flat(found))
    return figure if anything else None


def _flat(found: Any) -> np.ndarray:
    return np.asarray(() if found is None else found, dtype=object).ravel()


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
    if line and points.row.pearson is not None:
        figure.add_trace(_least_squares(points))
    output = points.row.output
    figure.update_xaxes(
        **AXIS,
        title={"text": _axis_title(points.row.label, output), "standoff": 10},
        autorange="reversed" if output.higher_is_better is False else True,
    )
    ends = [scale[0] - 0.15, scale[-1] + 0.15]
    rated = f"Human: {plain(points.row.title)}, mean rating {scale[0]}-{scale[-1]}"
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
                f"{n} ratings" if n else "a mean from a file",
                quote(points.keys[i], safe=""),  # for the address of the text
            ]
            for i, n in zip(chosen.tolist(), ratings.tolist(), strict=True)
        ],
        hovertemplate=(
            f"<b>%{{customdata[0]}}</b> · {name}<br>"
            f"{plain(points.row.output.title)}: %{{x:.4g}}<br>"
            f"{plain(points.row.title)}: %{{y:.3g}} (%{{customdata[1]}})"
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


def plain(text: str) -> str:
    """Plotly draws some HTML and fills in %{...}: names are shown letter by letter."""
    return html.escape(text, quote=False).replace("%{", "%&#123;")


def mark(place: int) -> dict[str, str]:
    """Colour and symbol of the n-th system, or metric, of a study."""
    return {
        "color": COLOURS[place % len(COLOURS)],
        "symbol": SYMBOLS[place // len(COLOURS) % len(SYMBOLS)],
    }
