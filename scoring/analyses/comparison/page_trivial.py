"""Two metrics minus what knows nothing of quality, as the answer has it."""

from __future__ import annotations

from scoring.analyses.answer.result import Row
from scoring.analyses.comparison.result import Result
from scoring.analyses.shared.page_basis import basis, link
from scoring.analyses.shared.page_words import coefficient
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value
from scoring.stats.answer.sentences import TITLES

NOT_HERE = "it is not available here"


def sections(result: Result) -> list[Section]:
    """Nothing where the answer has neither metric, or is being computed."""
    under = result.get("under", [])
    if not any(under):
        return []
    known = {gap["key"] for rows in under for row in rows for gap in row["floor"]}
    keys = [key for key in TITLES if key in known]
    titles = [aspect["title"] for aspect in result["aspects"]]
    rows = [
        _row(title, row, keys)
        for title, found in zip(titles, under, strict=True)
        for row in found
    ]
    return [_section(_table(result, rows, keys))]


def _section(table: Table) -> Section:
    return Section(
        "trivial",
        "Are they better than simple guesses?",
        "Simple guesses, such as counting words, know nothing of quality. A metric"
        " that beats another one but not these has shown nothing yet.",
        tables={"trivial": table},
        after="All texts with a score of the metric count, whether or not the other"
        " metric has scored them. p: that the metric beats all of them, adjusted by"
        " Holm's method for all metrics of the study.",
    )


def _table(result: Result, rows: list[list[Value]], keys: list[str]) -> Table:
    return Table(
        ["Aspect", "Metric", *(TITLES[key].capitalize() for key in keys), "p"],
        rows,
        f"{coefficient(result)} of each metric with human scores minus that of each"
        f" simple guess, {basis(result)}, with 95 % intervals.",
        groups=[("", 2), ("Minus", len(keys)), ("All", 1)],
        title="Two metrics and simple guesses",
    )


def _row(title: str, row: Row, keys: list[str]) -> list[Value]:
    gaps = {gap["key"]: gap["difference"] for gap in row["floor"]}
    minus = [
        Cell.of(gaps[key]) if key in gaps else Cell(None, reason=NOT_HERE)
        for key in keys
    ]
    return [
        title,
        link(row["output"]),
        *minus,
        Cell(row["claims"]["beats"], reason="no test"),
    ]
