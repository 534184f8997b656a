"""One page of one worker: their answers beside those of everybody else.

Reads only; as many queries for a page of twelve texts as for one of two.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Count, Sum

from annotation import human_scores
from annotation.edits import words
from annotation.models import (
    Annotation,
    Aspect,
    Item,
    Negative,
    PageKind,
    Report,
    Seat,
    Study,
    Verdict,
)
from annotation.models.surveys import pseudonym
from annotation.models.texts import full_text
from annotation.seats import talks
from annotation.watching import checks, rated_pairs, reading_times
from annotation.watching.checks import Check
from annotation.watching.figures import Figure
from annotation.watching.rated_pairs import ShownPair

State = Seat.State
FAR = 0.5  # of the scale's range: an answer this far from the others stands out


class Answer(NamedTuple):
    """What this worker gave a text on one aspect, beside the others."""

    aspect: Aspect
    own: int | None  # None: not answered, or they cannot say
    others: Figure  # mean of the other valid ratings
    n: int  # of them
    low: int  # the ends of its scale
    high: int
    cannot_say: bool = False  # was the answer
    is_asked: bool = True  # False: the question is about turns, or whole dialogues

    @property
    def missing(self) -> str:
        """Why there is no number."""
        return "not answered" if self.is_asked else "not asked"

    @property
    def difference(self) -> float | None:
        """Points by which this worker stands above the others."""
        if self.own is None or self.others.value is None:
            return None
        return self.own - self.others.value

    @property
    def is_far(self) -> bool:
        found = self.difference
        return found is not None and abs(found) >= FAR * (self.high - self.low)


class Corrected(NamedTuple):
    """A text as this worker left it."""

    before: str
    after: str
    nothing_to_correct: bool
    changed: int  # words


@dataclass(frozen=True, slots=True)
class Shown:
    """A text as this worker saw it."""

    position: int  # on the page, from 1
    item: Item
    answers: list[Answer]
    seconds: Figure  # in view
    speed: Figure  # characters per second
    reports: list[Report]  # by this worker
    corrected: Corrected | None = None


@dataclass(frozen=True, slots=True)
class Original:
    """The undamaged text that a damaged one was made of, and what people gave it."""

    negative: Negative
    means: list[tuple[Aspect, Figure, int]]


@dataclass(frozen=True, slots=True)
class RatedPage:
    """Everything about one seat."""

    seat: Seat
    pseudonym: str
    shown: list[Shown]  # empty on a page of pairs
    pairs: list[ShownPair]  # and the other way round
    original: Original | None
    seconds: Figure  # in view, all texts together
    minutes: Figure  # from the start of the page to its submission
    speed: Figure  # characters per second over the page
    verdicts: list[tuple[Verdict, list[Check]]]  # newest first
    answered: int
    wanted: int

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
    corrects = seat.survey.kind == PageKind.EDIT
    aspects = [] if corrects else list(study.aspects.all())
    items = _items(seat)
    edits = _corrected(seat, items) if corrects else {}
    of_pairs = seat.survey.kind == PageKind.PAIR
    shown = [] if of_pairs else _shown(study, seat, items, aspects, edits)
    pairs = (
        rated_pairs.read(seat=seat, items=items, aspects=aspects) if of_pairs else []
    )
    total = reading_times.total(seat)
    return RatedPage(
        seat=seat,
        pseudonym=pseudonym(study, seat.worker_id),
        shown=shown,
        pairs=pairs,
        original=None if of_pairs else _original(study, items, aspects),
        seconds=total,
        minutes=reading_times.minutes(seat),
        speed=reading_times.speed(_characters(seat, items), total),
        verdicts=_verdicts(seat, aspects),
        answered=len(edits) if corrects else seat.annotations.count(),
        wanted=len(items)
        if corrects
        else sum(answer.is_asked for one in shown for answer in one.answers)
        + len(pairs) * len(aspects),
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


# What was answered --------------------------------------------------------------------


def _shown(
    study: Study,
    seat: Seat,
    items: Sequence[Item],
    aspects: Sequence[Aspect],
    edits: Mapping[int, Corrected],
) -> list[Shown]:
    own = dict(_answers(seat))
    others = _others(study, seat, items)
    reports = {report.item_id: report for report in seat.reports.all()}
    found = []
    for position, item in enumerate(items, start=1):
        seconds = reading_times.seconds(seat, position)
        answers = [
            Answer(
                aspect,
                own.get((item.pk, aspect.pk)),
                *others[item.pk, aspect.pk],
                *aspect.ends,
                cannot_say=own.get((item.pk, aspect.pk), 0) is None,
                is_asked=_is_asked(aspect, item),
            )
            for aspect in aspects
        ]
        said = [reports[item.pk]] if item.pk in reports else []
        speed = reading_times.speed(_behind(seat, item), seconds)
        edit = edits.get(item.pk)
        found.append(Shown(position, item, answers, seconds, speed, said, edit))
    return found


def _behind(seat: Seat, item: Item) -> int:
    """Characters of a text behind the beginning that it shares with the others."""
    prefix = seat.survey.prompt.prefix
    return len(full_text(prefix, item.text)) - len(prefix)


def _characters(seat: Seat, items: Sequence[Item]) -> int:
    """To read on the page."""
    if seat.survey.kind == PageKind.PAIR:
        return sum(rated_pairs.characters(item) for item in items)
    if seat.survey.kind == PageKind.DIALOGUE:  # turns are in the whole, too
        whole = {one.talk: len(one.text) for one in talks.of_survey(items).values()}
        return sum(whole.values())
    behind = sum(_behind(seat, item) for item in items)
    return len(seat.survey.prompt.prefix) + behind


def _is_asked(aspect: Aspect, item: Item) -> bool:
    is_whole = item.pair_id is None and item.stands_for.is_dialogue
    return aspect.is_of_dialogue == is_whole


def _items(seat: Seat) -> list[Item]:
    rows = Item.objects.filter(survey=seat.survey_id).select_related(
        *("generation__system", "decoy__system"),
        *("negative__source__system", "negative__source__prompt"),
        *("pair__prompt__label", "pair__first__system", "pair__second__system"),
        *(talks.READ if seat.survey.kind == PageKind.DIALOGUE else ()),
    )
    by_id = {item.pk: item for item in rows}
    return [by_id[pk] for pk in seat.order if pk in by_id]


def _answers(seat: Seat) -> list[tuple[tuple[int, int], int | None]]:
    rows = seat.annotations.order_by().values_list("item_id", "aspect_id", "value")
    return [((item, aspect), value) for item, aspect, value in rows]


def _corrected(seat: Seat, items: Sequence[Item]) -> dict[int, Corrected]:
    """By item."""
    prefix = seat.survey.prompt.prefix
    before = {item.pk: full_text(prefix, item.text) for item in items}
    return {
        edit.item_id: Corrected(
            before[edit.item_id],
            edit.text,
            edit.unchanged,
            words.changed(before[edit.item_id], edit.text),
        )
        for edit in seat.edits.all()
        if edit.item_id in before
    }


def _others(
    study: Study, seat: Seat, items: Sequence[Item]
) -> dict[tuple[int, int], tuple[Figure, int]]:
    """Mean and number of the other ratings that count, by item and aspect."""
    texts = [item.generation_id for item in items if item.generation_id]
    of_texts = human_scores.ratings(study=study, with_excluded=True).filter(
        generation__in=texts
    )
    negatives = [item.negative_id for item in items if item.negative_id]
    of_negatives = Annotation.objects.filter(
        negative__in=negatives,
        seat__state=State.VALID,
        seat__informed=False,
        value__isnull=False,
    ).order_by()
    sums: dict[tuple[int, int], tuple[int, int]] = {}
    item_of = {item.generation_id: item.pk for item in items if item.generation_id}
    damaged = {item.negative_id: item.pk for item in items if item.negative_id}
    for rows, of, found in (
        (of_texts, "generation_id", item_of),
        (of_negatives, "negative_id", damaged),
    ):
        theirs = rows.exclude(seat=seat).values_list(of, "aspect_id")
        for text, aspect, total, n in theirs.annotate(Sum("value"), Count("pk")):
            sums[found[text], aspect] = total, n
    nobody = Figure(None, "nobody else has a valid rating"), 0
    found_means: dict[tuple[int, int], tuple[Figure, int]] = defaultdict(lambda: nobody)
    for key, (total, n) in sums.items():
        found_means[key] = Figure(total / n), n
    return found_means


def _original(
    study: Study, items: Sequence[Item], aspects: Sequence[Aspect]
) -> Original | None:
    negative = next((item.negative for item in items if item.negative), None)
    if negative is None:
        return None
    rows = human_scores.ratings(study=study, with_excluded=True).filter(
        generation=negative.source_id
    )
    means = {
        aspect: (total / n, n)
        for aspect, total, n in rows.values_list("aspect_id").annotate(
            Sum("value"), Count("pk")
        )
    }
    none = Figure(None, "the undamaged text has no valid rating")
    return Original(
        negative,
        [
            (aspect, Figure(means[aspect.pk][0]), means[aspect.pk][1])
            if aspect.pk in means
            else (aspect, none, 0)
            for aspect in aspects
        ],
    )


# What quality control said ------------------------------------------------------------


def _verdicts(
    seat: Seat, aspects: Sequence[Aspect]
) -> list[tuple[Verdict, list[Check]]]:
    rows = seat.verdicts.select_related("policy", "judged_by").order_by("-pk")
    titles = {aspect.key: aspect.title for aspect in aspects}
    return [(row, checks.made(verdict=row, titles=titles)) for row in rows]
