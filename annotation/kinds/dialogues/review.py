"""A page of dialogues that one worker rated, for researchers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.kinds import _review
from annotation.kinds._rated_texts import RatedText, TextReview
from annotation.kinds.dialogues import conversations
from annotation.models import Aspect, Generation, Item, Seat


@dataclass(frozen=True, slots=True)
class RatedTurn(RatedText):
    """A turn, or all of a dialogue."""

    @property
    def text(self) -> Generation | None:
        return self.item.generation or self.item.decoy

    @property
    def origin(self) -> str:
        if self.item.decoy:
            return "in the damaged dialogue"
        return super(RatedTurn, self).origin

    @property
    def note(self) -> str:
        if self.item.decoy:
            return "not damaged itself; its ratings never count"
        return ""


class DialogueReview(TextReview):
    text = RatedTurn
    related = ("decoy",)

    def items(self, seat: Seat) -> list[Item]:
        return _review.items(seat, "decoy__system", *conversations.READ)

    def characters(self, seat: Seat, items: Sequence[Item]) -> int:
        """Turns are in the whole, too."""
        dialogues = conversations.of_survey(items).values()
        return sum({one.key: len(one.text) for one in dialogues}.values())

    def is_asked(self, aspect: Aspect, item: Item) -> bool:
        return aspect.asks_about(item.stands_for)

    def name(self, item: Item) -> str:
        key = item.stands_for.key
        return f"{key} in the damaged dialogue of survey {item.survey.number}"
