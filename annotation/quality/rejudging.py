"""Another policy for pages that are in already: what it would change, and changing it.

Old verdicts stay: new ones are appended, and the newest counts. Judged again are the
pages of all workers but those whom a researcher excluded and those who have withdrawn:
a person decided about them, not a policy. The test over all pages of a worker sees
pages that came later, too: it knows more now than when the page was submitted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from annotation import events
from annotation.careless import rules
from annotation.models import (
    Place,
    Policy,
    Rejudging,
    Seat,
    Study,
    Verdict,
    Worker,
)
from annotation.models.surveys import pseudonym
from annotation.page_kinds.matrix import PageMatrix
from annotation.quality import blocking, checked_pages
from annotation.quality.checking import Judge, Opinion
from annotation.seats import placing

State = Seat.State
DECIDED_BY_HAND = (Worker.State.EXCLUDED, Worker.State.WITHDRAWN)


@dataclass(frozen=True)
class Changes:
    """How many pages move from one state to another."""

    moves: Counter[tuple[str, str]]  # from, to; also those that stay
    n_blocked: int = 0  # workers, only where it is done
    n_unblocked: int = 0

    @property
    def pages(self) -> int:
        return self.moves.total()

    @property
    def moved(self) -> list[tuple[str, str, int]]:
        """From, to and pages, of those that do not stay."""
        return [
            (State(old).label, State(new).label, n)
            for (old, new), n in sorted(self.moves.items())
            if old != new
        ]

    @property
    def n_discarded(self) -> int:
        """Pages that count now and would no more."""
        return sum(self.moves[old, State.DISCARDED] for old in Seat.LIVE)

    @property
    def n_back(self) -> int:
        """Pages that do not count now and would."""
        return sum(
            n for (old, new), n in self.moves.items() if old != new == State.VALID
        )


def finished(study: Study) -> QuerySet[Seat]:
    """The pages that a policy judges."""
    seats = Seat.objects.filter(survey__study=study, state__in=Seat.FINISHED)
    return seats.exclude(worker__state__in=DECIDED_BY_HAND)


def in_order(seats: QuerySet[Seat]) -> QuerySet[Seat]:
    """As they were submitted."""
    return seats.order_by("submitted_at", "pk")


def pages_for(*, study: Study, policy: Policy, now: datetime) -> list[PageMatrix]:
    """The pages of `finished`, with what the policy looks at."""
    return checked_pages.read_all(
        study=study,
        seats=finished(study),
        now=now,
        texts=policy.needs_texts,
        others=policy.with_others,
    )


# Before -------------------------------------------------------------------------------


def preview(
    *, study: Study, policy: Policy, pages: Sequence[PageMatrix], now: datetime
) -> dict[int, str]:
    """The state that each page would have, by seat. Writes nothing.

    Args:
        study: Of all these pages.
        policy: Saved or not.
        pages: Those of `pages_for`.
        now: Leases that lapsed before leave their place open.
    """
    opinions = opinions_of(Judge.of(study, policy), pages)
    after = {page.seat_id: _at_first(page, opinions) for page in pages}
    room = _room(study, pages, after, now)
    for page in pages:
        if not after[page.seat_id]:
            fits = room[page.survey_id] > 0
            room[page.survey_id] -= fits
            after[page.seat_id] = State.VALID if fits else State.SURPLUS
    return after


def changes(pages: Sequence[PageMatrix], after: Mapping[int, str]) -> Changes:
    return Changes(Counter((page.state, after[page.seat_id]) for page in pages))


def opinions_of(judging: Judge, pages: Sequence[PageMatrix]) -> dict[int, Opinion]:
    """What a policy says of each page, by seat."""
    persons = judging.persons(pages)
    return {
        page.seat_id: judging.opinion(page, persons[page.worker_id]) for page in pages
    }


def _at_first(page: PageMatrix, opinions: Mapping[int, Opinion]) -> str:
    """Its state, or nothing where that depends on whether a place is open."""
    if not opinions[page.seat_id].valid:
        return State.DISCARDED
    return State.VALID if page.state in Seat.LIVE else ""


def _room(
    study: Study, pages: Sequence[PageMatrix], after: Mapping[int, str], now: datetime
) -> dict[int, int]:
    """How many pages may come back per survey, as `placing.place_for` has it."""
    n_open: Counter[int] = Counter()
    n_valid: Counter[int] = Counter()
    by_survey: dict[int, list[Place]] = defaultdict(list)
    for place in study.places.all():
        by_survey[place.survey_id].append(place)
    for survey, places in by_survey.items():
        last = study.ratings_per_text
        if any(place.lease_until for place in places if place.number <= last):
            last += study.spare_seats
        n_open[survey] = sum(p.is_open(now) for p in places if p.number <= last)
        n_valid[survey] = sum(
            not place.free and place.lease_until is None
            for place in places
            if place.number <= study.ratings_per_text
        )
    for page in pages:
        if page.state in Seat.LIVE and after[page.seat_id] == State.DISCARDED:
            n_open[page.survey_id] += 1
            n_valid[page.survey_id] -= 1
    return {
        survey: min(n_open[survey], study.ratings_per_text - n_valid[survey])
        for survey in by_survey
    }


# Changing -----------------------------------------------------------------------------


class Busy(Exception):
    """A worker still applies another policy. The message says what to do."""


def adopt(*, study: Study, policy: Policy, user: User, now: datetime) -> Policy:
    """Let a policy judge the pages to come. Those that are in keep their verdicts.

    Raises:
        Busy: See `applying`.
    """
    with transaction.atomic():
        return _adopt(study, policy, user, now)


def apply(*, study: Study, policy: Policy, user: User, now: datetime) -> Changes:
    """Adopt a policy and judge all pages by it that are in. All or nothing.

    1. Workers are locked, then places by id, as everywhere: who submits a page in the
       meantime waits, and is judged by the new policy.
    2. Each page gets a new verdict, and is moved: see `change`.
    3. Workers with too many discards are blocked; blocked workers with fewer are freed.

    Of a large study this takes minutes: `applying` does the same in pieces.

    Raises:
        Busy: See `applying`.
    """
    with transaction.atomic():
        policy = _adopt(study, policy, user, now)
        locked = list(study.workers.select_for_update(no_key=True).order_by("pk"))
        list(study.places.select_for_update(no_key=True).order_by("pk"))
        pages = pages_for(study=study, policy=policy, now=now)
        opinions = opinions_of(Judge.of(study, policy), pages)
        moves, newly = change(finished(study), policy, opinions, now)
        done = Changes(moves, *settle(locked, newly, policy, now))
        log(study=study, policy=policy, done=done, user=user, now=now)
    return done


def _adopt(study: Study, policy: Policy, user: User, now: datetime) -> Policy:
    """Write a new version, unless it is there; two at once come one after the other."""
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    _refuse_while_busy(study)
    if policy.pk is None:
        policy.version = study.current_policy().version + 1
        policy.save()
        events.log(
            study=study,
            verb="changed-policy",
            now=now,
            user=user,
            about=f"version {policy.version}",
            detail=", ".join((policy.get_rule_display(), *policy.damages)),
        )
    return policy


def _refuse_while_busy(study: Study) -> None:
    rows = Rejudging.objects.filter(study=study, state__in=Rejudging.UNFINISHED)
    if row := rows.select_related("policy").first():
        raise Busy(
            f"Version {row.policy.version} is still being applied to submitted pages."
            " Wait until that has finished, or cancel it."
        )


def change(
    seats: QuerySet[Seat],
    policy: Policy,
    opinions: Mapping[int, Opinion],
    now: datetime,
) -> tuple[Counter[tuple[str, str]], set[int]]:
    """Give pages their new verdicts, and move their seats.

    Seats that were valid and are not are discarded, and the place is open for others.
    (In a closed study nobody can take it, but the page can come back to it.) A seat
    that was discarded or surplus and is valid, in order of submission, takes an open
    place of the survey; without one it is surplus. So no text has more than its
    ratings.

    Args:
        seats: Finished. Their workers and all places of their surveys are locked.
        policy: The new one.
        opinions: What it says, by seat; seats without one stay as they are.
        now: When.

    Returns:
        How many pages moved from which state to which, and whose were discarded.
    """
    rows = in_order(seats.select_related("worker__study"))
    found = [seat for seat in rows if seat.pk in opinions]
    before = [seat.state for seat in found]
    write(policy, {seat.pk: opinions[seat.pk] for seat in found}, now)
    after = move(found, opinions, now).values()
    moves = Counter(zip(before, after, strict=True))
    newly = {
        seat.worker_id
        for seat, old in zip(found, before, strict=True)
        if old != seat.state == State.DISCARDED
    }
    return moves, newly


def write(policy: Policy, opinions: Mapping[int, Opinion], now: datetime) -> None:
    """Append a verdict to each seat."""
    Verdict.objects.bulk_create(
        (
            Verdict(seat_id=seat, policy=policy, judged_at=now, **opinion._asdict())
            for seat, opinion in opinions.items()
        ),
        batch_size=1000,
    )


def move(
    seats: Sequence[Seat], opinions: Mapping[int, Opinion], now: datetime
) -> dict[int, str]:
    """Move the seats, those that lose their place first; return their states.

    Args:
        seats: Finished, in the order they were submitted; their workers and the places
            of their surveys are locked.
        opinions: By seat.
        now: Leases that lapsed before leave their place open.
    """
    was_live = {seat.pk: seat.state in Seat.LIVE for seat in seats}
    for seat in seats:
        if not opinions[seat.pk].valid and seat.state != State.DISCARDED:
            seat.state = State.DISCARDED
            seat.save(update_fields=["state"])
            if was_live[seat.pk]:
                # Read again: freeing another place may have exchanged its number.
                placing.free(Place.objects.get(pk=seat.place_id))
    for seat in seats:
        if opinions[seat.pk].valid and not was_live[seat.pk]:
            _take_place(seat, now)
    return {seat.pk: seat.state for seat in seats}


def _take_place(seat: Seat, now: datetime) -> str:
    places = list(Place.objects.filter(survey=seat.survey_id).order_by("number"))
    place = placing.place_for(seat, places, now)
    if place and placing.count_in(place, places, seat.worker.study, now):
        placing.fill(seat, place)
    elif seat.state != State.SURPLUS:
        seat.state = State.SURPLUS
        seat.save(update_fields=["state"])
    return seat.state


def settle(
    workers: Sequence[Worker], newly: Container[int], policy: Policy, now: datetime
) -> tuple[int, int]:
    """Block and unblock by the states of their pages; return how many of each.

    Args:
        workers: Locked.
        newly: Who lost a page. Without that, who was unblocked by a researcher stays
            so.
        policy: The new one.
        now: When.
    """
    blocked = Worker.State.BLOCKED
    workers = [one for one in workers if one.pk in newly or one.state == blocked]
    discarded: dict[int, list[bool]] = defaultdict(list)
    seats = Seat.objects.filter(worker__in=workers)
    rows = in_order(seats.filter(state__in=Seat.FINISHED))
    for worker_id, state in rows.values_list("worker", "state"):
        discarded[worker_id].append(state == State.DISCARDED)
    n_blocked = n_unblocked = 0
    for worker in workers:
        found = discarded[worker.pk]
        if worker.pk in newly and blocking.block_if_due(
            worker=worker, discarded=found, policy=policy, now=now
        ):
            n_blocked += 1
        elif worker.state == blocked and not _is_due(policy, found):
            _unblock(worker, policy, now)
            n_unblocked += 1
    return n_blocked, n_unblocked


def _is_due(policy: Policy, discarded: list[bool]) -> bool:
    after, within = policy.block_after, policy.block_within
    return after is not None and rules.is_blocked(discarded, after, within)


def _unblock(worker: Worker, policy: Policy, now: datetime) -> None:
    worker.state, worker.state_reason = Worker.State.ACTIVE, ""
    worker.state_at = now
    worker.save(update_fields=["state", "state_reason", "state_at"])
    events.log(
        study=worker.study,
        verb="unblocked-worker",
        now=now,
        about=pseudonym(worker.study, worker.pk),
        detail=f"not blocked by version {policy.version} of the policy",
    )


def log(
    *, study: Study, policy: Policy, done: Changes, user: User | None, now: datetime
) -> None:
    pages = "1 page" if done.pages == 1 else f"{done.pages} pages"
    moved = ", ".join(f"{n} {old} to {new}".lower() for old, new, n in done.moved)
    events.log(
        study=study,
        verb="judged-again",
        now=now,
        user=user,
        about=f"version {policy.version}",
        detail=f"{pages}: {moved or 'none changed'}",
    )
