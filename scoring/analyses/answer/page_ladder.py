"""All metrics of one aspect, the best on top, between simple guesses and people."""

from __future__ import annotations

from dataclasses import dataclass

import plotly.graph_objects as go

from scoring.analyses.answer.result import OfAspect, Row
from scoring.analyses.shared.page_dots import said, whiskers
from scoring.analyses.shared.page_metrics import brief
from scoring.drawing.charts import AXIS, COLOURS, LAYOUT, NAMES, UNKNOWN, plain
from scoring.stats.answer.chips import USEFUL
from scoring.stats.answer.sentences import TITLES
from scoring.stats.estimates import Number

ROW = 22  # pixels
TOP, BOTTOM, LABEL = 34, 74, 18  # the axes, and a line of words above
LETTERS = 40  # of a name; charts.js shortens it once more on a phone
TALL = 12  # rows from which the axis is needed on top as well
BLUE, ORANGE = COLOURS[0], COLOURS[5]


@dataclass(frozen=True, slots=True)
class Rung:
    """One row of the ladder."""

    name: str
    cell: Number
    colour: str
    symbol: str
    words: str


def ladder(one: OfAspect, x_title: str) -> go.Figure:
    """A dot with its interval for each metric, and for guesses in grey."""
    rungs = _rungs(one)
    figure = go.Figure(layout=LAYOUT)
    figure.add_trace(_trace(rungs))
    low, high = _range(one, rungs)
    lines = _lines(one)
    for k, (value, words, dash) in enumerate(lines):
        _line(figure, value, words, dash, place=len(lines) - k - 1, ends=(low, high))
    tall = len(rungs) > TALL
    figure.update_xaxes(
        **{**AXIS, "zeroline": True, "zerolinecolor": UNKNOWN},
        range=[low, high],
        # On two lines: a phone is too narrow for one.
        title={
            "text": plain(x_title).replace(" with ", "<br>with ", 1),
            "standoff": 8,
            "font": {"size": 13},
        },
        tickangle=0,
    )
    if tall:
        # A trace of its own, as plotly draws no axis without one.
        figure.add_trace(go.Scatter(x=[None], y=[None], xaxis="x2", hoverinfo="skip"))
        figure.update_layout(
            xaxis2={**AXIS, "overlaying": "x", "side": "top", "range": [low, high]}
        )
    figure.update_yaxes(
        **NAMES,
        tickvals=list(range(len(rungs))),
        ticktext=[rung.name for rung in rungs],
        range=[len(rungs) - 0.4, -0.6],
        tickfont={"size": 12},
    )
    top = LABEL * len(lines) + (TOP if tall else 12)
    figure.update_layout(
        height=ROW * len(rungs) + top + BOTTOM,
        margin={"l": 8, "r": 16, "t": top, "b": BOTTOM},
        showlegend=False,
    )
    return figure


def _rungs(one: OfAspect) -> list[Rung]:
    found = [_of_metric(row) for row in one["rows"]]
    for row in one["sentinels"]:
        if row["r"]["value"]:  # 0 is the axis
            name = _name(TITLES[row["key"]], row["r"])
            found.append(Rung(name, row["r"], UNKNOWN, "diamond-open", "Guess"))
    known = [rung for rung in found if rung.cell["value"] is not None]
    return sorted(known, key=lambda rung: -(rung.cell["value"] or 0.0))


def _of_metric(row: Row) -> Rung:
    variant = row["output"]["variant"]
    label = row["output"]["label"] + (f" · {brief(variant)}" if variant else "")
    colour = BLUE if (row["r"]["value"] or 0.0) >= 0 else ORANGE
    symbol = "circle" if row["code"] in USEFUL else "circle-open"
    return Rung(_name(label, row["r"]), row["r"], colour, symbol, row["words"])


def _name(words: str, cell: Number) -> str:
    """Its name on one line, with its number: nothing is then printed over the dots."""
    short = words if len(words) <= LETTERS else f"{words[: LETTERS - 1].rstrip()}…"
    short = short[:1].upper() + short[1:]
    value = f"{cell['value'] or 0.0:.2f}".replace("-", "\N{MINUS SIGN}")
    return f"{plain(short)}  <b>{value}</b>"


def _trace(rungs: list[Rung]) -> go.Scatter:
    cells = [rung.cell for rung in rungs]
    return go.Scatter(
        x=[cell["value"] for cell in cells],
        y=list(range(len(rungs))),
        mode="markers",
        marker={
            "color": [rung.colour for rung in rungs],
            "symbol": [rung.symbol for rung in rungs],
            "size": 9,
            "line": {"width": 1.5},
        },
        error_x={**whiskers(cells), "color": UNKNOWN},
        customdata=[[rung.name, said(rung.cell), rung.words] for rung in rungs],
        hovertemplate=(
            "<b>%{customdata[0]}</b>%{customdata[1]}<br>%{customdata[2]}<extra></extra>"
        ),
    )


def _lines(one: OfAspect) -> list[tuple[float, str, str]]:
    """The best simple guess and one rater: where, in words, and how drawn."""
    found = []
    for row in one["sentinels"]:
        if row["key"] == one["best"] and row["r"]["value"] is not None:
            value = row["r"]["value"]
            found.append((value, f"{TITLES[row['key']]} {value:.2f}", "dash"))
    rater = one["ceiling"]["one"]["value"]
    if rater is not None:
        found.append((rater, f"one rater {rater:.2f}", "dot"))
    return found


def _range(one: OfAspect, rungs: list[Rung]) -> tuple[float, float]:
    ends = [0.0, 0.2, *(value for value, _, _ in _lines(one))]
    for rung in rungs:
        ends += [
            end for end in (rung.cell["low"], rung.cell["high"]) if end is not None
        ]
        ends.append(rung.cell["value"] or 0.0)
    return min(ends) - 0.04, max(ends) + 0.04


def _line(
    figure: go.Figure,
    value: float,
    words: str,
    dash: str,
    *,
    place: int,
    ends: tuple[float, float],
) -> None:
    """A line across all rows; its words above, each line's in a row of their own."""
    low, high = ends
    figure.add_vline(
        x=value, line={"color": UNKNOWN, "dash": dash, "width": 1.5}, layer="below"
    )
    late = (value - low) / (high - low) > 0.4
    figure.add_annotation(
        x=value,
        y=1,
        yref="paper",
        yanchor="bottom",
        yshift=LABEL * place + (TOP - 12 if len(figure.data[0].y) > TALL else 0),
        xanchor="right" if late else "left",
        text=plain(words),
        showarrow=False,
        font={"size": 12},
    )
