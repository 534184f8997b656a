"""4. The answer of a study, for Results, Overview and the command.

Computed by the analysis "answer", and kept as every analysis is. Where something is
missing for it, nothing is computed: the card says what to do first. Where a plan was
locked, the answer has its coefficient and compares the texts that it compares.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import cast
from urllib.parse import urlencode

from annotation import human_scores
from annotation.models import Study
from scoring import analyses
from scoring.analyses.answer.result import Result
from scoring.analyses.shared.page_basis import WITHIN
from scoring.analyses.shared.page_metrics import COEFFICIENTS
from scoring.models import Analysis, MetricRun, Score
from scoring.results import analysing
from scoring.results import plan as planning
from scoring.stats.correlation import CoefficientName
from scoring.stats.data import Filters

NAME = "answer"


@dataclass(frozen=True, slots=True)
class Missing:
    """What a study lacks for an answer, and where that is done."""

    title: str
    words: str
    verb: str
    url: str  # name of the page
    under_way: bool = False  # it comes by itself


TEXTS = Missing(
    "No texts yet",
    "Upload the texts that your systems wrote. The answer needs texts, ratings and the"
    " scores of a metric.",
    "Upload texts",
    "study_import",
)
RATINGS = Missing(
    "No ratings yet",
    "The answer compares metrics with people. Collect ratings, or upload the ones that"
    " you have.",
    "See what comes next",
    "study",
)
SCORES = Missing(
    "No metric scores yet",
    "Score these texts with a metric. Once there are enough ratings, you see whether it"
    " agrees with people.",
    "Choose metrics",
    "runs",
)
RUNNING = Missing(
    "Metrics are scoring these texts",
    "The answer is here as soon as the first metric has scored them.",
    "See the progress",
    "runs",
    under_way=True,
)


def missing(*, study: Study) -> Missing | None:
    """What to do first; None where there is enough for an answer. Small queries."""
    if not study.generations.exists():
        return TEXTS
    means = human_scores.imported_means(study=study)
    if not (human_scores.ratings(study=study).exists() or means.exists()):
        return RATINGS
    if not Score.objects.filter(generation__study=study).exists():
        ended = study.runs.filter(state__in=MetricRun.ENDED)
        return RUNNING if study.runs.count() > ended.count() else SCORES
    return None


def options(*, study: Study, **chosen: object) -> Filters:
    """As the locked plan of the study has them, if any, but for what is chosen."""
    chosen.pop("undefined", None)  # of coefficients: verdicts know one way
    return analyses.options(NAME, {**planned(study=study), **chosen})


def planned(*, study: Study) -> dict[str, object]:
    """What the locked plan of the study says of it, if there is one."""
    plan = planning.locked(study=study)
    if plan is None:
        return {}
    return {"coefficient": plan.coefficient, "grouping": plan.grouping}


def query(*, study: Study, **chosen: object) -> str:
    """These options in an address."""
    found, usual = (
        vars(options(study=study, **chosen)),
        vars(analyses.options(NAME, {})),
    )
    other = {key: value for key, value in found.items() if value != usual[key]}
    return urlencode({key: int(v) if v is True else v for key, v in other.items()})


def as_planned(*, study: Study) -> str:
    """Which coefficient was planned, and since when; "" where there is no such plan."""
    plan = planning.locked(study=study)
    if plan is None or plan.locked_at is None:
        return ""
    what = COEFFICIENTS[cast(CoefficientName, plan.coefficient)]
    within = WITHIN[plan.grouping]
    since = planning.day(plan.locked_at)
    return (
        f"As planned: {what}{within and f' {within}'}. The plan was locked on {since}."
    )


def find(*, study: Study, now: datetime, **chosen: object) -> Analysis:
    """The row with the newest answer; a worker is woken up where it is old."""
    found = options(study=study, **chosen)
    return analysing.find(study=study, name=NAME, options=found, now=now)


def of(row: Analysis | None) -> Result | None:
    return cast(Result, row.result) if row is not None and row.result else None
