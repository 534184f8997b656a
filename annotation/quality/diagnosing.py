"""What quality control did: whether negatives work, and how far means moved."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from annotation.careless.common_scale import CommonScale
from annotation.models import Aspect, Item, Negative, Seat, Study
from annotation.page_kinds.matrix import PageMatrix
from scoring.stats import cluster_t, jackknife
from scoring.stats.estimates import Estimate

UNKNOWN = "unknown system"


class Shift(NamedTuple):
    """A mean over some of the values against the mean over others."""

    before: float | None
    after: float | None
    delta: Estimate  # after minus before; n is that of after


class SystemShift(NamedTuple):
    """How far the mean of one system moves on each aspect."""

    system: str
    cells: list[Shift]  # in the order of the study's aspects


class Works(NamedTuple):
    """Points by which damaged texts stand above their undamaged originals.

    Of 100 where the aspects have different scales. On pairs, of the damaged twin beside
    its original, on the page itself.

    Below 0, people see the damage. About 0 they do not, and who is discarded for it is
    discarded by chance.
    """

    perturbation: str
    pages: int  # with such a negative, whose original others have rated
    hurt: Estimate  # on the aspects that it should lower
    other: Estimate  # on the others
    by_chance: bool  # the interval on the hurt aspects reaches 0

    @property
    def rated_better(self) -> bool:
        """People prefer the damaged text: who is discarded for it is likely honest."""
        return self.hurt.low is not None and self.hurt.low > 0


def system_shifts(
    *,
    study: Study,
    pages: Sequence[PageMatrix],
    after: Mapping[int, str],
    with_discarded: bool,
) -> list[SystemShift]:
    """Compare each system's mean rating before and after. One query.

    Args:
        study: Of all these pages.
        pages: Submitted.
        after: The state in which each is then, by seat.
        with_discarded: Before means all but surplus pages; else those valid now.
    """
    texts = study_texts(study)
    counted = [Seat.State.VALID, Seat.State.DISCARDED][: 1 + with_discarded]
    rows = [
        (name, page.worker_id, page.state in counted, after[page.seat_id], ratings)
        for page in pages
        for item, ratings in zip(page.items, page.ratings, strict=True)
        if (name := texts.get(item)) is not None
    ]
    if not rows:
        return []
    names, workers, before, states, ratings = map(np.array, zip(*rows, strict=True))
    then, columns = states == Seat.State.VALID, ratings.astype(float).T
    found = []
    for system in np.unique(names):
        own = names == system
        cells = [shift(column, before & own, then & own, workers) for column in columns]
        found.append(SystemShift(str(system), cells))
    return found


def shift(
    values: np.ndarray, before: np.ndarray, after: np.ndarray, workers: np.ndarray
) -> Shift:
    """Compare the mean of the values that count after with that of those before.

    Both share most of their values: the interval is that of t over workers, of what
    each moves the difference by, to first order.

    Args:
        values: Shape (n,); NaN is "cannot say", and never counts.
        before, after: Which values count, bool, shape (n,).
        workers: Who gave each value, shape (n,): their pages go together.
    """
    known = ~np.isnan(values)
    before, after = before & known, after & known
    old = float(values[before].mean()) if before.any() else None
    new = float(values[after].mean()) if after.any() else None
    n = int(after.sum())
    if old is None or new is None:
        reason = "nothing counts before" if old is None else "nothing is left"
        return Shift(old, new, Estimate(None, n=n, reason=reason))
    either = before | after
    moved = np.where(after, values - new, 0) / n
    moved = moved - np.where(before, values - old, 0) / before.sum()
    points = new - old + either.sum() * moved[either]
    delta = cluster_t.mean(points, workers[either])
    return Shift(old, new, replace(jackknife.over(delta, "workers"), n=n))


def mean(values: np.ndarray, surveys: np.ndarray) -> Estimate:
    """Average values, (n,), NaN = missing, with the interval of t over surveys."""
    found = cluster_t.mean(values, surveys, reason="no rating to compare")
    return jackknife.over(found, "surveys")


def study_texts(study: Study) -> dict[int, str]:
    """The system behind each item that is a real text and counts."""
    items = Item.objects.filter(
        survey__study=study, generation__isnull=False, generation__excluded_at=None
    )
    return {
        pk: name or UNKNOWN
        for pk, name in items.order_by().values_list("pk", "generation__system__name")
    }


def perturbations(*, study: Study, pages: Sequence[PageMatrix]) -> list[Works]:
    """Compare each negative with what others gave its undamaged original.

    Of all pages, whatever quality control said of them: else it would find what it
    left. Three queries.
    """
    aspects = list(study.aspects.all())
    originals = _Originals(study, pages, aspects)
    hidden = {
        survey: (name, source)
        for survey, name, source in Negative.objects.filter(survey__study=study)
        .order_by()
        .values_list("survey_id", "perturbation", "source_id")
    }
    rows: dict[str, list[tuple[int, float, float]]] = defaultdict(list)
    for page in pages:
        if page.hidden is None or page.survey_id not in hidden:
            continue
        name, source = hidden[page.survey_id]
        above = page.above_twin(originals.scale)
        if above is None:
            above = originals.above_others(source, page)
        if above is None:
            rows[name]  # so that it is listed, with why there is no number
            continue
        hurt = np.array([aspect.key in page.hurts for aspect in aspects])
        rows[name].append((page.survey_id, _mean(above[hurt]), _mean(above[~hurt])))
    return [_works(name, found) for name, found in sorted(rows.items())]


class _Originals:
    """Ratings of undamaged texts, turned so that high is good."""

    def __init__(
        self, study: Study, pages: Sequence[PageMatrix], aspects: Sequence[Aspect]
    ) -> None:
        self.aspects, self.scale = aspects, CommonScale.of(aspects)
        items = Item.objects.filter(survey__study=study, generation__isnull=False)
        text_of = dict(items.order_by().values_list("pk", "generation_id"))
        zeros = partial(np.zeros, len(aspects))
        self.sums: dict[int, np.ndarray] = defaultdict(zeros)
        self.n: dict[int, np.ndarray] = defaultdict(zeros)
        self.own: dict[tuple[int, int], np.ndarray] = {}
        for page in pages:
            for item, ratings in zip(page.items, page.ratings, strict=True):
                if (text := text_of.get(item)) is not None:
                    turned = self.turned(ratings)
                    self.sums[text] += np.nan_to_num(turned)
                    self.n[text] += ~np.isnan(turned)
                    # A text is on one page, which a worker sees once.
                    self.own[text, page.worker_id] = turned

    def turned(self, ratings: np.ndarray) -> np.ndarray:
        """In the common unit; NaN: cannot say."""
        return self.scale.turned(ratings, self.aspects)

    def above_others(self, text: int, page: PageMatrix) -> np.ndarray | None:
        """By how much the damaged text stands above what others gave this one."""
        mean = self.by_others(text, page.worker_id)
        if mean is None:
            return None
        return np.asarray(self.turned(page.ratings[page.hidden]) - mean)

    def by_others(self, text: int, worker: int) -> np.ndarray | None:
        """Mean without this worker's own ratings; None if nobody else has rated it.

        NaN on aspects on which nobody else could.
        """
        own = self.own.get((text, worker))
        own = np.full(len(self.aspects), np.nan) if own is None else own
        n = self.n[text] - ~np.isnan(own)
        if not n.any():
            return None
        total = self.sums[text] - np.nan_to_num(own)
        found = np.full(len(n), np.nan)
        np.divide(total, n, out=found, where=n > 0)
        return found


def _works(name: str, found: list[tuple[int, float, float]]) -> Works:
    table = np.array(found, dtype=float).reshape(-1, 3)
    if found:
        hurt, other = (mean(column, table[:, 0]) for column in table[:, 1:].T)
    else:
        nobody = "nobody else has rated the undamaged texts yet"
        hurt = other = Estimate(None, n=0, reason=nobody)
    by_chance = hurt.high is not None and hurt.high >= 0
    return Works(name, len(found), hurt, other, by_chance)


def _mean(values: np.ndarray) -> float:
    """Of those that are known."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")
