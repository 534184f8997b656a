"""4. The answer of a study, whoever asks: Results, Overview, the command.

Computed by the analysis "answer", and kept as every analysis is. Where something is
missing for it, nothing is computed: the card says what to do first.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import cast

from annotation import human_scores
from annotation.models import Study
from scoring.models import Analysis, Score
from scoring.results import analysing
from scoring.stats import analyses
from scoring.stats.analyses.results.answer import Result

NAME = "answer"


@dataclass(frozen=True, slots=True)
class Missing:
    """What a study lacks for an answer, and where that is done."""

    title: str
    words: str
    verb: str
    url: str  # name of the page


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
    "People have rated these texts. Score them with a metric to see whether it agrees"
    " with people.",
    "Choose metrics",
    "runs",
)


def missing(*, study: Study) -> Missing | None:
    """What to do first; None where there is enough for an answer. Small queries."""
    if not study.generations.exists():
        return TEXTS
    means = human_scores.imported_means(study=study)
    if not (human_scores.ratings(study=study).exists() or means.exists()):
        return RATINGS
    if not Score.objects.filter(generation__study=study).exists():
        return SCORES
    return None


def find(*, study: Study, now: datetime, **counted: bool) -> Analysis:
    """The row with the newest answer; a worker is woken up where it is old."""
    options = analyses.options(NAME, counted)
    return analysing.find(study=study, name=NAME, options=options, now=now)


def of(row: Analysis | None) -> Result | None:
    return cast(Result, row.result) if row is not None and row.result else None


def now(*, study: Study, **chosen: object) -> Result:
    """Compute it here: for commands."""
    return cast(Result, analysing.result_of(study=study, name=NAME, options=chosen))
