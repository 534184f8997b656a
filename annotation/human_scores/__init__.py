"""Valid ratings as arrays: the only way in which ratings reach scoring."""

from annotation.human_scores.per_text import (
    HumanScores,
    counts,
    imported_means,
    means,
    n_informed,
    rated,
    ratings,
    stamp,
)

__all__ = [
    "HumanScores",
    "counts",
    "imported_means",
    "means",
    "n_informed",
    "rated",
    "ratings",
    "stamp",
]
