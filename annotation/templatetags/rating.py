"""What the rating page is made of."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Protocol

from django import template
from django.contrib.staticfiles.storage import staticfiles_storage
from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from annotation import page_kinds
from annotation.crowd import looks
from annotation.crowd.looks import Look
from annotation.models import Aspect, Study
from annotation.page_kinds.content import Card, Term
from annotation.page_kinds.questions import Keys
from evalapp.assets import modules as js_modules

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


@register.simple_tag(takes_context=True)
def modules(
    context: template.RequestContext, name: str, script: str = ""
) -> SafeString:
    """A script of a page, with all that it imports. Stands before any other module.

    Args:
        context: With the request, whose answer allows this map alone.
        name: As `static` takes it.
        script: Of the kind of page, which the script asks for; empty where it has none.
    """
    imports = js_modules.imports(name, *filter(None, [script]))
    preloaded = (*filter(None, [script]), *imports.at_once)
    url = staticfiles_storage.url
    return format_html(
        '<script type="importmap" nonce="{}">{}</script>{}'
        '<script type="module" src="{}"></script>',
        context["request"].csp_nonce,
        mark_safe(js_modules.import_map((*imports.at_once, *imports.later))),
        format_html_join(
            "",
            '<link rel="modulepreload" href="{}">',
            ((url(module),) for module in preloaded),
        ),
        url(name),
    )


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


class MapEntry(NamedTuple):
    """A card among those of its page, with how far it is."""

    letter: str
    name: str
    answered: int
    total: int


@register.simple_tag
def page_map(cards: Sequence[Card]) -> SafeString:
    """All cards of a page, to go from one to another."""
    entries = [
        MapEntry(
            letter=card.letter,
            name=card.name,
            answered=sum(question.answered for question in card.questions),
            total=len(card.questions),
        )
        for card in cards
    ]
    return kept("annotation/crowd/_map.html", entries=tuple(entries))


@dataclass(frozen=True, slots=True)
class InstructedAspect:
    """An aspect as the instructions name it."""

    title: str
    question_in_general: str
    pair_question_in_general: str
    low: str
    high: str
    ends: tuple[int, int]
    cannot_say: bool

    @classmethod
    def of(cls, aspect: Aspect) -> InstructedAspect:
        key = cls, get_language()
        if key not in aspect.memo:
            values = (getattr(aspect, name) for name in cls.__slots__)
            aspect.memo[key] = cls(*values)
        instructed: InstructedAspect = aspect.memo[key]
        return instructed


@dataclass(frozen=True, slots=True)
class Explained:
    """Of a study, what its instructions say; two that say the same are equal."""

    instructions: str
    rates_single_texts: bool
    compares_texts: bool
    corrects_texts: bool
    asks_aspects: bool
    terms: tuple[Term, ...]

    @classmethod
    def of(cls, study: Study) -> Explained:
        *facts, _ = cls.__slots__
        return cls(*(getattr(study, name) for name in facts), terms(study))


@register.filter
def terms(study: Study | Explained) -> tuple[Term, ...]:
    """What is chosen on the pages of a study, and what it means."""
    if isinstance(study, Explained):
        return study.terms
    kinds = map(page_kinds.get, study.page_kinds)
    return tuple(term for kind in kinds for term in kind.content.terms(study))


@register.simple_tag
def instructions(
    study: Study, aspects: Sequence[Aspect], contact: str, keys: Keys
) -> SafeString:
    """Both dialogs of a page on which keys do this."""
    return kept(
        "annotation/crowd/_dialogs.html",
        study=Explained.of(study),
        keys=keys,
        aspects=tuple(map(InstructedAspect.of, aspects)),
        contact=contact,
    )
