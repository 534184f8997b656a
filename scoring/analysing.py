"""4. Keep the results of analyses, and have a worker compute them anew when they age.

Pages ask for a result and get the newest there is at once, with the time it is of.
Nothing is computed while somebody waits for a page. As with chunks, the row is the
truth and a message only a wake-up call: everything here is safe to do twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotation.models import Study
from scoring import tasks
from scoring.computing import LEASE, digest_of, stamp_of
from scoring.models import Analysis
from scoring.stats import analyses
from scoring.stats.data import Filters
from scoring.waking import wake

State = Analysis.State
UNANSWERED = timedelta(seconds=30)
DIED = "the worker died at it"
DIED_TWICE = f"{DIED} twice: out of memory? Fewer metrics, or some of the texts, may do"
# What somebody looked at lately is kept fresh, at most so often.
SEEN_LATELY = timedelta(hours=24)
REST = timedelta(minutes=2)
FORGOTTEN = timedelta(days=30)


def find(*, study: Study, name: str, options: Filters, now: datetime) -> Analysis:
    """The row with the newest result, if any; a worker is woken up where it is old.

    A result by other statistics than those that run now is none.

    A handful of small queries.
    """
    stamp = stamp_of(study=study)
    row, _ = Analysis.objects.get_or_create(
        study=study,
        name=name,
        digest=digest_of(options),
        defaults={"options": _plain(options), "wanted": stamp},
    )
    Analysis.objects.filter(pk=row.pk).update(seen_at=now)
    unsent = row.state == State.QUEUED and row.sent_at is None
    if unsent or row.wanted != stamp:
        _ask([row], stamp)
        row.refresh_from_db()
    if row.result and row.result["made_of"]["version"] != analyses.VERSION:
        row.result = None  # by other code: pages may not know its parts any more
    return row


def anything(*, study: Study) -> bool:
    """Whether there is something to analyse: texts, or votes on systems."""
    return study.generations.exists() or study.votes.exists()


def retry(*, row: Analysis) -> None:
    """Have a failed analysis computed again."""
    _ask([row], stamp_of(study=row.study))


def refresh(*, now: datetime) -> None:
    """Wake workers up for what waits or has aged. Safe to do twice; few queries."""
    lost = Analysis.objects.filter(state=State.RUNNING, lease_until__lte=now)
    # What kills every worker that takes it must not go round for ever.
    lost.filter(error=DIED).update(
        state=State.FAILED, error=DIED_TWICE, lease_until=None
    )
    lost.update(state=State.QUEUED, error=DIED, sent_at=None, lease_until=None)
    queued = Analysis.objects.filter(state=State.QUEUED)
    unsent = queued.filter(Q(sent_at=None) | Q(sent_at__lte=now - UNANSWERED))
    _wake(list(unsent.values_list("pk", flat=True)), now=now)
    seen = Analysis.objects.filter(state=State.DONE, seen_at__gt=now - SEEN_LATELY)
    rested = seen.filter(computed_at__lte=now - REST).select_related("study")
    by_study: dict[int, list[Analysis]] = {}
    for row in rested.defer("result"):
        by_study.setdefault(row.study_id, []).append(row)
    for rows in by_study.values():
        stamp = stamp_of(study=rows[0].study)
        _ask([row for row in rows if row.stamp != stamp], stamp)


def renew_all(*, owner: str, now: datetime) -> None:
    held = Analysis.objects.filter(owner=owner, state=State.RUNNING)
    held.update(lease_until=now + LEASE)


def forget(*, now: datetime) -> None:
    """Delete results that nobody has looked at for long: options make many."""
    Analysis.objects.filter(seen_at__lt=now - FORGOTTEN).delete()


def fresh(row: Analysis) -> bool:
    """Whether its result is of the data as they are."""
    return row.result is not None and row.stamp == row.wanted


def _ask(rows: list[Analysis], stamp: str) -> None:
    """Queue these, unless a worker is at them: that one will be found old later."""
    if not rows:
        return
    idle = Analysis.objects.filter(pk__in=[row.pk for row in rows])
    idle.exclude(state=State.RUNNING).update(state=State.QUEUED, wanted=stamp)
    idle.filter(state=State.RUNNING).update(wanted=stamp)
    waiting = list(idle.filter(state=State.QUEUED).values_list("pk", flat=True))
    transaction.on_commit(partial(_wake, waiting, now=timezone.now()))


def _wake(ids: Iterable[int], *, now: datetime) -> None:
    sent = wake(tasks.analyse, ids)
    Analysis.objects.filter(pk__in=sent).update(sent_at=now)


def _plain(options: Filters) -> dict[str, Any]:
    return {key: _json(value) for key, value in vars(options).items()}


def _json(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
