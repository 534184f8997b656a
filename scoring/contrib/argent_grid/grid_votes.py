"""What people said of a study's systems and texts, to choose a model of a grid by."""

from __future__ import annotations

import numpy as np

from annotation import human_scores
from annotation.models import Study
from annotation.votes import reading
from scoring.stats import preference, votes


def strengths(study: Study, question: str = "") -> dict[int, float]:
    """Bradley and Terry's strength of each system that has one, by its id.

    Args:
        study: Whose votes.
        question: Which; "" is the first by name.

    Raises:
        ValueError: If nobody was asked this.
    """
    asked = reading.questions(study=study)
    chosen = question or next(iter(asked), "")
    if question and question not in asked:
        there = ", ".join(asked) or "none"
        raise ValueError(f"--question {question}: expected one of {there}")
    rows = reading.rows(study=study, question=chosen)
    cast = np.array(
        [(row.first, row.second, row.outcome) for row in rows], np.int64
    ).reshape(-1, 3)
    ids = np.unique(cast[:, :2])
    first, second = np.searchsorted(ids, cast[:, 0]), np.searchsorted(ids, cast[:, 1])
    counted = votes.read(first, second, cast[:, 2], len(ids))
    found = preference.fit(*votes.tally(counted))
    known = zip(ids.tolist(), found.values, strict=True)
    return {pk: value for pk, value in known if value is not None}


def ratings(study: Study, aspect: str = "") -> dict[int, float]:
    """Mean rating of each rated text by its id, the higher the better.

    Args:
        study: Whose ratings.
        aspect: Key of what was rated; "" is the first.

    Raises:
        ValueError: If there is no such aspect.
    """
    aspects = list(study.aspects.all())
    keys = [one.key for one in aspects]
    if not keys or (aspect and aspect not in keys):
        there = ", ".join(keys) or "none"
        raise ValueError(f"--aspect {aspect}: expected one of {there}")
    chosen = aspects[keys.index(aspect) if aspect else 0]
    found = human_scores.means(study=study)
    values = found.values[:, found.aspects.index(chosen.key)]
    sign = 1 if chosen.higher_is_better else -1
    rows = zip(found.generations.tolist(), values.tolist(), strict=True)
    return {pk: sign * value for pk, value in rows if np.isfinite(value)}
