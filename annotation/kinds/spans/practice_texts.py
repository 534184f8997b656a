"""Practice texts with marks, as their cards show them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from annotation.kinds.spans import marks, schemes, sides
from annotation.kinds.spans.cards import MarkCard, Marking
from annotation.kinds.spans.sides import MarkedUnit
from annotation.kinds.spans.stored_marks import MarkedText
from annotation.kinds.spans.word_lists import returned_to
from annotation.page_kinds import questions
from annotation.page_kinds.practice import PracticePage
from annotation.page_kinds.text_cards import TextCard


def marking_of(
    page: PracticePage,
    position: int,
    text: str,
    rows: Any,
    *,
    first: str = "",
    sent: Mapping[str, str] = MappingProxyType({}),
) -> Marking:
    """A text with the marks that still stand on their words.

    Args:
        page: Whose text it is.
        position: From 1.
        text: Its words.
        rows: Of `marks.as_json`; None: nobody has said anything.
        first: The first question, whose low answers need a mark; empty: none is asked.
        sent: A form that came back to its page.
    """
    scheme = schemes.of_study(page.study)
    unit = MarkedUnit(0, sides.of_text(page.prompt, text, scheme))
    placed = tuple(
        mark for mark in marks.of_json(rows) or () if mark.stands_in(unit.shown)
    )
    needs = first if scheme.needed_below is not None else ""
    return Marking(
        position=position,
        letter=questions.letter_of(position),
        unit=unit,
        scheme=scheme,
        marked=MarkedText(placed, rows == []),
        answered=rows is not None,
        first=questions.field_name(position, needs) if needs else "",
        returned=returned_to(sent.get("about", ""), sent, {position: unit}, scheme),
        add_to="",
    )


def card_of(marking: Marking, rated: TextCard | None = None) -> MarkCard:
    """With the questions of a card that asks nothing else; None: there are none."""
    scored = rated.questions if rated else ()
    return MarkCard(marking.letter, marking.whole_text, marking, scored, None)
