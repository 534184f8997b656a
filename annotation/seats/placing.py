"""A place and who sits there: held, filled, free. All of it inside a transaction.

The caller has locked the place, or all places of its survey where they are submitted.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from annotation.models import Place, Seat, Study

OPEN = {"free": True, "lease_until": None, "source": ""}  # to update with


def place_for(seat: Seat, places: Sequence[Place], now: datetime) -> Place | None:
    """The seat's own place while it is live, else one of these that is open."""
    if seat.state in Seat.LIVE:
        return next(place for place in places if place.pk == seat.place_id)
    study = seat.worker.study
    last = study.ratings_per_text
    if any(place.lease_until for place in places if place.number <= last):
        last += study.spare_seats
    wanted = (place for place in places if place.number <= last)
    return next((place for place in wanted if place.is_open(now)), None)


def count_in(
    place: Place, places: Sequence[Place], study: Study, now: datetime
) -> bool:
    """Give the place the lowest number not yet filled; False if all that count are.

    A spare place takes the number of one that is open; failing that, of the one whose
    lease ends first: its worker continues, as the spare one. Filled places have the
    lowest numbers, so the lowest open one tells how many valid ratings a survey has.
    """
    last = study.ratings_per_text
    unfilled = [one for one in places if one.number <= last and not _is_filled(one)]
    if not unfilled:
        return False
    if place.number > last:
        # A free place has no lease to compare.
        _exchange(
            place,
            min(unfilled, key=lambda p: (not p.is_open(now), p.lease_until or now)),
        )
    _exchange(place, min([place, *unfilled], key=lambda p: p.number))
    return True


def hold(
    seat: Seat,
    place: Place,
    now: datetime,
    source: str | None = None,
    lease: timedelta | None = None,
) -> None:
    """Keep the place for the seat until a new lease ends.

    Args:
        seat: Whose.
        place: Its own, or an open one.
        now: Start of the lease.
        source: Of a newcomer, "" of others; None leaves it as it is.
        lease: `study.lease_minutes` if None.
    """
    move(seat, place, Seat.State.CLAIMED)
    lease = lease or timedelta(minutes=seat.worker.study.lease_minutes)
    place.free, place.lease_until = False, now + lease
    if source is not None:
        place.source = source
    place.save(update_fields=["free", "lease_until", "source"])


def fill(seat: Seat, place: Place) -> None:
    """Give the place to a valid seat permanently."""
    move(seat, place, Seat.State.VALID)
    place.free, place.lease_until, place.source = False, None, ""
    place.save(update_fields=["free", "lease_until", "source"])


def free(place: Place) -> None:
    """Open the place for someone else at once. If it is filled, lock its survey."""
    if _is_filled(place):
        places = Place.objects.filter(survey=place.survey_id, number__gt=place.number)
        filled = places.filter(free=False, lease_until=None, seats__state__in=Seat.LIVE)
        if last := filled.order_by("-number").first():
            _exchange(place, last)
    place.free, place.lease_until, place.source = True, None, ""
    place.save(update_fields=["free", "lease_until", "source"])


def move(seat: Seat, place: Place, state: str) -> None:
    """Seat it at the place, which a worker with a lapsed lease there loses."""
    if seat.pk is not None and (seat.place_id, seat.state) == (place.pk, state):
        return
    if not place.free:
        rivals = Seat.objects.filter(place=place, state=Seat.State.CLAIMED)
        rivals.exclude(pk=seat.pk).update(state=Seat.State.EXPIRED)
    seat.place, seat.state = place, state
    seat.save()


def _is_filled(place: Place) -> bool:
    return not place.free and place.lease_until is None


def _exchange(one: Place, other: Place) -> None:
    """Let two places of a survey swap their numbers."""
    if one.number == other.number:
        return
    numbers = other.number, one.number
    # By way of 0: no number may stand twice, not even between two statements.
    for place, number in zip((other, one, other), (0, *numbers), strict=True):
        place.number = number
        place.save(update_fields=["number"])
