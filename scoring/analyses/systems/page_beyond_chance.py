"""How far values of metrics of whole systems exceed their values by chance."""

from __future__ import annotations

from scoring.analyses.shared import page_systems
from scoring.analyses.shared.page_basis import link
from scoring.analyses.systems.result import Mean, Metric, Result
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value

SIGNIFICANT = 0.05
LEAD = (
    "Even two sets of texts from the same source diverge a little by chance. How much"
    " depends on the number of texts. The excess over chance can be compared."
)
NOTES = (
    "By chance: the mean over 999 random permutations, which exchange texts between"
    " people and the system, within prompts that both have. Excess: the value minus"
    " this mean. p: how often a permutation is at least as far from human texts. ±: the"
    " standard deviation that other texts would cause, by a bootstrap of prompts."
)
OF_PAIRS = (
    "Difference: the first minus the second. Its p is two-sided, from 999 random"
    " permutations of the texts of both, within prompts that both have. Adjusted p is"
    " corrected for all pairs of the metric (Holm’s method)."
)
NO_CHANCE = "this metric has no value by chance"


def beyond_chance(result: Result) -> list[Section]:
    """Two sections, if any metric has values by chance."""
    told = [one for one in result["metrics"] if any("p" in m for m in one["means"])]
    if not told:
        return []
    pairs = [one for one in told if one.get("pairs")]
    tables = {"beyond-chance": _table(result, told)}
    found = [
        Section("beyond-chance", "Beyond chance", LEAD, tables=tables, after=NOTES)
    ]
    if pairs:
        tables = {"beyond-chance-pairs": _pairs(result, pairs)}
        key, title = "beyond-chance-pairs", "Differences between systems, beyond chance"
        found.append(Section(key, title, tables=tables, after=OF_PAIRS, folded=True))
    return found


def _table(result: Result, metrics: list[Metric]) -> Table:
    rows: list[list[Value]] = [
        [link(one), page_systems.named(system), *_cells(mean)]
        for one in metrics
        for system, mean in zip(result["systems"], one["means"], strict=True)
    ]
    return Table(
        ["Metric", "System", "Value", "By chance", "Excess", "p"],
        rows,
        "Values of metrics of whole systems, their values by chance with the same"
        " number of texts, the excess over chance, and its p.",
        title="Beyond chance",
    )


def _cells(mean: Mean) -> list[Value]:
    why = mean["reason"] or NO_CHANCE
    p = mean.get("p")
    return [
        Cell.of(mean),
        Cell(mean.get("chance"), reason="" if "chance" in mean else why),
        Cell(mean.get("excess"), reason="" if "excess" in mean else why),
        Cell(p, reason="" if p is not None else why, bold=(p or 1) < SIGNIFICANT),
    ]


def _pairs(result: Result, metrics: list[Metric]) -> Table:
    names = [system["system"] for system in result["systems"]]
    rows: list[list[Value]] = [
        [
            link(one),
            f"{names[pair['first']]} – {names[pair['second']]}",
            Cell.of(pair["difference"]),
            Cell.of(pair["p"]),
            Cell.of(
                pair["adjusted"],
                bold=(pair["adjusted"]["value"] or 1) < SIGNIFICANT,
            ),
        ]
        for one in metrics
        for pair in one.get("pairs", [])
    ]
    return Table(
        ["Metric", "Systems", "Difference", "p", "Adjusted p"],
        rows,
        "Differences between systems by metrics of whole systems, with p from"
        " random permutations, adjusted for all pairs of a metric.",
        title="Differences between systems, beyond chance",
    )
