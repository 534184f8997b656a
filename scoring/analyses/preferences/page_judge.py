"""A judge over the network beside people's votes."""

from __future__ import annotations

from scoring.analyses.preferences.result import Agreement, Judge
from scoring.analyses.shared import page_systems
from scoring.analyses.shared.page_words import n_of
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value

NO_VOTES = "people have not voted on this question"


def section(judge: Judge) -> Section:
    """Strengths side by side, and how far the judge agrees with people."""
    tables = {"judge": _strengths(judge)}
    if judge["agreement"] is not None:
        tables["judge-agreement"] = _agreement(judge["agreement"])
    return Section(
        "judge",
        f"A judge beside people: {judge['name']}",
        _words(judge),
        tables=tables,
        after=(
            "No verdict of a judge is among people’s votes. A judge has one verdict for"
            " each pair, from both orders of its texts; where these disagree it is a"
            " tie, so it often ties more than people do. Compare the order of systems,"
            " not the distance between two columns: each has a scale of its own."
        ),
    )


def _words(judge: Judge) -> str:
    if not judge["n_votes"]:
        return "This judge has no verdict on these systems."
    ties = n_of(judge["n_ties"], "tie")
    asked = f" on “{judge['question']}”" if judge["question"] else ""
    start = f"The judge gave {n_of(judge['n_votes'], 'verdict')}{asked}, with {ties}."
    found = judge["agreement"]
    if found is None:
        return f"{start} People have not voted on this question."
    return f"{start} {_agrees(found)}"


def _agrees(found: Agreement) -> str:
    value, people = found["judge"]["value"], found["people"]["value"]
    if value is None:
        return "People have voted on none of the pairs that it saw."
    on = n_of(found["n_pairs"], "pair")
    said = f"On {on} that people voted on, it agrees with a person in {_percent(value)}"
    if people is None:
        return f"{said} of cases."
    return f"{said} of cases; two people agree in {_percent(people)}."


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _strengths(judge: Judge) -> Table:
    rows: list[list[Value]] = [
        [
            page_systems.named(one),
            Cell.of(one["judge"], digits=0),
            Cell(None, reason=NO_VOTES)
            if one["people"] is None
            else Cell.of(one["people"], digits=0),
        ]
        for one in judge["systems"]
    ]
    return Table(
        ["System", "Judge", "People"],
        rows,
        f"Strengths of systems by the judge {judge['name']} and by people’s votes, each"
        " on its own Elo scale with mean 1,000; 95 % intervals.",
        title="Strength by the judge and by people",
        empty="No verdicts.",
    )


def _agreement(found: Agreement) -> Table:
    rows: list[list[Value]] = [
        [
            "The judge agrees with a person",
            Cell.of(found["judge"]),
            "Chance that its verdict is that of a person who voted on the pair",
        ],
        [
            "Two people agree",
            Cell.of(found["people"]),
            "The same of two people, on the same pairs",
        ],
        [
            "Cohen’s κ of the judge with votes",
            Cell.of(found["kappa"]),
            "Beyond what chance would give: 0 is chance, 1 is always",
        ],
    ]
    return Table(
        ["Agreement", "Value", "Meaning"],
        rows,
        f"Agreement of the judge with {n_of(found['n_votes'], 'vote')} of people on"
        f" {n_of(found['n_pairs'], 'pair')}; a tie is a verdict of its own; 95 %"
        " intervals over pairs.",
        title="Agreement of the judge with people",
    )
