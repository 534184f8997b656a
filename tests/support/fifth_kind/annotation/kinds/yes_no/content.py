"""Texts with a yes and a no, as workers see them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import ClassVar

from annotation.kinds.yes_no.models import Doubt, DoubtWords

from annotation.kinds.ratings.content import TextAnswers, TextContent
from annotation.models import Aspect, Seat, Study
from annotation.page_kinds import Answers, Position
from annotation.page_kinds.content import Page
from annotation.page_kinds.questions import Choice, Keys, Question

DOUBT = "doubt?"  # no key of an aspect


class YesNoAnswers(TextAnswers):
    """Yes is the highest point of a scale, no the lowest."""

    def points(self, aspect: Aspect) -> Collection[int]:
        return aspect.ends

    def parse(self, seat: Seat, data: Mapping[str, str]) -> Answers:
        positions = range(1, len(seat.order) + 1)
        doubts = {(n, DOUBT): 1 for n in positions if data.get(f"doubt-{n}")}
        return {**super().parse(seat, data), **doubts}

    def wrong(self, seat: Seat, answers: Answers) -> list[Position]:
        return super().wrong(seat, _without_doubts(answers))

    def store(self, seat: Seat, answers: Answers, now: datetime) -> None:
        super().store(seat, _without_doubts(answers), now)
        positions = [position for position, key in answers if key == DOUBT]
        Doubt.objects.bulk_create(
            (Doubt(seat=seat, item_id=seat.order[n - 1]) for n in positions),
            ignore_conflicts=True,
        )


def _without_doubts(answers: Answers) -> Answers:
    return {at: value for at, value in answers.items() if at[1] != DOUBT}


@dataclass(frozen=True, slots=True)
class YesOrNo(Question):
    tick: str = ""

    template: ClassVar[str] = "annotation/kinds/yes_no/question.html"

    @property
    def doubt(self) -> str:
        """Name of the field to tick."""
        return f"doubt-{self.name.split('-')[1]}"


class YesNoContent(TextContent):
    takes_insert = False

    def page(self, seat: Seat, unsaid: str = "") -> Page:
        return _asked(super().page(seat, unsaid), seat.survey.study)

    def preview(self, study: Study) -> Page:
        return _asked(super().preview(study), study)

    def keys(self, aspects: Sequence[Aspect]) -> Keys:
        return Keys()


def _asked(page: Page, study: Study) -> Page:
    row = DoubtWords.objects.filter(study=study).first()
    words = row.words if row else "I am not sure"
    cards = [
        replace(card, questions=tuple(_yes_or_no(one, words) for one in card.questions))
        for card in page.cards
    ]
    return replace(page, cards=cards)


def _yes_or_no(asked: Question, tick: str) -> YesOrNo:
    low, high = asked.choices[0], asked.choices[-1]
    return YesOrNo(
        name=asked.name,
        question=asked.question,
        choices=(
            Choice(high.value, "Yes", high.checked),
            Choice(low.value, "No", low.checked),
        ),
        value=asked.value,
        place=asked.place,
        tick=tick,
    )
