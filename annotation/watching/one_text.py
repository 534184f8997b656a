"""One text with all its ratings: who gave what, the mean, and what was said of it.

Reads only; as many queries for a hundred ratings as for two.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from django.db.models import Count, Sum

from annotation import human_scores, page_kinds
from annotation.models import (
    Annotation,
    Aspect,
    Generation,
    Import,
    Negative,
    Report,
    Seat,
    Study,
)
from annotation.models.surveys import pseudonym
from annotation.page_kinds.review import AboutText
from annotation.watching import reviewing
from annotation.watching.figures import Figure

MOST_ROWS = 200  # raters shown


@dataclass(slots=True)
class Rater:
    """Someone who rated the text: a worker on a page, or a row of a file."""

    name: str  # pseudonym, or as named in the file; "" = the file names nobody
    seat: Seat | None
    file: Import | None
    values: list[int | None]  # in the order of the aspects; None: see `unsaid`
    position: int | None = None  # on the page, from 1
    seconds: Figure = Figure(None, "from a file")
    unsaid: set[int] = field(default_factory=set)  # columns that were "cannot say"

    @property
    def answers(self) -> list[tuple[int | None, bool]]:
        """Each value, and whether it is "cannot say"."""
        return [(value, at in self.unsaid) for at, value in enumerate(self.values)]

    @property
    def counts(self) -> bool:
        """Whether statistics use it, as far as it is about the rater."""
        if self.seat is None:
            return True
        return self.seat.state == Seat.State.VALID and not self.seat.informed


class Summary(NamedTuple):
    """What people gave the text on one aspect: everything that counts."""

    aspect: Aspect
    mean: Figure
    spread: Figure  # standard deviation of single ratings, with n - 1
    n: int


class Damaged(NamedTuple):
    """A damaged version that was made from the text."""

    negative: Negative
    means: list[tuple[Figure, int]]  # in the order of the aspects


@dataclass(frozen=True, slots=True)
class OneText:
    """Everything people said of a text."""

    raters: list[Rater]
    n_raters: int  # also those that are not shown
    summaries: list[Summary]
    means: list[tuple[str, Aspect, float, int | None]]  # file, aspect, mean, n
    damaged: list[Damaged]
    reports: list[Report]
    elsewhere: list[AboutText]  # on pages on which it does not stand by itself


def read(*, study: Study, text: Generation) -> OneText:
    """Everything people said of the text. Nine queries, two more with pairs."""
    aspects = [one for one in study.aspects.all() if one.asks_about(text)]
    raters = _raters(study, text, aspects)
    abouts = (kind.review.about(study, text, aspects) for kind in page_kinds.of(study))
    return OneText(
        raters=raters[:MOST_ROWS],
        n_raters=len(raters),
        summaries=_summaries(study, text, aspects, raters),
        means=[
            (row.imported.file_name, row.aspect, row.mean, row.n)
            for row in text.means.select_related("imported", "aspect")
        ],
        damaged=_damaged(text, aspects),
        reports=_reports(study, text),
        elsewhere=[about for about in abouts if about],
    )


def find(*, study: Study, key: str) -> Generation | None:
    """The text with this key, with what its page shows. One query."""
    rows = study.generations.select_related(
        "prompt__label", "system", "reviewed_by", "dialogue"
    )
    return rows.filter(key=key).first() if key else None


def _raters(study: Study, text: Generation, aspects: Sequence[Aspect]) -> list[Rater]:
    """Workers first, those whose ratings count at the top, then rows of files."""
    column = {aspect.pk: number for number, aspect in enumerate(aspects)}
    found: dict[tuple[object, ...], Rater] = {}
    unnamed: dict[tuple[int | None, int], int] = defaultdict(int)
    rows = Annotation.objects.filter(generation=text).order_by("pk")
    for row in rows.select_related("seat__worker", "seat__survey", "imported"):
        key: tuple[object, ...] = (row.seat_id, row.imported_id, row.rater)
        if row.seat is None and not row.rater:
            # The k-th rating of each aspect: nothing says that one person gave them.
            n = unnamed[row.imported_id, row.aspect_id]
            unnamed[row.imported_id, row.aspect_id] += 1
            key = (None, row.imported_id, n)
        if key not in found:
            found[key] = _rater(study, row, len(aspects))
        found[key].values[column[row.aspect_id]] = row.value
        if row.value is None:
            found[key].unsaid.add(column[row.aspect_id])
    return sorted(found.values(), key=lambda one: (one.seat is None, not one.counts))


def _rater(study: Study, row: Annotation, n_aspects: int) -> Rater:
    seat, nothing = row.seat, [None] * n_aspects
    if seat is None:
        return Rater(row.rater, None, row.imported, list(nothing))
    position = seat.order.index(row.item_id) + 1
    seen = seat.visible.get(str(position))
    missing = "never in view" if seat.visible else "not measured"
    return Rater(
        name=pseudonym(study, seat.worker_id),
        seat=seat,
        file=None,
        values=list(nothing),
        position=position,
        seconds=Figure(None, missing) if seen is None else Figure(seen / 1000),
    )


def _summaries(
    study: Study,
    text: Generation,
    aspects: Sequence[Aspect],
    raters: Sequence[Rater],
) -> list[Summary]:
    """The mean as everywhere else, also for a text that is excluded."""
    scores = human_scores.means(study=study, with_excluded=True, generations=[text.pk])
    found = []
    for column, aspect in enumerate(aspects):
        given = [rater.values[column] for rater in raters if rater.counts]
        values = np.array([value for value in given if value is not None], dtype=float)
        n, mean = 0, Figure(None, "no valid rating")
        at = scores.aspects.index(aspect.key)
        if len(scores.generations) and not np.isnan(scores.values[0, at]):
            mean = Figure(float(scores.values[0, at]))
            n = int(scores.n_ratings[0, at])
        spread = Figure(None, "fewer than 2 single ratings")
        if len(values) > 1:
            spread = Figure(float(values.std(ddof=1)))
        found.append(Summary(aspect, mean, spread, n))
    return found


def _damaged(text: Generation, aspects: Sequence[Aspect]) -> list[Damaged]:
    alone = text.negatives.filter(item__pair=None)
    negatives = list(alone.select_related("survey").order_by("pk"))
    rows = Annotation.objects.filter(
        negative__in=negatives,
        seat__state=Seat.State.VALID,
        seat__informed=False,
        value__isnull=False,
    ).order_by()
    sums = {
        (negative, aspect): (total, n)
        for negative, aspect, total, n in rows.values_list(
            "negative_id", "aspect_id"
        ).annotate(Sum("value"), Count("pk"))
    }
    return [
        Damaged(one, [_mean(sums.get((one.pk, aspect.pk))) for aspect in aspects])
        for one in negatives
    ]


def _mean(found: tuple[int, int] | None) -> tuple[Figure, int]:
    if found is None:
        return Figure(None, "no valid rating"), 0
    total, n = found
    return Figure(total / n), n


def _reports(study: Study, text: Generation) -> list[Report]:
    rows = Report.objects.filter(reviewing.about(text))
    found = list(rows.select_related("seat", "resolved_by"))
    for report in found:
        # For templates, which read attributes.
        report.pseudonym = pseudonym(study, report.seat.worker_id)  # type: ignore[attr-defined]
    return found
