"""Seats: which survey a worker rates next, and for how long it is kept for them.

Two rules make every verb here and in `answering` exact under any load. Whatever one
worker does happens in turn, behind the lock on their own row. And locks are taken in
one order: worker, then places by (number, shuffle, id), then seats; so nobody waits in
a circle. PostgreSQL locks the rows; SQLite ignores `select_for_update`, and its
IMMEDIATE transactions come one after the other anyway.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import numpy as np
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import Annotation, Item, Place, Seat, Study, Worker


def claim(
    *, worker: Worker, now: datetime, rng: np.random.Generator | None = None
) -> Seat | None:
    """Give the worker a page to rate; None if no survey is left for them.

    1. Who is at a page, or left one half done that still has room, gets that one.
    2. Otherwise the lowest place number that is open in a survey that they have not
       rated. A lapsed lease is an open place: its seat becomes expired.

    Args:
        worker: Who asks. Never gets the same survey twice.
        now: Start of the lease of `study.lease_minutes`.
        rng: Shuffles the texts on the page; a fresh generator if None.
    """
    if seat := resume(worker=worker, now=now):
        return seat
    rng = np.random.default_rng() if rng is None else rng
    seat = _claim(worker=worker, now=now, rng=rng, wait=False)
    if seat is None and connection.features.has_select_for_update_skip_locked:
        # The last open places may have been locked just now by someone who then let
        # go of them. "Nothing left" is only said after waiting for those.
        seat = _claim(worker=worker, now=now, rng=rng, wait=True)
    return seat


def resume(*, worker: Worker, now: datetime) -> Seat | None:
    """The page that the worker is at, or left with answers and can still finish.

    Writes nothing while the lease runs. An expired seat moves to a place of its survey
    that is open, if there is one and the study is not closed.
    """
    answered = Exists(Annotation.objects.filter(seat=OuterRef("pk")))
    begun = worker.seats.select_related("place").filter(
        Q(state=Seat.State.CLAIMED) | Q(answered, state=Seat.State.EXPIRED)
    )
    # "claimed" sorts before "expired"; of several expired ones the newest comes first.
    for seat in begun.order_by("state", "-pk"):
        if seat.state == Seat.State.CLAIMED and not seat.place.is_open(now):
            return seat
        if kept := keep(seat=seat, now=now):
            return kept
    return None


def keep(*, seat: Seat, now: datetime) -> Seat | None:
    """Renew the seat's lease, or give an expired seat a place again; None if it can't.

    An expired seat stays so if its survey is full, the study is closed, or the worker
    has sat down elsewhere since.
    """
    with transaction.atomic():
        seat, places = lock_survey(seat)
        if seat.state in Seat.FINISHED or not _may_sit(seat):
            return None
        place = place_for(seat, places, now)
        if place is None:
            return None
        hold(seat, place, now)
    return seat


def renew(*, seat: Seat, now: datetime) -> bool:
    """Prolong a claimed seat's lease; False if the seat is not claimed any more."""
    with transaction.atomic():
        seat, place = lock_seat(seat)
        if claimed := seat.state == Seat.State.CLAIMED:
            hold(seat, place, now)
    return claimed


def expire(*, study: Study, now: datetime) -> int:
    """Free the places whose lease has lapsed; return how many.

    `claim` does not need it. It makes seats tell the truth where nobody claims.
    """
    with transaction.atomic():
        # A locked place is being renewed, filled or taken over at this moment.
        lapsed = list(
            study.places.filter(lease_until__lt=now)
            .select_for_update(skip_locked=True, no_key=True, of=("self",))
            .order_by("number", "shuffle", "pk")
            .values_list("pk", flat=True)
        )
        held = Seat.objects.filter(place__in=lapsed, state=Seat.State.CLAIMED)
        held.update(state=Seat.State.EXPIRED)
        return Place.objects.filter(pk__in=lapsed).update(free=True, lease_until=None)


# Inside a transaction -----------------------------------------------------------------


def lock_seat(seat: Seat) -> tuple[Seat, Place]:
    """Lock the seat's worker and place; return both as they now are."""
    worker = _lock_worker(seat.worker_id)
    # Only its own worker moves a seat, so the place cannot change from here on.
    place_id = Seat.objects.values_list("place_id", flat=True).get(pk=seat.pk)
    place = Place.objects.select_for_update(no_key=True).get(pk=place_id)
    return _read(seat, worker), place


