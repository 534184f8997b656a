"""Ranks, what is behind a correlation, pairs, and metrics with each other."""

from __future__ import annotations

import math

import plotly.graph_objects as go

from scoring.drawing.charts import LAYOUT
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value
from scoring.results.showing._correlating import PAIRS, basis, intervals, link
from scoring.results.showing._metrics import COEFFICIENTS, SHORT, short
from scoring.stats.analyses.results.correlations import Groups, Result

# Blue above zero, orange below, as in tables; a quarter opaque behind numbers.
DIVERGING = [
    [0, "rgba(230, 159, 0, 0.55)"],
    [0.5, "rgba(128, 128, 128, 0.04)"],
    [1, "rgba(0, 114, 178, 0.55)"],
]
ROW = 44  # pixels: three lines of a name
MANY = 12  # beyond so many metrics numbers do not fit into the squares


# Ranks --------------------------------------------------------------------------------


def ranks(result: Result) -> Section:
    """Who is better than whom for sure."""
    title = "Which metrics are better for sure"
    if reason := _untested(result):
        return Section(
            "ranks", title, f"No metric was tested against another: {reason}."
        )
    rows: list[list[Value]] = []
    for place, output in enumerate(result["outputs"]):
        cells = [
            Cell.of(column["aspects"][at]["ranks"][place])
            for at in range(len(result["aspects"]))
            for column in result["columns"]
        ]
        rows.append([link(output), *cells])
    names = [SHORT[c] for c in result["coefficients"]]
    table = Table(
        ["Metric", *(names * len(result["aspects"]))],
        rows,
        f"Ranks of metrics by their correlation with human scores, {basis(result)}:"
        " another rank only where a paired bootstrap, Holm-adjusted, says p < 0.05.",
        groups=[("", 1), *((a["title"], len(names)) for a in result["aspects"])],
        title="Rank of each metric",
    )
    return Section(
        "ranks",
        title,
        "Metrics of one rank cannot be told apart with these texts. A metric has the"
        " next rank if at least one of the rank above is significantly better.",
        tables={"ranks": table},
        after=_on_ranks(result),
    )


def _untested(result: Result) -> str:
    """Why no metric has a rank, if none has one."""
    cells = [
        one
        for column in result["columns"]
        for aspect in column["aspects"]
        for one in aspect["ranks"]
    ]
    if any(one["value"] is not None for one in cells):
        return ""
    return (cells[0]["reason"] or "") if cells else "there is none"


def _on_ranks(result: Result) -> str:
    columns = [a for column in result["columns"] for a in column["aspects"]]
    families = sorted({one["family"] for one in columns})
    tests = " or ".join(f"{n:,}" for n in families if n)
    words = (
        "Tests: paired bootstrap, the same"
        f" {result['draws']:,} resamples for all metrics; two-sided p of each pair,"
        " adjusted by Holm's method for all pairs of a column"
    )
    words += f" ({tests} tests)."
    if any(one["coarse"] for one in columns):
        words += (
            " There are so many metrics that these resamples could not make a single"
            " difference significant: choose fewer metrics to rank them."
        )
    return words


# What is behind a number --------------------------------------------------------------


def behind(result: Result) -> Section:
    name = COEFFICIENTS[result["primary"]]
    of_texts: Result = {**result, "level": "texts"}
    rows: list[list[Value]] = [
        [
            link(output),
            *(
                Cell.of(part, heat=True)
                for one in cells
                for part in (one["pooled"], one["within"], one["partial"])
            ),
        ]
        for output, cells in zip(result["outputs"], result["behind"], strict=True)
    ]
    names = ["All texts", "Within systems", "Given length"]
    table = Table(
        ["Metric", *(names * len(result["aspects"]))],
        rows,
        f"{name} of metrics with human scores over all texts, averaged over systems,"
        " and with the number of words held fixed, with 95 % intervals.",
        groups=[("", 1), *((a["title"], len(names)) for a in result["aspects"])],
        title=f"{name}: all texts, within systems, given length",
    )
    return Section(
        "behind",
        "What is behind a number",
        "A metric that only tells good systems from poor ones loses within systems; one"
        " that mostly counts words loses once length is held fixed.",
        tables={"behind": table},
        after="Within systems: a coefficient for the texts of each system, then their"
        " mean. Given length: the partial correlation, with the number of words taken"
        f" out of metric and people. {intervals(of_texts)}",
    )


def groups(result: Result) -> list[Section]:
    """How many groups have a coefficient at all; nothing where there are no groups."""
    if result["grouping"] == "none" or result["level"] == "systems":
        return []
    names = ["Groups", "Metric constant", "People constant", "Too small"]
    rows: list[list[Value]] = [
        [
            link(output),
            *(n for cells in result["main"] for n in _accounts(cells[place]["groups"])),
        ]
        for place, output in enumerate(result["outputs"])
    ]
    table = Table(
        ["Metric", *(names * len(result["aspects"]))],
        rows,
        f"Groups behind each {COEFFICIENTS[result['primary']]}, and those without one.",
        groups=[("", 1), *((a["title"], len(names)) for a in result["aspects"])],
        title="Groups with and without a coefficient",
    )
    rule = "counts as 0" if result["undefined"] == "zero" else "is left out"
    after = (
        "Groups: those behind the mean. Metric constant: people tell texts apart and"
        f" the metric gives all one score; such a group {rule}. People constant: says"
        " nothing of the metric, always left out. Too small: fewer than 3 texts with"
        " both scores, 2 for Kendall."
    )
    return [Section("groups", "Groups", tables={"groups": table}, after=after)]


