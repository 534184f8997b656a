"""What happens to a worker as a whole: excluded, included again, withdrawn, forgotten.

Each verb is one transaction and is logged. Locks are taken in the order of
`assigning`: the worker, then places by id, then seats.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet

from annotation import assigning, events, storable, studies
from annotation.models import (
    CopyCheck,
    Invite,
    Place,
    Recipient,
    Report,
    Seat,
    Study,
    Submission,
    Verdict,
    Worker,
)
from annotation.models.surveys import pseudonym
from annotation.page_kinds import answer_rows
from annotation.quality.checking import BY_HAND
from annotation.seats import placing
from evalapp.work import deferred_deletion

State = Worker.State
Places = dict[int, list[Place]]  # by survey, lowest number first

WITHDRAWN = "The worker withdrew their answers."


class WorkerError(Exception):
    """The worker's state, or the seat's, does not allow this. The message says why."""


def exclude(*, worker: Worker, reason: str, user: User, now: datetime) -> int:
    """Discard all their pages and give them no more; return how many were lost.

    1. The page that they are rating expires; its answers are kept.
    2. Valid pages are discarded by a new verdict, which names the reason.
    3. Both kinds of places are open for others at once.

    Raises:
        WorkerError: If no reason is given, or the worker is excluded or has withdrawn.
    """
    if not (reason := storable.cleaned(reason).strip()[:250]):
        raise WorkerError("Say why the worker is excluded. The log keeps your reason.")
    with transaction.atomic():
        worker, places = _lock(worker)
        _refuse_if(worker, State.EXCLUDED, State.WITHDRAWN)
        valid = [s for s in _empty_places(_live(worker), places) if s.submitted_at]
        said = f"Worker excluded: {reason}"
        _decide(worker.study, valid, False, said, user, now)
        _settle(worker, State.EXCLUDED, reason, now)
        _log(
            worker, "excluded-worker", f"{_n(len(valid), 'page')}: {reason}", now, user
        )
    return len(valid)


def include(*, worker: Worker, user: User, now: datetime) -> int:
    """Include an excluded worker again; return how many of their pages count again.

    A page counts again if quality control found it valid, and its survey has an open
    place. Without one it is surplus.

    Raises:
        WorkerError: If the worker is not excluded.
    """
    with transaction.atomic():
        worker, places = _lock(worker)
        _refuse_unless(worker, State.EXCLUDED)
        _settle(worker, State.ACTIVE, "", now)
        found = _found_valid(worker)
        n_valid = sum(_place_again(seat, places, now) for seat in found)
        _decide(worker.study, found, True, "Worker included again.", user, now)
        n_surplus = len(found) - n_valid
        detail = f"{_n(n_valid, 'page')} valid again, {n_surplus} surplus"
        _log(worker, "included-worker", detail, now, user)
    return n_valid


def unblock(*, worker: Worker, user: User, now: datetime) -> None:
    """Let a worker whom the policy blocked have pages again. The next discard counts.

    Raises:
        WorkerError: If the worker is not blocked.
    """
    with transaction.atomic():
        worker, _ = _lock(worker)
        _refuse_unless(worker, State.BLOCKED)
        was = worker.state_reason
        _settle(worker, State.ACTIVE, "", now)
        _log(worker, "unblocked-worker", was, now, user)


def finish(*, worker: Worker, now: datetime) -> None:
    """Give them no more pages: from now on they may read what the study hid.

    A worker who has submitted nothing continues as before. The page that they are
    rating expires, and its place is open for others at once. Twice is the same as once.
    """
    with transaction.atomic():
        worker, places = _lock(worker)
        handed_in = worker.seats.filter(state__in=Seat.FINISHED)
        if worker.debriefed_at or not handed_in.exists():
            return
        at_work = worker.seats.filter(state=Seat.State.CLAIMED)
        _empty_places(at_work, places)
        worker.debriefed_at = now
        worker.save(update_fields=["debriefed_at"])


def free_seat(*, seat: Seat, user: User, now: datetime) -> None:
    """Open the place of a claimed seat for others. Its answers are kept.

    The worker may continue as long as the survey has an open place.

    Raises:
        WorkerError: If the seat is no longer claimed.
    """
    with transaction.atomic():
        seat, place = assigning.lock_seat(seat)
        if seat.state != Seat.State.CLAIMED:
            raise WorkerError(
                f"This seat is already {seat.get_state_display().lower()}, so there is"
                " nothing to free."
            )
        seat.state = Seat.State.EXPIRED
        seat.save(update_fields=["state"])
        placing.free(place)
        _log(seat.worker, "freed-seat", f"survey {seat.survey.number}", now, user)


def withdraw(*, worker: Worker, now: datetime, user: User | None = None) -> None:
    """Delete all that a worker has given, at their wish. Cannot be undone.

    Answers, verdicts with the ratings in them, reports, comments, times, practice and
    the consent record are deleted. What stays: the log, and an anonymous record of how
    many pages were submitted, so that their completion code stays valid. Their platform
    id is replaced by a random one, so nothing shows that the same person came back:
    someone who agrees again is a new worker without earlier ratings.

    Args:
        worker: Twice is the same as once.
        now: When.
        user: Who did it for them; None if they did it themselves.
    """
    with transaction.atomic():
        worker, places = _lock(worker)
        if worker.state == State.WITHDRAWN:
            return
        _empty_places(_live(worker), places)
        _delete_answers(worker)
        # They hold words of workers, and one in progress would write them down again.
        worker.study.summaries.all().delete()
        CopyCheck.objects.filter(study=worker.study).delete()
        kept = list(worker.seats.all())
        _decide(worker.study, kept, False, WITHDRAWN, user, now)
        _write_no_more(worker, now)
        # Whoever was invited has left: an invite that nobody used still has its name.
        Invite.objects.filter(worker=worker).update(worker=None, name="")
        worker.submissions.all().delete()  # their numbers lead to people, too
        worker.external_id, worker.arrival, worker.proofs = _random_id(), {}, []
        worker.consent, worker.consented_at = "", None
        worker.debriefed_at = worker.debriefed_at or now
        worker.save()
        _settle(worker, State.WITHDRAWN, "", now)
        _log(worker, "withdrew-worker" if user else "withdrew", "", now, user)


def forget_ids(*, study: Study, now: datetime) -> int:
    """Delete the platform ids of a closed study's workers; return how many.

    Their ratings and codes stay. Nobody can be paid or found by their id afterwards.
    """
    forgotten = study.workers.exclude(external_id__startswith=RANDOM)
    with transaction.atomic():
        workers = list(forgotten.select_for_update().order_by("pk"))
        for worker in workers:
            worker.external_id, worker.arrival, worker.proofs = _random_id(), {}, []
        fields = ["external_id", "arrival", "proofs"]
        Worker.objects.bulk_update(workers, fields, batch_size=500)
        study.invites.update(name="")
        study.recipients.all().forget()
        Submission.objects.filter(worker__study=study).delete()
        if workers:
            events.log(
                study=study,
                verb="forgot-ids",
                now=now,
                detail=f"{_n(len(workers), 'platform id')} deleted,"
                f" {_n(study.retention_days or 0, 'day')} after the study was closed",
            )
    return len(workers)


def apply_retention(*, now: datetime, at_once: bool = False) -> dict[str, int]:
    """Forget the ids of every study closed long enough ago; numbers by study name.

    Args:
        now: By a clock that agrees with the database's.
        at_once: A person asks for it. Else only what was due a day ago, too.
    """
    due = studies.closed_for(
        Study.objects.all(), lambda study: study.retention_days, now=now
    )
    sure = set(due) if at_once else deferred_deletion.confirmed("ids", due, now=now)
    forgotten = {
        study.name: forget_ids(study=study, now=now)
        for key, study in due.items()
        if key in sure
    }
    return {name: n for name, n in forgotten.items() if n}


def with_pseudonym(*, study: Study, name: str) -> int | None:
    """The number of the worker whom researchers' addresses call so."""
    keys = study.workers.values_list("pk", flat=True)
    return next((pk for pk in keys if pseudonym(study, pk) == name), None)


