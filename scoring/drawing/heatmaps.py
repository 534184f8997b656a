"""5. A matrix of numbers -> a heat map with named rows and columns. No query."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from scoring.drawing.charts import LAYOUT, NAMES, plain

SIDEWAYS = 5  # columns, beyond which their names are written upwards
ROW, NAME = 22, 7  # pixels: of a row, and of a letter of a column's name on its side
# Blue agrees, orange disagrees, as in tables and ladders; a number is readable on both.
ORANGE, GREY, BLUE = (
    "rgba(213, 94, 0, 0.6)",
    "rgba(128, 128, 128, 0.06)",
    "rgba(0, 114, 178, 0.6)",
)


def heatmap(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float | None]],
    *,
    middle: float,
    ends: tuple[float, float],
    digits: int = 2,
    said: Sequence[Sequence[str]] | None = None,
) -> go.Figure:
    """A cell for each row and column, from orange through grey to blue.

    static/js/charts.js leaves numbers out where a cell has no room for them.

    Args:
        rows: Names, best first, not yet safe for plotly.
        columns: Names, written upwards above the cells.
        values: For each row, for each column; None is an empty cell.
        middle: The value without a colour.
        ends: The values of full orange and full blue.
        digits: Decimals in a cell.
        said: What the pointer adds to each number.
    """
    left, above = [plain(name) for name in rows], [plain(name) for name in columns]
    figure = go.Figure(
        go.Heatmap(
            z=values,
            x=list(range(len(columns))),
            y=list(range(len(rows))),
            **{"zmin": ends[0], "zmax": ends[1], "showscale": False},
            colorscale=_scale((middle - ends[0]) / (ends[1] - ends[0])),
            **{"xgap": 1, "ygap": 1, "texttemplate": "%{text}"},
            text=[[_shown(value, digits) for value in line] for line in values],
            textfont={"size": 11},
            customdata=_pointed_at(left, above, said),
            hovertemplate=(
                "<b>%{customdata[0]}</b><br>%{customdata[1]}<br>"
                "%{z:.3f}%{customdata[2]}<extra></extra>"
            ),
        ),
        layout=LAYOUT,
    )
    figure.update_yaxes(
        **NAMES,
        **{"tickvals": list(range(len(rows))), "ticktext": left},
        **{"range": [len(rows) - 0.5, -0.5]},
    )
    figure.update_xaxes(
        **NAMES,
        **{"tickvals": list(range(len(columns))), "ticktext": above},
        **{"side": "top", "range": [-0.5, len(columns) - 0.5]},
        tickangle=-90 if len(columns) > SIDEWAYS else 0,
    )
    longest = max((len(name) for name in columns), default=0)
    top = NAME * longest + 16 if len(columns) > SIDEWAYS else 32
    figure.update_layout(
        height=top + 16 + ROW * len(rows),
        margin={"l": 8, "r": 12, "t": top, "b": 8},
    )
    return figure


def _scale(middle: float) -> list[tuple[float, str]]:
    """Orange, grey and blue, with grey at this share of the way."""
    return [(0.0, ORANGE), (middle, GREY), (1.0, BLUE)]


def _pointed_at(
    rows: Sequence[str], columns: Sequence[str], said: Sequence[Sequence[str]] | None
) -> list[list[list[str]]]:
    """What the pointer says of each cell: row, column and more."""
    more = said or [["" for _ in columns] for _ in rows]
    return [
        [[row, column, found] for column, found in zip(columns, line, strict=True)]
        for row, line in zip(rows, more, strict=True)
    ]


def _shown(value: float | None, digits: int) -> str:
    if value is None:
        return ""
    rounded = round(value, digits) + 0.0  # without the sign of a negative zero
    return f"{rounded:.{digits}f}".replace("-", "\N{MINUS SIGN}")
