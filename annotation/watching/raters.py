"""How each worker rates, beside everybody else.

Reads only; as many queries for a thousand workers as for ten.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import numpy as np
from django.db.models import Count, Sum

from annotation import human_scores, quality
from annotation.models import Annotation, Seat, Study, Verdict, Worker
from annotation.quality.checking import BY_HAND
from scoring.stats.correlation import pearson

State = Seat.State


class Figure(NamedTuple):
    """A number, or why there is none."""

    value: float | None
    reason: str = ""


# Statistics on arrays -----------------------------------------------------------------


def others_mean(
    own: np.ndarray, total: np.ndarray, n: np.ndarray, counted: np.ndarray
) -> np.ndarray:
    """Mean that everybody else gave to the same text on the same aspect.

    Args:
        own: The worker's ratings, (k,).
        total, n: Sum and number of all ratings that count, of the same text and aspect.
        counted: Whether the worker's own rating is among those.

    Returns:
        (k,) float64, NaN where nobody else's rating counts.
    """
    n_others = n - counted
    rest = np.where(counted, total - own, total).astype(np.float64)
    empty = np.full(rest.shape, np.nan)
    means: np.ndarray = np.divide(rest, n_others, out=empty, where=n_others > 0)
    return means


def bias(own: np.ndarray, others: np.ndarray) -> Figure:
    """By how many points the worker rates above the others, on average."""
    both = ~np.isnan(others)
    if not both.any():
        return Figure(None, "nobody else has rated these texts")
    return Figure(float((own[both] - others[both]).mean()))


def spread(own: np.ndarray) -> Figure:
    """Standard deviation of the worker's ratings, with n - 1."""
    if len(own) < 2:
        return Figure(None, "fewer than 2 ratings")
    return Figure(float(own.std(ddof=1)))


def agreement(own: np.ndarray, others: np.ndarray) -> Figure:
    """Pearson r of the worker's ratings with the means of the others."""
    found = pearson(own, others, ("their ratings", "the others' means"))
    return Figure(found.value, found.reason or "")


def position_bias(own: np.ndarray, positions: np.ndarray) -> Figure:
    """Pearson r of the worker's ratings with the place of the text on the page."""
    found = pearson(own, positions, ("their ratings", "positions"))
    return Figure(found.value, found.reason or "")


# Workers ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rater:
    """How one worker rates, over all pages handed in; real texts that count only."""

    agreement: Figure
    bias: Figure
    spread: Figure
    position: Figure
    seconds: Figure  # median of a page
    by_clock: bool  # seconds run from claim to submission: no page was measured
    failed: int  # pages that failed a check
    judged: int  # pages that quality control looked at
    checks: list[tuple[str, int]]  # which failed, and on how many pages


class _Page(NamedTuple):
    """What of a seat is looked at here. Rows, because there may be thousands."""

    pk: int
    worker_id: int
    order: list[int]
    visible: dict[str, int]
    claimed_at: datetime
    submitted_at: datetime | None


def raters(*, study: Study, workers: Sequence[Worker]) -> dict[int, Rater]:
    """How these workers rate, by id. Four queries."""
    rows = Seat.objects.filter(worker__in=workers, state__in=Seat.FINISHED)
    seats = [_Page(*row) for row in rows.values_list(*_Page._fields)]
    ratings = _ratings(study, workers, seats)
    judged = _judged(workers)
    by_worker: dict[int, list[_Page]] = defaultdict(list)
    for seat in seats:
        by_worker[seat.worker_id].append(seat)
    return {
        worker.pk: _rater(by_worker[worker.pk], ratings[worker.pk], judged)
        for worker in workers
    }


def _rater(
    seats: list[_Page], ratings: np.ndarray, judged: dict[int, list[str] | None]
) -> Rater:
    own, position, total, n, counted = ratings.T
    others = others_mean(own, total, n, counted.astype(bool))
    seconds, by_clock = _seconds(seats)
    verdicts = [judged[seat.pk] for seat in seats if seat.pk in judged]
    checks = Counter(name for failed in verdicts for name in failed or ())
    return Rater(
        agreement=agreement(own, others),
        bias=bias(own, others),
        spread=spread(own),
        position=position_bias(own, position),
        seconds=seconds,
        by_clock=by_clock,
        failed=len(verdicts) - verdicts.count(None),
        judged=len(verdicts),
        checks=[
            (quality.CHECKS.get(name, name), n) for name, n in checks.most_common()
        ],
    )


def _ratings(
    study: Study, workers: Sequence[Worker], seats: list[_Page]
) -> dict[int, np.ndarray]:
    """By worker: rating, position, sum and number of all ratings, own one in these."""
    theirs = Annotation.objects.filter(seat__worker__in=workers).values("generation")
    everybody = {
        (generation, aspect): (total, n)
        for generation, aspect, total, n in human_scores.ratings(study=study)
        .filter(generation__in=theirs)
        .values_list("generation_id", "aspect_id")
        .annotate(total=Sum("value"), n=Count("pk"))
    }
    seat_of = {seat.pk: seat for seat in seats}
    rows = Annotation.objects.filter(
        seat__worker__in=workers,
        seat__state__in=Seat.FINISHED,
        generation__isnull=False,
        generation__excluded_at=None,
    )
    found: dict[int, list[tuple[float, ...]]] = defaultdict(list)
    for seat_id, state, item, generation, aspect, value in rows.order_by().values_list(
        "seat_id", "seat__state", "item_id", "generation_id", "aspect_id", "value"
    ):
        if (seat := seat_of.get(seat_id)) is None:
            continue  # handed in just now
        total, n = everybody.get((generation, aspect), (0, 0))
        position = seat.order.index(item) + 1
        counted = state == State.VALID
        found[seat.worker_id].append((value, position, total, n, counted))
    return defaultdict(
        lambda: np.empty((0, 5)),
        {worker: np.array(rows, dtype=np.float64) for worker, rows in found.items()},
    )


def _judged(workers: Sequence[Worker]) -> dict[int, list[str] | None]:
    """By page: which checks failed by the newest verdict of a policy; None: valid."""
    verdicts = Verdict.objects.filter(seat__worker__in=workers)
    return {
        seat: None if valid else numbers.get("failed", ["rule"])
        for seat, valid, numbers in verdicts.order_by("pk").values_list(
            "seat_id", "valid", "numbers"
        )
        if BY_HAND not in numbers
    }


def _seconds(seats: list[_Page]) -> tuple[Figure, bool]:
    """Median time in view; of the whole sitting where no page was measured."""
    measured = [sum(seat.visible.values()) / 1000 for seat in seats if seat.visible]
    if measured:
        return Figure(float(np.median(measured))), False
    sat = [
        (seat.submitted_at - seat.claimed_at).total_seconds()
        for seat in seats
        if seat.submitted_at
    ]
    if not sat:
        return Figure(None, "no page submitted"), False
    return Figure(float(np.median(sat))), True
