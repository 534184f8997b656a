"""What a data set would be, before anyone makes it. Nothing is computed for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q

from annotation.exports import ratings
from annotation.kept import is_large
from annotation.models import Negative, Study
from scoring import analyses
from scoring.archive import permission
from scoring.models import Analysis, MetricReading, Score, SystemScore
from scoring.publishing import card, facts, gathering
from scoring.publishing.companions import COMPANIONS
from scoring.results import analysing, study_arrays
from scoring.results import plan as planning

MOST_TEXTS = 2_000  # of which all ratings and scores are read while someone waits
USED = ("agreement", "systems", "correlations")


@dataclass(frozen=True, slots=True)
class Preview:
    """For a page."""

    facts: facts.Facts
    card: str
    additions: list[tuple[str, Mapping[str, object]]]  # templates and their values
    lacking: list[str]  # titles of analyses that are not computed yet


def of(*, study: Study, now: datetime) -> Preview | None:
    """None for a large study: to read its ratings takes longer than anyone waits."""
    if is_large(study) or study.generations.order_by()[MOST_TEXTS:].exists():
        return None
    kept = _kept(study)
    found = gathering.gather(
        study=study,
        data=study_arrays.load(study=study, needs=("ratings", "scores", "votes")),
        level=permission.of(study=study).level,
        results=kept,
        now=now,
    )
    return Preview(
        facts=found,
        card=card.write(found, _rows(study, found), COMPANIONS),
        additions=[(added.preview, added.values(found)) for added in COMPANIONS],
        lacking=[analyses.get(name).TITLE for name in USED if name not in kept],
    )


def _kept(study: Study) -> Mapping[str, Mapping[str, Any]]:
    """Results that pages keep, with the usual options. A small query each."""
    found = {}
    for name in USED:
        usual = planning.with_grouping(study=study, options=analyses.options(name, {}))
        rows = Analysis.objects.filter(
            study=study, name=name, digest=analysing.digest_of(usual)
        )
        row = rows.exclude(result=None).first()
        result = row.result if row is not None else None
        if result and result["made_of"]["version"] == analyses.get(name).VERSION:
            found[name] = result
    return found


def _rows(study: Study, found: facts.Facts) -> dict[str, int]:
    """How many rows large tables would have. A small query each."""
    single = found.level == "all"
    counted = {
        "texts": found.counts.texts,
        "systems": len(found.systems),
        "labels": study.labels.count(),
        "aspects": len(found.aspects),
        "ratings": _n_ratings(study) if single else 0,
        "damaged_texts": Negative.objects.filter(survey__study=study).count(),
        "votes": found.counts.votes if single else 0,
        "metric_scores": Score.objects.filter(generation__study=study).count(),
        "system_scores": SystemScore.objects.filter(system__study=study).count(),
        "metric_marks": MetricReading.objects.filter(generation__study=study).count(),
    }
    return {name: n for name, n in counted.items() if n}


def _n_ratings(study: Study) -> int:
    told = Q(imported__isnull=False) | Q(seat__state__in=permission.JUDGED)
    return ratings.of_study(study).filter(told, decoy=None).count()
