"""5. Arrays -> plotly figures. No query, no request.

One look for all: no chart junk, axes named with their units, and the same colour for
the same system on every page. Colours of text and grid come from the page's own theme,
in static/js/charts.js.
"""

from __future__ import annotations

import html
from typing import Any

import numpy as np
import plotly.graph_objects as go

# Okabe and Ito (2008): told apart with every common form of colour blindness. Black is
# left out, as it vanishes on a dark page; grey is for texts of an unknown system.
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442")
UNKNOWN = "#8c8c8c"
SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "x", "star")

LAYOUT: dict[str, Any] = {
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


def plain(text: str) -> str:
    """Plotly draws some HTML and fills in %{...}: names are shown letter by letter."""
    return html.escape(text, quote=False).replace("%{", "%&#123;")


def mark(place: int) -> dict[str, str]:
    """Colour and symbol of the n-th system, or metric, of a study."""
    return {
        "color": COLOURS[place % len(COLOURS)],
        "symbol": SYMBOLS[place // len(COLOURS) % len(SYMBOLS)],
    }
