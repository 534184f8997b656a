"""Do metrics rank systems as people do? A table for each ranking by people.

Metrics of whole systems have a chart and a table of their own: what chance does to
their agreement, after figure 2 of Pimentel et al. (2023).
"""

from __future__ import annotations

from functools import partial

import plotly.graph_objects as go

from scoring.analyses.shared.page_basis import link
from scoring.analyses.shared.page_metrics import COEFFICIENTS, rung
from scoring.analyses.shared.page_words import n_of
from scoring.analyses.systems.result import LevelRow, OverSeeds, Result, Target
from scoring.drawing.charts import plain
from scoring.drawing.ladders import Panel, best_first, ladder
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value
from scoring.stats.estimates import Number

RANK_ALIKE = "Do metrics rank systems as people do?"
FEW = 20  # systems, for a correlation of systems
NOTES = (
    "Coefficients compare the means of systems: Pearson's r, Spearman's ρ and Kendall's"
    " τ-b, with 95 % intervals by Fisher's z, which are for other systems. Means are"
    " over the texts that people rated. With votes, they are over all texts, and votes"
    " count by their Bradley-Terry strengths. Soft pairwise accuracy (Thompson et al."
    " 2024) compares, for each pair of systems, how sure people and the metric are that"
    " one is better, by a permutation test over prompts. 1 means equally sure in all"
    " pairs. Metrics without a direction stay as they are, unless another of their"
    " outputs measures how close to human text they are."
)
SEEDS = (
    "These metrics score all texts of a system together, and some involve chance, so"
    " each seed has its own coefficient. The chart and table show their mean and"
    " standard deviation. Differences smaller than the bars may be due to chance. All"
    " scores are reversed where lower is better."
)
SEEDS_NOTES = (
    "Mean ± standard deviation of the coefficients of single seeds. The table above has"
    " the coefficient of the means over seeds. A metric without chance has one number"
    " and no bar. Bars are over seeds and say nothing about other systems; Fisher's"
    " intervals above do. Metrics without a direction are left out."
)


def levels(result: Result) -> list[Section]:
    """Two sections for each ranking by people; the first are open."""
    if len(result["systems"]) < 2:
        return []
    targets = [target for target in result["targets"] if target["rows"]]
    found = []
    for number, target in enumerate(targets, 1):
        found.append(_level(target, number, last=number == len(targets)))
        found += _seeds(target, number)
    return found


def _level(target: Target, number: int, last: bool) -> Section:
    return Section(
        f"level-{number}",
        f"System-level correlation: {target['title']}",
        f"{RANK_ALIKE} {_few(target['n_systems'])}" if number == 1 else "",
        tables={f"level-{number}": _level_table(target)},
        after=NOTES if last else "",
        folded=number > 1,
    )


def _few(n: int) -> str:
    if n >= FEW:
        return f"Correlations over the means of {n} systems."
    return (
        f"Too few systems ({n}) to rely on these numbers: below {FEW} systems, chance"
        " alone gives large coefficients, as the intervals show. Correlations over"
        " texts say more."
    )


def _level_table(target: Target) -> Table:
    found = target["rows"]
    order = best_first([[row["spearman"] for row in found]])
    rows: list[list[Value]] = [
        [
            link(row),
            *(Cell.of(row[name], heat=True) for name in COEFFICIENTS),
            Cell.of(row["soft"]),
        ]
        for row in (found[k] for k in order)
    ]
    return Table(
        ["Metric", *COEFFICIENTS.values(), "Soft accuracy"],
        rows,
        f"Correlation of metrics with {_people(target)} over"
        f" {n_of(target['n_systems'], 'system')}, with 95 % intervals by Fisher's z,"
        " and soft pairwise accuracy.",
        title=f"With people: {target['title']}",
    )


def _people(target: Target) -> str:
    votes = target["kind"] == "votes"
    return "strengths by votes" if votes else f"mean {target['title']}"


# Seeds -------------------------------------------------------------------------------


def _seeds(target: Target, number: int) -> list[Section]:
    """Metrics of whole systems that have a direction, if there are any."""
    rows = [row for row in target["rows"] if row["of_system"] and row["directed"]]
    if not rows:
        return []
    order = best_first([[row["seeds"]["spearman"] for row in rows]])
    rows = [rows[k] for k in order]
    return [
        Section(
            f"seeds-{number}",
            f"Metrics of whole systems: {target['title']}",
            SEEDS if number == 1 else "",
            partial(_chart, rows, target),
            alt="Spearman's ρ of each metric of whole systems with"
            f" {_people(target)}, with bars over seeds.",
            tables={f"seeds-{number}": _seeds_table(rows, target)},
            after=SEEDS_NOTES if number == 1 else "",
            folded=number > 1,
        )
    ]


def _seeds_table(rows: list[LevelRow], target: Target) -> Table:
    return Table(
        ["Metric", *COEFFICIENTS.values(), "Seeds"],
        [
            [
                link(row),
                *(Cell.of(row["seeds"][name], heat=True) for name in COEFFICIENTS),
                row["seeds"]["spearman"]["seeds"],
            ]
            for row in rows
        ],
        f"Correlation of metrics of whole systems with {_people(target)} over"
        f" {n_of(target['n_systems'], 'system')}: mean and standard deviation over the"
        " seeds of the metric.",
        title=f"Over seeds, with people: {target['title']}",
    )


def _chart(rows: list[LevelRow], target: Target) -> go.Figure:
    """Outputs down, the coefficient across, with one SD over seeds either way."""
    return ladder(
        [rung(row) for row in rows],
        [Panel([_over_seeds(row["seeds"]["spearman"]) for row in rows])],
        x_title=f"Spearman ρ with {plain(_people(target))}",
    )


def _over_seeds(cell: OverSeeds) -> Number:
    value, std = cell["value"], cell["std"] or 0.0
    low, high = (None, None) if value is None else (value - std, value + std)
    return Number(
        value=value,
        low=low,
        high=high,
        reason=cell["reason"],
        n=cell["n"],
        signature=cell["signature"],
    )
