"""5. Numbers with intervals -> a ladder: a row for each name, one panel or several.

Rows are 22 pixels high and come sorted. Panels stand side by side; static/js/charts.js
puts them below each other where the window is narrow. No query, no request.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from textwrap import wrap
from typing import Any

import plotly.graph_objects as go

from scoring.drawing.charts import AXIS, LAYOUT, NAMES, UNKNOWN, plain
from scoring.stats.estimates import Number

ROW = 22  # pixels
AGREES, DISAGREES = "#0072b2", "#d55e00"  # with people, on every page
TALL = 12  # rows from which on the axis stands at both ends
TOP, BOTTOM, TITLE = 26, 58, 24  # pixels around the rows
TITLE_LINE = 16  # pixels of each more line of a title
# Characters of titles that have room across, and of one title however many there are.
ACROSS, SHORTEST_LINE = 84, 10
GAP = 0.03  # between panels, of the width
LINE = {"color": UNKNOWN, "width": 1.5, "dash": "dot"}


@dataclass(frozen=True, slots=True)
class Line:
    """A value that rows are compared with, with its name beside it."""

    at: float
    name: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """One number for each row."""

    cells: Sequence[Any]  # like Number, or None where there is none
    title: str = ""
    lines: Sequence[Line] = ()
    backwards: bool = False  # lower is better: the axis runs the other way
    unit: str = ""  # panels of one unit share their axis


@dataclass(frozen=True, slots=True)
class Rung:
    """A row."""

    name: str  # not yet safe for plotly
    mark: dict[str, str] = field(default_factory=dict)  # none: blue or orange, by sign
    aside: bool = False  # what only counts: grey


def best_first(
    cells: Sequence[Sequence[Any]], *, lowest: bool = False, last: Sequence[int] = ()
) -> list[int]:
    """Rows by the mean of their numbers over panels; those without one at the end.

    Rows of `last` come below them, in the order given.
    """

    def key(row: int) -> tuple[int, bool, float]:
        if row in last:
            return 1 + last.index(row), False, 0.0
        found = [column[row] for column in cells]
        values = [c["value"] for c in found if c and c["value"] is not None]
        mean = sum(values) / len(values) if values else 0.0
        return 0, not values, mean if lowest else -mean

    return sorted(range(len(cells[0]) if cells else 0), key=key)


def ladder(
    rungs: Sequence[Rung],
    panels: Sequence[Panel],
    *,
    x_title: str,
    zero: float | None = 0.0,
    ends: tuple[float, float] | None = None,
    digits: int = 3,
) -> go.Figure:
    """A dot with its interval for each row of each panel, in the order given.

    Blue lies above `zero` and agrees with people, orange lies below. What
    only counts, such as the length of a text, is grey. Whether the interval holds
    `zero` is seen from the interval alone: a hollow mark means "not better than
    trivial" on the answer's chart, and may not mean two things.

    Args:
        rungs: The rows, sorted by the caller (see `best_first`).
        panels: One for each aspect, say; side by side, with one scale for each unit.
        x_title: Of the axis across.
        zero: What no agreement would give, drawn as a line; None if there is none.
        ends: The least that the axis shows, such as (0, 1) for alpha.
        digits: Decimals for the pointer.
    """
    figure = go.Figure(layout=LAYOUT)
    head = max((len(_named(panel)) for panel in panels), default=0)
    span = [len(rungs) - 0.4, -0.6 - head]
    tall = len(rungs) >= TALL
    for k, panel in enumerate(panels):
        figure.add_trace(_dots(rungs, panel, k, zero, digits))
        _lines(figure, panel, k, zero)
        _axes(figure, panels, k, span)
        if tall:
            _upper_axis(figure, panels, k)
    figure.update_yaxes(
        **NAMES,
        tickvals=list(range(len(rungs))),
        ticktext=[_label(rung) for rung in rungs],
        range=span,
        ticklabelstandoff=2,
    )
    if ends is not None:
        _reach(figure, panels, ends)
    lines = max((len(_lines_of(panel, len(panels))) for panel in panels), default=0)
    top = TOP * tall + TITLE * min(lines, 1) + TITLE_LINE * max(lines - 1, 0) + 10
    figure.update_layout(
        height=top + BOTTOM + ROW * (len(rungs) + head),
        margin={"l": 8, "r": 12, "t": top, "b": BOTTOM},
        showlegend=False,
        meta={"panels": len(panels), "x_title": x_title, "rows": len(rungs)},
    )
    # One title for all: several would stand beside each other and say the same.
    figure.add_annotation(
        text=x_title,
        **{"x": 0.5, "xref": "paper", "xanchor": "center"},
        **{"y": 0, "yref": "paper", "yanchor": "top", "yshift": -26},
        **{"showarrow": False, "name": "x title"},
    )
    return figure


def _label(rung: Rung) -> str:
    return f"<i>{plain(rung.name)}</i>" if rung.aside else plain(rung.name)


def _id(letter: str, k: int) -> str:
    return f"{letter}{k + 1}" if k else letter


def _named(panel: Panel) -> list[Line]:
    return [line for line in panel.lines if line.name]


def _dots(
    rungs: Sequence[Rung], panel: Panel, k: int, zero: float | None, digits: int
) -> go.Scatter:
    found = [
        (place, rung, cell)
        for place, (rung, cell) in enumerate(zip(rungs, panel.cells, strict=True))
        if cell is not None and cell["value"] is not None
    ]
    looks = [_look(rung, cell, zero) for _, rung, cell in found]
    title = f" · {plain(panel.title)}" if panel.title else ""
    return go.Scatter(
        x=[cell["value"] for _, _, cell in found],
        y=[place for place, _, _ in found],
        mode="markers",
        name=plain(panel.title),
        marker={
            "color": [look["color"] for look in looks],
            "symbol": [look["symbol"] for look in looks],
            "size": 9,
        },
        error_x={**_whiskers([cell for _, _, cell in found]), "color": UNKNOWN},
        customdata=[[plain(rung.name), said(cell, digits)] for _, rung, cell in found],
        hovertemplate=(
            f"<b>%{{customdata[0]}}</b>{title}<br>"
            f"%{{x:.{digits}f}}%{{customdata[1]}}<extra></extra>"
        ),
        xaxis=_id("x", k),
        yaxis=_id("y", k),
    )


def _look(rung: Rung, cell: Number, zero: float | None) -> dict[str, str]:
    symbol = rung.mark.get("symbol", "circle")
    if rung.mark:
        return {"color": rung.mark["color"], "symbol": symbol}
    if rung.aside:
        return {"color": UNKNOWN, "symbol": "diamond"}
    if zero is None:
        return {"color": AGREES, "symbol": symbol}
    below = (cell["value"] or 0.0) < zero
    return {"color": DISAGREES if below else AGREES, "symbol": symbol}


def _whiskers(cells: Sequence[Number]) -> dict[str, Any]:
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


def said(cell: Number, digits: int = 3) -> str:
    """Interval and size, for the pointer."""
    low, high, n = cell["low"], cell["high"], cell.get("n")
    ends = (
        f" [{low:.{digits}f}, {high:.{digits}f}]"
        if low is not None and high is not None
        else ""
    )
    return f"{ends}, n = {n:,}" if n is not None else ends


def _lines(figure: go.Figure, panel: Panel, k: int, zero: float | None) -> None:
    where = {"xref": _id("x", k), "yref": f"{_id('y', k)} domain"}
    if zero is not None:
        solid = {"color": UNKNOWN, "width": 1}
        figure.add_shape(
            **{"type": "line", "x0": zero, "x1": zero, "y0": 0, "y1": 1},
            **where,
            **{"line": solid, "layer": "below"},
        )
    for line in panel.lines:
        figure.add_shape(
            **{"type": "line", "x0": line.at, "x1": line.at, "y0": 0, "y1": 1},
            **where,
            **{"line": LINE, "layer": "below"},
        )
    # Each name in a line of its own above the rows, so that none covers another.
    for n, line in enumerate(_named(panel)):
        figure.add_annotation(
            text=plain(line.name),
            **{"x": line.at, "xref": _id("x", k), "xanchor": "right", "xshift": -3},
            **{"y": -1 - n, "yref": _id("y", k), "yanchor": "middle"},
            **{"showarrow": False, "font": {"size": 11}},
        )


def _lines_of(panel: Panel, n: int) -> list[str]:
    """Its title in lines that one of n panels has room for."""
    return wrap(panel.title, max(SHORTEST_LINE, ACROSS // n))


def _axis_of(panels: Sequence[Panel], k: int) -> int:
    """The first panel of the same unit."""
    return next(j for j, panel in enumerate(panels) if panel.unit == panels[k].unit)


def _axes(
    figure: go.Figure, panels: Sequence[Panel], k: int, span: list[float]
) -> None:
    n, panel, first = len(panels), panels[k], _axis_of(panels, k)
    width = (1 - GAP * (n - 1)) / n
    left = k * (width + GAP)
    x = {
        **AXIS,
        **{"showgrid": True, "nticks": 7, "anchor": _id("y", k)},
        "domain": [left, min(1, left + width)],
    }
    if first < k:
        x["matches"] = _id("x", first)
    if panel.backwards:
        x["autorange"] = "reversed"
    figure.update_layout(
        {
            f"xaxis{k + 1 if k else ''}": x,
            f"yaxis{k + 1 if k else ''}": {
                **{"anchor": _id("x", k), "domain": [0, 1]},
                "showticklabels": k == 0,
            },
        }
    )
    if panel.title:
        figure.add_annotation(
            text=f"<b>{'<br>'.join(map(plain, _lines_of(panel, n)))}</b>",
            **{"x": 0, "xref": f"{_id('x', k)} domain", "xanchor": "left"},
            **{"y": 1, "yref": f"{_id('y', k)} domain", "yanchor": "bottom"},
            **{"yshift": 24 if span[0] >= TALL - 0.5 else 2, "showarrow": False},
            align="left",
        )


def _upper_axis(figure: go.Figure, panels: Sequence[Panel], k: int) -> None:
    """The same axis at the other end; plotly draws none without a trace of its own."""
    upper, first = len(panels) + k, _axis_of(panels, k)
    figure.add_trace(
        go.Scatter(
            x=[None],
            y=[None],
            hoverinfo="skip",
            xaxis=_id("x", upper),
            yaxis=_id("y", k),
        )
    )
    figure.update_layout(
        {
            f"xaxis{upper + 1}": {
                **AXIS,
                **{
                    "overlaying": _id("x", k),
                    "matches": _id("x", first),
                    "side": "top",
                },
                **{"showgrid": False, "nticks": 7, "anchor": _id("y", k)},
                **({"autorange": "reversed"} if panels[k].backwards else {}),
            }
        }
    )


def _reach(
    figure: go.Figure, panels: Sequence[Panel], ends: tuple[float, float]
) -> None:
    """The axis from the first to the second, and further where numbers lie beyond."""
    values = [
        value
        for panel in panels
        for cell in panel.cells
        if cell is not None
        for value in (cell["value"], cell["low"], cell["high"])
        if value is not None
    ]
    low, high = min([*values, ends[0]]), max([*values, ends[1]])
    pad = 0.02 * (high - low)
    figure.update_xaxes(range=[low - pad, high + pad])
