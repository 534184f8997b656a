"""Pages that look like the rating page, without a seat: practice and preview."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotation.crowd.forms import pages
from annotation.crowd.forms.pages import Answers, Row
from annotation.crowd.practice import Feedback
from annotation.models import (
    Aspect,
    AttributeLabel,
    Practice,
    Prompt,
    Seat,
    Study,
    Survey,
)
from annotation.models.texts import full_text


@dataclass(frozen=True, slots=True)
class Card:
    """One text with its questions, or with what was expected of them."""

    letter: str
    text: str
    rows: Sequence[Row] = ()
    feedback: Feedback | None = None


def seat_for(study: Study, prompt: Prompt, n_texts: int) -> Seat:
    """A seat that is never saved: the rating page's functions ask for one."""
    survey = Survey(study=study, prompt=prompt)
    return Seat(survey=survey, order=list(range(1, n_texts + 1)))


def prompt_of(practice: Practice) -> Prompt:
    label = AttributeLabel(name=practice.label) if practice.label else None
    return Prompt(prefix=practice.prefix, label=label)


def cards(
    *, study: Study, prompt: Prompt, texts: Sequence[str], answers: Answers
) -> list[Card]:
    """One card per text, in the order given. One query."""
    aspects = list(study.aspects.filter(about=Aspect.About.TEXT))
    seat = seat_for(study, prompt, len(texts))
    return [
        Card(
            letter=pages.letter_of(position),
            text=full_text(prompt.prefix, text),
            rows=[pages.row(seat, position, one, answers) for one in aspects],
        )
        for position, text in enumerate(texts, start=1)
    ]


def with_letters(practice: Practice, found: Iterable[Feedback]) -> list[Card]:
    """The same cards after a try."""
    return [
        Card(
            letter=pages.letter_of(feedback.text.position),
            text=full_text(practice.prefix, feedback.text.text),
            feedback=feedback,
        )
        for feedback in found
    ]


def given(practice: Practice, n_texts: int, data: Mapping[str, str]) -> Answers:
    """The answers in a posted form. What is no value of the scale counts as missing."""
    seat = seat_for(practice.study, prompt_of(practice), n_texts)
    return pages.given(seat, data)
