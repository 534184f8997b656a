"""Seats: which survey a worker rates next, and for how long it is kept for them.

Two rules make every verb here and in `answering` exact under any load. Whatever one
worker does happens in turn, behind the lock on their own row. And locks are taken in
one order: the study for a newcomer's claim, worker, then places by id, then seats; who
claims waits for one place at most. So nobody waits in a circle. PostgreSQL locks the
rows; SQLite ignores `select_for_update`, and its IMMEDIATE transactions come one after
the other anyway.

Of the numbers of a survey's places, 1 to `ratings_per_text` count and so many filled
ones come first; the `study.spare_seats` after them are spare. Places exchange their
numbers, people never change their place: see `placing.count_in`.
"""

from __future__ import annotations

from datetime import datetime

import numpy as np
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation import page_kinds
from annotation.models import (
    Item,
    Place,
    Seat,
    Study,
    Worker,
)
from annotation.page_kinds import answer_rows
from annotation.page_kinds import items as page_items
from annotation.seats import newcomers, placing
from evalapp.statements import Statement


def claim(
    *,
    worker: Worker,
    now: datetime,
    rng: np.random.Generator | None = None,
    source: str = "",
) -> Seat | None:
    """Give the worker a page to rate; None if no survey is left for them.

    1. Who is at a page, or left one half done that still has room, gets that one.
    2. Otherwise the lowest place number that is open in a survey that they have not
       rated: where the fewest ratings are valid or being given. Where a study goes
       through its prompts one by one, an open place of the first prompt that has one
       for them. A lapsed lease is an open place: its seat becomes expired.

    Args:
        worker: Who asks. Never gets the same survey twice, nor more pages than
            `study.max_pages`, nor any unless active, nor any after the debriefing.
        now: Start of the lease of `study.lease_minutes`.
        rng: Shuffles the texts on the page; a fresh generator if None.
        source: Keyed hash of the worker's address; "" if the worker is exempt from the
            limit on newcomers from one address.

    Raises:
        newcomers.TooMany: If newcomers from this address hold all that they may.
    """
    if seat := resume(worker=worker, now=now, source=source):
        return seat
    rng = np.random.default_rng() if rng is None else rng
    bound = source if source and newcomers.is_one(worker) else ""
    seat = _claim(worker, now, rng, bound, wait=False)
    tries = 0
    # A spare place, or one that was locked just now by someone who may yet let go of
    # it: "nothing left" is only said after waiting for those.
    while seat is None and tries < MOST_TRIES and _may_find(worker, source, now):
        seat = _claim(worker, now, rng, bound, wait=True)
        tries += 1
    return seat


# Others may take what was found or made open. It seldom happens twice.
MOST_TRIES = 10


def _may_find(worker: Worker, source: str, now: datetime) -> bool:
    """Whether a place is open for the worker, or has just been made so."""
    if open_places(worker, now).exists():
        return True
    if worker.study.state != Study.State.OPEN or not may_have_more(worker):
        return False
    return newcomers.make_room(worker=worker, source=source, now=now)


def could_begin(worker: Worker, now: datetime) -> bool:
    """Whether a claim would find something where no place is open. Writes nothing."""
    if not may_have_more(worker):
        return False
    return newcomers.yielding(worker=worker, source="", now=now) is not None


def resume(*, worker: Worker, now: datetime, source: str = "") -> Seat | None:
    """The page that the worker is at, or left with answers and can still finish.

    Writes nothing while the lease runs. An expired seat moves to a place of its survey
    that is open, if there is one and the study is not closed.
    """
    own = {"seat": OuterRef("pk")}
    answered = answer_rows.exist(**own)
    begun = worker.seats.select_related("place").filter(
        Q(state=Seat.State.CLAIMED) | Q(answered, state=Seat.State.EXPIRED),
        worker__state=Worker.State.ACTIVE,
        worker__debriefed_at=None,
    )
    # "claimed" sorts before "expired"; of several expired ones the newest comes first.
    for seat in begun.order_by("state", "-pk"):
        if seat.state == Seat.State.CLAIMED and not seat.place.is_open(now):
            return seat
        if kept := keep(seat=seat, now=now, source=source):
            return kept
    return None


def keep(*, seat: Seat, now: datetime, source: str = "") -> Seat | None:
    """Renew the seat's lease, or give an expired seat a place again; None if it can't.

    An expired seat stays so if its survey is full, the study is closed, the worker has
    sat down elsewhere since, or may have no more pages; a newcomer's also if those from
    their address hold all that they may.
    """
    bound = source if source and newcomers.is_one(seat.worker) else ""
    with transaction.atomic():
        if bound:
            newcomers.take_turns(seat.worker.study_id)
        seat, places = lock_survey(seat)
        if seat.state in Seat.FINISHED or not _may_sit(seat):
            return None
        place = placing.place_for(seat, places, now)
        if place is None:
            return None
        # A lapsed lease is not counted among those that the address holds.
        if bound and place.is_open(now) and _is_crowded(seat, bound, now):
            return None
        placing.hold(seat, place, now, bound)
    return seat


