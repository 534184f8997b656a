"""Do workers copy a judge? Works it out for the attention list, when data have changed.

Whatever has answers of a judge to what people were asked: judges over the network, and
uploaded scores, which may be answers of a model that was asked elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import numpy as np
from django.db.models import Q

from annotation import kept
from annotation.models import Study
from annotation.models.surveys import pseudonym
from annotation.watching import copying
from annotation.watching.copying import Held
from scoring.judging import identities
from scoring.models import MetricRun, Signature
from scoring.results import study_arrays
from scoring.runs import score_lines
from scoring.stats.copying.held import Against, against
from scoring.stats.data import Filters

JUDGES = Q(text__contains=identities.ASKS) | Q(text__startswith=f"{score_lines.NAME}|")


def refresh(*, now: datetime) -> None:
    """Look at one study whose ratings or judges have changed. Safe to do twice.

    One at a time: so that other chores have their turn.
    """
    for study in _with_judges():
        made_of = stamp(study)
        if not copying.claim(study=study, stamp=made_of, now=now):
            continue
        if kept.is_large(study):
            kept.read(study=study, name="copied")  # asks a worker
        else:
            work_out(study=study, stamp=made_of)
        return


def stamp(study: Study) -> str:
    """Changes when ratings or scores do."""
    return study_arrays.stamp(study=study)


def of_large(study: Study, variant: str = "") -> int:
    """For `kept`; how many workers were held against a judge.

    A million ratings take 17 seconds and 1.3 GB to read: no chore between two beats.
    """
    work_out(study=study, stamp=stamp(study))
    return len(copying.read(study=study))


def work_out(*, study: Study, stamp: str) -> None:
    """Hold each worker against each judge, and keep it.

    Args:
        study: With workers of its own; ratings from files help to know what is usual.
        stamp: Of its data, from before they are read.
    """
    needs = "ratings", "scores"
    data = Filters().apply(study_arrays.load(study=study, needs=needs))
    rng = np.random.default_rng(study.seed)
    found = against(data, _judges(study), rng)
    ids = {
        pseudonym(study, pk): pk for pk in study.workers.values_list("pk", flat=True)
    }
    copying.keep(study=study, held=_worst(found, ids), stamp=stamp)


def _with_judges() -> Iterable[Study]:
    """Who waits longest first."""
    signed = Signature.objects.filter(JUDGES)
    runs = MetricRun.objects.filter(signature__in=signed).values("study")
    studies = Study.objects.filter(pk__in=runs, deleted_at=None, storing=None)
    seated = studies.filter(workers__isnull=False).distinct()
    return seated.order_by("copy_check__asked_at", "pk")


def _judges(study: Study) -> dict[int, str]:
    """What pages call them, by signature."""
    signed = Signature.objects.filter(JUDGES, runs__study=study).distinct()
    return {one.pk: _name(one) for one in signed.order_by("pk")}


def _name(signature: Signature) -> str:
    judge = identities.judge_of(signature)
    if judge is not None:
        return f"the judge {identities.title(judge)}"
    return f"the uploaded scores “{signature.metric}”"


def _worst(found: Iterable[Against], ids: dict[str, int]) -> dict[int, Held]:
    """The judge that each worker agrees with most; p is for all judges together."""
    beside = list(found)
    held = {}
    for name, pk in ids.items():
        rows = [(one.judge, one.raters[name]) for one in beside if name in one.raters]
        tested = [row for row in rows if not np.isnan(row[1].p)]
        if not tested:
            continue
        judge, one = min(tested, key=lambda row: row[1].p)
        p = min(1.0, len(tested) * one.p)
        held[pk] = Held(judge, one.n, one.texts, one.same, one.expected, p, 0)
    return {pk: one._replace(workers=len(held)) for pk, one in held.items()}
