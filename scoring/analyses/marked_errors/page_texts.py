"""Texts with what people and metrics marked in them."""

from __future__ import annotations

from itertools import chain

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
        passages=tuple(chain.from_iterable(map(_sides, passages))),
        tables={"texts": _table(passages)},
        folded=True,
    )


def _sides(passage: Passage) -> list[Shown]:
    """The text, and its source where somebody marked something there."""
    n = passage["n_people"]
    title = f"{passage['text']}, read by {n_of(n, 'person', 'people')}"
    sides = [Shown(title, _stretches(passage["parts"], n))]
    if any(map(_is_marked, passage["source"])):
        source = _stretches(passage["source"], n)
        sides.append(Shown(f"Source of {passage['text']}", source))
    return sides


def _stretches(parts: list[Part], n: int) -> tuple[Stretch, ...]:
    return tuple(
        Stretch(
            part["words"],
            part["people"] / n,
            underlined=bool(part["metrics"]),
            says=_says(part, n),
        )
        for part in parts
    )


def _is_marked(part: Part) -> bool:
    return bool(part["people"] or part["metrics"])


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
            side,
            part["start"],
            part["end"],
            part["words"],
            Cell(float(part["people"]), digits=0),
            passage["n_people"],
            ", ".join(part["metrics"]),
        ]
        for passage in passages
        for side, parts in (("text", passage["parts"]), ("source", passage["source"]))
        for part in filter(_is_marked, parts)
    ]
    return Table(
        ["Text", "In", "From", "To", "Words", "People", "of", "Metrics"],
        rows,
        "Stretches that people or metrics marked in the texts with most marks. Offsets"
        " count characters from 0; the last is not part of it.",
        title="Marked words",
    )
