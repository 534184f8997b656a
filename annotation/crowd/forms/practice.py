"""The practice page: it looks like a page of texts that are rated, without a seat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from annotation.crowd.practice import Feedback
from annotation.models import Aspect, AttributeLabel, Practice, Prompt, Study
from annotation.models.texts import full_text
from annotation.page_kinds import Scored, questions, text_cards
from annotation.page_kinds.text_cards import TextCard


@dataclass(frozen=True, slots=True)
class FeedbackCard(TextCard):
    """A text after a try, with what was expected of it."""

    feedback: Feedback | None = None

    template: ClassVar[str] = "annotation/crowd/_feedback_card.html"


def prompt_of(practice: Practice) -> Prompt:
    label = AttributeLabel(name=practice.label) if practice.label else None
    return Prompt(prefix=practice.prefix, label=label)


def cards(
    *, study: Study, prompt: Prompt, texts: Sequence[str], answers: Scored
) -> list[TextCard]:
    """One card per text, in the order given. One query."""
    aspects = list(study.aspects.filter(about=Aspect.About.TEXT))
    return text_cards.cards(
        prompt=prompt, texts=texts, aspects=aspects, answers=answers
    )


def with_feedback(
    practice: Practice, feedback: Iterable[Feedback]
) -> list[FeedbackCard]:
    """The same cards after a try."""
    return [
        FeedbackCard(
            letter=questions.letter_of(one.text.position),
            text=full_text(practice.prefix, one.text.text),
            feedback=one,
        )
        for one in feedback
    ]


def answers(practice: Practice, n_texts: int, data: Mapping[str, str]) -> Scored:
    """Those in a posted form. What is no value of the scale counts as missing."""
    asked = {
        (position, aspect.key): (aspect, aspect.scale)
        for aspect in practice.study.aspects.filter(about=Aspect.About.TEXT)
        for position in range(1, n_texts + 1)
    }
    return questions.scored_in(data, asked)
