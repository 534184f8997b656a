"""What to draw: pages of texts, and a negative for each. Nothing is written here."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple

import numpy as np
from django.db.models import Max, QuerySet

from annotation import negatives, page_kinds, perturbations
from annotation.imports import natural
from annotation.models import Aspect, Generation, Negative, Prompt, Study
from annotation.page_kinds import NewPages, Units
from annotation.surveys import parts
from evalapp import seeds
from evalapp.seeds import OfStudy


class Cut(NamedTuple):
    """A page without its negative."""

    part: int  # of the study's page kinds
    kind: str
    units: Units  # what is judged on it


class Planned(NamedTuple):
    """A page as it is to be drawn."""

    cut: Cut
    negative: Negative | None
    seed: int


class TransitionError(Exception):
    """The study's state or content does not allow this. The message says what would."""


class DrawError(TransitionError):
    """Surveys cannot be drawn. The message says why."""


class Draw(NamedTuple):
    """Pages cut out of the texts, whose negatives are still to be chosen."""

    pages: list[Cut]
    pool: negatives.Pool
    first: int = 1  # the number of the first one
    part: parts.Part | None = None  # None: no text is left out


def planned(study: Study) -> list[Planned]:
    """Pages of all texts with their negative and seed. Nothing is written."""
    return plan(study, whole_draw(study))


def whole_draw(study: Study) -> Draw:
    """Of all texts."""
    found = texts(study)
    part = parts.drawn(study, found)
    fresh = {text.pk for text in found} - _left_out(part)
    wanted = dict.fromkeys(study.page_kinds, fresh)
    return Draw(_cut(study, found, wanted), _pool(study, found), part=part)


def new_draw(study: Study) -> Draw:
    """Of the texts that are on no page yet."""
    first = next_number(study)
    found = texts(study)
    part = parts.drawn_more(study, found)
    wanted = {
        key: set(_undrawn_of(study, key).values_list("pk", flat=True)) - _left_out(part)
        for key in study.page_kinds
    }
    pool = pool_so_far(study, found)
    return Draw(_cut(study, found, wanted, first), pool, first, part)


def _left_out(part: parts.Part | None) -> set[int]:
    return part.left_out if part else set()


def texts(study: Study) -> list[Generation]:
    """What may be put on pages, in an order that a copy of the study would have."""
    found = list(study.generations.filter(excluded_at=None))
    # Shared, not one of each for each text: a study may have 100,000 of them.
    prompts = {one.pk: one for one in study.prompts.select_related("label")}
    systems = {one.pk: one for one in study.systems.all()}
    dialogues = {one.pk: one for one in study.dialogues.all()}
    for text in found:
        text.prompt = prompts[text.prompt_id]
        text.system = systems[text.system_id] if text.system_id else None
        text.dialogue = dialogues[text.dialogue_id] if text.dialogue_id else None
    return sorted(found, key=_content_order)


def _pool(study: Study, texts: Sequence[Generation]) -> negatives.Pool:
    # Of what is asked about a text: no damage is known to hurt a whole dialogue.
    asked = study.aspects.filter(about=Aspect.About.TEXT)
    keys = list(asked.values_list("key", flat=True))
    chosen = study.current_policy().damages
    kinds = perturbations.of_language(study.language, chosen)
    return negatives.Pool(generations=texts, aspects=keys, kinds=kinds)


def pool_so_far(study: Study, texts: Sequence[Generation]) -> negatives.Pool:
    """One that knows what the surveys of the study have used already."""
    pool, before = _pool(study, texts), Negative.objects.filter(survey__study=study)
    for used in ("source", "perturbation"):
        pool.n_uses.update(before.values_list(used, flat=True))
    return pool


def _cut(
    study: Study,
    texts: Sequence[Generation],
    fresh: Mapping[str, Collection[int]],
    first: int = 1,
) -> list[Cut]:
    """Pages of each kind in turn, of the texts that need one."""
    more = () if first == 1 else (first,)
    rng = np.random.default_rng(seeds.child(study.seed, OfStudy.PAGES, *more))
    return [
        Cut(part, kind, units)
        for part, kind in enumerate(study.page_kinds)
        for units in page_kinds.get(kind).drawing.cut(
            study, NewPages(texts, fresh[kind]), rng
        )
    ]


def plan(study: Study, draw: Draw) -> list[Planned]:
    """All of its pages. Nothing is written."""
    return list(chosen(study, draw))


def chosen(study: Study, draw: Draw) -> Iterator[Planned]:
    """Its pages in turn, each with its negative."""
    for number, page in enumerate(draw.pages, start=draw.first):
        seed = seeds.child(study.seed, OfStudy.NEGATIVES, number)
        negative = _negative(study, page, draw.pool, seed)
        yield Planned(page, negative, seeds.child(study.seed, OfStudy.SURVEYS, number))


def _negative(
    study: Study, page: Cut, pool: negatives.Pool, seed: int
) -> Negative | None:
    if study.damaged_texts == Study.DamagedTexts.NONE:
        return None
    try:
        return page_kinds.get(page.kind).drawing.damage(page.units, pool, seed)
    except negatives.NoNegative as error:
        if study.damaged_texts == Study.DamagedTexts.POSSIBLE:
            return None
        hint = "Or choose on the Overview to run such pages without a damaged text."
        raise DrawError(f"{error} {hint}") from error


def undrawn(study: Study) -> QuerySet[Generation]:
    """Texts that lack a page of some kind and are not excluded."""
    return reduce(or_, [_undrawn_of(study, key) for key in study.page_kinds])


def _undrawn_of(study: Study, key: str) -> QuerySet[Generation]:
    return page_kinds.get(key).drawing.undrawn(study)


def next_number(study: Study) -> int:
    return (study.surveys.aggregate(n=Max("number"))["n"] or 0) + 1


def _content_order(
    text: Generation,
) -> tuple[int, str, str, int, tuple[int, str]]:
    """By what was uploaded, never by ids: a copy of the study must draw the same."""
    prompt: Prompt = text.prompt
    system = text.system.name if text.system else ""
    return prompt.position, prompt.digest, system, text.sample, natural(text.key)
