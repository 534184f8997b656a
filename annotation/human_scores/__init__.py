"""Valid ratings as arrays: the only way in which ratings reach scoring."""

from annotation.human_scores.per_text import (
    HumanScores,
    answers,
    counts,
    imported_means,
    means,
    n_informed,
    rated,
    ratings,
    stamp,
    unsaid,
)
from annotation.human_scores.standing import Standing, standings

__all__ = [
    "HumanScores",
    "Standing",
    "answers",
    "counts",
    "imported_means",
    "means",
    "n_informed",
    "rated",
    "ratings",
    "stamp",
    "standings",
    "unsaid",
]
