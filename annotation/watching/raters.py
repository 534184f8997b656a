"""How each worker rates, beside everybody else.

Reads only; as many queries for a thousand workers as for ten.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import numpy as np
from django.db.models import Case, Count, Sum, When
from django.db.models.functions import Length

from annotation import human_scores, page_kinds, quality
from annotation.careless.common_scale import CommonScale
from annotation.models import (
    Annotation,
    Seat,
    Study,
    Verdict,
    Worker,
)
from annotation.models.surveys import digest_of, seconds_in_view
from annotation.quality.checking import BY_HAND
from annotation.watching import comparisons, item_lengths
from annotation.watching.comparisons import Comparison
from annotation.watching.figures import Figure
from annotation.watching.monitor import computed_once
from scoring.stats.correlation import pearson

State = Seat.State
NO_SCALE = -1  # in place of a kind of scale, where answers are no points of one


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
    """How one worker rates, over all pages submitted; real texts that count only.

    What they say of pairs is apart from ratings: no number has both.
    """

    pages: int  # submitted
    texts: int  # that others have rated, too
    agreement: Figure
    bias: Figure
    spread: Figure
    position: Figure
    left: Figure  # share of A among the choices of a side, on pairs
    choices: int  # of a side
    same_choice: Figure  # share of others who said the same of a pair, on average
    seconds: Figure  # median of a page
    by_clock: bool  # seconds run from claim to submission: no page was measured
    speed: Figure  # characters per second, median of a page
    page_speeds: dict[int, float]  # by seat
    same_pages: list[int]  # seats with one answer everywhere, damaged texts included
    common: Figure  # share of their most frequent answer
    failed: int  # pages that failed a check
    judged: int  # pages that quality control looked at
    checks: list[tuple[str, int]]  # which failed, and on how many pages
    odds: float | None  # newest odds of random answers, where a check weighs them
    changed: Figure  # words for each 100, over the real texts that they corrected
    outside: list[int]  # seats with too few or too many changed words


class _Page(NamedTuple):
    """What of a seat is looked at here. Rows, because there may be thousands."""

    pk: int
    worker_id: int
    state: str
    informed: bool
    order: list[int]
    flipped: list[int]
    visible: dict[str, int]
    claimed_at: datetime
    submitted_at: datetime | None
    kind: str
    prefix: int  # characters of the beginning that its texts share, if they do

    @property
    def seconds(self) -> float | None:
        """In view; of the whole sitting where nobody measured. As quality control."""
        if self.visible:
            return seconds_in_view(self.visible, self.claimed_at, self.submitted_at)
        if self.submitted_at is None:
            return None
        return (self.submitted_at - self.claimed_at).total_seconds()

    def characters(self, lengths: Mapping[int, int]) -> int:
        return self.prefix + sum(lengths.get(item, 0) for item in self.order)


class _Verdicts(NamedTuple):
    """What the newest verdicts of a policy say, by page and by worker."""

    failed: dict[int, list[str] | None]  # checks that failed; None: valid
    odds: dict[int, float]
    # Changed words, and words of the corrections, by seat.
    edited: dict[int, tuple[int, int]]
    outside: set[int]  # seats


class _Ratings(NamedTuple):
    """The answers of one worker."""

    # (k, 6): rating, position, sum and number of all ratings, own one in these, text.
    real: list[tuple[float, ...]]
    # Every answer with its kind of scale, also to damaged texts; None: cannot say.
    by_page: dict[int, list[tuple[int, int | None]]]


def raters(*, study: Study, workers: Sequence[Worker]) -> dict[int, Rater]:
    """How these workers rate, by id. Six queries, two more with pairs."""
    seats = _pages(workers)
    ratings = _ratings(study, workers, seats)
    compared = comparisons.read(study=study, workers=workers)
    verdicts, lengths = _verdicts(workers), item_lengths.of_workers(workers)
    by_worker: dict[int, list[_Page]] = defaultdict(list)
    for seat in seats:
        by_worker[seat.worker_id].append(seat)
    return {
        worker.pk: _rater(
            by_worker[worker.pk],
            ratings[worker.pk],
            compared[worker.pk],
            verdicts,
            lengths,
            worker.pk,
        )
        for worker in workers
    }


def of_ids(study: Study, variant: str) -> dict[int, Rater]:
    """For `kept`: the variant is the ids of the workers."""
    ids = [int(pk) for pk in variant.split()]
    workers = list(study.workers.filter(pk__in=ids))
    return computed_once(
        study=study,
        name=f"raters-{digest_of(variant)}",
        compute=lambda: raters(study=study, workers=workers),
    )


def _pages(workers: Sequence[Worker]) -> list[_Page]:
    rows = Seat.objects.filter(worker__in=workers, state__in=Seat.FINISHED)
    apart = [kind.key for kind in page_kinds.every() if not kind.counting.shares_prefix]
    own_prompts = When(survey__kind__in=apart, then=0)
    prefix = Case(own_prompts, default=Length("survey__prompt__prefix"))
    names = (*_Page._fields[:-2], "survey__kind")
    return [_Page(*row) for row in rows.order_by("pk").values_list(*names, prefix)]


def _rater(
    seats: list[_Page],
    ratings: _Ratings,
    compared: list[Comparison],
    verdicts: _Verdicts,
    lengths: Mapping[int, int],
    worker: int,
) -> Rater:
    table = np.array(ratings.real, dtype=np.float64).reshape(-1, 6)
    own, position, total, n, counted, texts = table.T
    others = others_mean(own, total, n, counted.astype(bool))
    seconds, by_clock = _seconds(seats)
    speeds = _speeds(seats, lengths)
    judged = [verdicts.failed[seat.pk] for seat in seats if seat.pk in verdicts.failed]
    checks = Counter(name for failed in judged for name in failed or ())
    titles = quality.titles()
    return Rater(
        pages=len(seats),
        texts=len(np.unique(texts[~np.isnan(others)])),
        agreement=agreement(own, others),
        bias=bias(own, others),
        spread=spread(own),
        position=position_bias(own, position),
        left=comparisons.share_of_left(compared),
        choices=comparisons.n_sided(compared),
        same_choice=comparisons.same_choice(compared),
        seconds=seconds,
        by_clock=by_clock,
        speed=_median(speeds.values()),
        page_speeds=speeds,
        same_pages=[pk for pk, given in ratings.by_page.items() if _is_same(given)],
        common=_common(ratings.by_page),
        failed=len(judged) - judged.count(None),
        judged=len(judged),
        checks=[(titles.get(name, name), n) for name, n in checks.most_common()],
        odds=verdicts.odds.get(worker),
        changed=_changed([verdicts.edited.get(seat.pk, (0, 0)) for seat in seats]),
        outside=[seat.pk for seat in seats if seat.pk in verdicts.outside],
    )


def _ratings(
    study: Study, workers: Sequence[Worker], seats: list[_Page]
) -> dict[int, _Ratings]:
    theirs = Annotation.objects.filter(seat__worker__in=workers).values("generation")
    everybody = {
        (generation, aspect): (total, n)
        for generation, aspect, total, n in human_scores.ratings(study=study)
        .filter(generation__in=theirs)
        .values_list("generation_id", "aspect_id")
        .annotate(total=Sum("value"), n=Count("pk"))
    }
    aspects = list(study.aspects.all())
    scale = CommonScale.of(aspects)
    column = {aspect.pk: n for n, aspect in enumerate(aspects)}
    seat_of = {seat.pk: seat for seat in seats}
    rows = Annotation.objects.filter(
        seat__worker__in=workers, seat__state__in=Seat.FINISHED
    ).order_by()
    found: dict[int, _Ratings] = defaultdict(lambda: _Ratings([], defaultdict(list)))
    for seat_id, item, text, excluded, aspect, value in rows.values_list(
        *("seat_id", "item_id", "generation_id", "generation__excluded_at"),
        *("aspect_id", "value"),
    ):
        if (seat := seat_of.get(seat_id)) is None:
            continue  # submitted just now
        own = found[seat.worker_id]
        kind = page_kinds.get(seat.kind)
        is_point = kind.facts.gives_ratings
        group = int(scale.groups[column[aspect]]) if is_point else NO_SCALE
        given = kind.counting.as_given(value, item, seat)
        own.by_page[seat_id].append((group, given))
        if text is None or excluded is not None or value is None:
            continue
        total, n = everybody.get((text, aspect), (0, 0))
        value, total = scale.sums(column[aspect], (value, 1), (total, n))
        position = seat.order.index(item) + 1
        counted = seat.state == State.VALID and not seat.informed
        own.real.append((value, position, total, n, counted, text))
    return found


def _verdicts(workers: Sequence[Worker]) -> _Verdicts:
    rows = Verdict.objects.filter(seat__worker__in=workers).order_by("pk")
    found = _Verdicts({}, {}, {}, set())
    for seat, worker, valid, numbers in rows.values_list(
        "seat_id", "seat__worker_id", "valid", "numbers"
    ):
        if BY_HAND in numbers:
            continue
        found.failed[seat] = None if valid else numbers.get("failed", ["rule"])
        if "odds" in numbers:
            found.odds[worker] = numbers["odds"]["times"]
        if edited := numbers.get("edited"):
            found.edited[seat] = edited["changed"], edited["words"]
            (found.outside.add if "outside" in numbers else found.outside.discard)(seat)
    return found


def _changed(pages: list[tuple[int, int]]) -> Figure:
    n_words = sum(words for _, words in pages)
    if not n_words:
        return Figure(None, "no page of corrections")
    return Figure(100 * sum(changed for changed, _ in pages) / n_words)


def _seconds(seats: list[_Page]) -> tuple[Figure, bool]:
    """Median time in view; of the whole sitting where no page was measured."""
    measured = [seat.seconds for seat in seats if seat.visible]
    found = measured or [seat.seconds for seat in seats]
    known = [seconds for seconds in found if seconds is not None]
    if not known:
        return Figure(None, "no page submitted"), False
    return Figure(float(np.median(known))), not measured


def _speeds(seats: list[_Page], lengths: Mapping[int, int]) -> dict[int, float]:
    """By seat; pages without any time are left out."""
    return {
        seat.pk: seat.characters(lengths) / seat.seconds
        for seat in seats
        if seat.seconds
    }


def _median(speeds: Collection[float]) -> Figure:
    if not speeds:
        return Figure(None, "no reading time is known")
    return Figure(float(np.median(list(speeds))))


def _is_same(answers: list[tuple[int, int | None]]) -> bool:
    """On each kind of scale one value everywhere. As quality control."""
    kinds = {kind for kind, _ in answers}
    return len(answers) > 1 and len(set(answers)) == len(kinds)


def _common(by_page: Mapping[int, list[tuple[int, int | None]]]) -> Figure:
    """Share of the most frequent answer among all answers."""
    counted = Counter(value for answers in by_page.values() for value in answers)
    if not counted:
        return Figure(None, "no answer")
    return Figure(counted.most_common(1)[0][1] / counted.total())
