"""The first page of a study for its researcher. Nothing is claimed or kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from annotation.crowd.forms import pages, talks
from annotation.crowd.forms import practice as practice_forms
from annotation.crowd.forms.editors import Editor
from annotation.crowd.forms.talks import Talk
from annotation.edits import keeping
from annotation.models import Generation, Item, PageKind, Prompt, Study
from annotation.models.texts import full_text
from annotation.seats import talks as seated
from annotation.seats.shown import Shown, Sides, shown_of

Cards = Sequence[pages.Card | practice_forms.Card | Talk]


def first_page(study: Study, kind: str) -> tuple[Prompt | None, Cards]:
    """Prompt and cards of the first page of a kind, or of what it would be made of."""
    if kind == PageKind.PAIR:
        return None, [
            _pair_card(study, n, one) for n, one in enumerate(_pairs(study), 1)
        ]
    if kind == PageKind.DIALOGUE:
        return None, _talks(study)
    prompt, texts = _texts(study, kind)
    if prompt is None:
        return None, []
    if kind == PageKind.EDIT:
        return prompt, [
            _editor_card(prompt, n, text) for n, text in enumerate(texts, 1)
        ]
    cards = practice_forms.cards(study=study, prompt=prompt, texts=texts, answers={})
    return prompt, cards


def _texts(study: Study, kind: str) -> tuple[Prompt | None, list[str]]:
    """Of the first survey in the order drawn, or of the first prompt without a draw."""
    drawn = study.surveys.filter(kind=kind).select_related("prompt__label")
    if survey := drawn.first():
        items = survey.items.select_related("generation", "negative")
        return survey.prompt, [item.text for item in items]
    prompt = study.prompts.select_related("label").order_by("position", "pk").first()
    if prompt is None:
        return None, []
    shown = prompt.generations.order_by("sample", "pk")[: study.texts_per_survey]
    return prompt, [generation.text for generation in shown]


def _pairs(study: Study) -> list[Sides]:
    """Of the first survey, or one of the first prompt with texts of two systems."""
    if survey := study.surveys.filter(kind=PageKind.PAIR).first():
        items = survey.items.select_related(
            "negative", "pair__prompt__label", "pair__first", "pair__second"
        )
        shown = (shown_of(item, flipped=False).sides for item in items)
        return [sides for sides in shown if sides]
    texts = study.generations.filter(excluded_at=None, system__isnull=False)
    first: dict[tuple[int, int], Generation] = {}
    for text in texts.select_related("prompt__label").order_by("prompt", "pk")[:1000]:
        other = first.setdefault((text.prompt_id, text.sample), text)
        if other.system_id != text.system_id:
            return [_sides(other, text)]
    return []


def _sides(left: Generation, right: Generation) -> Sides:
    prompt = left.prompt
    first, second = (full_text(prompt.prefix, one.text) for one in (left, right))
    label = prompt.label.name if prompt.label else ""
    return Sides(0, first, second, prompt.prefix, label, prompt.source)


def _editor_card(prompt: Prompt, position: int, text: str) -> pages.Card:
    shown = full_text(prompt.prefix, text)
    one = keeping.original(0, prompt.prefix, shown)
    letter = pages.letter_of(position)
    draft = keeping.Draft(one.rest, unchanged=False)
    editor = Editor(position=position, letter=letter, original=one, draft=draft)
    return pages.Card(letter=letter, text=shown, rows=[], editor=editor)


def _pair_card(study: Study, number: int, sides: Sides) -> pages.Card:
    return pages.Card(
        letter=str(number),
        text="",
        rows=[
            pages.pair_row(aspect, position=number, label=sides.label, answers={})
            for aspect in study.aspects.select_related("study")
        ],
        sides=sides,
    )


def _talks(study: Study) -> list[Talk]:
    """Of the first survey in the order drawn, or the first dialogues without a draw."""
    drawn = study.surveys.filter(kind=PageKind.DIALOGUE).first()
    if drawn:
        items = list(drawn.items.select_related(*seated.READ))
    else:
        some = study.dialogues.order_by("pk")[: study.texts_per_survey]
        texts = study.generations.filter(dialogue__in=list(some), excluded_at=None)
        rows = texts.asked_about().select_related("dialogue").order_by("pk")
        items = [Item(pk=n, generation=row) for n, row in enumerate(rows, start=1)]
    order = seated.in_order(items, np.random.default_rng(study.seed))
    said = seated.of_survey(items)
    shown = [Shown(pk, None, None, "", said=said[pk]) for pk in order]
    names = talks.letters(shown)
    cards = [
        _turn_card(study, position, one, name)
        for position, (one, name) in enumerate(zip(shown, names, strict=True), start=1)
    ]
    return talks.talks(shown, cards)


def _turn_card(study: Study, position: int, one: Shown, letter: str) -> pages.Card:
    rows = [
        pages.row_of(
            aspect,
            name=pages.field_name(position, aspect.key),
            letter=letter,
            question=aspect.asked_of(""),
        )
        for aspect in study.aspects.select_related("study")
        if one.is_asked(aspect)
    ]
    return pages.Card(letter, "", rows, name=talks.name_of(one, letter))
