"""Practice of marked errors: a worker's marks beside those that are expected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from annotation.kinds.ratings.practice import (
    Answered,
    RatedPractice,
    answered,
    questions_of,
)
from annotation.kinds.spans import expected_marks, form_fields, marks
from annotation.kinds.spans.answers import MARKED, is_answered
from annotation.kinds.spans.cards import Marking, Row
from annotation.kinds.spans.expected_form import ExpectedMarks
from annotation.kinds.spans.expected_marks import Compared, Met
from annotation.kinds.spans.practice_texts import card_of, marking_of
from annotation.kinds.spans.stored_marks import MarkedText
from annotation.models import Study
from annotation.page_kinds import Position, text_cards
from annotation.page_kinds.content import Asked, Card
from annotation.page_kinds.practice import (
    Answers,
    FeedbackCard,
    FormText,
    PracticePage,
    Text,
)


@dataclass(frozen=True, eq=False)
class MarkedFeedback:
    """A text after a try: their marks, and the expected ones."""

    by_worker: Marking
    expected: Marking
    compared: Compared | None  # None: any marks are fine
    answers: Sequence[Answered]
    why: str

    template: ClassVar[str] = "annotation/kinds/spans/feedback.html"
    questions: ClassVar[Sequence[Asked]] = ()

    @property
    def letter(self) -> str:
        return self.by_worker.letter

    @property
    def name(self) -> str:
        return text_cards.name(self.letter)

    @property
    def text(self) -> str:
        return self.by_worker.whole_text

    @property
    def characters(self) -> int:
        return len(self.text)

    @property
    def met(self) -> bool:
        are_met = all(answer.met for answer in self.answers)
        return are_met and (self.compared is None or self.compared.is_met)

    @property
    def expected_rows(self) -> list[tuple[Row, Met, str]]:
        """The expected marks, with the kind that was marked instead."""
        if self.compared is None:
            return []
        pairs = zip(self.expected.rows, self.compared.expected, strict=True)
        return [
            (row, met, self.by_worker.kind_of(met.as_other) if met.as_other else "")
            for row, met in pairs
        ]

    @property
    def extra_rows(self) -> list[Row]:
        extra = self.compared.extra if self.compared else ()
        marks = zip(self.by_worker.rows, self.by_worker.marked.marks, strict=True)
        return [row for row, placed in marks if placed in extra]


class MarkPractice(RatedPractice):
    """Marks are stored as a page counts, in the text as it shows it."""

    asks: Sequence[str] = ("mark errors", "rate")
    passing = (
        "Raters pass when they mark at least half of each expected error, mark at most"
        f" {expected_marks.MOST_EXTRA} place more in a text and no more than half of"
        " its other characters, and when each answer is within the range that was"
        " expected."
    )
    style = "annotation/kinds/spans/marking.css"
    script = "annotation/kinds/spans/marking.js"

    def names(self, study: Study) -> Sequence[str]:
        return [MARKED, *super().names(study)]

    def problem(self, page: PracticePage, text: Text) -> str:
        rows = text.expected.get(MARKED, [])
        expected = marks.of_json(rows)
        marking = marking_of(page, 1, text.text, rows)
        if expected is None or marking.problem(expected):
            return "expected marks that stand in the text, as workers can make them."
        return super().problem(page, text)

    def ranges(self, text: Text) -> Mapping[str, Sequence[int]]:
        return {key: range_ for key, range_ in text.expected.items() if key != MARKED}

    def expectation(
        self, page: PracticePage, text: FormText, data: Mapping[str, Any] | None
    ) -> ExpectedMarks:
        ranges = super().expectation(page, text, data)
        return ExpectedMarks.of(page, text, data, ranges)

    def cards(
        self, page: PracticePage, answers: Answers, sent: Mapping[str, str]
    ) -> Sequence[Card]:
        rated, first = self.rated_cards(page, answers), self._first(page.study)
        return [
            card_of(
                marking_of(
                    page,
                    at,
                    text.text,
                    answers.get((at, MARKED)),
                    first=first,
                    sent=sent,
                ),
                rated[at - 1],
            )
            for at, text in enumerate(page.texts, start=1)
        ]

    def parse(self, page: PracticePage, data: Mapping[str, str]) -> dict[Position, Any]:
        answers: dict[Position, Any] = {**super().parse(page, data)}
        first = self._first(page.study)
        for position, text in enumerate(page.texts, start=1):
            marking = marking_of(page, position, text.text, None)
            sent = form_fields.read(position, data, marking.unit, marking.scheme)
            placed = tuple(sent.marks or ())
            if marking.problem(placed):
                continue
            score = answers.get((position, first))
            below = marking.scheme.needed_below
            if is_answered(MarkedText(placed, bool(sent.clean)), score, below):
                answers[position, MARKED] = marks.as_json(placed)
        return answers

    def feedback(self, page: PracticePage, answers: Answers) -> Sequence[FeedbackCard]:
        aspects = questions_of(page.study)
        return [
            _feedback(page, at, text, answers, answered(aspects, at, text, answers))
            for at, text in enumerate(page.texts, start=1)
        ]

    def _first(self, study: Study) -> str:
        """The first question; empty without one."""
        return next(iter(super().names(study)), "")


def _feedback(
    page: PracticePage,
    at: int,
    text: Text,
    answers: Answers,
    answered: Sequence[Answered],
) -> MarkedFeedback:
    marked, targets = answers.get((at, MARKED)), text.expected.get(MARKED)
    by_worker = marking_of(page, at, text.text, marked)
    expected = marking_of(page, at, text.text, targets)
    compared = None
    if marked is not None and targets is not None:
        pair = by_worker.marked.marks, expected.marked.marks
        compared = expected_marks.compared(*pair, by_worker.unit.shown)
    return MarkedFeedback(by_worker, expected, compared, answered, text.why)
