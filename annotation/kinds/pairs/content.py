"""Two texts side by side, as workers see them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, NamedTuple
from uuid import UUID

from django.utils.translation import gettext

from annotation.kinds._content import PlainContent
from annotation.kinds._scored import ScoredAnswers
from annotation.models import Aspect, Generation, Item, Prompt, Seat, Study, comparing
from annotation.models.texts import full_text
from annotation.page_kinds import Position
from annotation.page_kinds.content import MOST_PAGES, Page, ReportBox, reports
from annotation.page_kinds.questions import Choice, Keys, Question, field_name
from annotation.seats import aspects

# What a pair that stands on a page is read with.
READ = ("negative", "pair__prompt__label", "pair__first", "pair__second")


class Sides(NamedTuple):
    """Two texts side by side, in full, and what they were written for."""

    left: str
    right: str
    label: str
    source: str


class PagePair(NamedTuple):
    item_id: int
    pair_id: int
    sides: Sides


class PairAnswers(ScoredAnswers[PagePair]):
    """Which side is better; stored as seen from the first text of the pair."""

    def units(self, seat: Seat) -> Sequence[PagePair]:
        return pairs(seat)

    def subject(self, unit: PagePair) -> dict[str, int | None]:
        return {"pair_id": unit.pair_id}

    def points(self, aspect: Aspect) -> Collection[int]:
        return comparing.points(aspect.study)

    def stored(self, seat: Seat, item_id: int, value: int | None) -> int | None:
        return comparing.seen(value, flipped=item_id in seat.flipped)


@dataclass(frozen=True, slots=True)
class Comparison(Question):
    """Which of two texts: words to press, each with its key."""

    template: ClassVar[str] = "annotation/kinds/pairs/question.html"


@dataclass(frozen=True, slots=True)
class PairCard:
    """Two texts side by side with the questions about them."""

    letter: str  # a number: its texts are A and B
    sides: Sides
    questions: list[Comparison]
    report: ReportBox | None  # None: nobody is there to report it

    template: ClassVar[str] = "annotation/kinds/pairs/card.html"
    text: ClassVar[str] = ""  # no page of two is laid out for a long one

    @property
    def name(self) -> str:
        return gettext("Pair %(number)s") % {"number": self.letter}

    @property
    def characters(self) -> int:
        return len(self.sides.left) + len(self.sides.right) + len(self.sides.source)


class PairContent(PlainContent):
    style = "annotation/kinds/pairs/pairs.css"
    script = ""
    takes_insert = False

    def page(self, seat: Seat, unsaid: str = "") -> Page:
        asked = aspects.of_texts(seat.survey.study)
        title = gettext("Report a problem with one of these texts")
        boxes = reports(seat, self.letters(seat), unsaid, title)
        sides = [pair.sides for pair in pairs(seat)]
        return Page(_cards(sides, asked, PairAnswers().saved(seat), boxes))

    def preview(self, study: Study) -> Page:
        sides = _first(study)
        asked = list(study.aspects.select_related("study"))
        return Page(_cards(sides, asked, {}, [None] * len(sides)))

    def letters(self, seat: Seat) -> list[str]:
        return [str(number) for number in range(1, len(seat.order) + 1)]

    def place(self, letter: str, question: str) -> str:
        return _place(letter, question)

    def keys(self, aspects: Sequence[Aspect]) -> Keys:
        last = len(comparing.points(aspects[0].study)) if aspects else 2
        return Keys(points=True, digits=(1, last))


def pairs(seat: Seat) -> tuple[PagePair, ...]:
    """In the order shown. One query, or none."""
    return _pairs(seat.public_id, tuple(seat.order), frozenset(seat.flipped))


# Fixed from the claim on. No page is found under another seat: the names are random.
@lru_cache(maxsize=MOST_PAGES)
def _pairs(
    public_id: UUID, order: tuple[int, ...], flipped: frozenset[int]
) -> tuple[PagePair, ...]:
    rows = Item.objects.filter(pk__in=order).select_related(*READ)
    page_pairs = {
        row.pk: PagePair(row.pk, row.pair_id, sides(row, flipped=row.pk in flipped))
        for row in rows
        if row.pair_id is not None
    }
    return tuple(page_pairs[pk] for pk in order)


def sides(item: Item, *, flipped: bool) -> Sides:
    """Of an item that was read with `READ`."""
    assert item.pair is not None
    texts = full_texts(item)
    return _sides(item.pair.prompt, *(reversed(texts) if flipped else texts))


def full_texts(item: Item) -> tuple[str, str]:
    """Of a pair, the first one first."""
    assert item.pair is not None
    second = item.pair.second or item.negative
    assert second is not None  # a pair without a second text has the negative
    prefix = item.pair.prompt.prefix
    return full_text(prefix, item.pair.first.text), full_text(prefix, second.text)


def _sides(prompt: Prompt, left: str, right: str) -> Sides:
    label = prompt.label.name if prompt.label else ""
    return Sides(left, right, label, prompt.source)


def _cards(
    sides: Sequence[Sides],
    aspects: Sequence[Aspect],
    answers: Mapping[Position, int | None],
    boxes: Sequence[ReportBox | None],
) -> list[PairCard]:
    cards = []
    for number, (both, box) in enumerate(zip(sides, boxes, strict=True), start=1):
        asked = [_question(aspect, number, both.label, answers) for aspect in aspects]
        cards.append(PairCard(str(number), both, asked, box))
    return cards


def _question(
    aspect: Aspect, position: int, label: str, answers: Mapping[Position, int | None]
) -> Comparison:
    at = position, aspect.key
    value, question = answers.get(at), aspect.asked_of_pair(label)
    return Comparison(
        name=field_name(*at),
        question=question,
        choices=tuple(
            Choice(
                point, gettext(comparing.IN_WORDS[point]), point == value, str(number)
            )
            for number, point in enumerate(comparing.points(aspect.study), start=1)
        ),
        value=value,
        offers_cannot_say=aspect.cannot_say,
        cannot_say=at in answers and value is None,
        place=_place(str(position), question),
    )


def _place(number: str, question: str) -> str:
    words = {"number": number, "question": question}
    return gettext("Pair %(number)s: %(question)s") % words


def _first(study: Study) -> list[Sides]:
    """Of the first survey, or one of the first prompt with texts of two systems."""
    if survey := study.surveys.filter(kind="pair").first():
        items = survey.items.select_related(*READ)
        return [sides(item, flipped=False) for item in items]
    texts = study.generations.filter(excluded_at=None, system__isnull=False)
    earlier: dict[tuple[int, int], Generation] = {}
    for text in texts.select_related("prompt__label").order_by("prompt", "pk")[:1000]:
        other = earlier.setdefault((text.prompt_id, text.sample), text)
        if other.system_id != text.system_id:
            return [_sides(other.prompt, other.text, text.text)]
    return []
