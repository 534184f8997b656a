"""What of a study takes reading all its ratings: kept for large studies.

The names of these functions stand in `kept.SUMMARIES`.
"""

from __future__ import annotations

from typing import NamedTuple

from django.utils import timezone

from annotation.models import Aspect, Study
from annotation.watching import monitor, summary
from annotation.watching.monitor import Damage, Filled
from annotation.watching.summary import AspectAlpha, TableOne
from scoring.stats.agreement import Alpha, Level


class OfAspect(NamedTuple):
    """`AspectAlpha` without the row of its aspect."""

    aspect: int
    levels: list[tuple[Level, Alpha]]
    level: str
    label: str


class Figures(NamedTuple):
    """Of the overview."""

    agreement: list[OfAspect]
    only_means: bool
    table: TableOne

    def alphas(self, study: Study) -> list[AspectAlpha]:
        """With the aspects as they are now. One query."""
        aspects: dict[int, Aspect] = study.aspects.in_bulk()
        return [
            AspectAlpha(aspects[one.aspect], one.levels, one.level, one.label)
            for one in self.agreement
            if one.aspect in aspects
        ]


def figures(study: Study, variant: str = "") -> Figures:
    """A few queries for each question."""
    agreement = summary.agreement(study=study)
    return Figures(
        [
            OfAspect(one.aspect.pk, one.levels, one.level, one.label)
            for one in agreement
        ],
        summary.only_means(study=study, agreement=agreement),
        summary.table_1(study=study),
    )


def filled(study: Study, variant: str = "") -> list[Filled]:
    """Six queries at most."""
    return monitor.filled(study=study)


def damages(study: Study, variant: str = "") -> list[Damage]:
    """Reads every page of trusted workers, so small studies keep it for a while."""
    return monitor.computed_once(
        study=study,
        name="damages",
        compute=lambda: monitor.damages(study=study, now=timezone.now()),
    )
