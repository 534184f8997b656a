"""What the rating page is made of."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from django import template
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from annotation.crowd import looks
from annotation.crowd.forms.editors import Editor
from annotation.crowd.forms.pages import Row
from annotation.crowd.looks import Look
from annotation.models import Aspect, PageKind, Study, comparing

register = template.Library()


@register.simple_tag
def kept(template_name: str, **context: Hashable) -> SafeString:
    """Include a template that needs nothing but these values.

    Kept, because rendering takes half of the time of a page, and most of a page is the
    same for everybody: questions, instructions, the box for a report.
    """
    return _rendered(template_name, get_language(), tuple(context.items()))


@lru_cache(maxsize=4096)
def _rendered(
    template_name: str, language: str | None, context: tuple[tuple[str, Hashable], ...]
) -> SafeString:
    return render_to_string(template_name, dict(context))


@register.filter
def look(text: str, study: Study) -> Look:
    return looks.of(text, study)


@register.filter
def source_look(text: str, study: Study) -> Look:
    return looks.of_source(text, study)


class HasText(Protocol):
    @property
    def text(self) -> str: ...


@register.filter
def any_long(cards: Iterable[HasText] | None, study: Study) -> bool:
    """Whether any text of the page fills a window by itself."""
    return any(looks.is_long(card.text, study.language) for card in cards or ())


@register.filter
def is_long(text: str | None, study: Study) -> bool:
    return looks.is_long(text or "", study.language)


@register.filter
def n_answered(rows: Iterable[Row | Editor]) -> int:
    return sum(row.answered for row in rows)


@dataclass(frozen=True, slots=True)
class Asked:
    """An aspect as the instructions name it."""

    title: str
    question_in_general: str
    pair_question_in_general: str
    low: str
    high: str
    ends: tuple[int, int]
    cannot_say: bool


@dataclass(frozen=True, slots=True)
class Explained:
    """Of a study, what its instructions say; two that say the same are equal."""

    instructions: str
    rates_single_texts: bool
    compares_texts: bool
    corrects_texts: bool
    asks_aspects: bool

    @classmethod
    def of(cls, study: Study) -> Explained:
        return cls(*(getattr(study, name) for name in cls.__slots__))


@dataclass(frozen=True, slots=True)
class Keys:
    """What the digits do on a page with these questions."""

    points: bool  # any question has buttons
    digits: tuple[int, int] | None  # all that have them, where each is one digit
    zero_is_10: bool
    beside_is_10: bool  # the key to the right of 0
    beside_is_11: bool
    slider: bool

    @classmethod
    def of(cls, aspects: Sequence[Aspect], kind: str) -> Keys:
        if kind == PageKind.EDIT:
            return cls(False, None, False, False, False, False)
        if kind == PageKind.PAIR:
            last = len(comparing.points(aspects[0].study)) if aspects else 2
            return cls(True, (1, last), False, False, False, False)
        scales = {aspect.ends for aspect in aspects if not aspect.is_slider}
        ends = next(iter(scales)) if len(scales) == 1 else (0, 10)
        return cls(
            points=bool(scales),
            digits=ends if ends[1] < 10 else None,
            zero_is_10=any(0 < low <= 10 <= high for low, high in scales),
            beside_is_10=any(low == 0 and high >= 10 for low, high in scales),
            beside_is_11=any(0 < low <= 11 <= high for low, high in scales),
            slider=any(aspect.is_slider for aspect in aspects),
        )


@register.simple_tag
def instructions(
    study: Study, aspects: Sequence[Aspect], contact: str, kind: str
) -> SafeString:
    """Both dialogs of a page of this kind."""
    return kept(
        "annotation/crowd/_dialogs.html",
        study=Explained.of(study),
        keys=Keys.of(aspects, kind),
        aspects=tuple(
            Asked(
                *(one.title, one.question_in_general, one.pair_question_in_general),
                *(one.low, one.high),
                *(one.ends, one.cannot_say),
            )
            for one in aspects
        ),
        contact=contact,
    )
