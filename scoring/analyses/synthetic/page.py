"""How early metrics find the real texts: pick-up rates, their areas, and pairs."""

from __future__ import annotations

from functools import partial
from typing import TypedDict

import plotly.graph_objects as go

from scoring.analyses.needs import Missing, Need
from scoring.analyses.shared.page_basis import link
from scoring.analyses.shared.page_metrics import full, mark_of
from scoring.analyses.shared.page_words import n_of
from scoring.analyses.synthetic.result import Curve, Result, Row
from scoring.drawing.charts import AXIS, COLOURS, LAYOUT, UNKNOWN
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value
from scoring.drawing.words import sentence

LEAD = "Does a metric rate texts by people above generated texts?"
NEED = Need(
    lambda facts: facts.human,
    Missing(
        "Needs texts written by people: say which of the systems are people.",
        "Say which systems are people",
        "analysis",
        ("synthetic",),
    ),
)
MOST_LINES = 7  # of the chart: as many as there are colours
MOST_BANDS = 3  # more would hide each other
DASHES = ("solid", "dash", "dashdot", "longdash")
FIGURE, LEGEND = 460, 12  # pixels; on a phone a name takes a line of the legend
POINTS = 20  # about so many rows of the table of curves

Line = tuple[Row, Curve]


def sections(result: Result) -> list[Section]:
    if result["reason"]:
        return [Section("area", "Nothing to compare yet", _why(result))]
    return [_areas(result), _pairs(result), *_curves(result)]


def _why(result: Result) -> str:
    return (
        f"{sentence(result['reason'])} This page needs texts of two kinds: real"
        " (written by people) and synthetic (written by generators). Say below which"
        " systems are people, choose the systems of each side under Options, or upload"
        " texts with `human` in the column `system_kind`."
    )


# Areas -------------------------------------------------------------------------------


def _areas(result: Result) -> Section:
    lines = _lines(result)
    real, synthetic = ", ".join(result["real"]), ", ".join(result["synthetic"])
    shown = _with_curve(result)
    cut = (
        f" The chart shows the first {len(lines)} of {len(shown)}. Choose others under"
        " Options."
        if len(shown) > len(lines)
        else ""
    )
    return Section(
        "area",
        "Pick-up rate of real texts",
        f"Real: {n_of(result['n_real'], 'text')} by {real}. Synthetic:"
        f" {n_of(result['n_synthetic'], 'text')} by {synthetic}. Sort the texts of a"
        f" batch by score, best first, and read from the top: what share of the real"
        f" texts have you found after each step?{cut}",
        partial(_chart, result, lines) if lines else None,
        alt="Share of real texts found, by the share of the batch read.",
        tables={"area": _area_table(result)},
        after=_area_notes(result),
    )


def _with_curve(result: Result) -> list[Line]:
    return [(row, curve) for row in result["rows"] if (curve := row["curve"])]


def _lines(result: Result) -> list[Line]:
    """People first, then metrics, lengths only where there is room."""
    there = _with_curve(result)
    return sorted(there, key=lambda line: line[0]["baseline"])[:MOST_LINES]


def _chart(result: Result, lines: list[Line]) -> go.Figure:
    figure = go.Figure(layout=LAYOUT)
    _, curve = lines[0]
    figure.add_trace(_bound("best possible", curve["k"], curve["upper"]))
    figure.add_trace(_bound("worst possible", curve["k"], curve["lower"]))
    figure.add_trace(_bound("by chance", [0, 100], [0, 1], "dash"))
    for k, line in enumerate(lines):
        if len(lines) <= MOST_BANDS:
            figure.add_trace(_band(*line, k))
        figure.add_trace(_curve(*line, k))
    figure.update_xaxes(
        **AXIS,
        title={"text": "Share of the batch read (%)", "standoff": 10},
        range=[0, 100],
    )
    figure.update_yaxes(**AXIS, title="Share of real texts found", range=[-0.01, 1.02])
    figure.update_layout(height=FIGURE + LEGEND * len(lines))
    return figure


def _bound(
    name: str, k: list[float], rate: list[float], dash: str = "solid"
) -> go.Scatter:
    return go.Scatter(
        x=[0, *k] if k[0] else k,
        y=[0, *rate] if k[0] else rate,
        mode="lines",
        name=name,
        line={"color": UNKNOWN, "width": 1, "dash": dash},
        hoverinfo="skip",
    )


class Stroke(TypedDict):
    """How a curve is drawn."""

    color: str
    width: int
    dash: str


def _look(row: Row, place: int) -> Stroke:
    """People are dotted; dashes tell metrics of one colour, and lengths, apart."""
    turn = place if row["baseline"] else row["place"] // len(COLOURS)
    dash = "dot" if row["people"] else DASHES[turn % len(DASHES)]
    return {"color": mark_of(row)["color"], "width": 2, "dash": dash}


def _curve(row: Row, curve: Curve, place: int) -> go.Scatter:
    return go.Scatter(
        x=[0, *curve["k"]],
        y=[0, *curve["mean"]],
        mode="lines",
        name=full(row),
        line=_look(row, place),
        hovertemplate=f"<b>{full(row)}</b><br>%{{x:.0f}} % read: %{{y:.2f}} found"
        "<extra></extra>",
    )


