"""Dialogues on a page: which items belong to one, in which order, and what they say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from annotation.models import Item
from annotation.turns import Turn, as_text

# What `item.stands_for` and its dialogue are read with.
READ = ("generation__dialogue", "negative__source__dialogue", "decoy__dialogue")


class ItemDialogue(NamedTuple):
    """The conversation that an item is about, as this page shows it."""

    key: tuple[bool, int]  # the same for all items of it; never shown
    turns: tuple[Turn, ...]
    turn: int | None  # which of them is asked about, from 0; None: all

    @property
    def is_whole(self) -> bool:
        return self.turn is None

    @property
    def text(self) -> str:
        return as_text(self.turns)


def of_survey(items: Iterable[Item]) -> dict[int, ItemDialogue]:
    """What each item is about, by its id. Of a damaged dialogue every item shows the
    exchanged turn."""
    items = list(items)
    exchanged = next((item.negative for item in items if item.negative), None)
    shown = {}
    for item in items:
        text = item.stands_for
        dialogue = text.dialogue
        assert dialogue is not None  # of a page of dialogues
        turns = dialogue.turns
        damaged = item.generation_id is None
        if damaged and exchanged and exchanged.source.turn is not None:
            at = exchanged.source.turn
            turns[at] = turns[at]._replace(text=exchanged.text)
        shown[item.pk] = ItemDialogue((damaged, dialogue.pk), tuple(turns), text.turn)
    return shown


def in_order(items: Iterable[Item], rng: np.random.Generator) -> list[int]:
    """Ids of the items: dialogues as drawn, each turn by turn, and all of it last."""
    by_dialogue: dict[tuple[bool, int | None], list[Item]] = defaultdict(list)
    for item in sorted(items, key=lambda one: one.pk):
        damaged = item.generation_id is None
        by_dialogue[damaged, item.stands_for.dialogue_id].append(item)
    dialogues = list(by_dialogue.values())
    drawn = [dialogues[i] for i in rng.permutation(len(dialogues))]
    return [item.pk for group in drawn for item in sorted(group, key=_place)]


def _place(item: Item) -> tuple[bool, int]:
    turn = item.stands_for.turn
    return turn is None, turn or 0
