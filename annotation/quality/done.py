"""What quality control has done so far: reads every page that was submitted."""

from __future__ import annotations

from typing import NamedTuple

from django.core.cache import cache
from django.utils import timezone

from annotation import human_scores
from annotation.careless.common_scale import CommonScale
from annotation.models import Seat, Study
from annotation.quality import checked_pages, diagnosing, rejudging
from annotation.quality.diagnosing import SystemShift, Works


class Done(NamedTuple):
    """Pages, how far they moved means, and whether people see the damage."""

    n_pages: int
    n_discarded: int
    shifts: list[SystemShift]
    works: list[Works]
    mixed: bool  # aspects have different scales


def done(study: Study, variant: str = "") -> Done:
    """Kept by this process until a page or a verdict comes. For `kept`, too."""
    key = f"quality:{study.public_id}:{human_scores.stamp(study=study)}"
    found: Done | None = cache.get(key)
    if found is None:
        cache.set(key, found := _done(study), timeout=60 * 60 * 24)
    return found


def _done(study: Study) -> Done:
    seats = rejudging.finished(study)
    read = checked_pages.read_all(study=study, seats=seats, now=timezone.now())
    pages = [page for page in read if page.is_rated]
    return Done(
        n_pages=len(read),
        n_discarded=sum(page.state == Seat.State.DISCARDED for page in read),
        shifts=diagnosing.system_shifts(
            study=study,
            pages=pages,
            after={page.seat_id: page.state for page in pages},
            with_discarded=True,
        ),
        works=diagnosing.perturbations(study=study, pages=pages),
        mixed=CommonScale.of(list(study.aspects.all())).is_mixed,
    )
