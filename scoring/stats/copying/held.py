"""Hold the raters of a study against each judge whose answers it has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from scoring.stats.copying.honest import Question
from scoring.stats.copying.testing import Copied, copies
from scoring.stats.data import Data
from scoring.stats.replacing import scales

# Of a longer scale, nobody gives the same point twice: its points count in bands.
MOST_POINTS, BANDS = 11, 10
NO_ANSWER = -1


class Against(NamedTuple):
    """Every rater beside one judge."""

    judge: str
    raters: dict[str, Copied]


def against(
    data: Data, judges: Mapping[int, str], rng: np.random.Generator
) -> list[Against]:
    """One entry for each judge that answers what people were asked.

    Args:
        data: Ratings that count and scores.
        judges: Names, by the signatures whose scores are answers of judges.
        rng: As for `copies`.
    """
    rated = data.ratings
    known = rated.rater != ""
    names, rater = np.unique(rated.rater[known], return_inverse=True)
    found = []
    for signature, judge in sorted(judges.items()):
        places = [
            place
            for place, one in enumerate(data.outputs)
            if one.signature_id == signature
        ]
        questions = [*_questions(data, places, known, rater.reshape(-1))]
        if questions:
            made = copies(questions, len(names), rng=rng)
            found.append(Against(judge, dict(zip(names.tolist(), made, strict=True))))
    return found


def _questions(
    data: Data, places: list[int], known: np.ndarray, rater: np.ndarray
) -> Iterator[Question]:
    rated, aspects = data.ratings, [one.key for one in data.aspects]
    for place in places:
        output, scores = data.outputs[place], data.scores[:, place]
        if output.measures not in aspects:
            continue
        aspect = aspects.index(output.measures)
        ends = data.scale_of(aspect)
        if not scales.is_on_scale(scores, output.unit, ends):
            continue
        mine = rated.aspect[known] == aspect
        points = _points(ends)
        yield Question(
            rated.text[known][mine],
            rater[mine],
            _banded(rated.value[known][mine].astype(np.float64), ends),
            _banded(scores, ends),
            points,
            points > 2,
        )


def _points(ends: tuple[int, int]) -> int:
    n = ends[1] - ends[0] + 1
    return n if n <= MOST_POINTS else BANDS


def _banded(values: np.ndarray, ends: tuple[int, int]) -> np.ndarray:
    """Which point of the scale, or which band of a long one; -1 where there is none."""
    low, high = ends
    points = scales.to_points(values, np.arange(low, high + 1, dtype=np.float64)) - low
    if high - low + 1 > MOST_POINTS:
        points = np.minimum(points * BANDS // (high - low), BANDS - 1)
    return np.where(np.isnan(points), NO_ANSWER, points).astype(np.int64)
