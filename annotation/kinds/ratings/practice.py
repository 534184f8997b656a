"""Practice of ratings: answers within a range that the researcher expects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django.utils.translation import gettext

from annotation.kinds.ratings.expected_ranges import RangesForm
from annotation.models import Aspect, Study
from annotation.models.texts import full_text
from annotation.page_kinds import Scored, questions, text_cards
from annotation.page_kinds.content import Card
from annotation.page_kinds.practice import (
    Answers,
    Expectation,
    FeedbackCard,
    FormText,
    PracticePage,
    Text,
)
from annotation.page_kinds.text_cards import TextCard


@dataclass(frozen=True, slots=True)
class Answered:
    """One question of a try, and what a careful reader would have answered."""

    title: str
    words: str  # the number, or that they cannot say
    expected: str  # "4 or 5"; empty where any answer is fine
    met: bool


@dataclass(frozen=True, slots=True)
class AnsweredText(TextCard):
    """A text after a try, with what was expected of it."""

    answers: Sequence[Answered] = ()
    why: str = ""

    template: ClassVar[str] = "annotation/kinds/ratings/feedback.html"

    @property
    def met(self) -> bool:
        return all(answer.met for answer in self.answers)


class RatedPractice:
    asks: Sequence[str] = ("rate",)
    passing = "Raters pass when each answer is within the range that was expected."
    style = script = ""

    def names(self, study: Study) -> Sequence[str]:
        return [aspect.key for aspect in questions_of(study)]

    def problem(self, page: PracticePage, text: Text) -> str:
        scales = {aspect.key: aspect.scale for aspect in questions_of(page.study)}
        for key, (low, high) in self.ranges(text).items():
            if key not in scales:
                return f"there is no aspect {key}."
            lowest, highest = scales[key][0], scales[key][-1]
            if not lowest <= low <= high <= highest:
                return (
                    f"{key}: expected a range within {lowest} to {highest}, the lower"
                    f" number first, got {low} to {high}."
                )
        return ""

    def ranges(self, text: Text) -> Mapping[str, Sequence[int]]:
        """The lowest and the highest answer that passes, by question."""
        return text.expected

    def expectation(
        self, page: PracticePage, text: FormText, data: Mapping[str, Any] | None
    ) -> Expectation:
        return RangesForm(questions_of(page.study), text, data)

    def cards(
        self, page: PracticePage, answers: Answers, sent: Mapping[str, str]
    ) -> Sequence[Card]:
        return self.rated_cards(page, answers)

    def rated_cards(self, page: PracticePage, answers: Answers) -> list[TextCard]:
        return text_cards.cards(
            prompt=page.prompt,
            texts=[text.text for text in page.texts],
            aspects=questions_of(page.study),
            answers=answers,
        )

    def parse(self, page: PracticePage, data: Mapping[str, str]) -> Scored:
        scales = {
            (position, aspect.key): (aspect, aspect.scale)
            for aspect in questions_of(page.study)
            for position in range(1, len(page.texts) + 1)
        }
        return questions.scored_in(data, scales)

    def feedback(self, page: PracticePage, answers: Answers) -> Sequence[FeedbackCard]:
        aspects = questions_of(page.study)
        return [
            AnsweredText(
                letter=questions.letter_of(position),
                text=full_text(page.prompt.prefix, text.text),
                answers=answered(aspects, position, text, answers),
                why=text.why,
            )
            for position, text in enumerate(page.texts, start=1)
        ]


def questions_of(study: Study) -> list[Aspect]:
    """About texts: no dialogue is practised on. One query."""
    return list(study.aspects.filter(about=Aspect.About.TEXT))


def answered(
    aspects: Sequence[Aspect], position: int, text: Text, answers: Answers
) -> list[Answered]:
    """Each question of a text that was asked when the answers were given."""
    return [
        _answered(aspect.title, answers[at], text.expected.get(aspect.key))
        for aspect in aspects
        if (at := (position, aspect.key)) in answers
    ]


def _answered(
    title: str, value: int | None, expected: Sequence[int] | None
) -> Answered:
    unsaid = gettext("“%(words)s”") % {"words": gettext("Cannot say")}
    words = unsaid if value is None else str(value)
    if expected is None:
        return Answered(title, words, "", True)
    low, high = expected
    # Who cannot say where there is an answer has not met it.
    met = value is not None and low <= value <= high
    return Answered(title, words, in_words(low, high), met)


def in_words(low: int, high: int) -> str:
    if low == high:
        return f"{low}"
    ends = {"low": low, "high": high}
    if high == low + 1:
        return gettext("%(low)s or %(high)s") % ends
    return gettext("%(low)s to %(high)s") % ends
