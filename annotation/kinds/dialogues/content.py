"""Conversations with questions on their turns and the whole, as workers see them."""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import groupby
from typing import ClassVar, NamedTuple
from uuid import UUID

import numpy as np
from django.utils.translation import gettext

from annotation.kinds._content import PlainContent
from annotation.kinds._scored import ScoredAnswers
from annotation.kinds.dialogues import conversations
from annotation.kinds.dialogues.conversations import ItemDialogue
from annotation.models import Aspect, Item, Seat, Study
from annotation.page_kinds import Position, questions
from annotation.page_kinds.content import MOST_PAGES, Page, ReportBox, reports
from annotation.page_kinds.questions import Keys, Question
from annotation.seats import aspects


class AskedTurn(NamedTuple):
    """A turn of a conversation, or all of it, with what is asked about it."""

    item_id: int
    generation_id: int | None
    negative_id: int | None
    decoy_id: int | None
    dialogue: ItemDialogue

    @property
    def number(self) -> int:
        return (self.dialogue.turn or 0) + 1

    def is_asked(self, aspect: Aspect) -> bool:
        return aspect.is_of_dialogue == self.dialogue.is_whole


class TurnAnswers(ScoredAnswers[AskedTurn]):
    def units(self, seat: Seat) -> Sequence[AskedTurn]:
        return turns(seat)

    def is_asked(self, unit: AskedTurn, aspect: Aspect) -> bool:
        return unit.is_asked(aspect)

    def subject(self, unit: AskedTurn) -> dict[str, int | None]:
        return {
            "generation_id": unit.generation_id,
            "negative_id": unit.negative_id,
            "decoy_id": unit.decoy_id,
        }


@dataclass(frozen=True, slots=True)
class TurnCard:
    """The questions on one turn, or on all of the conversation."""

    letter: str  # A4; A0 is all
    name: str  # in words
    questions: list[Question]
    report: ReportBox | None  # None: nobody is there to report it


@dataclass(frozen=True, slots=True)
class Line:
    """One turn as it is shown."""

    number: int  # from 1
    speaker: str
    text: str
    is_asked: bool  # its questions follow


