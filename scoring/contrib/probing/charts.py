"""5. Charts of probes. No query, no request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import plotly.graph_objects as go

from scoring.contrib.probing.protocols import DIVERGENCES
from scoring.contrib.probing.protocols.results import ComparedEncoder, Spread
from scoring.drawing.charts import AXIS, COLOURS, LAYOUT, NAMES, SYMBOLS, UNKNOWN, plain

# Pixels of a row and of what is around the rows of a panel.
ROW, PANEL = 24, 60
DASHES = ("solid", "dash", "dot", "dashdot")


def panels(encoders: list[ComparedEncoder]) -> go.Figure:
    """Figure 4: a panel for each divergence, one below the other, on its own scale.

    A dotted line marks each encoder's unmodified row.
    """
    from plotly.subplots import make_subplots  # loads all of plotly: for who draws

    titles = [f"{title} ({unit})" for title, unit in DIVERGENCES.values()]
    n = len(encoders[0]["rows"])
    panel = n * ROW + PANEL
    height = panel * len(titles) + 80
    figure = make_subplots(
        rows=len(titles),
        cols=1,
        subplot_titles=titles,
        vertical_spacing=PANEL / height,
    )
    figure.update_layout(**LAYOUT)
    for row, key in enumerate(DIVERGENCES, start=1):
        for place, encoder in enumerate(encoders):
            figure.add_trace(_bars(encoder, key, place, first=row == 1), row=row, col=1)
            base = encoder["rows"][0]["cells"][0][key]["mean"]
            colour = COLOURS[place % len(COLOURS)] if len(encoders) > 1 else UNKNOWN
            look = {"color": colour, "dash": "dot"}
            figure.add_vline(x=base, line=look, row=row, col=1)
    figure.update_xaxes(**AXIS, rangemode="tozero")
    figure.update_yaxes(**{**NAMES, "autorange": "reversed", "type": "category"})
    # Encoders side by side, or one would hide the other.
    figure.update_layout(
        height=height, showlegend=len(encoders) > 1, scattermode="group"
    )
    return figure


def _bars(encoder: ComparedEncoder, key: str, place: int, *, first: bool) -> go.Scatter:
    rows, cells = encoder["rows"], [row["cells"][0][key] for row in encoder["rows"]]
    name = plain(encoder["model"])
    return go.Scatter(
        x=[cell["mean"] for cell in cells],
        y=[plain(row["title"]) for row in rows],
        mode="markers",
        name=name,
        legendgroup=name,
        offsetgroup=name,
        orientation="h",
        showlegend=first,
        marker={
            "color": COLOURS[place % len(COLOURS)],
            "symbol": SYMBOLS[place % len(SYMBOLS)],
            "size": 9,
        },
        error_x={"type": "data", "array": [c["sd"] or 0 for c in cells], "width": 0},
        hovertemplate=f"<b>%{{y}}</b>: %{{x:.3f}}<br>{name}<extra></extra>",
    )


def line(
    name: str,
    ks: list[int],
    cells: Sequence[Spread],
    look: dict[str, str],
    place: int,
    dash: int,
) -> go.Scatter:
    """Means over K with their spread; `place` and `dash` tell lines apart."""
    return go.Scatter(
        x=ks,
        y=[cell["mean"] for cell in cells],
        mode="lines+markers",
        name=plain(name),
        marker={**look, "symbol": SYMBOLS[place % len(SYMBOLS)], "size": 7},
        line={**look, "width": 1.5, "dash": DASHES[dash % len(DASHES)]},
        error_y={"type": "data", "array": [c["sd"] or 0 for c in cells], "width": 0},
        hovertemplate=f"<b>{plain(name)}</b><br>K = %{{x}}: %{{y:.3f}}<extra></extra>",
    )


def chart_over_k(of: Iterable[go.Scatter], ks: list[int], title: str) -> go.Figure:
    """Lines over the number of clusters, which grows by factors."""
    figure = go.Figure(list(of), layout=LAYOUT)
    shown = sorted(set(ks))
    figure.update_xaxes(
        **AXIS,
        type="log",
        tickvals=shown,
        ticktext=[str(k) for k in shown],
        title={"text": "Number of clusters K", "standoff": 10},
    )
    figure.update_yaxes(**AXIS, title=title)
    figure.update_layout(height=380 + 20 * len(figure.data))
    return figure