def lock_survey(seat: Seat) -> tuple[Seat, list[Place]]:
    """Lock the seat's worker and all places of its survey; return all as they now are.

    All of them at once and in order: who has lost a place may need another.
    """
    worker = _lock_worker(seat.worker_id)
    places = Place.objects.filter(survey=seat.survey_id).order_by("number")
    locked = list(places.select_for_update(no_key=True))
    return _read(seat, worker), locked


def place_for(seat: Seat, places: Sequence[Place], now: datetime) -> Place | None:
    """The seat's own place while it is live, else one of these that is open."""
    if seat.state in Seat.LIVE:
        return next(place for place in places if place.pk == seat.place_id)
    wanted = places[: seat.worker.study.ratings_per_text]
    return next((place for place in wanted if place.is_open(now)), None)


def hold(seat: Seat, place: Place, now: datetime) -> None:
    """Keep the place for the seat until a new lease ends."""
    move(seat, place, Seat.State.CLAIMED)
    minutes = seat.worker.study.lease_minutes
    place.free, place.lease_until = False, now + timedelta(minutes=minutes)
    place.save(update_fields=["free", "lease_until"])


def fill(seat: Seat, place: Place) -> None:
    """Give the place to a valid seat for good."""
    move(seat, place, Seat.State.VALID)
    place.free, place.lease_until = False, None
    place.save(update_fields=["free", "lease_until"])


def free(place: Place) -> None:
    """Open the place for somebody else at once."""
    place.free, place.lease_until = True, None
    place.save(update_fields=["free", "lease_until"])


def move(seat: Seat, place: Place, state: str) -> None:
    """Seat it at the place, which whoever sat there with a lapsed lease loses."""
    if seat.pk is not None and (seat.place_id, seat.state) == (place.pk, state):
        return
    if not place.free:
        rivals = Seat.objects.filter(place=place, state=Seat.State.CLAIMED)
        rivals.exclude(pk=seat.pk).update(state=Seat.State.EXPIRED)
    seat.place, seat.state = place, state
    seat.save()


def _claim(
    *, worker: Worker, now: datetime, rng: np.random.Generator, wait: bool
) -> Seat | None:
    with transaction.atomic():
        worker = _lock_worker(worker.pk)
        at = worker.seats.filter(state=Seat.State.CLAIMED).first()
        if at or worker.study.state != Study.State.OPEN:
            return at  # the other tab was faster
        found = open_places(worker, now).select_for_update(
            skip_locked=not wait, no_key=True, of=("self",)
        )
        place = found.first()
        if place is None:
            return None
        seat = _seat_in(place.survey_id, worker, now, rng)
        hold(seat, place, now)
    return seat


def open_places(worker: Worker, now: datetime) -> QuerySet[Place]:
    """Places that the worker may take, lowest number first.

    A survey that they left without an answer and lost is among them: else nobody could
    finish a study whose every worker has once closed a page.
    """
    rated = Seat.objects.filter(survey=OuterRef("survey"), worker=worker).exclude(
        state=Seat.State.EXPIRED
    )
    return Place.objects.filter(
        # Says nothing new, but in the words of the index that this is to be read from.
        Q(free=True) | Q(lease_until__isnull=False),
        Q(free=True) | Q(lease_until__lt=now),
        ~Exists(rated),
        study=worker.study_id,
        # A study that asks for fewer ratings than it did has places beyond.
        number__lte=worker.study.ratings_per_text,
    ).order_by("number", "shuffle", "pk")


def _seat_in(
    survey_id: int, worker: Worker, now: datetime, rng: np.random.Generator
) -> Seat:
    """The worker's expired seat in the survey, or a new one with a page of its own."""
    seat = worker.seats.filter(survey=survey_id).first()
    if seat is None:
        items = Item.objects.filter(survey=survey_id).values_list("pk", flat=True)
        order = rng.permutation(list(items)).tolist()
        seat = Seat(survey_id=survey_id, order=order, claimed_at=now)
    seat.worker = worker
    return seat


def _lock_worker(pk: int) -> Worker:
    workers = Worker.objects.select_related("study")
    return workers.select_for_update(no_key=True, of=("self",)).get(pk=pk)


def _read(seat: Seat, worker: Worker) -> Seat:
    """The seat as it is now that nobody else can change it."""
    found = Seat.objects.get(pk=seat.pk)
    found.worker = worker
    return found


def _may_sit(seat: Seat) -> bool:
    """Whether the seat is claimed or may be again: a worker holds one page at once."""
    if seat.state == Seat.State.CLAIMED:
        return True
    elsewhere = Seat.objects.filter(worker=seat.worker_id, state=Seat.State.CLAIMED)
    return seat.worker.study.state != Study.State.CLOSED and not elsewhere.exists()