def _accounts(found: Groups) -> tuple[int, int, int, int]:
    return (
        found["n_groups"],
        found["n_undefined_metric"],
        found["n_undefined_human"],
        found["n_small"],
    )


# Pairs --------------------------------------------------------------------------------


def accuracy(result: Result) -> Section:
    found = result["accuracy"]
    within = PAIRS[found["within"]]
    rows: list[list[Value]] = [
        [
            link(output),
            *(
                shown
                for one in cells
                for shown in (
                    Cell.of(one["accuracy"]),
                    Cell.of(one["epsilon"], digits=_digits(one["epsilon"]["value"])),
                    Cell.of(one["soft"]),
                )
            ),
        ]
        for output, cells in zip(result["outputs"], found["rows"], strict=True)
    ]
    baselines = found["baselines"]
    for name, of in (
        ("A constant metric", [one["constant"] for one in baselines]),
        ("A random metric", [one["random"] for one in baselines]),
    ):
        row: list[Value] = [name]
        for cell in of:
            row += [Cell.of(cell), None, None]
        rows.append(row)
    names = ["acc-t", "ε*", "SPA"]
    table = Table(
        ["Metric", *(names * len(result["aspects"]))],
        rows,
        f"Pairwise accuracy with tie calibration (acc-t, texts of {within}) with its"
        " threshold ε* and 95 % interval, and soft pairwise accuracy of systems (SPA).",
        groups=[("", 1), *((a["title"], len(names)) for a in result["aspects"])],
        title=f"Pairs of texts of {within}, and pairs of systems",
    )
    return Section(
        "pairs",
        "Pairs of texts and of systems",
        "How often does the metric say better, worse or equal when people do?",
        tables={"pairs": table},
        after=_on_pairs(result),
    )


def _digits(value: float | None) -> int:
    """Three decimals, or so many that a small threshold does not look like zero."""
    if value == 0:
        return 0
    if value is None or value >= 0.01:
        return 3
    return min(9, 2 - math.floor(math.log10(value)))


def _on_pairs(result: Result) -> str:
    shares = [one["ties"] for one in result["accuracy"]["baselines"]]
    ties = ", ".join(
        f"{aspect['title']} {100 * share:.0f} %"
        for aspect, share in zip(result["aspects"], shares, strict=True)
        if share is not None
    )
    return (
        "acc-t: share of pairs in which metric and people agree on better, worse or"
        " equal; two scores of a metric count as equal if they differ by ε* or less,"
        " the threshold that serves the metric best (Deutsch et al. 2023). It is fitted"
        " on these very texts and held fixed for the interval: a little optimistic. A"
        " constant metric gets the share of pairs that people tie, a random one what is"
        " left to luck and to ε*: a metric should beat both."
        + (f" Pairs tied by people: {ties}." if ties else "")
        + " SPA: one minus the mean difference between metric and people in how sure"
        " they are that one system is better than another (Thompson et al. 2024); 1 is"
        " perfect."
    )


# Metrics with each other --------------------------------------------------------------


def metrics(result: Result) -> Section:
    name = COEFFICIENTS[result["primary"]]
    numbers = [f"{k + 1}" for k in range(len(result["outputs"]))]
    rows: list[list[Value]] = [
        [link(output), k + 1, *(Cell.of(one, heat=True) for one in cells)]
        for k, (output, cells) in enumerate(
            zip(result["outputs"], result["matrix"], strict=True)
        )
    ]
    table = Table(
        ["Metric", "No.", *numbers],
        rows,
        f"{name} of each two metrics, {basis(result)}.",
        title="Metrics with each other",
    )
    return Section(
        "metrics",
        "Metrics with each other",
        "Metrics that correlate highly measure much the same: the second adds little."
        " Blue: they like the same texts. Orange: one likes what the other does not.",
        _heatmap(result) if len(rows) > 1 else None,
        alt=f"{name} of each two metrics.",
        tables={"metrics": table},
        after="Over the texts that both have scored. Without intervals.",
    )


def _heatmap(result: Result) -> go.Figure:
    labels = [short(output) for output in result["outputs"]]
    values = [[one["value"] for one in row] for row in result["matrix"]]
    n = len(labels)
    figure = go.Figure(
        go.Heatmap(
            z=values,
            x=list(range(n)),
            y=list(range(n)),
            zmin=-1,
            zmax=1,
            colorscale=DIVERGING,
            showscale=False,
            xgap=1,
            ygap=1,
            texttemplate="%{z:.2f}" if n <= MANY else "",
            customdata=[[[a, b] for b in labels] for a in labels],
            hovertemplate=(
                "%{customdata[0]}<br>%{customdata[1]}<br>%{z:.3f}<extra></extra>"
            ),
        ),
        layout=LAYOUT,
    )
    plain = {"showgrid": False, "zeroline": False, "ticks": "", "automargin": True}
    figure.update_yaxes(
        **plain,
        tickvals=list(range(n)),
        ticktext=[f"{label}  {k + 1}" for k, label in enumerate(labels)],
        tickfont={"size": 11},
        range=[n - 0.5, -0.5],
    )
    figure.update_xaxes(
        **plain,
        tickvals=list(range(n)),
        ticktext=[str(k + 1) for k in range(n)],
        side="top",
        range=[-0.5, n - 0.5],
    )
    margin = {**LAYOUT["margin"], "t": 40, "b": 16}
    figure.update_layout(height=60 + ROW * n, margin=margin)
    return figure
