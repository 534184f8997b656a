"""Apply a policy to the pages that are in: to few at once, to many by a worker.

100,000 texts have some ten thousand pages with ten ratings each: to judge them takes a
minute, and to move them several. So a worker reads all pages, and then judges and moves
those of a few surveys at a time, while people go on rating. Pages move within their
survey only, so the outcome is that of doing all at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial
from itertools import groupby
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import Place, Policy, Rejudging, Seat, Study, Verdict, Worker
from annotation.page_kinds.matrix import PageMatrix
from annotation.quality import checked_pages, rejudging
from annotation.quality.checking import Judge, Opinion
from annotation.quality.rejudging import Changes
from evalapp.work import leases, retries
from evalapp.work.dispatch import wake_on_commit
from evalapp.work.kinds import Refused, Work
from evalapp.work.retries import Clock, Report

MOST_AT_ONCE = 300  # pages, while someone waits: about half a second
# Nobody else can write to SQLite, or submit a page of these workers on any database,
# while a piece is written: a fifth of a second.
PIECE = 10  # surveys
WORKERS = 50  # blocked or freed at a time

Hold = Callable[..., object]
FROM_THE_START: dict[str, object] = {
    **{"attempt": 0, "error": "", "last_survey": 0, "done": 0, "total": 0},
    **{"moves": [], "newly": [], "blocked": 0, "unblocked": 0},
}


def start(*, study: Study, policy: Policy, user: User, now: datetime) -> Changes | None:
    """Adopt a policy and apply it; None where a worker has been asked to.

    Raises:
        Busy: A worker still applies another one.
    """
    many = rejudging.finished(study)[MOST_AT_ONCE : MOST_AT_ONCE + 1]
    if not many.exists():
        return rejudging.apply(study=study, policy=policy, user=user, now=now)
    with transaction.atomic():
        policy = rejudging.adopt(study=study, policy=policy, user=user, now=now)
        begun = {"policy": policy, "user": user, "asked_at": now}
        row, _ = Rejudging.objects.update_or_create(
            study=study, defaults={**leases.QUEUED, **FROM_THE_START, **begun}
        )
        wake_on_commit(Rejudging, [row.pk])
    return None


def newest(*, study: Study) -> Rejudging | None:
    """What is under way, or was done last with the current policy."""
    rows = Rejudging.objects.filter(study=study).select_related("study", "policy")
    row = rows.first()
    if row is None or (row.ended and row.policy != study.current_policy()):
        return None
    return row


class RejudgingWork(Work[Rejudging, Rejudging]):
    """Apply a policy. Cancelled, it leaves the pages that are not done as they are."""

    name = "quality"
    model = Rejudging
    related = ("study", "policy", "user")
    counted = ("done", "total")

    def run(self, row: Rejudging, report: Report) -> None:
        _apply(report.clock, row, partial(report.renew, at_once=True))

    def words(self, job: Rejudging) -> str:
        return f"Applying version {job.policy.version} of quality control"

    def jobs(self, *, study: Any, user: Any) -> QuerySet[Rejudging]:
        return Rejudging.objects.filter(study=study).select_related("study", "policy")

    def retry(self, job: Rejudging, *, user: Any = None) -> None:
        """Go on where it stopped, on behalf of `user`."""
        if job.policy != job.study.current_policy():
            raise Refused(
                "Quality control has changed since, so this version is not applied any"
                " more."
            )
        self._queue_again(job, user=user)


QUALITY = RejudgingWork()


def _apply(clock: Clock, row: Rejudging, hold: Hold) -> None:
    """A worker that takes over reads all pages again, and goes on where one died."""
    study, policy, now = row.study, row.policy, clock()
    judging = Judge.of(study, policy)
    pages = rejudging.pages_for(study=study, policy=policy, now=now)
    opinions = rejudging.opinions_of(judging, pages)
    hold(total=len(pages))
    for piece in _pieces(pages, behind=row.last_survey):
        with transaction.atomic():
            hold()  # first: losing the row waits here
            _judge(row, piece, opinions, hold, clock())
    for worker in list(_late(row)):
        with transaction.atomic():
            hold()
            _judge_again(row, worker, judging, hold, clock())
    _settle(row, hold, clock)
    with transaction.atomic():
        if not leases.finish(row, now=clock()):
            raise retries.Lost
        done = changes(row)
        rejudging.log(study=study, policy=policy, done=done, user=row.user, now=now)


def _pieces(pages: Sequence[PageMatrix], behind: int) -> Iterator[list[PageMatrix]]:
    """The pages of a few surveys at a time, in the order of the surveys."""
    left = [page for page in pages if page.survey_id > behind]
    left.sort(key=lambda page: page.survey_id)
    surveys = [list(some) for _, some in groupby(left, lambda page: page.survey_id)]
    for first in range(0, len(surveys), PIECE):
        yield sum(surveys[first : first + PIECE], [])


def _judge(
    row: Rejudging,
    pages: Sequence[PageMatrix],
    opinions: dict[int, Opinion],
    hold: Hold,
    now: datetime,
) -> None:
    seats = rejudging.finished(row.study)
    surveys = {page.survey_id for page in pages}
    _lock({page.worker_id for page in pages}, Q(survey__in=surveys))
    # Those that came in meanwhile were judged by this policy as they did.
    wanted = {page.seat_id: opinions[page.seat_id] for page in pages}
    _count(
        row,
        *rejudging.change(seats.filter(survey__in=surveys), row.policy, wanted, now),
    )
    row.done += len(pages)
    row.last_survey = max(surveys)
    hold(
        **_counted(row),
        done=row.done,
        last_survey=row.last_survey,
    )


def _late(row: Rejudging) -> QuerySet[Seat, int]:
    """Workers who submitted pages since: the tests over all their pages know more now.

    Also those whose page was on its way while the policy changed.
    """
    judged = Verdict.objects.filter(seat=OuterRef("pk"), policy=row.policy)
    late = Q(submitted_at__gte=row.asked_at) | ~Exists(judged)
    seats = rejudging.finished(row.study).filter(late).order_by("worker")
    return seats.values_list("worker", flat=True).distinct()


def _judge_again(
    row: Rejudging, worker: int, judging: Judge, hold: Hold, now: datetime
) -> None:
    """Judge all pages of a worker; those whose verdict stays are left alone."""
    seats = rejudging.finished(row.study).filter(worker=worker)
    _lock({worker}, Q(survey__seats__worker=worker))
    pages = checked_pages.read(
        study=row.study,
        seats=seats,
        now=now,
        texts=row.policy.needs_texts,
        others=row.policy.with_others,
    )
    verdicts = Verdict.objects.filter(seat__worker=worker).order_by("pk")
    newest = {
        seat: (policy, valid)
        for seat, policy, valid in verdicts.values_list("seat", "policy", "valid")
    }
    opinions = {
        seat: opinion
        for seat, opinion in rejudging.opinions_of(judging, pages).items()
        if newest.get(seat) != (row.policy.pk, opinion.valid)
    }
    _count(row, *rejudging.change(seats, row.policy, opinions, now))
    hold(**_counted(row))


def _settle(row: Rejudging, hold: Hold, clock: Clock) -> None:
    """Block and unblock workers, when all pages have their states."""
    newly, blocked = set(row.newly), Q(state=Worker.State.BLOCKED)
    workers = row.study.workers.filter(Q(pk__in=newly) | blocked).order_by("pk")
    at_stake = list(workers.values_list("pk", flat=True))
    for first in range(0, len(at_stake), WORKERS):
        with transaction.atomic():
            hold()
            some = row.study.workers.filter(pk__in=at_stake[first : first + WORKERS])
            locked = list(some.select_for_update(no_key=True).order_by("pk"))
            found = rejudging.settle(locked, newly, row.policy, clock())
            row.blocked, row.unblocked = (
                row.blocked + found[0],
                row.unblocked + found[1],
            )
            hold(blocked=row.blocked, unblocked=row.unblocked)


def _lock(workers: set[int], places: Q) -> None:
    """Workers, then places by id, as everywhere."""
    locked = Worker.objects.filter(pk__in=workers).order_by("pk")
    list(locked.select_for_update(no_key=True).values_list("pk"))
    wanted = Place.objects.filter(places).values("pk")
    rows = Place.objects.filter(pk__in=wanted).order_by("pk")
    list(rows.select_for_update(no_key=True).values_list("pk"))


# What has changed so far -------------------------------------------------------------


def _count(row: Rejudging, moves: Counter[tuple[str, str]], newly: set[int]) -> None:
    total = changes(row).moves + moves
    row.moves = [[old, new, n] for (old, new), n in sorted(total.items())]
    row.newly = sorted({*row.newly, *newly})


def _counted(row: Rejudging) -> dict[str, object]:
    return {"moves": row.moves, "newly": row.newly}


def changes(row: Rejudging) -> Changes:
    moves = Counter({(old, new): n for old, new, n in row.moves})
    return Changes(moves, row.blocked, row.unblocked)
