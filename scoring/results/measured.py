"""What people's answers add up to, as ratings behind those of the questions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np

from annotation import page_kinds
from annotation.human_scores import HumanScores, single_ratings
from annotation.models import Study
from annotation.page_kinds import Measure, all_scores
from scoring.stats.data import Aspect, Ratings


def human_scores_with(
    *, study: Study, aspect: str, generations: Collection[int] | None
) -> HumanScores:
    """Mean ratings of each text, and those of a measure where the aspect is one."""
    chosen = [sums for sums in page_kinds.measures(study) if sums.key == aspect]
    return all_scores.means(study=study, measures=chosen, generations=generations)


def titles(study: Study) -> dict[str, str]:
    """Of its questions and then its measures, by key."""
    questions = dict(study.aspects.values_list("key", "title"))
    return questions | {sums.key: sums.title for sums in page_kinds.measures(study)}


def low_means_good(*, study: Study, aspect: str) -> bool:
    """Of a question, or of a measure."""
    questions = study.aspects.filter(key=aspect).values_list(
        "higher_is_better", flat=True
    )
    sums = {
        measure.key: measure.higher_is_better for measure in page_kinds.measures(study)
    }
    return not next(iter(questions), sums.get(aspect, True))


def aspect(measure: Measure) -> Aspect:
    return Aspect(
        key=measure.key,
        title=measure.title,
        higher_is_better=measure.higher_is_better,
        level="interval",
        scale=measure.scale,
    )


def behind(
    ratings: Ratings,
    study: Study,
    measures: Sequence[Measure],
    n_aspects: int,
    rows: Callable[[np.ndarray], np.ndarray],
) -> Ratings:
    """The ratings, and then those of each measure.

    Args:
        ratings: Of the questions.
        study: Of all of them.
        measures: In the order of their aspects.
        n_aspects: Questions, which come before.
        rows: The position of each text, by its id.
    """
    parts = [[getattr(ratings, name) for name in Ratings.__dataclass_fields__]]
    for number, measure in enumerate(measures, start=n_aspects):
        numbers = single_ratings.of_measure(study=study, values=measure.values(None))
        column = np.full(len(numbers.of), number, np.int64)
        parts.append([rows(numbers.of), column, *numbers[2:]])
    return Ratings(*map(np.concatenate, zip(*parts, strict=True)))
