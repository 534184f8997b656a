"""Metrics x aspects x coefficients (tables 3 and 4 of the paper on CTRLEval)."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from scoring.drawing.charts import UNKNOWN
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value
from scoring.results.showing import _beside_correlations as beside
from scoring.results.showing._correlating import basis, intervals, link
from scoring.results.showing._dots import Series, dots
from scoring.results.showing._metrics import COEFFICIENTS, SHORT, mark, short
from scoring.stats.analyses.results.common import Number
from scoring.stats.analyses.results.correlations import Ceiling, Result

LEAD = "Does a metric score texts as people do, and which metric does so best?"
NO_METRIC = "No metric has scores of these texts."


def sections(result: Result) -> list[Section]:
    """From the numbers that papers print to what they are to be read beside."""
    if not result["outputs"] or not result["aspects"]:
        what = NO_METRIC if result["aspects"] else "The study has no aspect."
        return [Section("correlations", "Correlations with people", what)]
    return [
        _main(result),
        beside.ranks(result),
        beside.behind(result),
        *beside.groups(result),
        beside.accuracy(result),
        beside.metrics(result),
    ]


def _main(result: Result) -> Section:
    primary = COEFFICIENTS[result["primary"]]
    return Section(
        "correlations",
        "Correlations with people",
        "All scores are turned so that higher is better: a metric that is right has a"
        " positive number, one that is backwards a negative one.",
        _chart(result),
        alt=f"{primary} of each metric with people on each aspect.",
        tables={"correlations": _table(result)},
        after=_small_print(result),
    )


def _chart(result: Result) -> go.Figure:
    outputs = result["outputs"]
    series = [
        Series(aspect["title"], cells, mark(place))
        for place, (aspect, cells) in enumerate(
            zip(result["aspects"], result["main"], strict=True)
        )
    ]
    figure = dots(
        [short(output) for output in outputs],
        series,
        x_title=f"{COEFFICIENTS[result['primary']]} with people",
    )
    ceilings = _ceiling_of_primary(result)
    for place, one in enumerate(ceilings):
        if one is not None:
            line = {"color": mark(place)["color"], "dash": "dot", "width": 1.5}
            figure.add_vline(x=one, line=line)
    if any(one is not None for one in ceilings):
        figure.add_trace(_named_line("one rater with the rest"))
    elif len(series) == 1:
        figure.update_layout(showlegend=False)
    figure.update_xaxes(zerolinecolor=UNKNOWN)
    return figure


def _named_line(name: str) -> go.Scatter:
    """What the legend says of the dotted lines, which are no traces themselves."""
    line = {"color": UNKNOWN, "dash": "dot", "width": 1.5}
    return go.Scatter(x=[None], y=[None], mode="lines", name=name, line=line)


def _ceiling_of_primary(result: Result) -> list[float | None]:
    """One rater against the rest on each aspect, where that was computed."""
    if result["primary"] not in result["coefficients"]:
        return []
    at = result["coefficients"].index(result["primary"])
    return [row[at]["value"] for row in result["ceiling"]["one"]]


def _table(result: Result) -> Table:
    """As papers print it: a row for each output, coefficients below each aspect."""
    shown, aspects = result["coefficients"], result["aspects"]
    sizes = _sizes(result)
    one_n = len({n for row in sizes for n in row}) == 1
    names = [*(SHORT[c] for c in shown), *([] if one_n else ["n"])]
    rows: list[list[Value]] = []
    for place, output in enumerate(result["outputs"]):
        row: list[Value] = [link(output)]
        for at in range(len(aspects)):
            for column in result["columns"]:
                found = column["aspects"][at]["cells"][place]
                row.append(Cell.of(found, heat=True, bold=bool(found["best"])))
            row += [] if one_n else [sizes[place][at]]
        rows.append(row)
    unit = "systems" if result["level"] == "systems" else "texts"
    n = f" n = {sizes[0][0]} {unit}." if one_n else f" n: {unit}."
    which = ", ".join(COEFFICIENTS[c] for c in shown)
    return Table(
        ["Metric", *(names * len(aspects))],
        rows + _people(result, one_n),
        f"Correlation of metrics with human scores ({which}), {basis(result)}, with"
        f" 95 % intervals.{n}",
        groups=[("", 1), *((aspect["title"], len(names)) for aspect in aspects)],
        title="Correlation with human scores",
    )


def _sizes(result: Result) -> list[list[int | None]]:
    """n of each output and aspect."""
    return [
        [cells[place]["n"] for cells in result["main"]]
        for place in range(len(result["outputs"]))
    ]


def _people(result: Result, one_n: bool) -> list[list[Value]]:
    """One rater against the rest; and what no metric is expected to pass."""
    ceiling, rows = result["ceiling"], []
    named: list[tuple[str, Sequence[Sequence[Number]]]] = [
        ("People: one rater with the rest", ceiling["one"]),
        ("People: the most that a metric could reach", ceiling["attainable"]),
    ]
    for name, found in named:
        if all(one["value"] is None for cells in found for one in cells):
            continue
        row: list[Value] = [name]
        for cells in found:
            row += [Cell.of(one, heat=True) for one in cells]
            row += [] if one_n else [cells[0]["n"]]
        rows.append(row)
    return rows


def _small_print(result: Result) -> str:
    names = ", ".join(f"{SHORT[c]}: {c.capitalize()}" for c in result["coefficients"])
    parts = [
        f"{names}. Human scores are means of the ratings that count.",
        intervals(result),
        "Bold: better than every other metric in its column, lengths included, by tests"
        " of all pairs (see the ranks). Where the best is not better than the runner-up"
        " for sure, nothing is bold.",
    ]
    if result["heavy"] and "pearson" in result["coefficients"]:
        parts.append(
            "Heavy tails: one text in a hundred makes up more than a third of the"
            f" spread of {', '.join(result['heavy'])}. Such texts decide r, and its"
            " interval is too narrow: read ρ or τ-b."
        )
    ceiling = result["ceiling"]
    if ceiling["method"]:
        parts.append(
            "People: how well a person would do as a metric. One rater with the rest:"
            f" {ceiling['method']}; dotted in the chart. The most that a metric could"
            " reach: the correlation with the mean of all ratings of a metric that knew"
            " exactly what raters mean, from the reliability of that mean"
            f" (Spearman-Brown, {_ratings(ceiling)} ratings a text; roughly for ρ, not"
            " for τ-b)."
        )
    return " ".join(parts)


def _ratings(ceiling: Ceiling) -> str:
    low, high = ceiling["raters"], ceiling["raters_most"]
    return f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"
