"""The errors that are expected in a practice text, as a researcher marks them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from annotation.kinds.spans import form_fields, marks
from annotation.kinds.spans.answers import MARKED
from annotation.kinds.spans.cards import MarkCard, Marking
from annotation.kinds.spans.practice_texts import card_of, marking_of
from annotation.page_kinds.practice import Expectation, FormText, PracticePage

ERRORS = {
    "elsewhere": "Some marks stood on words that the text no longer has, and were left"
    " out. Look at the marks, then save again.",
    "too many": "There are more marks than workers may make.",
}


@dataclass(frozen=True)
class ExpectedMarks:
    """The same card as workers have, and below it the answers that pass."""

    ranges: Expectation
    marking: Marking
    is_shown: bool  # there is a text to mark
    problem: str  # of `marks.problem`

    template: ClassVar[str] = "annotation/kinds/spans/expected.html"

    @classmethod
    def of(
        cls,
        page: PracticePage,
        text: FormText,
        data: Mapping[str, Any] | None,
        ranges: Expectation,
    ) -> ExpectedMarks:
        stored = text.expected.get(MARKED)
        marking = marking_of(page, text.position, text.text, stored)
        problem = ""
        if data is not None:
            sent = form_fields.read(text.position, data, marking.unit, marking.scheme)
            placed = sent.marks or []
            problem = marking.problem(placed)
            rows = marks.as_json(placed) if placed or sent.clean else None
            marking = marking_of(page, text.position, text.text, rows, sent=data)
        return cls(ranges, marking, bool(text.text.strip()), problem)

    @property
    def card(self) -> MarkCard:
        return card_of(self.marking)

    @property
    def errors(self) -> Mapping[str, Any]:
        general = "Some marks cannot be made by workers. Remove them, then save again."
        problems = [ERRORS.get(self.problem, general)] if self.problem else []
        return {**self.ranges.errors, **({MARKED: problems} if problems else {})}

    @property
    def is_empty(self) -> bool:
        return self.ranges.is_empty and not self.marking.answered

    def expected(self) -> dict[str, Any]:
        ranges = {**self.ranges.expected()}
        if not self.marking.answered:
            return ranges
        return {MARKED: marks.as_json(self.marking.marked.marks), **ranges}
