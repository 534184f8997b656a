"""What ratings of texts are worth, whatever kinds of pages they come from."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.db.models import Count, QuerySet

from annotation import human_scores
from annotation.human_scores import corrections
from annotation.models import Aspect, Study
from annotation.page_kinds.scores import Counts
from annotation.surveys import parts


class TextScores:
    label = ""
    units = "texts"
    answers = "ratings"

    def level(self, aspect: Aspect) -> str:
        return aspect.level

    def counts(
        self, *, study: Study, aspect: Aspect, with_discarded: bool = False
    ) -> Counts:
        ratings = human_scores.counts(
            study=study, aspect=aspect, with_discarded=with_discarded
        )
        return Counts(ratings.counts, ratings.values)

    def filled(self, study: Study) -> Counter[int]:
        """Without excluded texts, and ratings from files. Where texts are only
        corrected, corrections are counted. Four queries at most."""
        answers = _ratings(study) if study.asks_aspects else _corrections(study)
        texts = Counter(n for _, n in answers)
        texts[0] = parts.n_to_rate(study) - texts.total()
        return texts


def _ratings(study: Study) -> QuerySet[Any]:
    """Texts with how many valid ratings they have."""
    firsts = {about: pk for pk, about in study.aspects.values_list("pk", "about")[::-1]}
    rated = human_scores.answers(study=study).filter(
        seat__isnull=False, aspect__in=firsts.values()
    )
    return rated.values_list("generation").annotate(n=Count("pk"))


def _corrections(study: Study) -> QuerySet[Any]:
    """Texts with how many valid corrections they have."""
    corrected = corrections.counted().filter(
        seat__survey__study=study, item__generation__excluded_at=None
    )
    return corrected.values_list("item__generation").annotate(n=Count("pk"))


TEXT_SCORES = TextScores()
