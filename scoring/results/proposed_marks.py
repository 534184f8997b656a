"""Marks of a metric that people find on their pages, to keep, change or delete."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Count

from annotation import page_kinds
from annotation.models import Study
from annotation.page_kinds import Proposals
from annotation.page_kinds.proposals import Outcome, Proposed, ProposedError
from scoring.models import MetricReading
from scoring.results import mark_names


class Offer(NamedTuple):
    """A metric whose marks can be proposed."""

    metric: str  # as its rows call it
    name: str  # as pages do
    n_texts: int  # that it has read


def of(study: Study) -> Proposals | None:
    """Those of the first kind of its pages that has some; None: none has."""
    kinds = (kind.proposals for kind in page_kinds.of(study))
    return next(filter(None, kinds), None)


def offers(study: Study) -> list[Offer]:
    """By name. Few queries."""
    readings = MetricReading.objects.filter(generation__study=study).order_by()
    counts = dict(readings.values_list("metric").annotate(Count("pk")))
    names = mark_names.of_study(study)
    listed = [Offer(key, names[key], n) for key, n in counts.items()]
    return sorted(listed, key=lambda offer: offer.name)


def propose(*, study: Study, metric: str) -> Proposed:
    """Show people what a metric has marked, instead of what was proposed before.

    Raises:
        ProposedError: The study is no draft, or no page of it or metric marks errors.
    """
    proposals = of(study)
    if proposals is None:
        raise ProposedError("No page of this study can show proposed marks.")
    readings = MetricReading.objects.filter(generation__study=study, metric=metric)
    marks = dict(readings.values_list("generation_id", "marks"))
    if not marks:
        raise ProposedError(f"There are no marks of {metric[:100]} in this study.")
    name = mark_names.of_study(study)[metric]
    return proposals.propose(study=study, metric=name, marks=marks)


def withdraw(*, study: Study) -> None:
    """Raises: ProposedError: The study is no draft."""
    if (proposals := of(study)) is not None:
        proposals.withdraw(study=study)


def metric_of(study: Study) -> str:
    """Whose marks people found on their pages; empty: nobody's. One query, or none."""
    proposals = of(study)
    return proposals.metric(study) if proposals else ""


def outcome(study: Study) -> Outcome | None:
    proposals = of(study)
    return proposals.outcome(study) if proposals else None
