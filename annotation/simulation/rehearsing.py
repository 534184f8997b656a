"""A rehearsal: what a study will give and cost, before a person is paid.

A copy of the study lives in a database in memory for as long as it takes. Simulated
workers claim, save and submit there as people do; the real database is read once, and
neither written nor locked.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import groupby

import numpy as np
from django.apps import apps
from django.contrib.auth import get_user_model
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import Model
from django.db.utils import ConnectionHandler

from annotation import page_kinds, platforms, surveys
from annotation.models import Aspect, Item, Negative, Pair, Place, Seat, Study
from annotation.page_kinds import Scores
from annotation.simulation import simulating
from annotation.simulation.catching import Caught, by_page, wilson
from annotation.simulation.simulating import SimulationError
from scoring.stats.agreement import Alpha, Level, alpha

N_POINTS = 10  # of the curve of coverage


@dataclass(frozen=True)
class KindResult:
    """What one kind of worker did."""

    kind: str
    workers: int
    pages: int  # submitted
    discarded: int
    blocked: int  # workers
    minutes: float | None  # of a page, median
    caught: list[Caught]  # by their 1st, 2nd, 4th and 8th page

    @property
    def rate(self) -> float | None:
        """Share of their pages that is discarded."""
        return self.discarded / self.pages if self.pages else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's 95 % interval of the rate."""
        return wilson(self.discarded, self.pages)


@dataclass(frozen=True)
class Point:
    """How far the study is at a moment."""

    pages: int  # submitted
    valid: int
    hours: float  # since the first worker came
    coverage: float  # share of the wanted pages that is valid

    @property
    def minutes(self) -> float:
        return 60 * self.hours

    @property
    def percent(self) -> int:
        """Rounded down: 100 is only said when nothing is missing."""
        return int(100 * self.coverage)


@dataclass(frozen=True)
class AspectResult:
    """Krippendorff's alpha of the pages that count and of all."""

    title: str
    level: str  # of measurement, as the question says
    with_control: Alpha
    without_control: Alpha


@dataclass(frozen=True)
class Rehearsal:
    """What came out. `surveys` of the study's `all_surveys` were rated."""

    surveys: int
    all_surveys: int
    kinds: list[KindResult]
    curve: list[Point]
    wanted: int  # pages
    aspects: list[AspectResult]
    pay_per_page: Decimal | None
    pay_unused: bool
    currency: str

    @property
    def pages(self) -> int:
        return sum(kind.pages for kind in self.kinds)

    @property
    def valid(self) -> int:
        return self.curve[-1].valid

    @property
    def covered(self) -> bool:
        return self.valid == self.wanted

    @property
    def pages_in_all(self) -> int:
        """Pages that the whole study would take; they grow with its surveys."""
        return round(self.pages * self.all_surveys / self.surveys)

    @property
    def cost(self) -> Decimal | None:
        """Of the whole study; None where no pay per page is set."""
        if self.pay_per_page is None:
            return None
        paid = self.pages if self.pay_unused else self.valid
        return self.pay_per_page * round(paid * self.all_surveys / self.surveys)


def rehearse(
    *,
    study: Study,
    workers: int,
    mix: Mapping[str, float],
    rng: np.random.Generator,
    now: datetime,
    max_pages: int | None = None,
) -> Rehearsal:
    """Let simulated workers rate a copy of a study, whatever its state.

    Args:
        study: Draft, open or closed. What people rated is left out of the copy.
        workers: How many take part. All come at once and stay while there is work.
        mix: Shares of the kinds of workers, by name.
        rng: Decides what people would.
        now: When they come.
        max_pages: Of a larger study only so many surveys, drawn at random, are rated;
            None = all.

    Raises:
        SimulationError: If the study could not be opened. The message says why.
    """
    simulating.check_mix(mix)
    rows = _rows(study)
    with in_memory():
        copy = _lay_out(rows)
        n_all = copy.surveys.count()
        n = _keep_some(copy, max_pages, rng) if max_pages else n_all
        simulating.simulate(study=copy, workers=workers, mix=mix, rng=rng, now=now)
        return _result(copy, n, n_all, now)


# The copy -----------------------------------------------------------------------------


@contextmanager
def in_memory() -> Iterator[None]:
    """Answer this thread's queries from an empty database in memory.

    The verbs do not name a database, so they run in here as they are.
    """
    settings = {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}
    real = connections[DEFAULT_DB_ALIAS]
    own = ConnectionHandler({DEFAULT_DB_ALIAS: settings})[DEFAULT_DB_ALIAS]
    connections[DEFAULT_DB_ALIAS] = own
    try:
        _make_tables()
        yield
    finally:
        connections[DEFAULT_DB_ALIAS] = real
        own.close()


def _make_tables() -> None:
    models = [get_user_model(), *apps.get_app_config("annotation").get_models()]
    with connection.schema_editor() as editor:
        for model in models:
            editor.create_model(model)


