"""Open a study: a small one at once, a large one by a worker, in pieces.

100,000 texts take minutes to draw, longer than a proxy or a reader waits. The study
stays what it was until the last piece stands: workers never meet half of its pages.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from itertools import count, islice
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Max, QuerySet, Sum
from django.db.models.functions import Length
from django.utils import timezone

from annotation.models import Item, Negative, Opening, Pair, Place, Study, Survey
from annotation.studies.settings import SETTINGS
from annotation.surveys import drawing, parts, planning
from annotation.surveys.planning import Draw, TransitionError
from evalapp import planner
from evalapp.work import leases, retries
from evalapp.work.dispatch import wake_on_commit
from evalapp.work.kinds import Work
from evalapp.work.progress import Progress
from evalapp.work.retries import Clock, Report

# What is drawn while the researcher waits: about half a second at the most.
MAX_TEXTS = 300
MAX_CHARACTERS = 200_000
MAX_PLACES = 3_000

# Others cannot write to SQLite while a piece is written: a tenth of a second.
PIECE = 100  # pages

WRITTEN = (Survey, Negative, Pair, Item, Place)

PIECES_TIDIED = 20  # at a time: the pulse of a worker has other things to do


def start_opening(
    *, study: Study, user: User | None = None, now: datetime | None = None
) -> Opening | None:
    """Open the study; None where that is done. Else a worker has been asked to do it.

    Raises:
        TransitionError: As `open_study` does.
    """
    now = timezone.now() if now is None else now
    study.refresh_from_db()
    drawing.refuse_unless_possible(study)
    if drawing.is_being_opened(study):
        return study.opening
    if study.state == Study.State.OPEN or _is_small(study):
        drawing.open_study(study=study, user=user, now=now)
        planner.look_at(*WRITTEN)
        return None
    return _ask(study, user)


def progress(*, study: Study) -> Progress | None:
    """Of the opening that is under way, or whose failure nobody has cured yet."""
    over = (Opening.State.DONE, Opening.State.CANCELLED)
    row = Opening.objects.filter(study=study).exclude(state__in=over).first()
    if row is None or study.state == Study.State.OPEN:
        return None
    return OPENINGS.progress(row)


class OpeningWork(Work[Opening, Opening]):
    """Open a study. Cancelled, it stays as it was: pages go with the next `tidy`."""

    name = "openings"
    model = Opening
    related = ("study", "user")
    final = (TransitionError,)
    counted = ("done", "total")
    since = "started_at"
    refusals = (TransitionError,)

    def columns(self, now: datetime) -> dict[str, Any]:
        return {"started_at": now}

    def run(self, row: Opening, report: Report) -> None:
        _open(report.clock, row, partial(report.renew, at_once=True))

    def end(self, row: Opening, error: Exception | None, clock: Clock) -> None:
        tidy(now=clock())

    def words(self, job: Opening) -> str:
        return f"Drawing the pages of {job.study}"

    def jobs(self, *, study: Any, user: Any) -> QuerySet[Opening]:
        return Opening.objects.filter(study=study).select_related("study")

    def retry(self, job: Opening, *, user: Any = None) -> None:
        drawing.refuse_unless_possible(job.study)
        self._queue_again(job, user=user, total=0, started_at=None)


OPENINGS = OpeningWork()


def tidy(*, now: datetime) -> None:
    """Remove the pages of openings that failed or were cancelled. Safe to do twice."""
    given_up = Opening.State.FAILED, Opening.State.CANCELLED
    rows = Opening.objects.filter(state__in=given_up)
    for row in rows.filter(done__gt=0).select_related("study"):
        # Locked, so that a new request to open the study waits for this piece.
        same = rows.select_for_update().filter(pk=row.pk)
        with suppress(Opening.DoesNotExist):  # someone has asked once more
            _clear(row, row.first, same.get, most=PIECES_TIDIED)


# Asking -------------------------------------------------------------------------------


def _is_small(study: Study) -> bool:
    """Whether it is fast enough to wait for."""
    texts = study.generations.filter(excluded_at=None)
    found = texts.aggregate(n=Count("pk"), characters=Sum(Length("text")))
    if found["n"] <= MAX_TEXTS and (found["characters"] or 0) <= MAX_CHARACTERS:
        return True
    if planning.undrawn(study).exists() or drawing.needs_drawing(study):
        return False
    wanted = study.surveys.count() * (study.ratings_per_text + study.spare_seats)
    return wanted - Place.objects.filter(study=study).count() <= MAX_PLACES


def _ask(study: Study, user: User | None) -> Opening:
    with transaction.atomic():
        row, is_new = Opening.objects.get_or_create(
            study=study, defaults={"user": user}
        )
        ended = Opening.objects.filter(pk=row.pk, state__in=Opening.ENDED)
        begun = {**leases.QUEUED, "attempt": 0, "error": "", "started_at": None}
        if ended.update(user=user, total=0, **begun) or is_new:
            wake_on_commit(Opening, [row.pk])
    row.refresh_from_db()
    return row


# A worker's part ----------------------------------------------------------------------


def _open(clock: Clock, row: Opening, hold: Callable[..., object]) -> None:
    study = row.study
    drawing.refuse_unless_possible(study)
    seated = drawing.seats(study).exists()
    first = _first(row, seated)
    hold(first=first)
    _clear(row, first, hold)  # what a worker that died has left behind
    made_of = _made_of(study)
    draw = planning.new_draw(study) if seated else planning.whole_draw(study)
    hold(total=len(draw.pages))
    with transaction.atomic():
        hold()
        # A draw that workers have begun on is kept at once, so that no text is drawn
        # from twice. Any other is stored last, so that none stays if this is cancelled.
        parts.store(study=study, part=draw.part if seated else None, replace=not seated)
    _write(study, draw, hold)
    for number in range(1, first, PIECE):  # of surveys that stood there before
        with transaction.atomic():
            hold()
            some = study.surveys.filter(number__range=(number, number + PIECE - 1))
            drawing.add_places(study, some.filter(number__lt=first))
    with transaction.atomic():
        if not leases.finish(row, now=clock()):
            raise retries.Lost
        drawing.moved(study, Study.State.OPEN, row.user, clock())
        if _made_of(study) != made_of:
            raise TransitionError(
                "Texts or settings changed while the pages were being prepared, so the"
                " study was not opened. Open it again."
            )
        if not seated:
            parts.store(study=study, part=draw.part, replace=True)
        drawing.free_places(study)
    planner.look_at(*WRITTEN)


def _first(row: Opening, seated: bool) -> int:
    """The number of the first page to draw: all that stand behind it are removed."""
    if not seated:
        return 1
    return row.first if row.done else planning.next_number(row.study)


def _write(study: Study, draw: Draw, hold: Callable[..., object]) -> None:
    done, plan = 0, planning.chosen(study, draw)
    while piece := list(islice(plan, PIECE)):
        with transaction.atomic():
            hold(done=done + len(piece))  # first: losing the row waits here
            drawn = drawing.add_surveys(study, piece, draw.first + done, draw.first)
            drawing.add_places(study, drawn)
        done += len(piece)


def _clear(
    row: Opening, first: int, hold: Callable[[], object], most: int | None = None
) -> None:
    """Remove the pages from `first` on, piece by piece; at most `most` pieces."""
    pages = row.study.surveys.filter(number__gte=first, seats=None).order_by("-number")
    for _ in range(most) if most else count():
        with transaction.atomic():
            hold()
            some = list(pages.values_list("pk", flat=True)[:PIECE])
            Survey.objects.filter(pk__in=some).delete()
            if len(some) < PIECE:
                Opening.objects.filter(pk=row.pk).update(done=0)
                return


def _made_of(study: Study) -> tuple[object, ...]:
    """Changes with whatever pages are drawn from."""
    texts = study.generations.filter(excluded_at=None)
    found = texts.aggregate(n=Count("pk"), last=Max("pk"), sum=Sum("pk"))
    drawn_from = (setting.name for setting in SETTINGS.values() if setting.draws)
    return (
        *found.values(),
        *Study.objects.values_list("seed", *drawn_from).get(pk=study.pk),
        *study.aspects.values_list("key", flat=True),
        *study.current_policy().damages,
    )
