"""Texts with what people and metrics marked in them."""

from __future__ import annotations

from scoring.analyses.marked_errors.result import Part, Passage, Result
from scoring.analyses.shared.page_words import n_of
from scoring.drawing.passages import Passage as Shown
from scoring.drawing.passages import Stretch
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value

WORDS = (
    "The texts with most marks. The darker the ground, the more people marked the"
    " words. What a metric marked is underlined."
)


def section(result: Result) -> Section:
    passages = result["passages"]
    if not passages:
        return Section("texts", "Texts", "No marked text can be shown.")
    return Section(
        "texts",
        "Texts",
        WORDS,
        passages=tuple(map(_shown, passages)),
        tables={"texts": _table(passages)},
        folded=True,
    )


def _shown(passage: Passage) -> Shown:
    n = passage["n_people"]
    return Shown(
        f"{passage['text']}, read by {n_of(n, 'person', 'people')}",
        tuple(
            Stretch(
                part["words"],
                part["people"] / n,
                underlined=bool(part["metrics"]),
                says=_says(part, n),
            )
            for part in passage["parts"]
        ),
    )


def _says(part: Part, n: int) -> str:
    by = (
        [f"{part['people']} of {n_of(n, 'person', 'people')}"] if part["people"] else []
    )
    by += part["metrics"]
    return f"marked by {', '.join(by)}" if by else ""


def _table(passages: list[Passage]) -> Table:
    rows: list[list[Value]] = [
        [
            passage["text"],
            part["start"],
            part["end"],
            part["words"],
            Cell(float(part["people"]), digits=0),
            passage["n_people"],
            ", ".join(part["metrics"]),
        ]
        for passage in passages
        for part in passage["parts"]
        if part["people"] or part["metrics"]
    ]
    return Table(
        ["Text", "From", "To", "Words", "People", "of", "Metrics"],
        rows,
        "Stretches that people or metrics marked in the texts with most marks. Offsets"
        " count characters from 0; the last is not part of it.",
        title="Marked words",
    )
