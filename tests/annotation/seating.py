"""What the tests of seats share: a study laid out by hand, workers, filled pages."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from django.db import connections

from annotation import answering, assigning, page_kinds
from annotation.models import Item, Negative, Place, Seat, Study, Survey, Worker
from annotation.page_kinds import Answers, Position
from annotation.seats import placing

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = NOON + timedelta(hours=2)  # any lease taken at noon has lapsed
State = Seat.State


def lay_out(study: Study, *, hurts: tuple[str, ...] = ("coherence",)) -> list[Survey]:
    """One survey per prompt, with a negative and all places; the study is open."""
    surveys = [
        _survey(study, number, prompt, hurts)
        for number, prompt in enumerate(study.prompts.all(), start=1)
    ]
    Place.objects.bulk_create(
        Place(survey=survey, study=study, number=n, shuffle=survey.number)
        for survey in surveys
        for n in range(1, study.ratings_per_text + study.spare_seats + 1)
    )
    study.state = Study.State.OPEN
    study.save()
    return surveys


def _survey(study, number, prompt, hurts) -> Survey:
    survey = Survey.objects.create(study=study, prompt=prompt, number=number, seed=1)
    texts = list(prompt.generations.all())
    negative = Negative.objects.create(
        survey=survey,
        source=texts[0],
        perturbation="shuffle",
        hurts=list(hurts),
        text="damaged",
        seed=1,
    )
    Item.objects.bulk_create(
        [Item(survey=survey, generation=text) for text in texts]
        + [Item(survey=survey, negative=negative)]
    )
    return survey


def hire(study: Study, name: str) -> Worker:
    return Worker.objects.create(study=study, platform="direct", external_id=name)


def sit(study: Study, name: str, now: datetime = NOON) -> Seat:
    """A new worker with a claimed seat."""
    return assigning.claim(worker=hire(study, name), now=now)


def page(seat: Seat, *, real: int = 4, negative: int = 1) -> dict[tuple[int, str], int]:
    """A complete page: one value for all real texts, one for the negative."""
    hidden = Item.objects.get(survey=seat.survey_id, negative__isnull=False).pk
    keys = seat.survey.study.aspects.values_list("key", flat=True)
    return {
        (position, key): negative if item == hidden else real
        for position, item in enumerate(seat.order, start=1)
        for key in keys
    }


def asked(seat: Seat) -> list[Position]:
    return page_kinds.get(seat.survey.kind).answering.asked(seat)


def saved(seat: Seat) -> Answers:
    return page_kinds.get(seat.survey.kind).answering.saved(seat)


def hand_in(seat: Seat, *, now: datetime = NOON, careful: bool = True) -> Seat:
    answers = page(seat) if careful else page(seat, real=2, negative=5)
    return answering.submit(seat=seat, answers=answers, now=now)


def state(seat: Seat) -> str:
    return Seat.objects.get(pk=seat.pk).state


def in_threads(n: int, work: Callable[[int], object]) -> list:
    """Call work(0), ..., work(n - 1) at the same moment; raise what one of them did."""
    found, errors = [None] * n, []
    start = threading.Barrier(n)

    def run(number: int) -> None:
        try:
            start.wait(240)
            found[number] = work(number)
        except BaseException as error:  # noqa: BLE001 - raised below, in the test
            errors.append(error)

    threads = [
        threading.Thread(target=closing(run), args=[number], daemon=True)
        for number in range(n)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(240)
    if errors:
        raise errors[0]
    assert not any(thread.is_alive() for thread in threads)
    return found


def closing(work: Callable) -> Callable:
    """For a thread, whose connections nobody else closes."""

    def run(*args) -> None:
        try:
            work(*args)
        finally:
            connections.close_all()

    return run


def expire(*, study: Study, now: datetime) -> None:
    """Free the places whose lease has lapsed, as claims of others do."""
    lapsed = [*study.places.filter(lease_until__lt=now)]
    held = Seat.objects.filter(place__in=lapsed, state=State.CLAIMED)
    held.update(state=State.EXPIRED)
    study.places.filter(lease_until__lt=now).update(**placing.OPEN)
