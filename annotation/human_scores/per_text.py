"""What people think of each text: the one door through which ratings are read.

Counted are ratings on valid pages and ratings from files. Never counted: negatives,
pages not submitted, surplus pages. Left out are texts that a researcher excluded, and
pages of informed people, who had read the debriefing before. `with_discarded` adds the
pages that were discarded, `with_excluded` the texts, `with_informed` those pages.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

import numpy as np
from django.db.models import (
    Count,
    Exists,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
)

from annotation.models import (
    Annotation,
    Aspect,
    Import,
    ImportedMean,
    Seat,
    Study,
    Verdict,
)
from scoring.stats import human


class Counts(NamedTuple):
    """How often each text got each value on one aspect."""

    generations: np.ndarray  # (n,) int64: ids of the texts with a rating, ascending
    values: np.ndarray  # (V,) float64: the aspect's scale, ascending
    counts: np.ndarray  # (n, V) int64


class HumanScores(NamedTuple):
    """Mean rating of each text on each aspect of the study."""

    generations: np.ndarray  # (n,) int64: ids of the texts with a score, ascending
    aspects: list[str]  # keys, in the study's order
    values: np.ndarray  # (n, a) float64, NaN where there is none
    n_ratings: np.ndarray  # (n, a) int64, 0 also for a mean that came without its n


def counts(
    *,
    study: Study,
    aspect: Aspect,
    with_discarded: bool = False,
    with_excluded: bool = False,
) -> Counts:
    """Count the ratings behind one aspect. One query, grouped by the database.

    Means that came without their ratings are not in it.
    """
    rows = (
        ratings(study=study, with_discarded=with_discarded, with_excluded=with_excluded)
        .filter(aspect=aspect)
        .values_list("generation_id", "value")
        .annotate(n=Count("pk"))
    )
    table = np.array(list(rows), dtype=np.int64).reshape(-1, 3)
    generations, row = np.unique(table[:, 0], return_inverse=True)
    values = np.union1d(np.array(aspect.scale), table[:, 1])
    found = np.zeros((len(generations), len(values)), dtype=np.int64)
    found[row, np.searchsorted(values, table[:, 1])] = table[:, 2]
    return Counts(generations, values.astype(np.float64), found)


def means(
    *,
    study: Study,
    with_discarded: bool = False,
    with_excluded: bool = False,
    generations: Collection[int] | None = None,
) -> HumanScores:
    """Average the ratings of each text, and add the means that came in files.

    Where a text has both, the imported mean weighs as many ratings as are behind it,
    and nothing if that is not known. Three queries.

    Args:
        study: Whose texts.
        with_discarded: Whether ratings on discarded pages count.
        with_excluded: Whether texts that were excluded count.
        generations: Ids of the texts that are wanted; None: all of them.
    """
    aspects = dict(study.aspects.values_list("pk", "key"))
    some = {} if generations is None else {"generation__in": generations}
    rated = list(
        ratings(study=study, with_discarded=with_discarded, with_excluded=with_excluded)
        .filter(**some)
        .values_list("generation_id", "aspect_id")
        .annotate(total=Sum("value"), n=Count("pk"))
    )
    imported = list(
        imported_means(study=study, with_excluded=with_excluded)
        .filter(**some)
        .values_list("generation_id", "aspect_id", "mean", "n")
    )
    ids = _ids([*rated, *imported])
    at = {pk: row for row, pk in enumerate(ids.tolist())}
    column = {pk: number for number, pk in enumerate(aspects)}
    total = np.zeros((len(at), len(column)))
    n = np.zeros((len(at), len(column)), dtype=np.int64)
    for generation, aspect, added, times in rated:
        total[at[generation], column[aspect]] = added
        n[at[generation], column[aspect]] = times
    values, n = human.human_scores(
        total,
        n,
        (
            np.array([at[row[0]] for row in imported], np.int64),
            np.array([column[row[1]] for row in imported], np.int64),
        ),
        np.array([row[2] for row in imported], np.float64),
        np.array([row[3] or 0 for row in imported], np.int64),
    )
    return HumanScores(ids, list(aspects.values()), values, n)


def ratings(
    *,
    study: Study,
    with_discarded: bool = False,
    with_excluded: bool = False,
    with_informed: bool = False,
) -> QuerySet[Annotation]:
    """The ratings that count, in no order. Who could not say gave none."""
    rows = answers(
        study=study,
        with_discarded=with_discarded,
        with_excluded=with_excluded,
        with_informed=with_informed,
    )
    return rows.exclude(value=None)


def answers(
    *,
    study: Study,
    with_discarded: bool = False,
    with_excluded: bool = False,
    with_informed: bool = False,
) -> QuerySet[Annotation]:
    """The same with "cannot say", a value of None."""
    states = [Seat.State.VALID]
    if with_discarded:
        states.append(Seat.State.DISCARDED)
    seats = Q(seat__state__in=states)
    if not with_informed:
        seats &= Q(seat__informed=False)
    counted = Q(imported__isnull=False) | seats
    rows = Annotation.objects.filter(counted, generation__study=study).order_by()
    return rows if with_excluded else rows.filter(generation__excluded_at=None)


def unsaid(*, study: Study) -> dict[int, int]:
    """How often workers whose pages count could not say, by aspect id. One query."""
    rows = answers(study=study).filter(value=None).values_list("aspect_id")
    return dict(rows.annotate(n=Count("pk")))


def imported_means(
    *, study: Study, with_excluded: bool = False
) -> QuerySet[ImportedMean]:
    """The means that came without their ratings and count, in no order."""
    rows = ImportedMean.objects.filter(generation__study=study).order_by()
    return rows if with_excluded else rows.filter(generation__excluded_at=None)


def rated(aspects: QuerySet[Aspect]) -> QuerySet[Aspect]:
    """Those of the aspects that have a rating or a mean which counts."""
    seats = Q(seat__state=Seat.State.VALID, seat__informed=False)
    counted = Q(imported__isnull=False) | seats
    own = {"aspect": OuterRef("pk"), "generation__excluded_at": None}
    known = {"generation__isnull": False, "value__isnull": False}
    ratings = Annotation.objects.filter(counted, **known, **own)
    means = ImportedMean.objects.filter(**own)
    return aspects.filter(Exists(ratings) | Exists(means))


def n_informed(*, study: Study) -> int:
    """How many valid pages are left out because their raters were informed."""
    valid = Seat.objects.filter(survey__study=study, state=Seat.State.VALID)
    return valid.filter(informed=True).count()


def stamp(*, study: Study) -> str:
    """Tell whether ratings changed: equal stamps, equal scores. Four small queries.

    Ratings count from their verdict or their import on and are never edited after, so
    no answer that a worker saves changes the stamp. A text that is excluded later has
    the newest time of all, and one that is included again is missing in the number.
    """
    seats = Seat.objects.filter(survey__study=study)
    excluded = study.generations.exclude(excluded_at=None)
    last = excluded.aggregate(at=Max("excluded_at"))["at"]
    found = [
        *_verdicts(study),
        *Import.objects.filter(study=study).aggregate(Max("pk"), Count("pk")).values(),
        seats.filter(state=Seat.State.VALID, informed=False).count(),
        excluded.count(),
        last and last.timestamp(),
    ]
    return "-".join(str(number or 0) for number in found)


def _verdicts(study: Study) -> tuple[int | None, int | None]:
    """The last one, and how many. One query, of indexes alone.

    Each verdict is by a policy of its study. To go by the seats would read all of them.
    """
    theirs = Verdict.objects.filter(policy__study=study)
    last = theirs.order_by("-pk").values("pk")[:1]
    counted = theirs.order_by().values("policy__study").annotate(n=Count("pk"))
    one = Study.objects.filter(pk=study.pk).order_by()
    found: tuple[int | None, int | None] = one.values_list(
        Subquery(last), Subquery(counted.values("n"))
    ).get()
    return found


def _ids(rows: Iterable[tuple[Any, ...]]) -> np.ndarray:
    return np.array(sorted({row[0] for row in rows}), dtype=np.int64)
