"""One page of one worker, for researchers: what pages of all kinds read of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, Sum
from django.db.models.expressions import Combinable

from annotation import human_scores
from annotation.models import Aspect, Generation, Item, Negative, Report, Seat, Study
from annotation.models.texts import full_text
from annotation.page_kinds.review import AboutText
from annotation.watching import reading_times
from annotation.watching.figures import Figure


@dataclass(frozen=True, slots=True)
class ReviewedText:
    """A text as this worker saw it."""

    position: int  # on the page, from 1
    item: Item
    seconds: Figure  # in view
    speed: Figure  # characters per second
    reports: list[Report]  # by this worker

    @property
    def text(self) -> Generation | None:
        """None: it was damaged."""
        return self.item.generation

    @property
    def origin(self) -> str:
        """Of a text that was not damaged."""
        system = self.text.system if self.text else None
        return system.name if system else "system unknown"

    @property
    def note(self) -> str:
        """Why its answers do not count, where that needs a word."""
        return ""


@dataclass(frozen=True, slots=True)
class Original:
    """The undamaged text that a damaged one was made of, and what people gave it."""

    negative: Negative
    means: list[tuple[Aspect, Figure, int]]


class ItemReview:
    """Of texts that were reported, one on each item."""

    related: Sequence[str] = ()
    counts: Mapping[str, Combinable] = {}
    reported = "annotation/watching/_reported.html"

    def shown(self, item: Item) -> object:
        return None

    def name(self, item: Item) -> str:
        return f"item {item.pk}"

    def about(
        self, study: Study, text: Generation, aspects: Sequence[Aspect]
    ) -> AboutText | None:
        return None

    def fact(self, text: Generation) -> str:
        return ""


def items(seat: Seat, *related: str) -> list[Item]:
    """In the order shown. One query."""
    rows = Item.objects.filter(survey=seat.survey_id).select_related(
        *("generation__system", "negative__source__system", "negative__source__prompt"),
        *related,
    )
    by_id = {item.pk: item for item in rows}
    return [by_id[pk] for pk in seat.order if pk in by_id]


def reports(seat: Seat) -> dict[int, list[Report]]:
    """By item; each worker has one of each. One query."""
    return {report.item_id: [report] for report in seat.reports.all()}


def behind(seat: Seat, item: Item) -> int:
    """Characters of a text behind the beginning that it shares with the others."""
    prefix = seat.survey.prompt.prefix
    return len(full_text(prefix, item.text)) - len(prefix)


def characters(seat: Seat, items: Sequence[Item]) -> int:
    """To read on a page of texts that share their beginning."""
    prefix = seat.survey.prompt.prefix
    return len(prefix) + sum(behind(seat, item) for item in items)


def view(seat: Seat, position: int, n_characters: int) -> tuple[Figure, Figure]:
    """Seconds in view, and characters per second."""
    seconds = reading_times.seconds(seat, position)
    return seconds, reading_times.speed(n_characters, seconds)


def original(
    study: Study, items: Sequence[Item], aspects: Sequence[Aspect]
) -> Original | None:
    """Of the damaged text of a page. One query."""
    negative = next((item.negative for item in items if item.negative), None)
    if negative is None:
        return None
    rows = human_scores.ratings(study=study, with_excluded=True).filter(
        generation=negative.source_id
    )
    means = {
        aspect: (Figure(total / n), n)
        for aspect, total, n in rows.values_list("aspect_id").annotate(
            Sum("value"), Count("pk")
        )
    }
    nobody = Figure(None, "the undamaged text has no valid rating"), 0
    return Original(
        negative,
        [(aspect, *means.get(aspect.pk, nobody)) for aspect in aspects],
    )
