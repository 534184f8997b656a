"""Marks in each text of a page, and the answers to its questions: read and kept."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from annotation.kinds.ratings.content import TextAnswers
from annotation.kinds.spans import form_fields, marks, schemes, sides, stored_marks
from annotation.kinds.spans.scheme import Scheme
from annotation.kinds.spans.sides import MarkedUnit
from annotation.kinds.spans.stored_marks import MarkedText, Sent
from annotation.models import Seat, Study
from annotation.page_kinds import Answers, Position
from annotation.seats import aspects

MARKED = "marked!"  # what a page asks at each position; no key of an aspect


class MarkAnswers(TextAnswers):
    """Marks, or that there is nothing to mark: `Sent`, with offsets as a page counts;
    and a point of each question's scale."""

    def asked(self, seat: Seat) -> list[Position]:
        marked = [(n, MARKED) for n in range(1, len(seat.order) + 1)]
        return [*marked, *super().asked(seat)]

    def parse(self, seat: Seat, data: Mapping[str, str]) -> dict[Position, Any]:
        scheme = schemes.of_study(seat.survey.study)
        answers: dict[Position, Any] = {**super().parse(seat, data)}
        for position, unit in sides.of_seat(seat).items():
            sent = form_fields.read(position, data, unit, scheme)
            if sent != Sent():
                answers[position, MARKED] = sent
        return answers

    def wrong(self, seat: Seat, answers: Answers) -> list[Position]:
        """Among them is a mark that does not stand on the words that came with it."""
        scored, sent = _apart(answers)
        scheme, units = schemes.of_study(seat.survey.study), sides.of_seat(seat)
        return super().wrong(seat, scored) + [
            (position, MARKED)
            for position, of_text in sent.items()
            if position not in units or _problem(of_text, units[position], scheme)
        ]

    def store(self, seat: Seat, answers: Answers, now: datetime) -> None:
        scored, sent = _apart(answers)
        super().store(seat, scored, now)
        units = sides.of_seat(seat) if sent else {}
        stored = {
            units[position].item_id: _as_stored(of_text, units[position])
            for position, of_text in sent.items()
        }
        stored_marks.store(seat=seat, sent=stored, now=now)

    def missing(self, seat: Seat) -> list[Position]:
        marked = marked_by(seat, stored_marks.of_seat(seat))
        saved = self.saved(seat)
        first, below = low_answers(seat.survey.study)
        return [
            at
            for at in self.asked(seat)
            if (
                not is_answered(marked[at[0]], saved.get((at[0], first)), below)
                if at[1] == MARKED
                else at not in saved
            )
        ]


def low_answers(study: Study) -> tuple[str, int | None]:
    """The first question about texts, and below which answer to it a text needs a mark.

    None: below none.
    """
    questions = aspects.of_texts(study)
    scheme = schemes.of_study(study)
    return (questions[0].key, scheme.needed_below) if questions else ("", None)


def is_answered(marked: MarkedText, answer: int | None, below: int | None) -> bool:
    """Whether somebody marked a text, or said that it is right and did not score it
    lower than such texts are."""
    is_low = answer is not None and below is not None and answer < below
    return bool(marked.marks) or (marked.clean and not is_low)


def marked_by(seat: Seat, marked: Mapping[int, MarkedText]) -> dict[int, MarkedText]:
    """What is marked, given by item, by position and with offsets as a page counts."""
    return {
        position: as_shown(marked.get(unit.item_id, MarkedText()), unit)
        for position, unit in sides.of_seat(seat).items()
    }


def as_shown(marked: MarkedText, unit: MarkedUnit) -> MarkedText:
    """Without marks whose words stand there no more."""
    standing = tuple(
        marks.as_shown(placed, unit.stored[placed.mark.side])
        for placed in marked.marks
        if placed.stands_in(unit.stored)
    )
    return MarkedText(standing, marked.clean)


def _apart(answers: Answers) -> tuple[dict[Position, Any], dict[int, Sent]]:
    """Answers to questions; and marks by position."""
    scored = {at: answer for at, answer in answers.items() if at[1] != MARKED}
    return scored, {at[0]: answer for at, answer in answers.items() if at[1] == MARKED}


def _problem(sent: Sent, unit: MarkedUnit, scheme: Scheme) -> str:
    fixed = unit.sides[marks.TEXT].fixed
    return marks.problem(sent.marks or (), unit.shown, scheme, fixed)


def _as_stored(sent: Sent, unit: MarkedUnit) -> Sent:
    if sent.marks is None:
        return sent
    rows = [marks.stored(mark, unit.stored[mark.mark.side]) for mark in sent.marks]
    return Sent(rows, sent.clean)
