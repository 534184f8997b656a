"""How many pages are left for a worker: exactly, or as it was a few seconds ago."""

from __future__ import annotations

import time
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.db.models import QuerySet

from annotation import assigning
from annotation.models import Place, Seat, Study, Worker
from evalapp.statements import Statement

# Nobody counts further, and the database need not either.
MANY_PAGES = 50

FRESH = 5  # seconds
MOST_ROWS = 1000  # of a study that are looked at in advance
MOST_STUDIES = 64


_PAGES = Statement(
    lambda worker_pk: (
        Seat.objects.filter(worker=worker_pk)
        .order_by()
        .values_list("survey_id", "state")
    ),
    Worker._meta.get_field("id"),
)


class Own(NamedTuple):
    """A worker's pages. One query."""

    done: int
    rated: frozenset[int]  # surveys that cannot come again

    @classmethod
    def of(cls, worker: Worker) -> Own:
        rows = _PAGES.rows(worker.pk)
        return cls(
            sum(state in Seat.FINISHED for _, state in rows),
            frozenset(one for one, state in rows if state != Seat.State.EXPIRED),
        )


def pages_done(worker: Worker | None) -> int:
    return worker.seats.filter(state__in=Seat.FINISHED).count() if worker else 0


def pages_left(
    study: Study, worker: Worker | None, now: datetime, besides: Seat | None = None
) -> int:
    """How many pages the worker could still get now; MANY_PAGES stands for more, too.

    Args:
        study: The worker's.
        worker: None for someone who is new.
        now: Leases that have lapsed by then count as open.
        besides: The page that they are at, which is not counted.
    """
    if study.state != Study.State.OPEN:
        return 0
    most = _most(study, pages_done(worker) if study.max_pages else 0, besides)
    someone = worker or _newcomer(study)
    places = assigning.open_places(someone, now)
    if besides:
        places = places.exclude(survey=besides.survey_id)
    surveys = _surveys(places, most * (study.ratings_per_text + study.spare_seats))
    if not surveys and most and assigning.could_begin(someone, now):
        return 1
    return min(len(surveys), most)


def about_left(study: Study, own: Own, now: datetime, besides: Seat) -> int:
    """As `pages_left`, for a page that shows it: no query where it was asked just now.

    What someone can still do is never decided by it.
    """
    if study.state != Study.State.OPEN:
        return 0
    most = _most(study, own.done, besides)
    found, is_all = _open_surveys(study, now)
    left = len(found - own.rated - {besides.survey_id})
    if left >= most or (left and is_all):
        return min(left, most)
    return pages_left(study, besides.worker, now, besides)


def forget() -> None:
    """Look again at the next question."""
    _kept.clear()


def _most(study: Study, done: int, besides: Seat | None) -> int:
    if not study.max_pages:
        return MANY_PAGES
    return min(MANY_PAGES, max(0, study.max_pages - done - (besides is not None)))


def _newcomer(study: Study) -> Worker:
    return Worker(pk=0, study=study)  # nobody has this id, or has rated anything


# Kept for a moment --------------------------------------------------------------------

_kept: dict[UUID, tuple[float, frozenset[int], bool]] = {}


def _open_surveys(study: Study, now: datetime) -> tuple[frozenset[int], bool]:
    """Surveys that are open to someone new, and whether these are all."""
    clock = time.monotonic()
    then, found, is_all = _kept.get(study.public_id, (-FRESH, frozenset(), False))
    if clock - then < FRESH:
        return found, is_all
    if len(_kept) >= MOST_STUDIES:
        _kept.clear()
    places = assigning.open_places(_newcomer(study), now)
    rows = list(places.values_list("survey", flat=True)[:MOST_ROWS])
    kept = frozenset(rows), len(rows) < MOST_ROWS
    _kept[study.public_id] = (clock, *kept)
    return kept


def _surveys(places: QuerySet[Place], rows: int) -> set[int]:
    # Told apart here: asked for distinct surveys, a database reads every place, filled
    # ones too, instead of the short index of open ones.
    return set(places.values_list("survey", flat=True)[:rows])
