"""Simulated workers: a dry run of a study before a person is paid.

They go through `claim`, `save` and `submit`, as people do. Only what they answer is
made up: a text has a true quality on each aspect, and a worker's kind says how much of
it comes through.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import numpy as np
from django.utils import timezone

from annotation import answering, assigning, page_kinds
from annotation.models import (
    Generation,
    Item,
    Place,
    Seat,
    Study,
    Worker,
)
from annotation.page_kinds import Rater, SimulatedPage
from annotation.page_kinds.simulation import Truth
from annotation.quality.rater_kinds import (
    CARELESS,
    KINDS,
    NAMES,
    PAGE_SPREAD,
    SPEED_SPREAD,
    TEXT_SPREAD,
    characters_per_second,
)

# Mean rating of a system (by name; "" = unknown) on an aspect (by key), from 1 to 5.
Quality = Mapping[tuple[str, str], float] | Callable[[str, str], float]

SECONDS_PER_BLIND_ANSWER = 1
PREFIX = "simulated-"  # of their ids
MIX = {"careful": 0.7, "noisy": 0.2, CARELESS: 0.1}


class SimulationError(ValueError):
    """The study cannot be simulated. The message says why."""


@dataclass(frozen=True)
class Report:
    """What a simulation left behind."""

    workers: dict[str, int]  # by kind
    seats: dict[str, int]  # by state
    submitted: dict[str, int]  # pages submitted, by kind of worker
    discarded: dict[str, int]  # of those, by kind of worker
    valid: int  # pages
    wanted: int  # pages

    @property
    def coverage(self) -> float:
        """Share of the wanted pages that are valid, in [0, 1]."""
        return self.valid / self.wanted if self.wanted else 0.0


def simulate(
    *,
    study: Study,
    workers: int,
    mix: Mapping[str, float] = MIX,
    quality: Quality | None = None,
    truth: Truth | None = None,
    rng: np.random.Generator,
    now: datetime | None = None,
) -> Report:
    """Let workers rate an open study until it is covered or nobody is left to ask.

    Args:
        study: Open, and not rated by people. Is marked as simulated.
        workers: How many take part.
        mix: Shares of the kinds of workers, by name; they add up to 1.
        quality: See `Quality`. Without it systems lie evenly between 2.2 and 4.2.
            Texts of one system differ by chance.
        truth: Of every text, where it is known; `quality` is not used.
        rng: Decides everything that people would.
        now: When the first worker starts.

    Raises:
        SimulationError: If people have worked on the study, or it is not open.
    """
    _refuse_unless_possible(study, workers, mix)
    study.simulated = True
    study.save(update_fields=["simulated"])
    crowd = _Crowd(study, _truth(study, quality, rng) if truth is None else truth, rng)
    crowd.hire(workers, mix, now or timezone.now())
    while crowd.working:
        # The worker idle for longest goes next, so time never runs backwards.
        crowd.rate_a_page(min(crowd.working, key=lambda member: member.idle_since))
    return _report(study, crowd)


def _refuse_unless_possible(
    study: Study, workers: int, mix: Mapping[str, float]
) -> None:
    check_mix(mix)
    if workers < 1:
        raise SimulationError("Expected at least one worker.")
    if study.state != Study.State.OPEN:
        raise SimulationError("This study is not open. Open it first.")
    if study.workers.exclude(external_id__startswith=PREFIX).exists():
        raise SimulationError(
            "People have rated in this study. Simulate a copy of it instead, so that"
            " their ratings never mix with simulated ones."
        )


def check_mix(mix: Mapping[str, float]) -> None:
    """Raise SimulationError unless these are shares of known kinds."""
    total = sum(mix.values())
    if set(mix) - {*NAMES} or abs(total - 1) > 1e-6 or any(v < 0 for v in mix.values()):
        got = ", ".join(f"{kind} {share:g}" for kind, share in mix.items())
        raise SimulationError(
            f"Expected shares of {', '.join(NAMES)} that add up to 1,"
            f" got {got or 'none'} (total {total:g})."
        )


def kind_of(worker: Worker) -> str:
    """The kind of a simulated worker."""
    return worker.external_id.removeprefix(PREFIX).rpartition("-")[0]


@dataclass(eq=False)
class _Member:
    """One simulated worker."""

    worker: Worker
    kind: str
    bias: float
    speed: float  # characters a second
    idle_since: datetime


@dataclass
class _Crowd:
    study: Study
    truth: Truth
    rng: np.random.Generator
    working: list[_Member] = field(default_factory=list)
    hired: Counter[str] = field(default_factory=Counter)
    submitted: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.aspects = list(self.study.aspects.all())
        self.items: dict[int, Item] = {}
        self.lengths: dict[int, int] = {}
        of_study = Item.objects.filter(survey__study=self.study)
        for kind in page_kinds.of(self.study):
            items = of_study.filter(survey__kind=kind.key)
            self.items |= kind.simulation.items(items).in_bulk()
            self.lengths |= kind.simulation.lengths(items)

    def hire(self, workers: int, mix: Mapping[str, float], now: datetime) -> None:
        new = []
        for kind, n in _shares(workers, mix).items():
            for number in range(1, n + 1):
                worker, created = Worker.objects.get_or_create(
                    study=self.study,
                    platform=self.study.platform,
                    external_id=f"{PREFIX}{kind}-{number:03}",
                    defaults={"consented_at": now},
                )
                new += [worker.pk] if created else []
                spread = KINDS[kind].bias if kind in KINDS else 0.0
                bias = self.rng.normal(0, spread)
                speed = characters_per_second(kind)
                speed *= np.exp(self.rng.normal(0, SPEED_SPREAD))
                self.working.append(_Member(worker, kind, bias, speed, now))
                self.hired[kind] += 1
        # They came when they agreed, not when this program ran.
        Worker.objects.filter(pk__in=new).update(created_at=now)

    def rate_a_page(self, member: _Member) -> None:
        """Claim, save the first answers as they come, submit the rest."""
        now = member.idle_since
        seat = assigning.claim(worker=member.worker, now=now, rng=self.rng)
        if seat is None:
            self.working.remove(member)
            return
        simulation = page_kinds.get(seat.survey.kind).simulation
        items = [self.items[pk] for pk in seat.order]
        page = SimulatedPage(self.study, seat, items, self.aspects, self.truth)
        rater = Rater(member.kind, member.bias)
        answers = simulation.answers(page, rater, self.rng)
        first = {at: answer for at, answer in answers.items() if at[0] == 1}
        answering.save_all(seat=seat, answers=first, now=now)
        visible = self.visible(member, seat)
        reads = member.kind in KINDS
        each = simulation.seconds_per_answer if reads else SECONDS_PER_BLIND_ANSWER
        seconds = sum(visible.values()) // 1000 + len(answers) * each
        later = now + timedelta(seconds=seconds)
        answering.submit(seat=seat, answers=answers, now=later, visible=visible)
        self.submitted[member.kind] += 1
        member.idle_since = later

    def visible(self, member: _Member, seat: Seat) -> dict[int, int]:
        """Milliseconds for which each text or pair is in view, by position."""
        pace = self.rng.uniform(*PAGE_SPREAD)
        return {
            position: int(1000 * pace * self.lengths[pk] / member.speed)
            for position, pk in enumerate(seat.order, start=1)
        }


def _truth(study: Study, quality: Quality | None, rng: np.random.Generator) -> Truth:
    """The true quality of each text on each aspect, drawn around its system's."""
    of = _function(quality or _evenly(study))
    keys = list(study.aspects.values_list("key", flat=True))
    texts = Generation.objects.filter(study=study).order_by("pk")
    return {
        pk: rng.normal([of(system or "", key) for key in keys], TEXT_SPREAD).tolist()
        for pk, system in texts.values_list("pk", "system__name")
    }


