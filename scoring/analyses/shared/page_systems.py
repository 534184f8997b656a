"""Systems in tables and charts: one colour each, a row each, in the order given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

import plotly.graph_objects as go

from scoring.analyses.shared.page_dots import FRAME, whiskers
from scoring.analyses.shared.page_metrics import mark
from scoring.drawing.charts import AXIS, LAYOUT, NAMES, UNKNOWN, plain
from scoring.drawing.tables import Cell, Link
from scoring.stats.estimates import Number

ROW = 22  # pixels
PEOPLE = "people"


class System(TypedDict):
    """What results say of a system, among other things."""

    place: int
    system: str  # its name
    kind: str


def named(system: System) -> Link:
    """A system in a table."""
    return Link(system["system"], small=PEOPLE if system["kind"] == "human" else "")


def rank(best: int | None, worst: int | None, reason: str = "") -> Cell | str:
    """The ranks that a system may have: "2", "1–3", or why that is not known."""
    if best is None or worst is None:
        return Cell(None, reason=reason or "no interval")
    return str(best) if best == worst else f"{best}–{worst}"


def rows(
    systems: Sequence[System],
    cells: Sequence[Number],
    *,
    x_title: str,
    digits: int = 3,
    middle: float | None = None,
) -> go.Figure:
    """A dot with its interval for each system, the first on top.

    Args:
        systems: With place and system (the name).
        cells: The number of each; what has no value is not drawn.
        x_title: Of the axis across.
        digits: Decimals for the pointer.
        middle: Where to draw a line, if anywhere.
    """
    figure = go.Figure(layout=LAYOUT)
    for k, (system, cell) in enumerate(zip(systems, cells, strict=True)):
        if cell["value"] is None:
            continue
        name, look = plain(system["system"]), mark(system["place"])
        trace = go.Scatter(
            x=[cell["value"]],
            y=[k],
            mode="markers",
            name=name,
            marker={**look, "size": 9},
            error_x={**whiskers([cell]), "color": look["color"]},
            customdata=[_said(cell, digits)],
            hovertemplate=(
                f"<b>{name}</b><br>%{{x:.{digits}f}}%{{customdata}}<extra></extra>"
            ),
        )
        figure.add_trace(trace)
    if middle is not None:
        figure.add_vline(x=middle, line={"width": 1, "dash": "dot", "color": UNKNOWN})
    figure.update_xaxes(
        **{**AXIS, "showgrid": True}, title={"text": x_title, "standoff": 10}
    )
    figure.update_yaxes(
        **NAMES,
        tickvals=list(range(len(systems))),
        ticktext=[plain(system["system"]) for system in systems],
        range=[len(systems) - 0.5, -0.5],
    )
    figure.update_layout(height=FRAME + ROW * len(systems), showlegend=False)
    return figure


def _said(cell: Number, digits: int) -> str:
    """Interval and size, for the pointer."""
    n = "" if cell["n"] is None else f", n = {cell['n']}"
    if cell["low"] is None:
        return n
    return f" [{cell['low']:.{digits}f}, {cell['high']:.{digits}f}]{n}"