@dataclass(frozen=True, slots=True)
class Part:
    """Turns up to one with questions, or those behind the last one."""

    lines: tuple[Line, ...]
    card: TurnCard | None  # None: nobody asks anything here
    title: str = ""  # of the questions

    @property
    def start(self) -> int:
        return self.lines[0].number if self.lines else 1


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation with its questions."""

    letter: str
    parts: tuple[Part, ...]
    characters: int

    template: ClassVar[str] = "annotation/kinds/dialogues/card.html"
    text: ClassVar[str] = ""  # turns are short: no page is laid out for a long text

    @property
    def name(self) -> str:
        return gettext("Dialogue %(letter)s") % {"letter": self.letter}

    @property
    def questions(self) -> list[Question]:
        return [
            asked for part in self.parts if part.card for asked in part.card.questions
        ]


class DialogueContent(PlainContent):
    style = "annotation/kinds/dialogues/conversations.css"
    script = ""
    takes_insert = False

    def page(self, seat: Seat, unsaid: str = "") -> Page:
        asked = aspects.of_study(seat.survey.study)
        boxes = reports(seat, self.letters(seat), unsaid)
        answers = TurnAnswers().saved(seat)
        label = seat.survey.prompt.label
        words = label.name if label else ""
        return Page(_conversations(turns(seat), asked, answers, boxes, words))

    def preview(self, study: Study) -> Page:
        shown = _first(study)
        asked = list(study.aspects.select_related("study"))
        return Page(_conversations(shown, asked, {}, [None] * len(shown)))

    def letters(self, seat: Seat) -> list[str]:
        return _letters(turns(seat))

    def place(self, letter: str, question: str) -> str:
        return _place(letter, question)

    def keys(self, aspects: Sequence[Aspect]) -> Keys:
        return questions.keys(aspects)


def turns(seat: Seat) -> tuple[AskedTurn, ...]:
    """In the order shown. One query, or none."""
    return _turns(seat.public_id, tuple(seat.order))


# Fixed from the claim on. No page is found under another seat: the names are random.
@lru_cache(maxsize=MOST_PAGES)
def _turns(public_id: UUID, order: tuple[int, ...]) -> tuple[AskedTurn, ...]:
    rows = Item.objects.filter(pk__in=order).select_related(*conversations.READ)
    return _in_order(rows, order)


def _in_order(items: Iterable[Item], order: Sequence[int]) -> tuple[AskedTurn, ...]:
    items = list(items)
    dialogues = conversations.of_survey(items)
    asked = {
        item.pk: AskedTurn(
            item.pk,
            item.generation_id,
            item.negative_id,
            item.decoy_id,
            dialogues[item.pk],
        )
        for item in items
    }
    return tuple(asked[pk] for pk in order)


def _letters(page: Sequence[AskedTurn]) -> list[str]:
    """What each is called in addresses: A4; A0 is all."""
    names: list[str] = []
    letters: dict[tuple[bool, int], str] = {}
    for turn in page:
        letter = letters.setdefault(
            turn.dialogue.key, string.ascii_uppercase[len(letters)]
        )
        names.append(f"{letter}{0 if turn.dialogue.is_whole else turn.number}")
    return names


def _name(turn: AskedTurn, letter: str) -> str:
    words = {"letter": letter[0], "number": turn.number}
    if turn.dialogue.is_whole:
        return gettext("Dialogue %(letter)s as a whole") % words
    return gettext("Dialogue %(letter)s, turn %(number)s") % words


def _place(name: str, question: str) -> str:
    words = {"name": name, "question": question}
    return gettext("%(name)s: %(question)s") % words


def _conversations(
    page: Sequence[AskedTurn],
    aspects: Sequence[Aspect],
    answers: Mapping[Position, int | None],
    boxes: Sequence[ReportBox | None],
    label: str = "",
) -> list[Conversation]:
    cards = [
        _card(position, turn, letter, aspects, answers, boxes[position - 1], label)
        for position, (turn, letter) in enumerate(
            zip(page, _letters(page), strict=True), start=1
        )
    ]
    return [
        _conversation(list(pairs))
        for _, pairs in groupby(
            zip(page, cards, strict=True), lambda pair: pair[0].dialogue.key
        )
    ]


def _card(
    position: int,
    turn: AskedTurn,
    letter: str,
    aspects: Sequence[Aspect],
    answers: Mapping[Position, int | None],
    box: ReportBox | None,
    label: str,
) -> TurnCard:
    name = _name(turn, letter)
    asked = [
        questions.of_text(
            aspect,
            position=position,
            label=label,
            answers=answers,
            place=partial(_place, name),
        )
        for aspect in aspects
        if turn.is_asked(aspect)
    ]
    return TurnCard(letter, name, asked, box)


def _conversation(pairs: Sequence[tuple[AskedTurn, TurnCard]]) -> Conversation:
    turn, card = pairs[0]
    return Conversation(card.letter[0], tuple(_parts(pairs)), len(turn.dialogue.text))


def _parts(pairs: Sequence[tuple[AskedTurn, TurnCard]]) -> list[Part]:
    lines = [
        Line(number, turn.speaker, turn.text, is_asked=False)
        for number, turn in enumerate(pairs[0][0].dialogue.turns, start=1)
    ]
    parts, done = [], 0
    whole: TurnCard | None = None
    for turn, card in pairs:
        if turn.dialogue.is_whole:
            whole = card
            continue
        number = turn.number
        asked = Line(number, lines[number - 1].speaker, lines[number - 1].text, True)
        title = gettext("Turn %(number)s") % {"number": number}
        parts.append(Part((*lines[done : number - 1], asked), card, title))
        done = number
    if whole is not None or done < len(lines):
        parts.append(Part(tuple(lines[done:]), whole, gettext("The whole dialogue")))
    return parts


def _first(study: Study) -> tuple[AskedTurn, ...]:
    """Of the first survey in the order drawn, or the first dialogues without a draw."""
    drawn = study.surveys.filter(kind="dialogue").first()
    if drawn:
        items = list(drawn.items.select_related(*conversations.READ))
    else:
        dialogues = study.dialogues.order_by("pk")[: study.texts_per_survey]
        texts = study.generations.filter(dialogue__in=list(dialogues), excluded_at=None)
        rows = texts.asked_about().select_related("dialogue").order_by("pk")
        items = [Item(pk=n, generation=row) for n, row in enumerate(rows, start=1)]
    order = conversations.in_order(items, np.random.default_rng(study.seed))
    return _in_order(items, order)
