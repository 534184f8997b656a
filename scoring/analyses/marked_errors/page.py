"""Marked errors: does a metric find what people mark, and do people mark the same?"""

from __future__ import annotations

from functools import partial

import plotly.graph_objects as go

from scoring.analyses.marked_errors import page_answer, page_texts
from scoring.analyses.marked_errors.result import Name, Result
from scoring.analyses.needs import Missing, Need
from scoring.analyses.shared.page_words import n_of
from scoring.drawing.ladders import Line, Panel, Rung, ladder
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value

LEAD = "Does a metric find the errors that people mark, and do people mark the same?"
NEED = Need(
    lambda facts: facts.marked,
    Missing(
        "Needs marked errors: choose the kind of page “Marked errors” and open the"
        " study.",
        "Set up the study",
        "study_setup",
    ),
)
GUESSES = {
    "moved": "Its marks at random places",
    "other texts": "What people marked in other texts",
}
DRAWN = {
    "moved": "Marks of {}, at random places",
    "other texts": "Marks of people, in other texts",
}
MPP = (
    "F counts how much of each other's marks two judges cover. Each mark has one"
    " partner at most. 1: they mark the same characters; 0: they share none (mpp,"
    " Perrella et al. 2026)."
)
EACH = "Means over people, or over pairs of people."
TOGETHER = (
    "Two people share few texts, so the marks of all people are counted together."
)
INTERVALS = (
    "Below each number is its 95 % interval, for new prompts: each prompt is left out"
    " in turn. None is shown where too few prompts have marks that count."
)
NO_METRIC = (
    "No metric has marked errors in these texts yet. Import its marks, or run a judge"
    " that marks errors."
)


def sections(result: Result) -> list[Section]:
    return [
        page_answer.section(result),
        _metrics(result),
        _people(result),
        *_names(result, "categories", "Categories", result["categories"]),
        *_names(result, "severities", "Severities", result["severities"]),
        page_texts.section(result),
    ]


# Metrics -----------------------------------------------------------------------------


def _metrics(result: Result) -> Section:
    title = "Metrics with people"
    if not result["metrics"]:
        return Section("metrics", title, NO_METRIC)
    return Section(
        "metrics",
        title,
        MPP,
        partial(_chart, result),
        alt="F of each metric with people, and of people with each other.",
        tables={"metrics": _scores(result), "guesses": _guesses(result)},
        after=f"{TOGETHER if result['shared'] == 'together' else EACH} {INTERVALS}",
    )


def _chart(result: Result) -> go.Figure:
    rungs = [Rung(metric["name"]) for metric in result["metrics"]]
    cells = [metric["f"] for metric in result["metrics"]]
    best = result["metrics"][0]
    for floor in best["floors"]:
        rungs.append(Rung(DRAWN[floor["name"]].format(best["name"]), aside=True))
        cells.append(floor["f"])
    people = result["people"]["f"]["value"]
    lines = [] if people is None else [Line(people, "people with each other")]
    return ladder(
        rungs,
        [Panel(cells, lines=lines)],
        x_title="F with people (mpp)",
        zero=None,
        ends=(0, 1),
    )


def _scores(result: Result) -> Table:
    rows: list[list[Value]] = [
        [
            metric["name"],
            metric["n_texts"],
            metric["n_marks"],
            metric["absent"],
            metric["ambiguous"],
            *(Cell.of(metric[part]) for part in ("f", "precision", "recall", "wmt25")),
            Cell.of(metric["ceiling"]),
            Cell.of(metric["to_ceiling"]["difference"], heat=True),
        ]
        for metric in result["metrics"]
    ]
    header = [
        *("Metric", "Texts", "Marks", "Words not found", "Words found twice"),
        *("F", "Precision", "Recall", "F (WMT25)"),
        *("People", "Metric less people"),
    ]
    return Table(
        header,
        rows,
        "F of each metric with people (mpp), precision and recall, F over characters as"
        " in the WMT25 shared task, and F of people with each other on the same texts;"
        " 95 % intervals over prompts. A judge quotes the words of an error: one"
        " whose words do not stand in the text, or stand there twice without telling"
        " which are meant, is no mark.",
        title="Metrics with people",
    )


def _guesses(result: Result) -> Table:
    rows: list[list[Value]] = [
        [
            metric["name"],
            GUESSES[floor["name"]],
            Cell.of(floor["f"]),
            Cell.of(floor["above"]["difference"], heat=True),
            Cell(floor["above"]["p"], reason=floor["above"]["reason"] or ""),
            Cell(floor["above"]["adjusted"], reason=floor["above"]["reason"] or ""),
        ]
        for metric in result["metrics"]
        for floor in metric["floors"]
    ]
    return Table(
        ["Metric", "Guess", "F", "Metric less guess", "p", "Adjusted p"],
        rows,
        "F of two guesses with people: the metric's own marks at random places of the"
        " same text, and marks of people in other texts of the same system at the same"
        " relative places. p over prompts, adjusted by Holm for"
        f" {n_of(result['family'], 'test')}.",
        title="Guesses",
    )


# People ------------------------------------------------------------------------------


def _people(result: Result) -> Section:
    people = result["people"]
    rows: list[list[Value]] = [
        [name, Cell.of(people[key]), people[key]["n"]]  # type: ignore[literal-required]
        for key, name in PEOPLE.items()
    ]
    table = Table(
        ["Agreement of people", "Value", "Texts"],
        rows,
        "Agreement of people on marked errors: mean F of two people, and Krippendorff's"
        " alpha (1: all agree, 0: as by chance) of characters, of marks (unitizing,"
        " Krippendorff et al. 2016) and of whole texts; 95 % intervals over"
        " prompts.",
        title="People with each other",
    )
    return Section(
        "people",
        "People with each other",
        "Texts that nobody marked count: to leave a text alone is a decision, too.",
        tables={"people": table},
        after=INTERVALS,
    )


PEOPLE = {
    "f": "F of two people (mpp)",
    "wmt25": "F of two people over characters (WMT25)",
    "characters": "Alpha: is a character part of an error?",
    "marks": "Alpha: where do errors begin and end?",
    "categories": "Alpha: where are they, and of which category?",
    "has_error": "Alpha: has a text an error?",
    "equal": "Share of pairs who agree on that",
}


# Names -------------------------------------------------------------------------------


def _names(result: Result, key: str, title: str, names: list[Name]) -> list[Section]:
    if not names:
        return []
    metrics = [metric["name"] for metric in result["metrics"]]
    groups = [("", 3), *((metric, 2) for metric in metrics)] if metrics else []
    table = Table(
        ["Name", "Marks", "Alpha", *["Recall", "F"] * len(metrics)],
        [_name_row(name) for name in names],
        f"{title}: marks of people, their alpha of characters, and for each metric how"
        " much of these errors it marks, whatever it calls them, and F of the marks of"
        " the same name; 95 % intervals over prompts.",
        groups=groups,
        title=title,
    )
    return [Section(key, title, tables={key: table}, after=INTERVALS)]


def _name_row(name: Name) -> list[Value]:
    cells: list[Value] = []
    for by_metric in name["metrics"]:
        cells += [Cell.of(by_metric["recall"]), Cell.of(by_metric["f"])]
    return [name["name"], name["n_marks"], Cell.of(name["alpha"]), *cells]
