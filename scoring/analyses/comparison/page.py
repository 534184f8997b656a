"""Two metrics: values, differences, tests, and the texts on which they part."""

from __future__ import annotations

from functools import partial
from typing import Literal
from urllib.parse import quote

import plotly.graph_objects as go

from scoring.analyses.comparison import page_trivial as two_and_trivial
from scoring.analyses.comparison.result import ByPeople, Result
from scoring.analyses.needs import JUDGED
from scoring.analyses.shared.page_basis import basis, intervals, why
from scoring.analyses.shared.page_words import coefficient
from scoring.drawing.ladders import Panel, Rung, best_first, ladder
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Link, Table, Value

LEAD = "Is one metric better than another, by how much, and where do they disagree?"
NEED = JUDGED
CLOSEST = (
    "If you choose no metric, the ones closest to people are compared. Choose two"
    " above."
)
SWAPPED = {
    "both": "the two scores of each text are swapped or not, text by text",
    "inputs": "the scores of all texts of a prompt are swapped or not, together",
    "systems": "the scores of all texts of a system are swapped or not, together",
}


def sections(result: Result) -> list[Section]:
    if result["reason"]:
        words = f"Nothing to compare: {result['reason']}."
        return [Section("difference", "Difference", words)]
    order = best_first([[row["difference"] for row in result["rows"]]])
    result = {**result, "rows": [result["rows"][k] for k in order]}
    return [
        _difference(result),
        _tests(result),
        *two_and_trivial.sections(result),
        _against_people(result),
        _texts(result),
        _pairs(result),
    ]


def _names(result: Result) -> tuple[str, str]:
    first, second = (
        f"{one['label']} ({one['variant']})" if one["variant"] else one["label"]
        for one in result["outputs"]
    )
    return first, second


# The difference ----------------------------------------------------------------------


def _difference(result: Result) -> Section:
    first, second = _names(result)
    name = coefficient(result)
    rows: list[list[Value]] = [
        [
            row["aspect"],
            Cell.of(row["first"], heat=True),
            Cell.of(row["second"], heat=True),
            Cell.of(row["difference"]),
            row["first"]["n"],
        ]
        for row in result["rows"]
    ]
    unit = "systems" if result["level"] == "systems" else "texts"
    table = Table(
        ["Aspect", first, second, "Difference", unit.capitalize()],
        rows,
        f"{name} of {first} and of {second} with human scores, {basis(result)}, and"
        " their difference, with 95 % intervals.",
        notes=why(result),
        title=f"{name} with human scores, and the difference",
    )
    return Section(
        "difference",
        "Difference",
        f"First metric: {first}. Second metric: {second}. Above zero (blue), the"
        " first agrees better with people. Only texts that both have scored count."
        + ("" if result["asked"] else f" {CLOSEST}"),
        partial(_chart, result, name),
        alt=f"Difference of {name} between {first} and {second} on each aspect.",
        tables={"difference": table},
        after=f"{intervals(result)} The interval of the difference is over the same"
        " prompts for both metrics: it may exclude zero where the two intervals"
        " overlap." + _by_fisher(result),
    )


def _by_fisher(result: Result) -> str:
    if result["level"] != "systems":
        return ""
    return " That of the difference is always over prompts: for these systems only."


def _chart(result: Result, name: str) -> go.Figure:
    differences = [row["difference"] for row in result["rows"]]
    return ladder(
        [Rung(row["aspect"]) for row in result["rows"]],
        [Panel(differences)],
        x_title=f"Difference of {name}: first minus second",
    )


# Tests -------------------------------------------------------------------------------


def _tests(result: Result) -> Section:
    rows: list[list[Value]] = [
        [
            row["aspect"],
            Cell.of(row["p"], digits=4),
            Cell.of(row["adjusted"], digits=4),
            Cell.of(row["permutation"], digits=4),
            Cell.of(row["williams"], digits=4),
            Cell.of(row["needed"]),
        ]
        for row in result["rows"]
    ]
    table = Table(
        ["Aspect", "t", "Holm", "Permutation", "Williams", "Texts needed"],
        rows,
        "Two-sided p-values of the difference: Student's t, the same adjusted by"
        f" Holm's method for all aspects, permutation (for {result['population']}), and"
        " Williams' test (approximate).",
        title="p-values of the difference",
    )
    return Section(
        "tests",
        "Is the difference significant?",
        tables={"tests": table},
        after="t: Student's t of the difference over prompts, which its interval"
        " belongs to; with a longer tail where prompts are skewed. Holm: this p,"
        " adjusted for the number of aspects. Permutation:"
        f" {SWAPPED[result['design']]}, {result['swaps']:,} times, for"
        f" {result['population']}. Williams: approximate, because it assumes that"
        " no two texts share a prompt. Texts needed: to show this difference of"
        " Pearson's r in four of five studies at p < 0.05, if every text had its"
        " own prompt; more are needed with several texts per prompt.",
    )


# Where they disagree -----------------------------------------------------------------


