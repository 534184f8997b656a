"""One page of one worker: their answers beside those of everybody else.

Reads only; as many queries for a page of twelve texts as for one of two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from annotation import page_kinds
from annotation.models import Aspect, Seat, Study, Verdict
from annotation.models.surveys import pseudonym
from annotation.page_kinds.review import Answers
from annotation.watching import checks, reading_times
from annotation.watching.checks import Check
from annotation.watching.figures import Figure


@dataclass(frozen=True, slots=True)
class RatedPage:
    """Everything about one seat."""

    seat: Seat
    pseudonym: str
    answers: Answers
    seconds: Figure  # in view, all texts together
    minutes: Figure  # from the start of the page to its submission
    speed: Figure  # characters per second over the page
    verdicts: list[tuple[Verdict, list[Check]]]  # newest first

    @property
    def verdict(self) -> Verdict | None:
        return self.verdicts[0][0] if self.verdicts else None


class Neighbours(NamedTuple):
    """Where to go from here; None at the ends."""

    number: int  # of this page among the worker's, or of this worker on the page
    total: int
    before: Seat | None
    after: Seat | None


def read(*, study: Study, seat: Seat) -> RatedPage:
    """Everything about the seat. About ten queries.

    Args:
        study: Of the seat.
        seat: With its worker, place, survey, prompt and label.
    """
    aspects = list(study.aspects.all())
    review = page_kinds.get(seat.survey.kind).review
    answers = review.answers(study, seat, aspects)
    total = reading_times.total(seat)
    return RatedPage(
        seat=seat,
        pseudonym=pseudonym(study, seat.worker_id),
        answers=answers,
        seconds=total,
        minutes=reading_times.minutes(seat),
        speed=reading_times.speed(answers.characters, total),
        verdicts=_verdicts(seat, aspects),
    )


def of_worker(seat: Seat) -> Neighbours:
    """The pages of this worker, in the order they began them. One query."""
    return _neighbours(seat, list(seat.worker.seats.order_by("claimed_at", "pk")))


def of_survey(seat: Seat) -> Neighbours:
    """Everybody who sat at this page. One query."""
    seats = seat.survey.seats.select_related("worker").order_by("pk")
    return _neighbours(seat, list(seats))


def _neighbours(seat: Seat, seats: Sequence[Seat]) -> Neighbours:
    at = [one.pk for one in seats].index(seat.pk)
    before = seats[at - 1] if at else None
    after = seats[at + 1] if at + 1 < len(seats) else None
    return Neighbours(at + 1, len(seats), before, after)


def _verdicts(
    seat: Seat, aspects: Sequence[Aspect]
) -> list[tuple[Verdict, list[Check]]]:
    rows = seat.verdicts.select_related("policy", "judged_by").order_by("-pk")
    titles = {aspect.key: aspect.title for aspect in aspects}
    return [(row, checks.made(verdict=row, titles=titles)) for row in rows]
