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
        Described(key, *_sentences(key), used=key in study.page_kinds)
        for key in page_kinds.names()
    ]


def _sentences(key: str) -> tuple[str, str, str, str]:
    words = page_kinds.get(key).words
    return words.title, words.does, words.check, words.gives


def in_words(*, study: Study) -> str:
    """What a study asks: "Ratings, then pairs"."""
    titles = [page_kinds.get(key).words.title.lower() for key in study.page_kinds]
    return ", then ".join(titles).capitalize()
