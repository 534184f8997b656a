"""The pages of a study by what a check sees of them: drawn ones, or those to come."""

from __future__ import annotations

from collections import Counter
from copy import copy
from typing import NamedTuple
from zlib import crc32

from django.core.cache import cache
from django.db.models import Count, Max, Q

from annotation import page_kinds, surveys
from annotation.models import Study
from annotation.page_kinds import KindFacts

# More texts than this take too long to lay out while someone waits for a page.
MAX_PLANNED = 5000


class Shape(NamedTuple):
    """What matters of a page: how many real texts, and the aspects that are hurt."""

    texts: int
    hurts: tuple[str, ...]


def shapes(*, study: Study) -> Counter[Shape]:
    """Count the pages with a negative by shape: those drawn, else those to be drawn.

    Empty where there is nothing to draw, or too much to do so while someone waits.
    """
    kinds = page_kinds.keys(_has_rule)
    if not {*kinds} & {*study.page_kinds}:
        return Counter()
    shown = Q(items__generation__isnull=False, items__generation__excluded_at=None)
    # Of dialogues the turns: wholes are asked other questions.
    shown &= Q(items__generation__dialogue=None) | Q(items__generation__turn__gte=0)
    real = Count("items", filter=shown)
    drawn = study.surveys.filter(kind__in=kinds).order_by().annotate(n=real)
    rows = drawn.values_list("n", "negative__hurts")
    found = Counter(
        Shape(n, tuple(hurts)) for n, hurts in rows if n and hurts is not None
    )
    return found or _planned(study)


# Pages that are not drawn yet ---------------------------------------------------------


def _planned(study: Study) -> Counter[Shape]:
    """The same texts and seed draw the same pages later. Kept until one changes."""
    texts = study.generations.aggregate(
        n=Count("pk", filter=Q(excluded_at=None)),
        last=Max("pk"),
        excluded=Max("excluded_at"),
    )
    if not 0 < texts["n"] <= MAX_PLANNED or not study.aspects.exists():
        return Counter()
    keys = crc32(" ".join(study.aspects.values_list("key", flat=True)).encode())
    # When the last exclusion was, without the characters that a cache refuses.
    excluded = texts["excluded"].timestamp() if texts["excluded"] else ""
    which = texts["n"], texts["last"], excluded
    drawn_from = [
        *(*which, study.texts_per_survey, study.seed, keys, study.damaged_texts),
        *(*study.page_kinds, study.pairs_per_text, study.rated_share, study.share_of),
    ]
    key = f"shapes:{study.public_id}:{'-'.join(map(str, drawn_from))}"
    if (found := cache.get(key)) is None:
        plan = surveys.planned(_with_what_can_be_damaged(study))
        found = [
            (kind.checks.n_compared(page.cut.units), tuple(page.negative.hurts))
            for page in plan
            if page.negative is not None
            and _has_rule((kind := page_kinds.get(page.cut.kind)).facts)
        ]
        cache.set(key, found, timeout=60 * 60 * 24)
    return Counter(Shape(n, hurts) for n, hurts in found)


def _has_rule(facts: KindFacts) -> bool:
    """Whether a damaged text is rated among others."""
    return facts.gives_ratings


def _with_what_can_be_damaged(study: Study) -> Study:
    """The study, unsaved, with pages without a damaged text allowed: others suffice."""
    wanted = copy(study)
    if wanted.damaged_texts == Study.DamagedTexts.EVERY:
        wanted.damaged_texts = Study.DamagedTexts.POSSIBLE
    return wanted