def find(*, study: Study, who: str) -> list[Worker]:
    """The workers with this platform id, or else with this personal code.

    Also with one of before codes had a key: it finds, but proves nothing any more.
    """
    by_id = list(study.workers.filter(external_id=who))
    if by_id:
        return by_id
    code = who.strip().lower()
    return [
        worker
        for worker in study.workers.all()
        if code in (worker.personal_code, str(worker.public_id)[:8])
    ]


# Inside a transaction -----------------------------------------------------------------

RANDOM = "forgotten-"


def _random_id() -> str:
    return f"{RANDOM}{uuid.uuid4().hex}"


def _write_no_more(worker: Worker, now: datetime) -> None:
    """Whoever came by an email and has left gets none any more."""
    mine = Recipient.objects.filter(invite__worker=worker)
    mine.forget(refused_at=now)


def _lock(worker: Worker) -> tuple[Worker, Places]:
    """Lock the worker and all places of the surveys that they sat at."""
    rows = Worker.objects.select_related("study")
    locked = rows.select_for_update(no_key=True, of=("self",)).get(pk=worker.pk)
    surveys = list(locked.seats.values_list("survey", flat=True))
    places = Place.objects.filter(survey__in=surveys).order_by("pk")
    found: Places = defaultdict(list)
    for place in places.select_for_update(no_key=True):
        found[place.survey_id].append(place)
    for of_survey in found.values():
        of_survey.sort(key=lambda place: place.number)
    return locked, found


