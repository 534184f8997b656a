"""Answers on scales, of the kinds whose pages ask the study's questions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Generic, Protocol, TypeVar

from annotation.models import Annotation, Aspect, Seat
from annotation.page_kinds import Answers, Position, Scored, questions
from annotation.seats import aspects
from evalapp.statements import Statement

_SAVED = Statement(
    lambda seat_pk: (
        Annotation.objects.filter(seat=seat_pk)
        .order_by()
        .values_list("item_id", "aspect__key", "value")
    ),
    Seat._meta.get_field("id"),
)


class Unit(Protocol):
    """What one number of a page stands for."""

    @property
    def item_id(self) -> int: ...


U = TypeVar("U", bound=Unit)


class ScoredAnswers(Generic[U]):
    """One answer to each question on each unit of a page."""

    def units(self, seat: Seat) -> Sequence[U]:
        """In the order shown. No query where the page was asked for before."""
        raise NotImplementedError

    def subject(self, unit: U) -> dict[str, int | None]:
        """What of the study an answer is about: fields of `Annotation`."""
        raise NotImplementedError

    def is_asked(self, unit: U, aspect: Aspect) -> bool:
        return not aspect.is_of_dialogue

    def points(self, aspect: Aspect) -> Collection[int]:
        """The numbers that are answers."""
        return aspect.scale

    def stored(self, seat: Seat, item_id: int, value: int | None) -> int | None:
        """An answer as it is stored, and one that is stored as it was given."""
        return value

    def asked(self, seat: Seat) -> list[Position]:
        return list(self._aspects(seat))

    def parse(self, seat: Seat, data: Mapping[str, str]) -> Scored:
        asked = {  # question by question: rows are stored and listed in this order
            (position, aspect.key): (aspect, self.points(aspect))
            for aspect in aspects.of_study(seat.survey.study)
            for position, unit in enumerate(self.units(seat), start=1)
            if self.is_asked(unit, aspect)
        }
        return questions.scored_in(data, asked)

    def wrong(self, seat: Seat, answers: Answers) -> list[Position]:
        asked = self._aspects(seat)
        return [
            at
            for at, value in answers.items()
            if at not in asked or not self._allows(asked[at], value)
        ]

    def store(self, seat: Seat, answers: Answers, now: datetime) -> None:
        units, asked = self.units(seat), self._aspects(seat)
        rows = []
        for (position, key), value in answers.items():
            unit = units[position - 1]
            rows.append(
                Annotation(
                    seat=seat,
                    item_id=unit.item_id,
                    aspect=asked[position, key],
                    value=self.stored(seat, unit.item_id, value),
                    updated_at=now,
                    **self.subject(unit),
                )
            )
        # An answer changed, or sent twice, is still one annotation.
        Annotation.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["seat", "item", "aspect"],
            update_fields=["value", "updated_at"],
        )

    def saved(self, seat: Seat) -> Scored:
        """One query."""
        position = {item: number for number, item in enumerate(seat.order, start=1)}
        return {
            (position[item], key): self.stored(seat, item, value)
            for item, key, value in _SAVED.rows(seat.pk)
        }

    def missing(self, seat: Seat) -> list[Position]:
        saved = self.saved(seat)
        return [at for at in self.asked(seat) if at not in saved]

    def _aspects(self, seat: Seat) -> dict[Position, Aspect]:
        return {
            (position, aspect.key): aspect
            for position, unit in enumerate(self.units(seat), start=1)
            for aspect in aspects.of_study(seat.survey.study)
            if self.is_asked(unit, aspect)
        }

    def _allows(self, aspect: Aspect, value: int | None) -> bool:
        return aspect.cannot_say if value is None else value in self.points(aspect)