def _band(row: Row, curve: Curve, place: int) -> go.Scatter:
    """One SD over batches either way."""
    low = [max(0, m - s) for m, s in zip(curve["mean"], curve["std"], strict=True)]
    high = [min(1, m + s) for m, s in zip(curve["mean"], curve["std"], strict=True)]
    return go.Scatter(
        x=[0, *curve["k"], *reversed(curve["k"]), 0],
        y=[0, *high, *reversed(low), 0],
        mode="none",
        fill="toself",
        fillcolor=_faint(_look(row, place)["color"]),
        showlegend=False,
        hoverinfo="skip",
    )


def _faint(colour: str) -> str:
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.15)"


def _area_table(result: Result) -> Table:
    batches = result["batches"]
    rows: list[list[Value]] = [
        [
            link(row),
            Cell.of(row["area"], digits=1),
            Cell.of(row["batch"], digits=1),
            Cell.of(row["std"], digits=1),
        ]
        for row in result["rows"]
    ]
    return Table(
        ["Scores", "Area, all texts", "Area, batches", "SD"],
        rows,
        "Area under the pick-up curve, in percent of the range from worst to best; 50"
        f" is chance. All texts with 95 % intervals; mean and SD over"
        f" {n_of(batches['n'], 'batch', 'batches')} of {batches['real']} real and"
        f" {batches['synthetic']} synthetic texts.",
        title="Area under the pick-up curve (%)",
        empty="Nobody has rated these texts, and no metric has scored them.",
    )


def _area_notes(result: Result) -> str:
    batches = result["batches"]
    drawn = (
        "the jackknife over prompts"
        if result["unit"] == "prompts"
        else "DeLong's method, which assumes that texts are independent"
    )
    all_of = ["real"] if batches["real"] == result["n_real"] else []
    all_of += ["synthetic"] if batches["synthetic"] == result["n_synthetic"] else []
    same = (
        f" Every batch has all {' and all '.join(all_of)} texts, so its SD is smaller"
        " than that of new texts would be."
        if all_of
        else ""
    )
    return (
        "The area over all texts is 100 times the area under the ROC curve: the chance"
        " that a real text scores higher than a synthetic one, where a tie counts half."
        f" Its interval is from {drawn}. Below 50, a score prefers synthetic texts."
        f" {n_of(batches['n'], 'batch', 'batches')} of {batches['real']} real and"
        f" {batches['synthetic']} synthetic texts: each batch is drawn from all texts,"
        f" without repeats.{same} Equal scores count as if in random order. Scores are"
        " reversed where lower is better. Those without a direction stay as they are."
    )


# Pairs -------------------------------------------------------------------------------


def _pairs(result: Result) -> Section:
    rows: list[list[Value]] = [
        [
            link(row),
            Cell.of(row["half"]),
            Cell.of(row["strict"]),
            Cell(row["n_ties"]) if row["half"]["value"] is not None else _none(row),
        ]
        for row in result["rows"]
    ]
    by = "the same pair id" if result["match"] == "pair" else "the same prompt"
    all_of = (
        f", drawn from {result['n_possible']:,}"
        if result["n_possible"] > result["n_pairs"]
        else ""
    )
    table = Table(
        ["Scores", "Ties count half", "Ties count 0", "Ties"],
        rows,
        f"Share of {n_of(result['n_pairs'], 'pair')}{all_of} of a real and a synthetic"
        f" text with {by} in which the real one scores higher, with 95 % intervals"
        " by Wilson's method for what shares a prompt.",
        title="Share of pairs in which the real text scores higher",
        empty="Nobody has rated these texts, and no metric has scored them.",
    )
    return Section(
        "pairs",
        "Pair by pair",
        f"{n_of(result['n_pairs'], 'pair')}{all_of} of a real and a synthetic text with"
        f" {by}. 0.5 is chance.",
        tables={"pairs": table},
        after=(
            "The ARGENT paper counts a tie as 0. Counting it as half is fairer to"
            " scores with few values, such as ratings. Texts with the same `pair` in"
            " the upload form a pair if one is real and one synthetic. Otherwise each"
            " real text is paired with each synthetic text of its prompt."
        ),
    )


def _none(row: Row) -> Cell:
    return Cell(None, reason=row["half"]["reason"] or "")


# Curves ------------------------------------------------------------------------------


def _curves(result: Result) -> list[Section]:
    lines = _with_curve(result)
    if not lines:
        return []
    _, first = lines[0]
    k = first["k"]
    step = max(1, len(k) // POINTS)
    at = [*range(step - 1, len(k) - 1, step), len(k) - 1]
    rows: list[list[Value]] = [
        [
            f"{k[m]:.0f}",
            Cell(first["lower"][m], digits=2),
            Cell(first["upper"][m], digits=2),
            *(Cell(curve["mean"][m], digits=2) for _, curve in lines),
        ]
        for m in at
    ]
    table = Table(
        ["% read", "Worst", "Best", *(_plainly(row) for row, _ in lines)],
        rows,
        "Share of real texts found after reading this much of a batch, mean over"
        f" {n_of(result['batches']['n'], 'batch', 'batches')}.",
        title="Pick-up rates",
    )
    return [
        Section("curve", "The curves as numbers", tables={"curve": table}, folded=True)
    ]


def _plainly(row: Row) -> str:
    return f"{row['label']} ({row['variant']})" if row["variant"] else row["label"]