def _rows(study: Study) -> list[Model]:
    """What the study is, without people and without what they did."""
    copy = Study.objects.get(pk=study.pk)
    copy.state, copy.simulated = Study.State.DRAFT, False
    # What is kept elsewhere for the real study must not be mixed up with this one.
    copy.public_id = uuid.uuid4()
    # However people come in the real study, here they are simulated.
    copy.platform, copy.invited_only = platforms.DIRECT, False
    generations = list(copy.generations.all())
    for generation in generations:
        generation.imported = None
    dialogues = list(copy.dialogues.all())
    for dialogue in dialogues:
        dialogue.imported = None
    return [
        copy,
        *copy.policies.order_by("-version")[:1],
        *copy.aspects.all(),
        *copy.labels.all(),
        *copy.systems.all(),
        *copy.prompts.all(),
        *dialogues,
        *generations,
        *copy.surveys.all(),
        *Negative.objects.filter(survey__study=study),
        *Pair.objects.filter(survey__study=study),
        *Item.objects.filter(survey__study=study),
    ]


def _lay_out(rows: list[Model]) -> Study:
    """The study in memory, open. Draws its surveys if that is not done yet."""
    for _, some in groupby(rows, key=type):
        alike = list(some)
        type(alike[0])._default_manager.bulk_create(alike)
    copy = Study.objects.get()
    try:
        surveys.open_study(study=copy)
    except surveys.TransitionError as error:
        raise SimulationError(str(error)) from error
    return copy


def _keep_some(study: Study, max_pages: int, rng: np.random.Generator) -> int:
    """Take the places of all but some surveys away; return how many keep theirs."""
    found = list(study.surveys.values_list("pk", flat=True))
    n = min(len(found), max(1, max_pages // study.ratings_per_text))
    kept = rng.choice(found, n, replace=False).tolist()
    Place.objects.exclude(survey__in=kept).delete()
    return n


# What came out ------------------------------------------------------------------------


def _result(study: Study, n: int, n_all: int, start: datetime) -> Rehearsal:
    finished = Seat.objects.filter(state__in=Seat.FINISHED).select_related("worker")
    seats = list(finished.order_by("submitted_at", "pk"))
    return Rehearsal(
        surveys=n,
        all_surveys=n_all,
        kinds=_kinds(study, seats),
        curve=_curve(seats, n * study.ratings_per_text, start),
        wanted=n * study.ratings_per_text,
        aspects=_aspects(study),
        pay_per_page=study.pay_per_page,
        pay_unused=study.pay_unused,
        currency=study.currency,
    )


def _kinds(study: Study, seats: list[Seat]) -> list[KindResult]:
    people = {worker: simulating.kind_of(worker) for worker in study.workers.all()}
    by_kind: dict[str, list[Seat]] = {kind: [] for kind in people.values()}
    for seat in seats:
        by_kind[people[seat.worker]].append(seat)
    blocked = Counter(
        kind for worker, kind in people.items() if worker.state == worker.State.BLOCKED
    )
    n_workers = Counter(people.values())
    caught = by_page(people)
    return [
        KindResult(
            kind=kind,
            workers=n_workers[kind],
            pages=len(some),
            discarded=sum(seat.state == Seat.State.DISCARDED for seat in some),
            blocked=blocked[kind],
            minutes=_median_minutes(some),
            caught=caught[kind],
        )
        for kind, some in by_kind.items()
    ]


def _median_minutes(seats: list[Seat]) -> float | None:
    taken = [
        (seat.submitted_at - seat.claimed_at).total_seconds() / 60
        for seat in seats
        if seat.submitted_at
    ]
    return float(np.median(taken)) if taken else None


def _curve(seats: list[Seat], wanted: int, start: datetime) -> list[Point]:
    """Evenly spaced in pages, from none to all."""
    valid = np.cumsum([seat.state == Seat.State.VALID for seat in seats], dtype=int)
    points = [Point(0, 0, 0.0, 0.0)]
    for number in sorted({*np.linspace(0, len(seats), N_POINTS + 1).astype(int)} - {0}):
        at = seats[number - 1].submitted_at or start
        hours = (at - start).total_seconds() / 3600
        n_valid = int(valid[number - 1])
        points.append(Point(int(number), n_valid, hours, n_valid / wanted))
    return points


def _aspects(study: Study) -> list[AspectResult]:
    """Of ratings, and apart from them of answers on pairs."""
    return [
        AspectResult(
            title=", ".join(filter(None, (aspect.title, scores.label))),
            level=scores.level(aspect),
            with_control=_alpha(study, aspect, scores, with_discarded=False),
            without_control=_alpha(study, aspect, scores, with_discarded=True),
        )
        for scores in page_kinds.scores_of(study)
        for aspect in study.aspects.all()
    ]


def _alpha(
    study: Study, aspect: Aspect, scores: Scores, *, with_discarded: bool
) -> Alpha:
    counts = scores.counts(study=study, aspect=aspect, with_discarded=with_discarded)
    is_interval = scores.level(aspect) == Aspect.Level.INTERVAL
    level: Level = "interval" if is_interval else "ordinal"
    return alpha(counts.counts, counts.values, level)
