"""What the rating page is made of."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from django import template
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from annotation.models import Aspect, Study

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


@dataclass(frozen=True, slots=True)
class Asked:
    """An aspect as the instructions name it."""

    title: str
    question_in_general: str
    low: str
    high: str


@dataclass(frozen=True, slots=True)
class Explained:
    """Of a study, what its instructions say; two that say the same are equal."""

    instructions: str
    scale_min: int
    scale_max: int


@register.simple_tag
def instructions(study: Study, aspects: Sequence[Aspect], contact: str) -> SafeString:
    """Both dialogs of the rating page."""
    return kept(
        "annotation/crowd/_dialogs.html",
        study=Explained(study.instructions, study.scale_min, study.scale_max),
        aspects=tuple(
            Asked(one.title, one.question_in_general, one.low, one.high)
            for one in aspects
        ),
        contact=contact,
    )
