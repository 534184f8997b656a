"""4. Which metrics a researcher chose, whether in time, and how many were ever tried.

A metric chosen before any number of the study was shown, by a star or in a locked plan,
is tested in a family of its own. All others are corrected for every output that was
ever compared with people, deleted ones included.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Literal, NamedTuple

import numpy as np
from django.db import transaction

from annotation.models import Study
from scoring.models import ComparedOutput
from scoring.results import plan as planning
from scoring.stats.data import Data, Output

Choice = Literal["", "before", "after"]


class Stars(NamedTuple):
    """What analyses need to know of a study's outputs."""

    chosen: dict[str, Choice]  # of each output
    tried: int  # outputs that were ever compared with people


def of(*, study: Study, outputs: Iterable[Output]) -> Stars:
    """Two small queries."""
    rows = ComparedOutput.objects.filter(study=study)
    by_output = {row.output: row for row in rows}
    times = [row.shown_at for row in by_output.values() if row.shown_at]
    first = min(times, default=None)
    plan = planning.locked(study=study)

    def choice(output: Output) -> Choice:
        if plan is not None and planning.is_planned(plan, output):
            return "before"
        row = by_output.get(output.id)
        if row is None or row.chosen_at is None:
            return ""
        return "before" if first is None or row.chosen_at < first else "after"

    outputs = list(outputs)
    shown = {row.output for row in by_output.values() if row.shown_at}
    tried = shown | {output.id for output in outputs if _is_compared(output)}
    return Stars({output.id: choice(output) for output in outputs}, len(tried))


def _is_compared(output: Output) -> bool:
    """Whether rules speak of it: they need a direction, and lengths are guesses."""
    return output.higher_is_better is not None and not output.baseline


def stamp(*, study: Study) -> str:
    """Changes when a star does; "" where there is none."""
    found = ComparedOutput.objects.filter(study=study).order_by("pk")
    times = found.values_list("pk", "chosen_at")
    return "+".join(f"{pk}:{at.timestamp():.0f}" for pk, at in times if at)


def record(*, study: Study, data: Data, now: datetime) -> None:
    """Remember which outputs are compared with people, before anybody sees how."""
    if not np.isfinite(data.human_scores(with_discarded=True)).any():
        return
    wanted = {output.id for output in data.outputs if _is_compared(output)}
    shown = ComparedOutput.objects.filter(study=study, shown_at__isnull=False)
    fresh = wanted - set(shown.values_list("output", flat=True)) if wanted else set()
    if not fresh:
        return
    rows = [ComparedOutput(study=study, output=output) for output in sorted(fresh)]
    with transaction.atomic():
        ComparedOutput.objects.bulk_create(rows, ignore_conflicts=True)
        mine = ComparedOutput.objects.filter(study=study, output__in=fresh)
        mine.filter(shown_at=None).update(shown_at=now)


def choose(*, study: Study, output: str, now: datetime) -> None:
    """Give an output a star. One that has one keeps its time: it came first."""
    with transaction.atomic():
        row, _ = ComparedOutput.objects.get_or_create(study=study, output=output)
        ComparedOutput.objects.filter(pk=row.pk, chosen_at=None).update(chosen_at=now)


def drop(*, study: Study, output: str) -> None:
    """Take its star away. A later star is one that came later."""
    rows = ComparedOutput.objects.filter(study=study, output=output)
    rows.update(chosen_at=None)
