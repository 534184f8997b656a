"""What each kind of page asks of workers and gives to researchers, in words."""

from __future__ import annotations

from typing import NamedTuple

from annotation.models import PageKind, Study
from annotation.surveys.kinds import KINDS


class Described(NamedTuple):
    value: str
    title: str
    does: str
    check: str
    gives: str
    used: bool  # by the study


WORDS = {
    PageKind.RATINGS: (
        "Ratings",
        "Workers read several texts for one prompt and rate each of them on a scale.",
        "one more text, damaged on purpose, that should get low ratings.",
        "a score for each text, agreement between workers, and how well metrics agree"
        " with people.",
    ),
    PageKind.PAIR: (
        "Pairs",
        "Workers read two texts for a prompt side by side and say which is better.",
        "one pair of a text and its damaged twin.",
        "a ranking of systems with intervals, and whether the side or the length of a"
        " text decides.",
    ),
    PageKind.DIALOGUE: (
        "Dialogues",
        "Workers read conversations turn by turn, and rate marked turns and the whole.",
        "one more conversation, in which a turn is from another one.",
        "scores of turns and of whole dialogues, with agreement and metrics at both"
        " levels.",
    ),
    PageKind.EDIT: (
        "Corrections",
        "Workers correct each text with as few changes as possible, or say that nothing"
        " is wrong with it.",
        "one more text, damaged on purpose, that must be changed.",
        "references of the very texts for metrics, and how much people change (HTER).",
    ),
}


def described(*, study: Study) -> list[Described]:
    """The kinds that there are."""
    return [
        Described(kind, *WORDS[PageKind(kind)], kind in study.page_kinds)
        for kind in KINDS
    ]


def in_words(*, study: Study) -> str:
    """What a study asks: "Ratings, then pairs"."""
    titles = [WORDS[PageKind(kind)][0].lower() for kind in study.page_kinds]
    return ", then ".join(titles).capitalize()
