"""Workers beside each other, and how well people do as a metric."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Literal

import plotly.graph_objects as go

from scoring.analyses.agreement.result import (
    CeilingRow,
    Curve,
    Point,
    Result,
    Worker,
)
from scoring.analyses.shared.page_metrics import COEFFICIENTS, mark
from scoring.analyses.shared.page_words import coefficient, percent
from scoring.drawing.charts import AXIS, LAYOUT, NAMES, plain
from scoring.drawing.ladders import AGREES, DISAGREES, ROW
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value
from scoring.stats.subsets import REPEATS

OWN = "own"  # levels of measurement differ by aspect
UNITS = {
    "prompts": "prompts, each with all its texts and ratings",
    "samples": "texts, each with all its ratings",
}
MOST_BARS = 12
MOST_ROWS = 40  # of a table that is in view at once
UP, DOWN = DISAGREES, AGREES
CHANGE = "Alpha without this worker<br>minus alpha of all"
NO_RATING = "There are no ratings yet."

Key = Literal["predicted", "measured"]


# Workers -----------------------------------------------------------------------------


def workers(result: Result) -> Section:
    found, title = result["workers"], "Who lowers agreement"
    unknown = found["n_unknown"]
    if not found["rows"]:
        words = (
            "The file does not say who gave these ratings, so raters cannot be"
            " compared."
            if unknown
            else NO_RATING
        )
        return Section("workers", title, words)
    words = (
        f"Each worker compared with the others, on {_lower(found['aspect'])}. Workers"
        " without whom alpha would be highest come first (orange). They may be"
        " careless, or may use the scale differently: look at bias and SD ratio first."
    )
    if unknown:
        words += f" {unknown:,} ratings are by unknown raters: they count as others."
    several = len(found["rows"]) > 1
    return Section(
        "workers",
        title,
        words,
        partial(_bars, result) if several and _changes(found["rows"]) else None,
        alt="What alpha would gain or lose without each worker.",
        tables={"workers": _workers_table(result)},
        after=_worker_notes(result),
        folded=len(found["rows"]) > MOST_ROWS,
    )


def _lower(title: str) -> str:
    return title if title != "All aspects together" else "all aspects together"


def _changes(rows: list[Worker]) -> list[tuple[Worker, float]]:
    found = [
        (row, value) for row in rows if (value := row["change"]["value"]) is not None
    ]
    return found[:MOST_BARS]


def _bars(result: Result) -> go.Figure:
    """The first workers of the table."""
    found = _changes(result["workers"]["rows"])
    rows, values = [row for row, _ in found], [value for _, value in found]
    figure = go.Figure(layout=LAYOUT)
    figure.add_trace(
        go.Bar(
            x=values,
            y=[plain(row["worker"]) for row in rows],
            orientation="h",
            marker={"color": [UP if value > 0 else DOWN for value in values]},
            customdata=[row["n"] for row in rows],
            hovertemplate="<b>%{y}</b><br>%{x:+.3f} (%{customdata} ratings)"
            "<extra></extra>",
        )
    )
    figure.update_xaxes(
        **{**AXIS, "zeroline": True, "showgrid": True, "zerolinecolor": "#8c8c8c"},
        title={"text": CHANGE, "standoff": 10},
    )
    figure.update_yaxes(
        **NAMES,
        autorange="reversed",
        type="category",
    )
    return figure.update_layout(height=90 + ROW * len(rows), bargap=0.3)


def _workers_table(result: Result) -> Table:
    found = result["workers"]
    r = coefficient(result)
    rows: list[list[Value]] = [
        [
            row["worker"],
            row["n"],
            Cell.of(row["change"]),
            Cell.of(row["correlation"]),
            Cell.of(row["bias"]),
            Cell.of(row["sd_ratio"]),
            percent(row["modal"]),
            Cell.of(row["seconds"], digits=0),
            Cell.of(row["pages"]),
            Cell.of(row["discarded"]),
        ]
        for row in found["rows"]
    ]
    header = [
        *("Worker", "Ratings", "Change of alpha", f"{r} with others", "Bias"),
        *("SD ratio", "Same answer (%)", "Seconds per page", "Pages", "Discarded"),
    ]
    return Table(
        header,
        rows,
        f"Workers on {_lower(found['aspect'])}: Krippendorff's alpha"
        f" ({said_level(result)}) without the worker minus alpha of all, {r} with the"
        " mean of the others, mean difference from it, spread of ratings over that of"
        " the others, share of the most frequent answer, median seconds that a page was"
        " in view, pages and discarded pages.",
        title="Workers, the one who lowers alpha most first",
    )


def said_level(result: Result) -> str:
    """The level of measurement in words."""
    return "each at its own level" if result["level"] == OWN else result["level"]


def _worker_notes(result: Result) -> str:
    alpha = result["workers"]["alpha"]
    of_all = "" if alpha is None else f" (alpha of all: {alpha:.3f})"
    counted = (
        "Ratings on discarded pages count."
        if result["with_discarded"]
        else (
            "Ratings on discarded pages do not count, but the columns for seconds,"
            " pages and discarded pages include all pages."
        )
    )
    return (
        "Workers have the same pseudonyms as in exports. Change of alpha: alpha"
        f" without the worker minus alpha of all{of_all}; above zero, the worker"
        " lowers it. With others: correlation with the mean of the others on texts that"
        " they share, which leaves the worker's own ratings out. Bias: mean of own"
        " ratings minus that of the others. SD ratio: below 1, the worker uses less of"
        " the scale. Same answer: how often the worker gave their most frequent rating."
        f" {counted}"
    )


# The human ceiling -------------------------------------------------------------------


def ceiling(result: Result) -> Section:
    found = result["ceiling"]
    method = next((row["method"] for row in found["rows"]), "")
    return Section(
        "ceiling",
        "The human ceiling",
        "How well one rater predicts the others. A metric that correlates as much"
        " with human scores does about as well as one rater. Attainable: what a perfect"
        " metric could reach, because the mean rating is noisy itself.",
        tables={"ceiling": _ceiling_table(result)},
        after=f"One rater is compared as follows: {method}. Reliability is the share"
        " of the variance of ratings that comes from the texts. It is computed"
        " from Pearson r by the Spearman-Brown formula, which assumes that raters"
        " are interchangeable. Attainable r is the square root of the reliability"
        " of the mean. Ratings per text: harmonic mean. Below each number is its"
        f" 95 % interval, by the jackknife."
        if method
        else "",
    )


def _ceiling_table(result: Result) -> Table:
    found = result["ceiling"]
    rows: list[list[Value]] = [
        [
            row["aspect"],
            _raters(row),
            *(Cell.of(row[name]) for name in COEFFICIENTS),
            *(Cell.of(row[name]) for name in ("single", "mean", "attainable")),
        ]
        for row in found["rows"]
    ]
    return Table(
        [
            *("Aspect", "Ratings per text", *COEFFICIENTS.values()),
            *("Reliability of one", "Of the mean", "Attainable r"),
        ],
        rows,
        "One rater with the mean of the rest; reliability of one rating and of the mean"
        " of all ratings of a text, and the correlation that a perfect metric could"
        f" attain with that mean. 95 % intervals by the jackknife over"
        f" {UNITS[result['resample']]}.",
        title="The human ceiling",
        empty="The study has no aspect.",
    )


def _raters(row: CeilingRow) -> Cell:
    reason = "" if row["raters"] is not None else "no text has two ratings"
    return Cell(row["raters"], reason=reason, digits=1)


# How agreement grows with raters -----------------------------------------------------


def curve(result: Result) -> Section:
    curves = result["curve"]
    drawn = [one for one in curves if one["rows"][0]["predicted"]["value"] is not None]
    return Section(
        "raters",
        "How many ratings a text needs",
        "How well the mean of k ratings of a text agrees with the mean of k others:"
        " predicted from one rating (lines), and measured where texts have enough"
        " ratings (dots).",
        partial(_curves, curves) if drawn else None,
        alt="Agreement of the mean of k ratings with that of k others, by k.",
        tables={"needed": _needed_table(result), "raters": _curve_table(curves)},
        after="Predicted: Spearman-Brown, k p / (1 + (k - 1) p), where p is the"
        " reliability of one rating. Measured: Pearson r of two halves of k ratings,"
        f" drawn at random {REPEATS} times, on texts with 2 k ratings. If dots are far"
        " from their line, raters differ from each other.",
    )


def _curves(curves: list[Curve]) -> go.Figure:
    figure = go.Figure(layout=LAYOUT)
    for place, one in enumerate(curves):
        style = mark(place)
        name = plain(one["aspect"])
        line = {"mode": "lines", "line": {"color": style["color"]}}
        dot = {"mode": "markers", "marker": {**style, "size": 9}, "showlegend": False}
        looks: dict[Key, Mapping[str, object]] = {"predicted": line, "measured": dot}
        for key, look in looks.items():
            rows = [row for row in one["rows"] if row[key]["value"] is not None]
            if rows:
                figure.add_trace(_line(rows, key, name, look))
    figure.update_xaxes(
        **AXIS,
        title={"text": "Ratings per text (k)", "standoff": 10},
        rangemode="tozero",
    )
    figure.update_yaxes(
        **{**AXIS, "showgrid": True},
        title="Agreement of two means of k ratings (r)",
        range=[min(0, _least(curves)), 1.02],
    )
    return figure


def _least(curves: list[Curve]) -> float:
    values = (row["measured"]["value"] for one in curves for row in one["rows"])
    return min((value for value in values if value is not None), default=0.0)


def _line(
    rows: list[Point], key: Key, name: str, look: Mapping[str, object]
) -> go.Scatter:
    cells = [row[key] for row in rows]
    return go.Scatter(
        x=[row["k"] for row in rows],
        y=[cell["value"] for cell in cells],
        name=name,
        legendgroup=name,
        hovertemplate=f"<b>{name}</b>, {key}<br>k = %{{x}}: %{{y:.3f}}<extra></extra>",
        **look,
    )


def _curve_table(curves: list[Curve]) -> Table:
    sizes = sorted({row["k"] for one in curves for row in one["rows"]})
    by_size = [{row["k"]: row for row in one["rows"]} for one in curves]
    rows: list[list[Value]] = []
    for k in sizes:
        cells = [
            Cell.of(found[k][key]) if k in found else None
            for found in by_size
            for key in ("predicted", "measured")
        ]
        rows.append([k, *cells])
    return Table(
        ["k", *(["Predicted", "Measured"] * len(curves))],
        rows,
        "Agreement (Pearson r) of the mean of k ratings with the mean of k others:"
        " predicted by Spearman-Brown, with 95 % intervals, and measured.",
        groups=[("", 1), *((one["aspect"], 2) for one in curves)],
        title="Agreement by ratings per text",
        empty="The study has no aspect.",
    )


def _needed_table(result: Result) -> Table:
    found = result["ceiling"]["rows"]
    goals = [one["target"] for one in found[0]["needed"]] if found else []
    rows: list[list[Value]] = [
        [row["aspect"], *(Cell.of(one, digits=0) for one in row["needed"])]
        for row in found
    ]
    return Table(
        ["Aspect", *(f"For {goal:.1f}" for goal in goals)],
        rows,
        "Ratings per text that the mean needs to reach a given reliability, by"
        " Spearman-Brown, with 95 % intervals.",
        title="Ratings per text needed for a given reliability",
        empty="The study has no aspect.",
    )
