"""Agreement: alpha, the spread of ratings, quality control, workers, the ceiling."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import plotly.graph_objects as go

from scoring.analyses.agreement.page_people import (
    OWN,
    UNITS,
    ceiling,
    curve,
    percent,
    said_level,
    workers,
)
from scoring.analyses.agreement.result import (
    Alpha,
    Distribution,
    Result,
    Scope,
    Spread,
)
from scoring.analyses.needs import RATINGS, Need
from scoring.analyses.shared.page_dots import Series, dots
from scoring.analyses.shared.page_words import n_of
from scoring.drawing.charts import AXIS, COLOURS, LAYOUT, NAMES, plain
from scoring.drawing.ladders import Line, Panel, Rung, best_first, ladder
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Link, Table, Value

LEAD = "How well do people agree with each other, and what lowers their agreement?"
PLAIN, STRONG = (
    {"color": COLOURS[1], "symbol": "diamond"},
    {"color": COLOURS[0], "symbol": "circle"},
)
NEED = Need(
    lambda facts: facts.rated,
    RATINGS._replace(
        sentence="Needs at least two single ratings of a text. Open the study, or"
        " import ratings by person; means alone do not show agreement."
    ),
)
NO_ASPECT = "The study has no aspect."
POOLED = {
    "all aspects": "each text on each aspect",
    "within aspects": "differences between aspects do not count",
}
# From orange to blue through grey: low to high, seen on light and dark pages.
ENDS = ((213, 94, 0), (176, 176, 176), (0, 114, 178))


def sections(result: Result) -> list[Section]:
    result = _ordered(result)
    return [
        _alpha(result),
        _distribution(result),
        _quality(result),
        workers(result),
        ceiling(result),
        curve(result),
    ]


def _ordered(result: Result) -> Result:
    """Aspects on which people agree most first; all together below them."""
    rows = result["rows"]
    pooled = [k for k, row in enumerate(rows) if row["pooled"]]
    order = best_first([[row["alpha"] for row in rows]], last=pooled)
    return {**result, "rows": [rows[k] for k in order]}


# Alpha -------------------------------------------------------------------------------


def _alpha(result: Result) -> Section:
    rows, level = result["rows"], said_level(result)
    title = f"Krippendorff's alpha ({level})"
    counted = ", including discarded pages" if result["with_discarded"] else ""
    return Section(
        "alpha",
        "Krippendorff's alpha",
        "Alpha is 1 for full agreement, 0 for chance, and below 0 for less than chance."
        " Krippendorff asks for 0.8, or 0.667 for tentative conclusions. Alpha is low"
        " when nearly all ratings are the same, so look at the share of equal pairs"
        " too.",
        partial(_chart, rows, f"Alpha ({level})") if rows else None,
        alt=f"{title} of each aspect with its interval.",
        tables={"alpha": _alpha_table(result, title + counted)},
        after=_alpha_notes(result),
    )


def _chart(rows: list[Alpha], title: str) -> go.Figure:
    cells = [row["alpha"] for row in rows]
    lines = [Line(0.667, "0.667 tentative"), Line(0.8, "0.8 reliable")]
    return ladder(
        [Rung(row["aspect"], aside=row["pooled"]) for row in rows],
        [Panel(cells, lines=lines)],
        x_title=title,
        ends=(0, 1),
    )


def _names(rows: Sequence[Scope]) -> list[str]:
    return [plain(row["aspect"]) for row in rows]


def _named(row: Scope) -> Value:
    small = POOLED.get(row["key"]) if row["pooled"] else None
    return Link(row["aspect"], small=small) if small else row["aspect"]


def _alpha_table(result: Result, title: str) -> Table:
    gwet = "Gwet's AC1" if result["level"] == "nominal" else "Gwet's AC2"
    rows: list[list[Value]] = [
        [
            _named(row),
            Cell.of(row["alpha"]),
            percent(row["equal"], digits=1),
            Cell.of(row["gwet"]),
            row["n_units"],
            row["n_ratings"],
        ]
        for row in result["rows"]
    ]
    return Table(
        ["Aspect", "Alpha", "Equal pairs (%)", gwet, "Texts", "Ratings"],
        rows,
        f"{title}, with 95 % intervals by the jackknife over"
        f" {UNITS[result['resample']]}; share of equal pairs of ratings; {gwet}. Texts"
        " with two ratings or more, and their ratings.",
        title=title,
        empty=NO_ASPECT,
    )


def _alpha_notes(result: Result) -> str:
    nominal = result["level"] == "nominal"
    gwet = (
        "AC1 counts only guesses in hard cases as agreement by chance"
        if nominal
        else (
            "AC2 (quadratic weights) counts only guesses in hard cases as agreement by"
            " chance"
        )
    )
    measured = {
        OWN: "Each aspect has the level of measurement that its question says.",
        "ordinal": "Ordinal: only the order of the values counts.",
        "interval": "Interval: steps of the scale count as equally far apart.",
        "nominal": "Nominal: two values are the same or not, however near.",
    }[result["level"]]
    return (
        f"{measured} Below alpha is its 95 % interval for other {_short_unit(result)},"
        " by the jackknife. The interval needs at least 10 of them. With fewer than 20,"
        " it may be too narrow where nearly all ratings are the same."
        " Equal pairs: how often two ratings of the same text are equal, without a"
        f" correction for chance. {gwet}, so it stays high where nearly all ratings are"
        " the same. Texts with one rating count for nothing here. All aspects"
        " together: a unit is a text and an aspect, so differences between aspects"
        " count as agreement, and alpha may be above that of every aspect. Within"
        " each: only differences within an aspect count, so it is a weighted mean of"
        " the aspects' alphas. Papers that give one alpha for several aspects often do"
        " not say which; the 0.626 and 0.622 of CTRLEval may be the former."
    )


def _short_unit(result: Result) -> str:
    return "prompts" if result["resample"] == "prompts" else "texts"


# The spread of ratings ---------------------------------------------------------------


def _distribution(result: Result) -> Section:
    found = result["distribution"]
    rows = [row for row in found["rows"] if row["n"]]
    return Section(
        "distribution",
        "How often each rating was given",
        "If nearly all ratings are the same, there is little to agree on: raters see"
        " few differences, or the question does not bring them out."
        + _unsaid_words(found["rows"]),
        partial(_bars, found["names"], rows) if rows else None,
        alt="Share of each rating among the ratings of each aspect.",
        tables={"distribution": _distribution_table(found)},
    )


def _bars(names: list[str], rows: list[Spread]) -> go.Figure:
    figure = go.Figure(layout=LAYOUT)
    for k, name in enumerate(names):
        shares = [100 * (row["shares"][k]["value"] or 0.0) for row in rows]
        figure.add_trace(
            go.Bar(
                x=shares,
                y=_names(rows),
                name=name,
                orientation="h",
                marker={"color": _shade(k, len(names))},
                customdata=[row["shares"][k]["n"] for row in rows],
                hovertemplate=(
                    f"<b>%{{y}}</b> · rated {name}<br>"
                    "%{x:.1f} % (%{customdata} ratings)<extra></extra>"
                ),
            )
        )
    figure.update_xaxes(
        **AXIS, title={"text": "Share of ratings (%)", "standoff": 10}, range=[0, 100]
    )
    figure.update_yaxes(
        **NAMES,
        autorange="reversed",
    )
    return figure.update_layout(
        barmode="stack",
        bargap=0.4,
        height=140 + 48 * len(rows),
        legend={**LAYOUT["legend"], "traceorder": "normal"},
    )


def _shade(k: int, n: int) -> str:
    """From low to high: orange, grey, blue."""
    place = 2 * k / max(1, n - 1)
    left = min(1, int(place))
    parts = (
        round(a + (b - a) * (place - left))
        for a, b in zip(ENDS[left], ENDS[left + 1], strict=True)
    )
    return "#" + "".join(f"{part:02x}" for part in parts)


def _unsaid_words(rows: list[Spread]) -> str:
    """How often workers could not say; empty where nobody did."""
    found = [
        f"{row['aspect']} {row['n_unsaid']:,} of {row['n'] + row['n_unsaid']:,}"
        for row in rows
        if row["n_unsaid"]
    ]
    if not found:
        return ""
    return f" Answers “Cannot say”, which count as no rating: {', '.join(found)}."


def _distribution_table(found: Distribution) -> Table:
    scales = {row["scale"] for row in found["rows"]}
    mixed, unsaid = len(scales) > 1, any(row["n_unsaid"] for row in found["rows"])
    rows: list[list[Value]] = [
        [
            row["aspect"],
            *([row["scale"]] if mixed else []),
            row["n"],
            *([row["n_unsaid"]] if unsaid else []),
            Cell.of(row["mean"]),
            Cell.of(row["sd"]),
            *(percent(share, digits=1) for share in row["shares"]),
        ]
        for row in found["rows"]
    ]
    header = [
        *("Aspect", *(["Scale"] if mixed else []), "Ratings"),
        *(*(["Cannot say"] if unsaid else []), "Mean", "SD"),
    ]
    part = "fifth of its scale" if mixed else "value"
    return Table(
        [*header, *found["names"]],
        rows,
        "Ratings of each aspect: mean and standard deviation of single ratings, and the"
        f" share of each {part} (%).",
        groups=[("", len(header)), ("Share of ratings (%)", len(found["names"]))],
        title="Distribution of ratings",
        empty=NO_ASPECT,
    )


# With and without quality control ----------------------------------------------------


def _quality(result: Result) -> Section:
    found, title = result["quality"], "With and without quality control"
    if not found["n_ratings"]:
        return Section("quality", title, "There are no ratings yet.")
    if not found["n_discarded"]:
        return Section(
            "quality", title, "No page was discarded, so every rating counts."
        )
    policy = f" by policy {found['policy']}" if found["policy"] else ""
    words = (
        f"{n_of(found['n_pages'], 'page')} with"
        f" {n_of(found['n_discarded'], 'rating')} of {found['n_ratings']:,} were"
        f" discarded{policy}. A difference above zero means that raters agree better"
        " without them. Part of that is by construction, as pages may be discarded for"
        " disagreeing with others."
    )
    return Section(
        "quality",
        title,
        words,
        partial(_quality_chart, result),
        alt="Alpha of each aspect with and without what was discarded.",
        tables={"quality": _quality_table(result)},
        after="The jackknife leaves the same texts out of both alphas, so the interval"
        " of the difference is narrower than those of the two alphas suggest. If it"
        " excludes zero, the difference is significant. Damaged texts never count.",
    )


def _quality_chart(result: Result) -> go.Figure:
    rows = result["quality"]["rows"]
    series = [
        Series("without discarded", [row["without"] for row in rows], STRONG),
        Series("with discarded", [row["with"] for row in rows], PLAIN),
    ]
    return dots(_names(rows), series, x_title=f"Alpha ({said_level(result)})")


def _quality_table(result: Result) -> Table:
    rows: list[list[Value]] = [
        [
            _named(row),
            Cell.of(row["without"]),
            Cell.of(row["with"]),
            Cell.of(row["change"]),
            row["n_discarded"],
        ]
        for row in result["quality"]["rows"]
    ]
    return Table(
        ["Aspect", "Without discarded", "With discarded", "Difference", "Discarded"],
        rows,
        f"Krippendorff's alpha ({said_level(result)}) without and with the ratings of"
        " discarded pages, and the difference, with 95 % intervals by the jackknife"
        f" over {UNITS[result['resample']]}; number of discarded ratings.",
        title="Alpha with and without quality control",
    )
