"""Who rates how, and how far the surveys are: rows for the pages that watch a study.

Reads only; as many queries for a thousand workers as for ten.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, TypeVar

import numpy as np
from django.core.cache import cache
from django.db.models import Count, Max, Q, QuerySet, Sum

from annotation import human_scores, quality
from annotation.models import (
    Annotation,
    Negative,
    Policy,
    Seat,
    Study,
    Verdict,
    Worker,
)
from annotation.quality import Judge, checked_pages
from annotation.quality.checking import BY_HAND
from scoring.stats.correlation import pearson

T = TypeVar("T")
State = Seat.State
TRUSTED_PAGES = 3  # of who has no discarded page
MOST_SEATS = 200  # shown at once


class Figure(NamedTuple):
    """A number, or why there is none."""

    value: float | None
    reason: str = ""


def computed_once(*, study: Study, name: str, compute: Callable[[], T]) -> T:
    """What `compute` gives, kept until a page is judged or somebody decides anew."""
    last = study.events.aggregate(last=Max("pk"))["last"]
    stamp = human_scores.stamp(study=study)
    key = f"{name}:{study.public_id}:{stamp}:{last}"
    found: T | None = cache.get(key)
    if found is None:
        cache.set(key, found := compute(), timeout=60 * 60)
    return found


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


# Surveys and seats --------------------------------------------------------------------


class Filled(NamedTuple):
    """How many texts and surveys have so many valid ratings."""

    ratings: int
    texts: int
    surveys: int


def filled(*, study: Study) -> list[Filled]:
    """From no rating up to the most that were asked for or came. Four queries.

    Texts that are excluded are not counted, nor are ratings from files.
    """
    first = study.aspects.first()
    rated = human_scores.ratings(study=study).filter(seat__isnull=False, aspect=first)
    of_texts = rated.values_list("generation").annotate(n=Count("pk"))
    texts = Counter(n for _, n in of_texts)
    valid = Seat.objects.filter(survey__study=study, state=State.VALID).order_by()
    surveys = Counter(n for _, n in valid.values_list("survey").annotate(n=Count("pk")))
    totals = study.generations.filter(excluded_at=None).count(), study.surveys.count()
    texts[0] = totals[0] - texts.total()
    surveys[0] = totals[1] - surveys.total()
    most = max(study.ratings_per_text, *texts, *surveys)
    return [Filled(n, texts[n], surveys[n]) for n in range(most + 1)]


class Sitting(NamedTuple):
    """A page that somebody is at."""

    seat: Seat
    answered: int
    wanted: int
    minutes_left: float  # of the lease; negative once it has lapsed


def sittings(*, study: Study, now: datetime) -> list[Sitting]:
    """The claimed seats whose lease ends first. Two queries."""
    n_aspects = study.aspects.count()
    claimed = Seat.objects.filter(survey__study=study, state=State.CLAIMED)
    rows = claimed.select_related("worker", "survey", "place").annotate(
        answered=Count("annotations")
    )
    return [
        Sitting(
            seat=seat,
            answered=seat.answered,
            wanted=len(seat.order) * n_aspects,
            minutes_left=(seat.place.lease_until - now).total_seconds() / 60,
        )
        for seat in rows.order_by("place__lease_until", "pk")[:MOST_SEATS]
        if seat.place.lease_until
    ]


# Negatives ----------------------------------------------------------------------------


class Damage(NamedTuple):
    """What one perturbation did, and what careful workers thought of it."""

    perturbation: str
    pages: int  # judged by quality control
    discarded: int
    trusted: int  # pages of trusted workers
    last: int  # of these: the negative below every real text
    tied: int  # of these: level with the worst real text, above none

    @property
    def discarded_percent(self) -> float | None:
        return 100 * self.discarded / self.pages if self.pages else None

    @property
    def last_percent(self) -> float | None:
        return 100 * self.last / self.trusted if self.trusted else None


def damages(*, study: Study, now: datetime) -> list[Damage]:
    """Pages by the perturbation of their negative, most discarded first.

    Eight queries. Trusted are active workers with at least `TRUSTED_PAGES` pages and
    none discarded. Compared are the means over the aspects that the perturbation is
    meant to hurt. Pages of workers whom a person excluded, or who withdrew, are left
    out: no check spoke there.
    """
    named = dict(
        Negative.objects.filter(survey__study=study).values_list(
            "survey_id", "perturbation"
        )
    )
    by_hand = (Worker.State.EXCLUDED, Worker.State.WITHDRAWN)
    finished = Seat.objects.filter(survey__study=study, state__in=Seat.FINISHED)
    finished = finished.exclude(worker__state__in=by_hand).order_by()
    pages: Counter[str] = Counter()
    discarded: Counter[str] = Counter()
    for survey, state, n in finished.values_list("survey", "state").annotate(
        n=Count("pk")
    ):
        name = named.get(survey, "")
        pages[name] += n
        discarded[name] += n if state == State.DISCARDED else 0
    places = _places_of_negatives(study, finished, named, now)
    return sorted(
        (
            Damage(name, pages[name], discarded[name], *places[name])
            for name in sorted(set(named.values()))
        ),
        key=lambda row: -(row.discarded_percent or 0),
    )


def trusted(*, study: Study) -> list[int]:
    """Ids of active workers with enough pages, none of them discarded. One query."""
    active = study.workers.filter(state=Worker.State.ACTIVE).annotate(
        n=Count("seats", filter=Q(seats__state__in=Seat.FINISHED)),
        n_discarded=Count("seats", filter=Q(seats__state=State.DISCARDED)),
    )
    enough = active.filter(n__gte=TRUSTED_PAGES, n_discarded=0).order_by()
    return list(enough.values_list("pk", flat=True))


def _places_of_negatives(
    study: Study, finished: QuerySet[Seat], named: dict[int, str], now: datetime
) -> dict[str, tuple[int, int, int]]:
    """By perturbation: pages of trusted workers, negative last, negative tied last."""
    judging = Judge.of(study, Policy(on=Policy.On.HURT))
    seats = finished.filter(worker__in=trusted(study=study))
    found: dict[str, np.ndarray] = defaultdict(lambda: np.zeros(3, dtype=np.int64))
    for sheet in checked_pages.read(study=study, seats=seats, now=now):
        if (compared := judging.compared(sheet)) is None:
            continue
        worst, own = compared.real.sum(axis=1).min(), compared.negative.sum()
        found[named[sheet.survey_id]] += (1, own < worst, own == worst)
    return defaultdict(
        lambda: (0, 0, 0), {name: tuple(row.tolist()) for name, row in found.items()}
    )
