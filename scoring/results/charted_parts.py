"""Parts of a score that a page draws: a number for each word, or for each answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from scoring.drawing.charts import AXIS, COLOURS, LAYOUT, plain
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value
from scoring.metrics import Series

NO_PIECES = (
    "This run did not keep which word each number belongs to: start the metric again to"
    " see words."
)


MOST_NAMED = 20  # words below a chart on a phone


class Bar(NamedTuple):
    """One number of a series."""

    name: str
    value: float
    n_tokens: int  # that it is the sum of


def sections(
    series: Sequence[Series], rows: Mapping[str, np.ndarray], text: str
) -> list[Section]:
    """A chart with its table for each series that was kept of the text.

    Args:
        series: What the metric says of its parts.
        rows: The parts of this text.
        text: The full text, whose words are the names.
    """
    found = []
    for one in series:
        numbers = rows.get(one.part)
        if numbers is not None and np.isfinite(numbers).any():
            ends = rows.get(one.ends) if one.ends else None
            found.append(_section(one, bars(one, numbers, ends, text)))
    return found


def bars(
    series: Series, numbers: np.ndarray, ends: np.ndarray | None, text: str
) -> list[Bar]:
    """The numbers with their names; those of a word's tokens are summed."""
    known = np.isfinite(numbers)
    if series.names:
        pairs = zip(series.names, numbers, strict=False)
        return [Bar(name, float(value), 1) for name, value in pairs]
    if ends is None or not np.isfinite(ends[known]).all():
        values = numbers[known].tolist()
        return [Bar(f"token {k}", value, 1) for k, value in enumerate(values, 1)]
    return _by_word(numbers[known], ends[known].astype(int), text)


def _by_word(numbers: np.ndarray, ends: np.ndarray, text: str) -> list[Bar]:
    """White space before a word counts as the word's."""
    word_ends = np.array(
        [
            k + 1
            for k, letter in enumerate(text)
            if not letter.isspace() and (k + 1 == len(text) or text[k + 1].isspace())
        ]
    )
    if not len(word_ends):
        return []
    words = text.split()
    # What closes a text, such as a mark of its end, has no letters: the last word's.
    owners = np.searchsorted(word_ends, ends).clip(max=len(words) - 1)
    return [
        Bar(words[k], float(numbers[owners == k].sum()), int((owners == k).sum()))
        for k in np.unique(owners).tolist()
    ]


def _section(series: Series, found: Sequence[Bar]) -> Section:
    by_token = not series.names
    unknown = by_token and all(bar.name.startswith("token ") for bar in found)
    first = "Answer" if series.names else "Token" if unknown else "Word"
    counted = first == "Word"
    rows: list[list[Value]] = [
        [
            *([place] if by_token else []),
            bar.name,
            *([bar.n_tokens] if counted else []),
            Cell(bar.value, digits=4),
        ]
        for place, bar in enumerate(found, 1)
    ]
    header = [
        *(["No."] if by_token else []),
        first,
        *(["Tokens"] if counted else []),
        series.unit[0].upper() + series.unit[1:],
    ]
    # A part may be named like an output, whose section has that anchor.
    key = f"part-{series.part.replace('.', '-')}"
    return Section(
        key,
        series.title,
        series.words,
        _chart(series, found),
        f"Bars: {series.title}.",
        {key: Table(header, rows, f"{series.title}.", title=series.title)},
        after=NO_PIECES if unknown else "",
        folded=len(rows) > 12,
    )


def _chart(series: Series, found: Sequence[Bar]) -> go.Figure:
    """Bars in the order of the text; the places are numbers, as words come twice."""
    places = list(range(1, len(found) + 1))
    names = [plain(bar.name) for bar in found]
    figure = go.Figure(layout={**LAYOUT, "showlegend": False, "bargap": 0.15})
    figure.add_trace(
        go.Bar(
            x=places,
            y=[bar.value for bar in found],
            marker={"color": [COLOURS[0 if bar.value >= 0 else 5] for bar in found]},
            customdata=names,
            hovertemplate=(
                "<b>%{customdata}</b><br>%{y:.4g} " + series.unit + "<extra></extra>"
            ),
        )
    )
    figure.update_xaxes(**AXIS, showgrid=False)
    if series.names:
        figure.update_xaxes(tickvals=places, ticktext=names)
    elif len(found) <= MOST_NAMED and not found[0].name.startswith("token "):
        figure.update_xaxes(tickvals=places, ticktext=names, tickangle=-90)
    else:  # names would run into each other: pointing at a bar shows its own
        figure.update_xaxes(title="place in the text")
    figure.update_yaxes(**AXIS, title=series.unit)
    return figure
