"""Answers: one at a time as the worker gives them, and the whole page at the end.

No answer is ever lost: what reaches us before the page is handed in is kept, whether or
not its seat still has a place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from annotation import assigning, quality
from annotation.models import Annotation, Aspect, Item, Place, Seat, Study

Answer = tuple[int, str]  # position on the page, from 1, and aspect key


class AnswerError(Exception):
    """Some answers stand in the way. `answers` says which."""

    sentence = ""

    def __init__(self, answers: Iterable[Answer]) -> None:
        self.answers = list(answers)
        super().__init__(self.answers)

    def __str__(self) -> str:
        named = ", ".join(f"text {position} {key}" for position, key in self.answers)
        return f"{self.sentence}: {named}."


class Missing(AnswerError):
    """The page is not complete. The answers that came with it are saved."""

    sentence = "Not answered yet"


class BadAnswer(AnswerError):
    """No such text or aspect, or a value off the scale. Nothing is saved."""

    sentence = "Not an answer on this page"


class AlreadySubmitted(BadAnswer):
    """The page was handed in; its answers stay as they were. Nothing is saved."""

    sentence = "The page was handed in before"


@dataclass(frozen=True, slots=True)
class Page:
    """What a seat can be asked: fixed from the claim on."""

    items: list[Item]  # in the order shown
    aspects: dict[str, Aspect]
    scale: range

    def wanted(self) -> list[Answer]:
        positions = range(1, len(self.items) + 1)
        return [(position, key) for position in positions for key in self.aspects]

    def check(self, answers: Mapping[Answer, int]) -> None:
        wanted = set(self.wanted())
        bad = [
            answer
            for answer, value in answers.items()
            if answer not in wanted or value not in self.scale
        ]
        if bad:
            raise BadAnswer(bad)


def save(*, seat: Seat, position: int, aspect: str, value: int, now: datetime) -> None:
    """Keep one answer and renew the seat's lease.

    A seat that has expired takes an open place of its survey again; without one the
    answer is kept all the same.

    Raises:
        BadAnswer: If it is none on this page, or the page was handed in.
    """
    answers = {(position, aspect): value}
    page = page_of(seat)
    page.check(answers)
    with transaction.atomic():
        seat, place = assigning.lock_seat(seat)
        if seat.state in Seat.FINISHED:
            raise AlreadySubmitted(answers)
        _store(seat, page, answers, now)
        if claimed := seat.state == Seat.State.CLAIMED:
            assigning.hold(seat, place, now)
    if not claimed:
        # Apart, because all places of the survey are locked for it.
        assigning.keep(seat=seat, now=now)


def submit(*, seat: Seat, answers: Mapping[Answer, int], now: datetime) -> Seat:
    """Hand the page in and judge it: all of it or nothing, once.

    1. The answers are added to those saved before; a second submit changes nothing and
       returns the seat as the first left it.
    2. The current policy judges the page. Discarded: its place is free at once.
    3. Valid: it fills its place. If its lease lapsed and others took that, it fills
       another open one; without one it is surplus, kept but not counted.

    Raises:
        Missing: If an answer is missing. Those that came are saved, the lease renewed.
        BadAnswer: If one of `answers` is none on this page. Nothing is saved.
    """
    page = page_of(seat)
    page.check(answers)
    with transaction.atomic():
        seat, places = assigning.lock_survey(seat)
        if seat.state in Seat.FINISHED:
            return seat
        _store(seat, page, answers, now)
        given = saved(seat)
        missing = [answer for answer in page.wanted() if answer not in given]
        if not missing:
            _finish(seat, places, now)
    if missing:
        assigning.keep(seat=seat, now=now)
        raise Missing(missing)
    return seat


def saved(seat: Seat) -> dict[Answer, int]:
    """The answers given so far, by position on the page. One query."""
    position = {item: number for number, item in enumerate(seat.order, start=1)}
    rows = seat.annotations.values_list("item_id", "aspect__key", "value")
    return {(position[item], key): value for item, key, value in rows}


def page_of(seat: Seat) -> Page:
    """Three queries."""
    items = Item.objects.in_bulk(seat.order)
    study = Study.objects.get(surveys=seat.survey_id)
    return Page(
        items=[items[pk] for pk in seat.order],
        aspects={aspect.key: aspect for aspect in study.aspects.all()},
        scale=study.scale,
    )


def _store(
    seat: Seat, page: Page, answers: Mapping[Answer, int], now: datetime
) -> None:
    rows = []
    for (position, key), value in answers.items():
        item = page.items[position - 1]
        rows.append(
            Annotation(
                seat=seat,
                item=item,
                generation_id=item.generation_id,
                negative_id=item.negative_id,
                aspect=page.aspects[key],
                value=value,
                updated_at=now,
            )
        )
    # An answer changed, or sent twice, is still one annotation.
    Annotation.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["seat", "item", "aspect"],
        update_fields=["value", "updated_at"],
    )


def _finish(seat: Seat, places: list[Place], now: datetime) -> None:
    """Judge the complete page and settle its place. The places are locked."""
    policy = seat.worker.study.current_policy()
    verdict = quality.judge(seat=seat, policy=policy, now=now)
    seat.submitted_at = now
    closed = seat.worker.study.state == Study.State.CLOSED
    late = seat.state == Seat.State.EXPIRED
    place = None if late and closed else assigning.place_for(seat, places, now)
    if verdict.valid and place is not None:
        assigning.fill(seat, place)
        return
    if place is not None and not late:
        assigning.free(place)
    seat.state = Seat.State.SURPLUS if verdict.valid else Seat.State.DISCARDED
    seat.save(update_fields=["state", "submitted_at"])
