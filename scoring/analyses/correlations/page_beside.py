"""Ranks, what is behind a correlation, pairs, and metrics with each other."""

from __future__ import annotations

import math
from functools import partial

import plotly.graph_objects as go

from scoring.analyses.correlations.result import Groups, Result
from scoring.analyses.shared.page_basis import DRAWN, PAIRS, basis, intervals, link
from scoring.analyses.shared.page_metrics import COEFFICIENTS, SHORT, rung
from scoring.drawing.heatmaps import heatmap
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value

# Ranks --------------------------------------------------------------------------------


def ranks(result: Result) -> Section:
    """Which metrics are significantly better than others."""
    title = "Which metrics are significantly better"
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
        " a lower rank only where Student's t gives p < 0.05 after Holm.",
        groups=[("", 1), *((a["title"], len(names)) for a in result["aspects"])],
        title="Rank of each metric",
    )
    return Section(
        "ranks",
        title,
        "Metrics of the same rank cannot be told apart with these texts. A metric has"
        " the next rank if at least one metric of the rank above is significantly"
        " better.",
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
        "Tests: Student's t of the difference over the same"
        f" {DRAWN[result['resample']][0]} for all metrics; two-sided p of each pair,"
        " adjusted by Holm's method for all pairs of a column"
    )
    words += f" ({tests} tests)."
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
        "What is behind the numbers",
        "A metric that only tells good systems from poor ones drops within systems. One"
        " that mostly counts words drops once the length is held fixed.",
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
        "Groups: those behind the mean. Metric constant: people tell texts apart, but"
        f" the metric gives all of them the same score; such a group {rule}. People"
        " constant: people give all texts the same score; such a group says nothing"
        " about the metric and is always left out. Too small: fewer than 3 texts with"
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
        foot=2,
    )
    return Section(
        "pairs",
        "Pairs of texts and of systems",
        "How often do metric and people agree on which of two texts is better?",
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
        " equal. Two scores of a metric count as equal if they differ by ε* or less,"
        " the threshold that is best for the metric (Deutsch et al. 2023). ε* is fitted"
        " on the same texts and held fixed for the interval, so acc-t is slightly"
        " optimistic. A constant metric gets the share of pairs that people tie, a"
        " random metric what chance and ε* give. A metric should beat both."
        + (f" Pairs tied by people: {ties}." if ties else "")
        + " SPA: one minus the mean difference between metric and people in how sure"
        " they are that one system is better than another (Thompson et al. 2024). 1 is"
        " perfect."
    )


# Metrics with each other --------------------------------------------------------------


def metrics(result: Result) -> Section:
    name = COEFFICIENTS[result["primary"]]
    rows: list[list[Value]] = [
        [link(output), *(Cell.of(one, heat=True) for one in cells)]
        for output, cells in zip(result["outputs"], result["matrix"], strict=True)
    ]
    table = Table(
        ["Metric", *(rung(output).name for output in result["outputs"])],
        rows,
        f"{name} of each pair of metrics, {basis(result)}.",
        title="Correlation between metrics",
    )
    return Section(
        "metrics",
        "Correlation between metrics",
        "Metrics that correlate highly measure much the same: the second adds little."
        " Blue: both prefer the same texts. Orange: they prefer opposite texts.",
        partial(_heatmap, result) if len(rows) > 1 else None,
        alt=f"{name} of each pair of metrics.",
        tables={"metrics": table},
        after="Over the texts that both metrics scored, without intervals. Metrics have"
        " the same order as at the top of this page.",
    )


def _heatmap(result: Result) -> go.Figure:
    names = [rung(output).name for output in result["outputs"]]
    values = [[one["value"] for one in row] for row in result["matrix"]]
    return heatmap(names, names, values, middle=0, ends=(-1, 1), digits=2)
