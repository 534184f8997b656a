"""Ratings of turns and of whole dialogues, as quality control compares them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from annotation.kinds.dialogues import conversations
from annotation.kinds.ratings.matrix import RatingMatrix, answered
from annotation.models import Item
from annotation.page_kinds.matrix import Submitted


@dataclass(frozen=True, slots=True)
class DialogueMatrix(RatingMatrix):
    decoys: frozenset[int] = field(default=frozenset(), kw_only=True)
    wholes: frozenset[int] = field(default=frozenset(), kw_only=True)

    @property
    def real(self) -> list[int]:
        """The turns that the damaged one stands among: of no damaged dialogue."""
        apart = {self.hidden, *self.decoys, *self.wholes}
        return [row for row in range(len(self.items)) if row not in apart]


class DialogueMatrices:
    def related(self, *, texts: bool) -> Sequence[str]:
        return conversations.READ if texts else ("negative__source", "decoy")

    def read(self, pages: Submitted) -> Iterator[DialogueMatrix]:
        lengths = pages.lengths(_lengths)
        for seat in pages.seats:
            items = [pages.items[seat.survey_id][pk] for pk in pages.shown(seat)]
            wholes = {item.pk for item in items if item.stands_for.is_dialogue}
            answers = answered(pages, seat, wholes)
            if answers is None:
                continue
            yield DialogueMatrix(
                **pages.sitting(seat),
                **answers,
                characters=sum(lengths[item.pk] for item in items) if lengths else None,
                decoys=frozenset(n for n, item in enumerate(items) if item.decoy_id),
                wholes=frozenset(
                    n for n, item in enumerate(items) if item.pk in wholes
                ),
            )


def _lengths(items: Sequence[Item]) -> dict[int, int]:
    """Characters by item: each dialogue once, with its first item."""
    found, counted = {}, set()
    for pk, dialogue in conversations.of_survey(items).items():
        found[pk] = 0 if dialogue.key in counted else len(dialogue.text)
        counted.add(dialogue.key)
    return found