def _is_crowded(seat: Seat, source: str, now: datetime) -> bool:
    try:
        newcomers.refuse_if_crowded(study=seat.worker.study, source=source, now=now)
    except newcomers.TooMany:
        return True
    return False


def renew(*, seat: Seat, now: datetime) -> bool:
    """Prolong a claimed seat's lease; False if the seat is not claimed any more."""
    with transaction.atomic():
        seat, place = lock_seat(seat)
        if claimed := seat.state == Seat.State.CLAIMED:
            placing.hold(seat, place, now)
    return claimed


# Inside a transaction -----------------------------------------------------------------

_SEAT_ID = Seat._meta.get_field("id")
_SEAT = Statement(lambda pk: Seat.objects.filter(pk=pk), _SEAT_ID)
_LOCKED_WORKER = Statement(
    lambda pk: Worker.objects.select_for_update(no_key=True).filter(pk=pk),
    Worker._meta.get_field("id"),
)
_LOCKED_PLACE = Statement(
    lambda seat_pk: Place.objects.select_for_update(no_key=True).filter(
        pk__in=Seat.objects.filter(pk=seat_pk).values("place_id")
    ),
    _SEAT_ID,
)


def lock_seat(seat: Seat) -> tuple[Seat, Place]:
    """Lock the seat's worker and place; return both as they now are.

    The study is the one that the seat came with, if it came with one.
    """
    worker = _LOCKED_WORKER.get(seat.worker_id)
    if Seat.worker.is_cached(seat) and Worker.study.is_cached(seat.worker):
        worker.study = seat.worker.study
    # Only its own worker moves a seat, so the place cannot change from here on.
    place = _LOCKED_PLACE.get(seat.pk)
    return _read(seat, worker), place


def lock_survey(seat: Seat, *, with_earlier: bool = False) -> tuple[Seat, list[Place]]:
    """Lock the seat's worker and all places of its survey; return all as they now are.

    They are locked together and in order, because a worker who lost a place may need
    another one. `with_earlier` also locks the places of all surveys that the worker
    has rated before.
    """
    worker = _lock_worker(seat.worker_id)
    surveys = {seat.survey_id}
    if with_earlier:
        surveys |= set(worker.seats.values_list("survey", flat=True))
    # Locked by id, because numbers may be exchanged while we wait; sorted by number.
    places = Place.objects.filter(survey__in=surveys).order_by("pk")
    found = list(places.select_for_update(no_key=True))
    locked = [place for place in found if place.survey_id == seat.survey_id]
    locked.sort(key=lambda place: place.number)
    return _read(seat, worker), locked


def _claim(
    worker: Worker, now: datetime, rng: np.random.Generator, bound: str, *, wait: bool
) -> Seat | None:
    with transaction.atomic():
        if bound:
            newcomers.take_turns(worker.study_id)
        worker = _lock_worker(worker.pk)
        if not worker.takes_part:
            return None
        at = worker.seats.filter(state=Seat.State.CLAIMED).first()
        if at or worker.study.state != Study.State.OPEN:
            return at  # the other tab was faster
        if bound:
            newcomers.refuse_if_crowded(study=worker.study, source=bound, now=now)
        place = (_next_place if wait else _unlocked_place)(worker, now)
        if place is None:
            return None
        seat = _seat_in(place, worker, now, rng)
        lease = newcomers.lease(place.survey, worker.study) if bound else None
        placing.hold(seat, place, now, bound, lease)
    return seat


def _unlocked_place(worker: Worker, now: datetime) -> Place | None:
    """Lock the first place that counts and that nobody else is locking."""
    # While one of those is locked, no spare place is needed.
    found = open_places(worker, now).filter(number__lte=worker.study.ratings_per_text)
    locking = found.select_for_update(skip_locked=True, no_key=True, of=("self",))
    return locking.first()


def _next_place(worker: Worker, now: datetime) -> Place | None:
    """Wait for the lock of the first open place, and of the next if that was taken.

    Places that count come first: where prompts are collected one by one, the spare
    place of an earlier prompt stands before those that count of a later one.
    """
    found = open_places(worker, now)
    counts = found.filter(number__lte=worker.study.ratings_per_text)
    while (place := counts.first() or found.first()) is not None:
        with transaction.atomic():
            locked = Place.objects.select_for_update(no_key=True).get(pk=place.pk)
            # A statement of its own: it sees what happened while we waited.
            if found.filter(pk=place.pk).exists():
                return locked
            # Lets go of the lock. Two of them could make others wait in a circle.
            transaction.set_rollback(True)
    return None