def _empty_places(rows: QuerySet[Seat], places: Places) -> list[Seat]:
    """Take a worker from the places of these live seats, which are open at once."""
    seats = list(rows)
    for seat in seats:
        at_work = seat.state == Seat.State.CLAIMED
        seat.state = Seat.State.EXPIRED if at_work else Seat.State.DISCARDED
        seat.save(update_fields=["state"])
        here = places[seat.survey_id]
        placing.free(next(place for place in here if place.pk == seat.place_id))
    return seats


def _live(worker: Worker) -> QuerySet[Seat]:
    return worker.seats.filter(state__in=Seat.LIVE)


def _found_valid(worker: Worker) -> list[Seat]:
    """Discarded pages whose newest verdict by a policy is that they are valid."""
    seats = worker.seats.filter(state=Seat.State.DISCARDED).order_by("pk")
    newest: dict[int, bool] = {}
    for verdict in Verdict.objects.filter(seat__in=seats).order_by("pk"):
        if BY_HAND not in verdict.numbers:
            newest[verdict.seat_id] = verdict.valid
    return [seat for seat in seats if newest.get(seat.pk)]


def _place_again(seat: Seat, places: Places, now: datetime) -> bool:
    """Give the page an open place of its survey; False if it is surplus for want."""
    here = places[seat.survey_id]
    place = placing.place_for(seat, here, now)
    if place and placing.count_in(place, here, seat.worker.study, now):
        placing.fill(seat, place)
        return True
    seat.state = Seat.State.SURPLUS
    seat.save(update_fields=["state"])
    return False


def _decide(
    study: Study,
    seats: list[Seat],
    valid: bool,
    reason: str,
    user: User | None,
    now: datetime,
) -> None:
    """Append a verdict that a person gave to each of the pages."""
    policy = study.current_policy()
    Verdict.objects.bulk_create(
        Verdict(
            seat=seat,
            policy=policy,
            valid=valid,
            reason=reason,
            numbers={BY_HAND: reason},
            judged_at=now,
            judged_by=user,
        )
        for seat in seats
    )


def _delete_answers(worker: Worker) -> None:
    """Delete or blank what they gave; keep the record of pages submitted."""
    Report.objects.filter(seat__worker=worker).delete()
    for model in answer_rows.models():
        model._default_manager.filter(seat__worker=worker).delete()
    Verdict.objects.filter(seat__worker=worker).delete()
    worker.tries.all().delete()
    worker.seats.filter(~Q(state__in=Seat.FINISHED)).delete()
    worker.seats.update(
        state=Seat.State.DISCARDED,
        visible={},
        comment="",
        pastes=None,
        pasted=None,
        left=None,
        consent="",
        submitted_at=None,
    )


def _settle(worker: Worker, state: str, reason: str, now: datetime) -> None:
    worker.state, worker.state_reason, worker.state_at = state, reason, now
    worker.save(update_fields=["state", "state_reason", "state_at"])


def _refuse_if(worker: Worker, *states: str) -> None:
    if worker.state in states:
        raise WorkerError(
            f"This worker is already {worker.get_state_display().lower()}."
        )


def _refuse_unless(worker: Worker, state: str) -> None:
    if worker.state != state:
        is_now = worker.get_state_display().lower()
        wanted = State(state).label.lower()
        raise WorkerError(f"This worker is {is_now}, not {wanted}.")


def _n(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _log(
    worker: Worker,
    verb: str,
    detail: str,
    now: datetime,
    user: User | None,
) -> None:
    events.log(
        study=worker.study,
        verb=verb,
        now=now,
        user=user,
        about=pseudonym(worker.study, worker.pk),
        detail=detail,
    )
