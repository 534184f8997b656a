"""Texts of one prompt, each with questions of its own, as workers see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from django.utils.translation import get_language, gettext

from annotation.models import Aspect, Prompt
from annotation.models.texts import full_text
from annotation.page_kinds import questions
from annotation.page_kinds.content import ReportBox
from annotation.page_kinds.questions import Position, Question


@dataclass(frozen=True, slots=True)
class TextCard:
    """One text with its questions."""

    letter: str
    text: str
    questions: Sequence[Question] = ()
    report: ReportBox | None = None  # None: nobody is there to report it

    template: ClassVar[str] = "annotation/crowd/_text_card.html"

    @property
    def name(self) -> str:
        return name(self.letter)

    @property
    def characters(self) -> int:
        return len(self.text)


def cards(
    *,
    prompt: Prompt,
    texts: Sequence[str],
    aspects: Sequence[Aspect],
    answers: Mapping[Position, int | None],
    boxes: Sequence[ReportBox] = (),
) -> list[TextCard]:
    """One for each text, in the order given. No query.

    Args:
        prompt: Of all texts, with its label.
        texts: As stored.
        aspects: What each is asked about.
        answers: Given so far.
        boxes: For reports, one for each text, or none.
    """
    label = prompt.label.name if prompt.label else ""
    cards = []
    for position, text in enumerate(texts, start=1):
        letter = questions.letter_of(position)
        asked = tuple(_question(aspect, position, label, answers) for aspect in aspects)
        box = boxes[position - 1] if boxes else None
        cards.append(TextCard(letter, full_text(prompt.prefix, text), asked, box))
    return cards


def _question(
    aspect: Aspect,
    position: int,
    label: str,
    answers: Mapping[Position, int | None],
) -> Question:
    """Made once for all pages that ask the same about the same place."""
    at = position, aspect.key
    key = position, label, at in answers, answers.get(at), get_language()
    if key not in aspect.memo:
        aspect.memo[key] = questions.of_text(
            aspect,
            position=position,
            label=label,
            answers=answers,
            place=partial(place, questions.letter_of(position)),
        )
    question: Question = aspect.memo[key]
    return question


def name(letter: str) -> str:
    return gettext("Text %(letter)s") % {"letter": letter}


def place(letter: str, question: str) -> str:
    words = {"letter": letter, "question": question}
    return gettext("Text %(letter)s: %(question)s") % words
