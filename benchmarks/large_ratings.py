"""Ratings of a large study: seats, answers, verdicts. For `large_data`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from large_rows import fill, plain

from annotation.careless.odds import Odds
from annotation.kinds.ratings.matrix import RatingMatrix
from annotation.models import (
    Annotation,
    Item,
    Negative,
    Place,
    Report,
    Seat,
    Study,
    Verdict,
    Worker,
)
from annotation.quality.checking import Judge, Opinion, Person

WORKERS = 1_000
OPEN_PAGES = 20  # that lack one rating
CARELESS = 0.03  # of the pages are discarded, and rated once more by somebody else


@dataclass(frozen=True, slots=True)
class _Page:
    """What all seats of a survey share."""

    survey: int
    places: list[int]  # ids
    items: list[tuple[int, int | None, int | None]]  # item, generation, negative
    hurts: list[str]
    characters: int
    truth: np.ndarray  # (items, aspects)

    @property
    def hidden(self) -> int | None:
        return next((k for k, item in enumerate(self.items) if item[2]), None)


@dataclass(frozen=True, slots=True)
class _Sitting:
    """A seat and what came of it."""

    pk: int
    page: _Page
    place: int
    worker: int
    order: np.ndarray  # of the page's items
    ratings: np.ndarray  # (items, aspects), in the order shown
    claimed: datetime
    seconds: float
    opinion: Opinion

    @property
    def submitted(self) -> datetime:
        return self.claimed + timedelta(seconds=self.seconds)

    @property
    def shown(self) -> list[tuple[int, int | None, int | None]]:
        return [self.page.items[k] for k in self.order]


def make(study: Study, rng: np.random.Generator) -> None:
    """Workers, seats, answers, verdicts, comments and reports."""
    workers = _workers(study)
    sittings = list(_sittings(study, [one.pk for one in workers], rng))
    _write_seats(sittings, workers[0].consent_digest)
    _write_answers(sittings, list(study.aspects.values_list("pk", flat=True)))
    _write_verdicts(sittings, study.current_policy().pk)
    Report.objects.bulk_create(
        Report(
            seat_id=one.pk,
            item_id=one.shown[0][0],
            reason="The text breaks off in the middle.",
            reported_at=one.claimed,
        )
        for one in sittings
        if one.pk % 1000 == 0
    )
    _fill_places(study, {one.place for one in sittings if one.opinion.valid})


def _workers(study: Study) -> list[Worker]:
    return Worker.objects.bulk_create(
        Worker(
            study=study,
            platform="direct",
            external_id=f"person-{w + 1:04}",
            consented_at=study.created_at,
            consent=study.consent,
        )
        for w in range(WORKERS)
    )


def _fill_places(study: Study, filled: set[int]) -> None:
    places = Place.objects.filter(study=study)
    missing = set(places.values_list("pk", flat=True)) - filled
    assert len(missing) == OPEN_PAGES
    places.update(free=False)
    places.filter(pk__in=missing).update(free=True)


# Rows ---------------------------------------------------------------------------------


def _write_seats(sittings: Sequence[_Sitting], consent: str) -> None:
    def rows() -> Iterator[tuple[Any, ...]]:
        for one in sittings:
            state = Seat.State.VALID if one.opinion.valid else Seat.State.DISCARDED
            each = int(1000 * one.seconds / len(one.order))
            visible = {str(k + 1): each for k in range(len(one.order))}
            yield (
                *(one.pk, plain.uuid(), one.page.survey, one.place, one.worker),
                *(str(state), json.dumps([item[0] for item in one.shown])),
                *(plain.time(one.claimed), plain.time(one.submitted)),
                *(json.dumps(visible), consent),
                "One of these texts is hard to follow." if one.pk % 50 == 0 else "",
            )

    columns = ("id", "public_id", "survey_id", "place_id", "worker_id", "state")
    more = ("order", "claimed_at", "submitted_at", "visible", "consent", "comment")
    fill(Seat, (*columns, *more), rows())


def _write_answers(sittings: Sequence[_Sitting], aspects: Sequence[int]) -> None:
    def rows() -> Iterator[tuple[Any, ...]]:
        for one in sittings:
            at, values = plain.time(one.claimed), one.ratings.tolist()
            for (item, text, negative), given in zip(one.shown, values, strict=True):
                for aspect, value in zip(aspects, given, strict=True):
                    yield one.pk, item, text, negative, aspect, int(value), at

    columns = ("seat_id", "item_id", "generation_id", "negative_id", "aspect_id")
    fill(Annotation, (*columns, "value", "updated_at"), rows())


def _write_verdicts(sittings: Sequence[_Sitting], policy: int) -> None:
    def rows() -> Iterator[tuple[Any, ...]]:
        for one in sittings:
            said, at = one.opinion, plain.time(one.submitted)
            numbers = json.dumps(said.numbers)
            valid = plain.boolean(said.valid)
            yield one.pk, policy, valid, said.reason, numbers, at

    columns = ("seat_id", "policy_id", "valid", "reason", "numbers", "judged_at")
    fill(Verdict, columns, rows())


# What people do -----------------------------------------------------------------------


def _sittings(
    study: Study, workers: Sequence[int], rng: np.random.Generator
) -> Iterator[_Sitting]:
    """In the order in which they were claimed, place after place.

    Where the policy discards a page, somebody else sits down after it.
    """
    judging = Judge.of(study, study.current_policy())
    pages = _pages(study, rng)
    begin, pk, raters = study.created_at - timedelta(days=30), 0, study.ratings_per_text
    for number in range(raters):
        last = number == raters - 1
        for at, page in enumerate(pages[: -OPEN_PAGES if last else None]):
            share = (number * len(pages) + at) / (raters * len(pages))
            # Each worker has as many pages, and none of them twice.
            own = at + number * (len(workers) // raters)
            careless, opinion, late = rng.random() < CARELESS, None, 0
            while opinion is None or not opinion.valid:
                pk += 1
                order = rng.permutation(len(page.items))
                ratings = _answers(page, careless, rng)[order]
                seconds = page.characters / rng.uniform(12, 30)
                opinion = _opinion(judging, page, order, ratings, seconds)
                yield _Sitting(
                    pk=pk,
                    page=page,
                    place=page.places[number],
                    worker=workers[(own + late * 37) % len(workers)],
                    order=order,
                    ratings=ratings,
                    claimed=begin + timedelta(days=29) * share,
                    seconds=seconds,
                    opinion=opinion,
                )
                careless, late = False, late + 1


def _answers(page: _Page, careless: bool, rng: np.random.Generator) -> np.ndarray:
    """Of (items, aspects). Careless people like the damaged text best."""
    if not careless:
        noise = rng.normal(0, 0.7, page.truth.shape)
        return np.clip(np.rint(page.truth + noise), 1, 5)
    found = rng.integers(1, 5, page.truth.shape).astype(float)
    found[page.hidden] = 5
    return found


def _opinion(
    judging: Judge, page: _Page, order: np.ndarray, ratings: np.ndarray, seconds: float
) -> Opinion:
    """Of the policy. What it says of the worker is that they read."""
    sheet = RatingMatrix(
        seat_id=0,
        survey_id=page.survey,
        worker_id=0,
        state="claimed",
        items=[page.items[k][0] for k in order],
        ratings=ratings,
        hidden=order.tolist().index(page.hidden),
        hurts=page.hurts,
        characters=page.characters,
        seconds=seconds,
        others=np.zeros((0, *ratings.shape)),
    )
    reads = Odds(-6.0, 5, -1.2, 0.7, 0.6)
    return judging.opinion(sheet, Person(pages=0, p=None, odds=reads, all_pages=5))


def _pages(study: Study, rng: np.random.Generator) -> list[_Page]:
    n_aspects, n_systems = study.aspects.count(), study.systems.count()
    level = np.linspace(2.4, 4.4, n_systems)
    places = _by_survey(Place.objects.filter(study=study), "pk")
    hurts = dict(Negative.objects.values_list("survey_id", "hurts"))
    texts = ("generation__system_id", "generation__text", "negative__text")
    rows = Item.objects.filter(survey__study=study)
    items = _by_survey(rows, "pk", "generation_id", "negative_id", *texts)
    made = []
    for survey, found in items.items():
        means = [1.3 if row[2] else level[row[3] % n_systems] for row in found]
        spread = rng.normal(0, 0.4, (len(found), n_aspects))
        made.append(
            _Page(
                survey=survey,
                places=[row[0] for row in places[survey]],
                items=[(row[0], row[1], row[2]) for row in found],
                hurts=hurts[survey],
                characters=sum(len(row[4] or row[5]) for row in found),
                truth=np.array(means)[:, np.newaxis] + spread,
            )
        )
    return made


def _by_survey(rows: Any, *columns: str) -> dict[int, list[list[Any]]]:
    found: dict[int, list[list[Any]]] = {}
    in_order = rows.order_by("survey_id", "pk")
    for survey, *row in in_order.values_list("survey_id", *columns):
        found.setdefault(survey, []).append(row)
    return found