def may_have_more(worker: Worker) -> bool:
    """Whether the worker may start another page, if there is one. One query at most."""
    if not worker.takes_part:
        return False
    if worker.study.max_pages is None:
        return True
    counted = Q(state=Seat.State.CLAIMED) | Q(state__in=Seat.FINISHED)
    return worker.seats.filter(counted).count() < worker.study.max_pages


def open_places(worker: Worker, now: datetime) -> QuerySet[Place]:
    """Places that the worker may take: lowest number first, so that all surveys fill
    evenly, or those of one prompt after the other where the study asks for that.

    A survey that they left without an answer and lost is among them: else nobody could
    finish a study whose every worker has once closed a page. A survey whose every text
    is excluded is not. A spare place is open while another is claimed but not filled.
    """
    study = worker.study
    found = _unfilled(worker).filter(Q(free=True) | Q(lease_until__lt=now))
    if study.spare_seats:
        counts = Q(number__lte=study.ratings_per_text)
        claimed = study.places.filter(counts, UNFILLED, lease_until__isnull=False)
        # In this order: the surveys are only looked up once no other place is open.
        found = found.filter(counts | Q(survey__in=claimed.values("survey")))
    prompt_first = ("shuffle", "number")  # places of a prompt share their shuffle
    order = prompt_first if study.one_by_one else ("number", "shuffle")
    return found.order_by("part", *order, "pk")


def has_nothing_left(worker: Worker) -> bool:
    """Whether no page of the study can come to the worker any more.

    While others only hold the rest, or the study is paused, one still can.
    """
    if worker.study.state == Study.State.CLOSED or not worker.takes_part:
        return True
    at = worker.seats.filter(state=Seat.State.CLAIMED)
    counts = _unfilled(worker).filter(number__lte=worker.study.ratings_per_text)
    return not at.exists() and not counts.exists()


# What index `next_open_place` holds. A query says it in these words to be read from it.
UNFILLED = Q(free=True) | Q(lease_until__isnull=False)


def _unfilled(worker: Worker) -> QuerySet[Place]:
    """Places, open or held by others, in surveys that the worker has not rated."""
    if not may_have_more(worker):
        return Place.objects.none()
    here = {"survey": OuterRef("survey")}
    rated = Seat.objects.filter(**here, worker=worker).exclude(state=Seat.State.EXPIRED)
    study = worker.study
    return Place.objects.filter(
        UNFILLED,
        ~Exists(rated),
        Exists(Item.objects.filter(page_items.shown(), page_items.counted(), **here)),
        study=study,
        # A study that asks for fewer ratings than it did has places beyond.
        number__lte=study.ratings_per_text + study.spare_seats,
    )


def _seat_in(
    place: Place, worker: Worker, now: datetime, rng: np.random.Generator
) -> Seat:
    """The worker's expired seat in the survey, or a new one with a page of its own.

    A page stays as it was first shown, whatever is excluded since: answers that are
    still on their way name their texts by position.
    """
    seat = worker.seats.filter(survey=place.survey_id).first()
    if seat is None:
        seat = _new_seat(place, worker.study, now, rng)
    seat.worker = worker
    return seat


def _new_seat(
    place: Place, study: Study, now: datetime, rng: np.random.Generator
) -> Seat:
    seat = Seat(survey_id=place.survey_id, claimed_at=now)
    items = Item.objects.filter(page_items.shown(), survey=place.survey_id)
    alone = len(study.page_kinds) == 1  # then no query says which kind it is
    kind = study.page_kinds[0] if alone else place.survey.kind
    page_kinds.get(kind).seating.arrange(seat, items, place, rng)
    return seat


def _lock_worker(pk: int) -> Worker:
    workers = Worker.objects.select_related("study")
    return workers.select_for_update(no_key=True, of=("self",)).get(pk=pk)


def _read(seat: Seat, worker: Worker) -> Seat:
    """The seat as it is now that nobody else can change it."""
    found = _SEAT.get(seat.pk)
    found.worker = worker
    return found


def may_count(seat: Seat) -> bool:
    """Whether the page may fill a place. One that came too late is like a new one."""
    if seat.state == Seat.State.CLAIMED:
        return seat.worker.takes_part
    closed = seat.worker.study.state == Study.State.CLOSED
    return not closed and may_have_more(seat.worker)


def _may_sit(seat: Seat) -> bool:
    """Whether the seat is claimed or may be again: a worker holds one page at once."""
    elsewhere = Seat.objects.filter(worker=seat.worker_id, state=Seat.State.CLAIMED)
    return may_count(seat) and not elsewhere.exclude(pk=seat.pk).exists()
