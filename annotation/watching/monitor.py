"""How far the surveys are, who is at a page, and what each kind of damage does.

Reads only; as many queries for a thousand workers as for ten.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple, TypeVar

import numpy as np
from django.core.cache import cache
from django.db.models import Count, Max, Q, QuerySet

from annotation import human_scores, page_kinds
from annotation.models import (
    Negative,
    Policy,
    Seat,
    Study,
    Worker,
)
from annotation.quality import Judge, checked_pages

T = TypeVar("T")
State = Seat.State
TRUSTED_PAGES = 3  # of who has no discarded page
MOST_SEATS = 200  # shown at once


def computed_once(*, study: Study, name: str, compute: Callable[[], T]) -> T:
    """What `compute` gives, kept until a page is judged or a decision is made."""
    last = study.events.aggregate(last=Max("pk"))["last"]
    stamp = human_scores.stamp(study=study)
    key = f"{name}:{study.public_id}:{stamp}:{last}"
    found: T | None = cache.get(key)
    if found is None:
        cache.set(key, found := compute(), timeout=60 * 60)
    return found


# Surveys and seats --------------------------------------------------------------------


class Filled(NamedTuple):
    """How many surveys, and texts or pairs, have so many valid answers."""

    answers: int
    surveys: int
    units: list[int]  # of each of `page_kinds.scores_of`


def filled(*, study: Study) -> list[Filled]:
    """From no answer up to the most that were asked for or came. Eight queries at
    most."""
    valid = Seat.objects.filter(survey__study=study, state=State.VALID).order_by()
    surveys = Counter(n for _, n in valid.values_list("survey").annotate(n=Count("pk")))
    surveys[0] = study.surveys.count() - surveys.total()
    units = [scores.filled(study) for scores in page_kinds.scores_of(study)]
    most = max(study.ratings_per_text, *surveys, *(n for some in units for n in some))
    return [
        Filled(n, surveys[n], [counts[n] for counts in units]) for n in range(most + 1)
    ]


class Sitting(NamedTuple):
    """A page that someone is at."""

    seat: Seat
    answered: int
    wanted: int
    minutes_left: float  # of the lease; negative once it has lapsed


def sittings(*, study: Study, now: datetime) -> list[Sitting]:
    """The claimed seats whose lease ends first. Two queries, more with dialogues."""
    n_aspects = Counter(study.aspects.values_list("about", flat=True))
    answers = {kind.counting.answers for kind in page_kinds.of(study)}
    claimed = Seat.objects.filter(survey__study=study, state=State.CLAIMED)
    rows = claimed.select_related("worker", "survey", "place").annotate(
        **{f"n_{name}": Count(name, distinct=True) for name in answers}
    )
    return [
        Sitting(
            seat=seat,
            answered=getattr(seat, f"n_{counting.answers}"),
            wanted=counting.n_wanted(seat, n_aspects),
            minutes_left=(seat.place.lease_until - now).total_seconds() / 60,
        )
        for seat in rows.order_by("place__lease_until", "pk")[:MOST_SEATS]
        if seat.place.lease_until
        and (counting := page_kinds.get(seat.survey.kind).counting)
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
    judging = Judge.of(study, Policy(study=study, on=Policy.On.HURT))
    seats = finished.filter(worker__in=trusted(study=study))
    found: dict[str, np.ndarray] = defaultdict(lambda: np.zeros(3, dtype=np.int64))
    for matrix in checked_pages.read_all(study=study, seats=seats, now=now):
        if (compared := matrix.compared(judging)) is None:
            continue
        sums = np.round(compared.real.sum(axis=1), 6)
        worst, own = sums.min(), np.round(compared.negative.sum(), 6)
        found[named[matrix.survey_id]] += (1, own < worst, own == worst)
    return defaultdict(
        lambda: (0, 0, 0), {name: tuple(row.tolist()) for name, row in found.items()}
    )
