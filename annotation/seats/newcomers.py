"""What newcomers may hold: people with no page in yet, of whom nothing is proven.

Anyone can be many of those, so what they hold is bounded by the address they come
from. Places keep a keyed hash of it for as long as a newcomer holds them.

- ALWAYS: so many places in any case. A household or a few colleagues share an address.
- A_HALL: up to so many while as many stay open. A class begins a study together.
- Beyond, `SHARE` - 1 times as many must stay open: a lecture begins a large study.

A worker who has submitted a page no longer counts, so a full hall continues as its
first pages are submitted. When nothing is open, places of who holds many go to who
holds few: see `make_room`.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import (
    BooleanField,
    Count,
    Exists,
    ExpressionWrapper,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
)

from annotation.models import Place, Seat, Study, Survey, Worker
from annotation.page_kinds import answer_rows
from annotation.surveys import estimating

ALWAYS, A_HALL, SHARE = 3, 30, 4

# Of the first page: slow readers need twice the time of an average one.
PATIENCE = 2
LEAST = timedelta(minutes=5)


class TooMany(Exception):
    """Newcomers from this address hold all that they may, the first until `until`."""

    def __init__(self, until: datetime) -> None:
        super().__init__(f"too many newcomers from one address, until {until}")
        self.until = until


def is_one(worker: Worker) -> bool:
    """Whether no page of theirs has passed. One query."""
    passed = (Seat.State.VALID, Seat.State.SURPLUS)
    return not worker.seats.filter(state__in=passed).exists()


def must_be_open(n: int) -> int:
    """How many places must be open for newcomers of one address to take their n-th."""
    if n <= ALWAYS:
        return 1
    others = n if n <= A_HALL else (SHARE - 1) * n
    return others + 1


def lease(survey: Survey, study: Study) -> timedelta:
    """How long a first page is kept without a sign of life."""
    needed = PATIENCE * timedelta(seconds=estimating.seconds_of(survey))
    return min(max(needed, LEAST), timedelta(minutes=study.lease_minutes))


def forget(*, now: datetime) -> int:
    """Delete what is kept of addresses whose leases have lapsed; return how many."""
    lapsed = Place.objects.filter(lease_until__lt=now).exclude(source="")
    return lapsed.update(source="")


def make_room(*, worker: Worker, source: str, now: datetime) -> bool:
    """End a lease so that the worker finds an open place; False if none may end.

    1. It is one of the address whose newcomers hold most, at least two more than those
       of the worker's own: after it they still hold more.
    2. Pages without an answer give way first. Pages with answers follow, because anyone
       can save one answer on each page; those begun first come first.
    3. The worker who had it keeps their answers and may submit the page. It counts if a
       place is open by then; otherwise it is surplus.
    """
    place = yielding(worker=worker, source=source, now=now)
    if place is None:
        return False
    # Two at once find the same one. The second leaves it alone, and looks for a place.
    kept = Place.objects.filter(pk=place.pk, source=place.source, lease_until__gte=now)
    kept.update(lease_until=now - timedelta(microseconds=1))
    return True


def yielding(*, worker: Worker, source: str, now: datetime) -> Place | None:
    """The place that `make_room` would open. Writes nothing; at most three queries."""
    held = _held(worker.study, now)
    most = held.exclude(source=source).values("source").annotate(n=Count("pk"))
    for crowd in most.order_by("-n", "source")[:1]:
        if source and crowd["n"] <= held.filter(source=source).count() + 1:
            return None
        if crowd["n"] > 1:
            return _giving_way(worker, held.filter(source=crowd["source"])).first()
    return None


def _giving_way(worker: Worker, held: QuerySet[Place]) -> QuerySet[Place]:
    """Held places that the worker may take, the first to give way first."""
    sitting = Seat.objects.filter(place=OuterRef("pk"), state=Seat.State.CLAIMED)
    own = {"seat__place": OuterRef("pk"), "seat__state": Seat.State.CLAIMED}
    answered = ExpressionWrapper(answer_rows.exist(**own), BooleanField())
    found = held.filter(
        Exists(sitting), number__lte=worker.study.ratings_per_text
    ).exclude(survey__in=worker.seats.values("survey"))
    begun = Subquery(sitting.values("claimed_at")[:1])
    return found.order_by(answered, begun, "pk")


# Inside a transaction -----------------------------------------------------------------


def take_turns(study_id: int) -> None:
    """Newcomers of a study claim one after the other, so that each is counted.

    Comes before the lock on the worker: who changes a policy locks in this order too.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study_id)


def refuse_if_crowded(*, study: Study, source: str, now: datetime) -> None:
    """Raise TooMany if this address may hold no more. `take_turns` has been called."""
    held = _held(study, now).filter(source=source)
    wanted = must_be_open(held.count() + 1)
    if wanted == 1:
        return
    is_open = Q(free=True) | Q(lease_until__lt=now)
    places = study.places.filter(is_open, number__lte=study.ratings_per_text)
    if len(places.values_list("pk")[:wanted]) < wanted:
        first = held.order_by("lease_until").values_list("lease_until", flat=True)
        raise TooMany(until=first[0] or now)


def _held(study: Study, now: datetime) -> QuerySet[Place]:
    """Places that newcomers hold."""
    return study.places.filter(lease_until__gte=now).exclude(source="")
