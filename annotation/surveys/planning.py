"""What to draw: pages of texts, and a negative for each. Nothing is written here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from django.db.models import Max, QuerySet

from annotation import perturbations
from annotation.models import Generation, Negative, Prompt, Study
from annotation.surveys import negatives, pages
from annotation.surveys.pages import Page
from evalapp import seeds
from evalapp.seeds import OfStudy

# A page, the negative if there is to be one, and the page's seed.
Planned = tuple[Page, Negative | None, int]


class TransitionError(Exception):
    """The study's state or content does not allow this. The message says what would."""


class DrawError(TransitionError):
    """Surveys cannot be drawn. The message says why."""


class Draw(NamedTuple):
    """Pages cut out of the texts, whose negatives are still to be chosen."""

    pages: list[Page]
    pool: negatives.Pool
    first: int = 1  # the number of the first one


def planned(study: Study) -> list[Planned]:
    """Pages of all texts with their negative and seed. Nothing is written."""
    return plan(study, whole_draw(study))


def whole_draw(study: Study) -> Draw:
    """Of all texts."""
    texts = _texts(study)
    return Draw(_cut(study, texts), _pool(study, texts))


def new_draw(study: Study) -> Draw:
    """Of the texts that are on no page yet."""
    first = next_number(study)
    fresh = set(undrawn(study).values_list("pk", flat=True))
    texts = _texts(study)
    pool = _pool(study, texts)
    for used in ("source", "perturbation"):
        before = Negative.objects.filter(survey__study=study)
        pool.n_uses.update(before.values_list(used, flat=True))
    new = [text for text in texts if text.pk in fresh]
    return Draw(_cut(study, new, first), pool, first)


def _texts(study: Study) -> list[Generation]:
    """What may be put on pages, in an order that a copy of the study would have."""
    texts = list(study.generations.filter(excluded_at=None))
    # Shared, not one of each for each text: a study may have 100,000 of them.
    prompts = {one.pk: one for one in study.prompts.select_related("label")}
    systems = {one.pk: one for one in study.systems.all()}
    for text in texts:
        text.prompt = prompts[text.prompt_id]
        text.system = systems[text.system_id] if text.system_id else None
    return sorted(texts, key=_content_order)


def _pool(study: Study, texts: Sequence[Generation]) -> negatives.Pool:
    keys = list(study.aspects.values_list("key", flat=True))
    chosen = study.current_policy().damages
    kinds = perturbations.of_language(study.language, chosen)
    return negatives.Pool(generations=texts, aspects=keys, kinds=kinds)


def _cut(study: Study, texts: Sequence[Generation], first: int = 1) -> list[Page]:
    more = () if first == 1 else (first,)
    rng = np.random.default_rng(seeds.child(study.seed, OfStudy.PAGES, *more))
    return list(pages.cut(generations=texts, size=study.texts_per_survey, rng=rng))


def plan(study: Study, draw: Draw) -> list[Planned]:
    """All of its pages. Nothing is written."""
    return list(chosen(study, draw))


def chosen(study: Study, draw: Draw) -> Iterator[Planned]:
    """Its pages in turn, each with its negative."""
    for number, page in enumerate(draw.pages, start=draw.first):
        seed = seeds.child(study.seed, OfStudy.NEGATIVES, number)
        negative = _negative(study, page, draw.pool, seed)
        yield page, negative, seeds.child(study.seed, OfStudy.SURVEYS, number)


def _negative(
    study: Study, page: Page, pool: negatives.Pool, seed: int
) -> Negative | None:
    if study.damaged_texts == Study.DamagedTexts.NONE:
        return None
    try:
        return negatives.choose(page=page, pool=pool, seed=seed)
    except negatives.NoNegative as error:
        if study.damaged_texts == Study.DamagedTexts.POSSIBLE:
            return None
        hint = "Or choose on the Overview to run such pages without a damaged text."
        raise DrawError(f"{error} {hint}") from error


def undrawn(study: Study) -> QuerySet[Generation]:
    """Texts that are on no page yet and are not excluded."""
    return study.generations.filter(items=None, excluded_at=None)


def next_number(study: Study) -> int:
    return (study.surveys.aggregate(n=Max("number"))["n"] or 0) + 1


def _content_order(
    text: Generation,
) -> tuple[int, str, str, int, tuple[int, str]]:
    """By what was uploaded, never by ids: a copy of the study must draw the same."""
    prompt: Prompt = text.prompt
    system = text.system.name if text.system else ""
    return prompt.position, prompt.digest, system, text.sample, _natural(text.key)


def _natural(key: str) -> tuple[int, str]:
    """Keys that are row numbers in the order of rows: 9 before 10."""
    return (int(key), "") if key.isdecimal() else (0, key)
