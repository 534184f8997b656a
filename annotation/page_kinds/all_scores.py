"""Human scores of texts: answers to questions, and what answers add up to besides."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from annotation import human_scores
from annotation.human_scores import HumanScores
from annotation.models import Seat, Study
from annotation.page_kinds.tables import Measure


def means(
    *,
    study: Study,
    measures: Collection[Measure],
    with_discarded: bool = False,
    with_excluded: bool = False,
    generations: Collection[int] | None = None,
) -> HumanScores:
    """Means of each text, with a column for each measure behind those of the questions.

    Args:
        study: Whose texts.
        measures: `page_kinds.measures` of the study, or some of them. None costs no
            query more than `human_scores.means`; some cost two, and theirs.
        with_discarded: Whether discarded pages count.
        with_excluded: Whether texts that were excluded count.
        generations: Ids of the texts that are wanted; None: all of them.
    """
    scores = human_scores.means(
        study=study,
        with_discarded=with_discarded,
        with_excluded=with_excluded,
        generations=generations,
    )
    if not measures:
        return scores
    states = {Seat.State.VALID, *([Seat.State.DISCARDED] if with_discarded else [])}
    seats = Seat.objects.filter(survey__study=study, informed=True)
    informed = set(seats.values_list("pk", flat=True))
    excluded = study.generations.exclude(excluded_at=None)
    left_out = set() if with_excluded else set(excluded.values_list("pk", flat=True))
    columns = []
    for measure in measures:
        numbers: dict[int, list[float]] = {}
        for text, seat, state, _, number in measure.values(generations):
            if state in states and seat not in informed and text not in left_out:
                numbers.setdefault(text, []).append(number)
        columns.append(numbers)
    return _joined(scores, [measure.key for measure in measures], columns)


def _joined(
    scores: HumanScores, keys: list[str], columns: list[dict[int, list[float]]]
) -> HumanScores:
    """Old columns and new ones, of the texts of either."""
    ids = np.array(sorted({*scores.generations.tolist()}.union(*columns)), np.int64)
    old = np.searchsorted(ids, scores.generations)
    n_old = len(scores.aspects)
    means = np.full((len(ids), n_old + len(keys)), np.nan)
    n = np.zeros(means.shape, np.int64)
    means[old, :n_old], n[old, :n_old] = scores.values, scores.n_ratings
    for column, numbers in enumerate(columns, start=n_old):
        rows = np.searchsorted(ids, list(numbers))
        means[rows, column] = [np.mean(each) for each in numbers.values()]
        n[rows, column] = [len(each) for each in numbers.values()]
    return HumanScores(ids, [*scores.aspects, *keys], means, n)