def _function(quality: Quality) -> Callable[[str, str], float]:
    return quality if callable(quality) else lambda *pair: quality[pair]


def _evenly(study: Study) -> Quality:
    names = list(study.systems.order_by("name").values_list("name", flat=True))
    means = dict(zip(names, np.linspace(2.2, 4.2, len(names)), strict=True))
    return lambda system, aspect: float(means.get(system, 3.2))


def _shares(n: int, mix: Mapping[str, float]) -> dict[str, int]:
    """Whole numbers of workers that add up to n, nearest to the shares."""
    exact = {kind: n * share for kind, share in mix.items()}
    found = {kind: int(number) for kind, number in exact.items()}
    by_rest = sorted(exact, key=lambda kind: found[kind] - exact[kind])
    for kind in by_rest[: n - sum(found.values())]:
        found[kind] += 1
    return found


def _report(study: Study, crowd: _Crowd) -> Report:
    seats = Counter(
        Seat.objects.filter(survey__study=study).values_list("state", flat=True)
    )
    # Read at the end: a page may be discarded long after it was submitted.
    discarded = Counter(
        kind_of(seat.worker)
        for seat in Seat.objects.filter(
            survey__study=study, state=Seat.State.DISCARDED
        ).select_related("worker")
    )
    places = Place.objects.filter(study=study, number__lte=study.ratings_per_text)
    return Report(
        workers=dict(crowd.hired),
        seats=dict(seats),
        submitted=dict(crowd.submitted),
        discarded=dict(discarded),
        valid=seats[Seat.State.VALID],
        wanted=places.count(),
    )
