"""Texts as people corrected them: the only way in which corrections reach scoring.

A correction is a reference of its own text and of no other, so none is ever given for a
prompt.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable

from django.db.models import Count, Max, QuerySet

from annotation.models import Edit, Generation, Reference, Seat, Study

TARGETED = Reference.Kind.TARGETED


def of_texts(texts: QuerySet[Generation]) -> dict[int, tuple[str, ...]]:
    """By id of the text: those from files, then those made here. Two queries.

    A text that nobody corrected is not in it.
    """
    wanted = texts.order_by()
    rows = Reference.objects.filter(kind=TARGETED, generation__in=wanted)
    found: dict[int, list[str]] = defaultdict(list)
    ordered = rows.order_by("generation", "position").values_list("generation", "text")
    for pk, text in ordered.iterator(chunk_size=2000):
        found[pk].append(text)
    made = counted().filter(item__generation__in=wanted).order_by("item", "seat")
    edits = made.values_list("item__generation", "opening", "rest")
    for pk, opening, rest in edits.iterator(chunk_size=2000):
        found[pk].append(opening + rest)
    return {pk: tuple(several) for pk, several in found.items()}


def counted() -> QuerySet[Edit]:
    """Edits that are corrections: of texts, on valid pages, in no order.

    One that found nothing to correct is among them: the text is its own reference. Left
    out are pages of informed people, as with ratings.
    """
    return Edit.objects.filter(
        seat__state=Seat.State.VALID,
        seat__informed=False,
        item__generation__isnull=False,
    ).order_by()


def exist(*, study: Study) -> bool:
    """Whether people corrected any of the study's texts. Two queries at most."""
    from_files = Reference.objects.filter(kind=TARGETED, generation__study=study)
    made = counted().filter(seat__survey__study=study)
    return from_files.exists() or made.exists()


def stamp(*, study: Study) -> str:
    """Tell whether corrections in files changed. One small query.

    Those made here change with verdicts, which `human_scores.stamp` looks at.
    """
    rows = Reference.objects.filter(kind=TARGETED, generation__study=study)
    found = rows.aggregate(Count("pk"), Max("pk"))
    return "-".join(str(number or 0) for number in found.values())


def digest(texts: Iterable[str]) -> str:
    """Names these corrections; empty where there are none."""
    joined = "\x1f".join(texts)
    return hashlib.sha256(joined.encode()).hexdigest()[:16] if joined else ""
