"""Who gives the answers that hidden sentences ask programs for: see `seats.canary`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from annotation import page_kinds
from annotation.models import Annotation, Seat, Study, Worker
from annotation.seats import canary


class Followed(NamedTuple):
    """What one worker did with the sentences."""

    seats: list[int]  # where they gave the answer asked for
    pages: int  # with a sentence
    expected: float  # pages, of people who do not know it
    p: float  # of them, those who give as many such answers or more


def read(*, study: Study, workers: Sequence[Worker]) -> dict[int, Followed]:
    """By worker. Three queries; none where the study has no such sentences."""
    if not study.canary:
        return {}
    aspects = list(study.aspects.all())
    kinds = page_kinds.keys(lambda facts: facts.rates_single_texts)
    pages = Seat.objects.filter(
        worker__in=workers, state__in=Seat.FINISHED, survey__kind__in=kinds
    )
    asked: dict[tuple[int, int, int], int] = {}
    chances: dict[int, list[float]] = defaultdict(list)
    rows = pages.order_by("-submitted_at", "-pk").values_list("pk", "worker", "order")
    for seat, worker, order in rows:
        one = canary.drawn(
            seed=study.seed, seat=seat, texts=len(order), aspects=aspects
        )
        if one is not None:
            asked[seat, order[one.position - 1], one.aspect.pk] = one.value
            chances[worker].append(one.chance)
    followed = _followed(pages.values("pk"), asked)
    return {
        worker: Followed(
            followed[worker], len(own), sum(own), tail(own, len(followed[worker]))
        )
        for worker, own in chances.items()
    }


def _followed(
    pages: object, asked: dict[tuple[int, int, int], int]
) -> dict[int, list[int]]:
    """Seats by worker."""
    answers = Annotation.objects.filter(seat__in=pages).order_by("-seat")
    found: dict[int, list[int]] = defaultdict(list)
    rows = answers.values_list("seat", "item", "aspect", "value", "seat__worker")
    for seat, item, aspect, value, worker in rows.iterator(chunk_size=5000):
        if value is not None and asked.get((seat, item, aspect)) == value:
            found[worker].append(seat)
    return found


def tail(chances: Sequence[float], k: int) -> float:
    """How likely k or more of these happen, each independent with its own chance.

    >>> round(tail([0.2, 0.2, 0.2], 3), 6)
    0.008
    """
    found = np.ones(1)
    for chance in chances:
        found = np.convolve(found, [1 - chance, chance])
    return float(min(1.0, found[k:].sum()))
