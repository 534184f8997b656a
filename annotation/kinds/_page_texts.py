"""Texts of one prompt, each with a card of its own: what such a page shows."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple
from uuid import UUID

from annotation.kinds._content import PlainContent
from annotation.models import Item, Prompt, Seat, Study
from annotation.page_kinds import questions, text_cards
from annotation.page_kinds.content import MOST_PAGES


class PageText(NamedTuple):
    item_id: int
    generation_id: int | None
    negative_id: int | None
    text: str  # as stored: pages show it as full_text


def of_seat(seat: Seat) -> tuple[PageText, ...]:
    """In the order shown. One query, or none."""
    return _texts(seat.public_id, tuple(seat.order))


# Fixed from the claim on. No page is found under another seat: the names are random.
@lru_cache(maxsize=MOST_PAGES)
def _texts(public_id: UUID, order: tuple[int, ...]) -> tuple[PageText, ...]:
    rows = Item.objects.filter(pk__in=order).select_related("generation", "negative")
    texts = {
        row.pk: PageText(row.pk, row.generation_id, row.negative_id, row.text)
        for row in rows
    }
    return tuple(texts[pk] for pk in order)


def first(study: Study, kind: str) -> tuple[Prompt | None, list[str]]:
    """Of the first survey in the order drawn, or of the first prompt without a draw."""
    drawn = study.surveys.filter(kind=kind).select_related("prompt__label")
    if survey := drawn.first():
        items = survey.items.select_related("generation", "negative")
        return survey.prompt, [item.text for item in items]
    prompt = study.prompts.select_related("label").order_by("position", "pk").first()
    if prompt is None:
        return None, []
    texts = prompt.generations.order_by("sample", "pk")[: study.texts_per_survey]
    return prompt, [text.text for text in texts]


class LetteredTexts(PlainContent):
    """Text A, B, C: each a card."""

    def letters(self, seat: Seat) -> list[str]:
        return [questions.letter_of(n) for n in range(1, len(seat.order) + 1)]

    def place(self, letter: str, question: str) -> str:
        return text_cards.place(letter, question)
