"""What each kind of page asks of workers and gives to researchers, in words."""

from __future__ import annotations

from typing import NamedTuple

from annotation import page_kinds
from annotation.models import Study


class Described(NamedTuple):
    value: str
    title: str
    does: str
    check: str
    gives: str
    used: bool  # by the study


def described(*, study: Study) -> list[Described]:
    """The kinds that there are."""
    return [
        Described(
            *(kind.key, kind.words.title, kind.words.does),
            *(kind.words.check, kind.words.gives),
            used=kind.key in study.page_kinds,
        )
        for kind in page_kinds.every()
    ]


def in_words(*, study: Study) -> str:
    """What a study asks: "Ratings, then pairs"."""
    titles = [kind.words.title.lower() for kind in page_kinds.of(study)]
    return ", then ".join(titles).capitalize()
