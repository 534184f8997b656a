"""Questions on a page, with their scales: what is shown, and what a form brings.

A form names answers by position on the page and aspect key, nothing else: anyone who
reads the page's source learns neither system nor which text was damaged.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from annotation.models import Aspect

CANNOT_SAY = "cannot-say"  # in place of a number

Position = tuple[int, str]  # on the page, from 1, and what is asked there
Scored = dict[Position, int | None]  # None: the worker cannot say


class Keys(NamedTuple):
    """What keys do on a page with questions."""

    points: bool = False  # any question has buttons
    digits: tuple[int, int] | None = None  # all that have them, where each is one digit
    zero_is_10: bool = False
    beside_is_10: bool = False  # the key to the right of 0
    beside_is_11: bool = False
    slider: bool = False
    own: str = ""  # a template with those that only pages of this kind have


@dataclass(frozen=True, slots=True)
class Choice:
    value: int
    word: str  # of this point of the scale, where it has one
    checked: bool
    key: str = ""  # to press, where it is not the number


@dataclass(frozen=True, slots=True)
class Question:
    """One question with its scale."""

    name: str  # of the form's field
    question: str
    choices: tuple[Choice, ...]  # those of a slider: its ends
    value: int | None = None
    is_slider: bool = False
    offers_cannot_say: bool = False
    cannot_say: bool = False  # was answered
    form: str = ""  # that the fields belong to, where it is not the one around them
    place: str = ""  # what it is about and the question, in words

    template: ClassVar[str] = "annotation/crowd/_question.html"
    n_answers: ClassVar[int] = 1

    @property
    def answered(self) -> bool:
        return self.cannot_say or self.value is not None

    @property
    def is_worded(self) -> bool:
        """Whether points between have words, which need more room than the ends."""
        n = len(self.choices)
        middle = self.choices[n // 2] if n % 2 else None
        between = self.choices[1:-1]
        return any(choice.word for choice in between if choice is not middle)

    @property
    def is_long(self) -> bool:
        """Whether its buttons may stand in several rows, so that ends name theirs."""
        return len(self.choices) > 7

    @property
    def is_wide(self) -> bool:
        """Whether its words do not fit beside each other on any screen."""
        return len(self.choices) > 5


def scored(
    aspect: Aspect,
    *,
    name: str,
    question: str,
    value: int | None = None,
    answered: bool = False,
    form: str = "",
    place: str = "",
) -> Question:
    """A question with the scale of its aspect, and its answer if there is one."""
    labels = aspect.labels
    points = aspect.ends if aspect.is_slider else aspect.scale
    return Question(
        name=name,
        question=question,
        choices=tuple(
            Choice(point, labels.get(point, ""), point == value) for point in points
        ),
        value=value,
        is_slider=aspect.is_slider,
        offers_cannot_say=aspect.cannot_say,
        cannot_say=answered and value is None,
        form=form,
        place=place,
    )


def of_text(
    aspect: Aspect,
    *,
    position: int,
    label: str,
    answers: Mapping[Position, int | None],
    place: Callable[[str], str],
) -> Question:
    """An aspect of what stands at a position of the page.

    Args:
        aspect: Asked about.
        position: From 1.
        label: That the text should express; empty for none.
        answers: Given so far.
        place: Puts before a question what it is about.
    """
    at = position, aspect.key
    question = aspect.asked_of(label)
    return scored(
        aspect,
        name=field_name(*at),
        question=question,
        value=answers.get(at),
        answered=at in answers,
        place=place(question),
    )


def keys(aspects: Sequence[Aspect]) -> Keys:
    """What keys do on a page that asks for points of these aspects' scales."""
    scales = {aspect.ends for aspect in aspects if not aspect.is_slider}
    ends = next(iter(scales)) if len(scales) == 1 else (0, 10)
    return Keys(
        points=bool(scales),
        digits=ends if ends[1] < 10 else None,
        zero_is_10=any(0 < low <= 10 <= high for low, high in scales),
        beside_is_10=any(low == 0 and high >= 10 for low, high in scales),
        beside_is_11=any(0 < low <= 11 <= high for low, high in scales),
        slider=any(aspect.is_slider for aspect in aspects),
    )


def field_name(position: int, aspect: str) -> str:
    return f"a-{position}-{aspect}"


def letter_of(position: int) -> str:
    return string.ascii_uppercase[position - 1]


def scored_in(
    data: Mapping[str, str],
    asked: Mapping[Position, tuple[Aspect, Collection[int]]],
) -> Scored:
    """Answers in a posted form. What is no point of its scale counts as missing.

    Args:
        data: Of the form.
        asked: The aspect of each question, and the points of its scale.
    """
    answers: Scored = {}
    for at, (aspect, points) in asked.items():
        written = data.get(field_name(*at), "").strip()
        # Someone may type 07, and means 7.
        number = written.lstrip("0") or written[:1]
        if number == CANNOT_SAY and aspect.cannot_say:
            answers[at] = None
        elif number in map(str, points):
            answers[at] = int(number)
    return answers