def _texts(result: Result) -> Section:
    found, (first, second) = result["texts"], _names(result)
    titles = [aspect["title"] for aspect in result["aspects"]]
    why = _explaining(result)
    rows: list[list[Value]] = [
        [
            Link(row["key"], "study_text", query=_query(key=row["key"])),
            row["system"],
            row["prompt"],
            Cell(row["first"], digits=0, signature=found["signature"]),
            Cell(row["second"], digits=0, signature=found["signature"]),
            *(_people(one, "rank", 0) for one in row["people"]),
            *(_people(one, "mean", 2) for one in row["people"]),
            *_explained(result, row["key"]),
        ]
        for row in found["rows"]
    ]
    table = Table(
        ["Text", "System", "Prompt", first, second, *titles, *titles, *why],
        rows,
        f"The texts that {first} and {second} rank most differently, of"
        f" {found['n']:,} texts. Ranks: 0 = lowest, 100 = highest.",
        title="Texts that they rank most differently",
        groups=[
            *(("", 3), ("Rank by", 2)),
            *(("Rank by people", len(titles)), ("Mean rating", len(titles))),
            *([("", len(why))] if why else []),
        ],
        empty="The two metrics rank all texts in the same way.",
        ways=len(why),
    )
    return Section(
        "texts",
        "Where they disagree",
        "Read some of these texts: they show what one metric notices and the other"
        " misses.",
        tables={"texts": table},
        after="Ranks go in equal steps from 0, the lowest score, to 100, the highest;"
        " equal scores share a rank. Ranks of metrics are among the texts that both"
        " have scored, those of people among the rated texts.",
    )


def _against_people(result: Result) -> Section:
    tables = {
        f"people-{place}": _against_people_table(result, k)
        for k, place in enumerate(("first", "second"))
    }
    return Section(
        "people",
        "Where metrics and people disagree most",
        "Read some of these texts: they show what a metric gets wrong, and sometimes"
        " what the raters did.",
        tables=tables,
        after="Ranks go evenly from 0, the lowest, to 100, the highest; equal scores"
        " share a rank. Difference: rank by the metric minus rank by people. Above"
        " zero, the metric likes the text more than people do.",
    )


def _against_people_table(result: Result, k: int) -> Table:
    found, name = result["against_people"][k], _names(result)[k]
    rows: list[list[Value]] = [
        [
            Link(row["key"], "study_text", query=_query(key=row["key"])),
            row["system"],
            row["prompt"],
            Cell(row["metric"], digits=0),
            Cell(row["people"], digits=0),
            Cell(row["mean"], digits=2, n=row["n_ratings"] or None),
            Cell(row["difference"], digits=0),
        ]
        for row in found["rows"]
    ]
    names = ["Rank by the metric", "Rank by people", "Mean rating", "Difference"]
    return Table(
        ["Text", "System", "Prompt", *names],
        rows,
        f"The texts that {name} and people rank most differently on {found['aspect']},"
        f" of {found['n']:,} texts. Ranks: 0 = lowest, 100 = highest.",
        title=f"{name} and people, {found['aspect']}",
        empty=f"{name} and people rank all texts alike, or no text has both scores.",
    )


def _people(one: ByPeople, key: Literal["mean", "rank"], digits: int) -> Cell:
    if one[key] is None:
        return Cell(None, reason="not rated, or too seldom")
    return Cell(one[key], digits=digits, n=one["n"] or None)


def _explaining(result: Result) -> list[str]:
    """Columns of links to what a score is made of."""
    return [
        f"Why, {place}"
        for place, output in zip(("first", "second"), result["outputs"], strict=True)
        if output["signature_id"] is not None
    ]


def _explained(result: Result, key: str) -> list[Link]:
    return [
        Link("explain", "explain", (output["signature_id"],), _query(key=key))
        for output in result["outputs"]
        if output["signature_id"] is not None
    ]


def _pairs(result: Result) -> Section:
    found, (first, second) = result["pairs"], _names(result)
    rows: list[list[Value]] = [
        [
            Link(
                f"{row['better']['key']} over {row['worse']['key']}",
                "compare",
                query=_query(a=row["better"]["key"], b=row["worse"]["key"]),
            ),
            f"{row['better']['system']} over {row['worse']['system']}".strip(),
            row["better"]["prompt"],
            Cell(row["better"]["mean"]),
            Cell(row["worse"]["mean"]),
            first if row["first_right"] else second,
            Cell(row["apart"], digits=0),
        ]
        for row in found["rows"]
    ]
    aspect = found["aspect"]
    table = Table(
        [
            "People prefer",
            "Systems",
            "Prompt",
            "Mean, preferred",
            "Mean, other",
            "Who agrees with people",
            "Ranks apart",
        ],
        rows,
        f"Two texts of one prompt that {first} and {second} order differently, and that"
        f" people also order by {aspect}: the pair that is furthest apart for each"
        " prompt.",
        title=f"Pairs of texts that they order differently, with people on {aspect}",
        empty="The two metrics order all texts of each prompt in the same way.",
    )
    return Section(
        "pairs",
        "Who is right",
        "Two texts of one prompt: one metric prefers the text that people prefer, the"
        " other does not.",
        tables={"pairs": table},
        after="Ranks apart: the distance between the two texts by one metric plus that"
        " by the other, in opposite directions; at most 200.",
    )


def _query(**parts: str) -> str:
    return "&".join(f"{name}={quote(key, safe='')}" for name, key in parts.items())
