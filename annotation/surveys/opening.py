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
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Max, Sum
from django.db.models.functions import Length
from django.utils import timezone

from annotation.models import Item, Negative, Opening, Pair, Place, Study, Survey
from annotation.studies.settings import SETTINGS
from annotation.surveys import drawing, parts, planning
from annotation.surveys.planning import Draw, TransitionError
from evalapp import planner
from evalapp.work import heartbeats, leases, retries
from evalapp.work.dispatch import wake_on_commit
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


def cancel(*, study: Study, now: datetime | None = None) -> None:
    """Leave the study as it was. What is drawn already goes with the next `tidy`."""
    rows = Opening.objects.filter(study=study)
    leases.cancel(rows, now=now or timezone.now())


class Progress(NamedTuple):
    """How far the opening is."""

    row: Opening
    seconds_left: float | None
    no_worker: bool

    @property
    def minutes_left(self) -> int | None:
        """Rounded up."""
        return None if self.seconds_left is None else 1 + int(self.seconds_left // 60)


def progress(*, study: Study, now: datetime) -> Progress | None:
    """Of the opening that is under way, or whose failure nobody has cured yet."""
    row = Opening.objects.filter(study=study).first()
    failed = row is not None and row.state == Opening.State.FAILED
    if row is None or (row.ended and not failed) or study.state == Study.State.OPEN:
        return None
    no_worker = not row.ended and not heartbeats.alive(now=now, queue=row.queue)
    return Progress(row, _seconds_left(row, now), no_worker)


def work(*, opening_id: int, owner: str, clock: Clock = timezone.now) -> None:
    """Open the study if that waits. What goes wrong is written in the row."""
    rows = Opening.objects.select_related("study", "user")
    now = clock()
    row = leases.take(rows, pk=opening_id, owner=owner, now=now, started_at=now)
    if row is None:
        return
    retries.attempt(row, partial(_open, clock), clock=clock, final=(TransitionError,))
    tidy(now=clock())


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


def _seconds_left(row: Opening, now: datetime) -> float | None:
    if not row.done or not row.total or row.started_at is None:
        return None
    return (now - row.started_at).total_seconds() * (row.total - row.done) / row.done


# A worker's part ----------------------------------------------------------------------


def _open(clock: Clock, row: Opening) -> None:
    study, hold = row.study, partial(Report(row, clock).renew, at_once=True)
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
