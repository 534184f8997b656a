"""4. Compute one analysis: align the data, call the statistics, keep the result."""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone

from annotation.models import Study
from scoring import aligning
from scoring.models import Analysis
from scoring.stats import analyses
from scoring.stats.data import Filters

log = logging.getLogger(__name__)

State = Analysis.State
LEASE = timedelta(seconds=120)  # a living worker renews it every few seconds


def compute(
    *, analysis_id: int, owner: str, clock: Callable[[], datetime] = timezone.now
) -> None:
    """Compute one analysis if it waits. What goes wrong is written in its row."""
    now = clock()
    free = Q(state=State.QUEUED) | Q(state=State.RUNNING, lease_until__lte=now)
    took = Analysis.objects.filter(free, pk=analysis_id).update(
        state=State.RUNNING, owner=owner, lease_until=now + LEASE
    )
    if not took:
        return
    row = Analysis.objects.select_related("study").get(pk=analysis_id)
    start = time.monotonic()
    try:
        # Taken before the data: what comes in meanwhile makes the result an old one.
        stamp = stamp_of(study=row.study)
        result = result_of(study=row.study, name=row.name, options=row.options)
    except Exception as error:
        log.exception("%s failed", row)
        _mine(row).update(
            state=State.FAILED,
            error=f"{type(error).__name__}: {error}"[:2000],
            lease_until=None,
        )
        return
    _mine(row).update(
        state=State.DONE,
        result=result,
        error="",
        stamp=stamp,
        wanted=stamp,
        computed_at=clock(),
        seconds=time.monotonic() - start,
        lease_until=None,
    )


def result_of(*, study: Study, name: str, options: dict[str, Any]) -> dict[str, Any]:
    """Compute an analysis here and now: what workers, commands and bundles do."""
    data = aligning.load(study=study, needs=analyses.get(name).NEEDS)
    return analyses.run(name, data, analyses.options(name, options))


def stamp_of(*, study: Study) -> str:
    """Changes with ratings, scores, votes and with the version of the statistics."""
    return _digest(f"{analyses.VERSION}/{aligning.stamp(study=study)}")


def digest_of(options: Filters) -> str:
    """Names options: equal options, equal digest."""
    return _digest(analyses.canonical(options))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _mine(row: Analysis) -> QuerySet[Analysis]:
    """The row, unless its lease ran out and another worker has it."""
    return Analysis.objects.filter(pk=row.pk, owner=row.owner, state=State.RUNNING)
