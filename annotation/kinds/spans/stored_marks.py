"""Marks of people, as they are stored and read again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet

from annotation.kinds.spans import proposals
from annotation.kinds.spans.marks import Placed
from annotation.kinds.spans.models import DroppedProposal, SpanMark
from annotation.models import Seat, Study
from evalapp.statements import Row, Statement
from scoring.stats.spans.marks import Mark

COLUMNS = (
    *("item_id", "number", "start", "end", "category", "severity", "side", "words"),
    "proposal",
)
_OF_SEAT = Statement(
    lambda seat_pk: (
        SpanMark.objects.filter(seat=seat_pk)
        .order_by("item_id", "number")
        .values_list(*COLUMNS)
    ),
    Seat._meta.get_field("id"),
)


class Sent(NamedTuple):
    """What a form says of one text; None: it says nothing of it."""

    marks: Sequence[Placed] | None = None
    clean: bool | None = None  # "nothing to mark"


class MarkedText(NamedTuple):
    """What somebody marked in one text so far."""

    marks: tuple[Placed, ...] = ()
    clean: bool = False

    @property
    def is_answer(self) -> bool:
        return self.clean or bool(self.marks)


def of_seat(seat: Seat) -> dict[int, MarkedText]:
    """By item. One query."""
    return _by_item(_OF_SEAT.rows(seat.pk))


def on_page(seat: Seat) -> dict[int, MarkedText]:
    """By item, with proposals where nothing was said yet. One query, or three."""
    saved = of_seat(seat)
    waiting = proposals.untouched(seat, saved)
    return {**saved, **{pk: MarkedText(placed) for pk, placed in waiting.items()}}


def of_seats(seats: Sequence[Seat]) -> dict[int, dict[int, MarkedText]]:
    """By seat and item. One query."""
    return _by_seat(SpanMark.objects.filter(seat__in=[seat.pk for seat in seats]))


def of_study(study: Study, **where: Any) -> dict[int, dict[int, MarkedText]]:
    """By seat and item, finished or not; all, or those of a filter. One query."""
    return _by_seat(SpanMark.objects.filter(seat__survey__study=study, **where))


def _by_seat(rows: QuerySet[SpanMark]) -> dict[int, dict[int, MarkedText]]:
    by_seat: dict[int, list[Row]] = defaultdict(list)
    ordered = rows.order_by("seat_id", "item_id", "number")
    for seat, *row in ordered.values_list("seat_id", *COLUMNS):
        by_seat[seat].append(tuple(row))
    return {seat: _by_item(theirs) for seat, theirs in by_seat.items()}


def _by_item(rows: Iterable[Row]) -> dict[int, MarkedText]:
    texts: dict[int, MarkedText] = {}
    for pk, number, start, end, *kind, words, proposal in rows:
        if not number:
            texts[pk] = MarkedText(clean=True)
            continue
        mark = Placed(Mark(start, end, *kind), words, proposal)
        before = texts.get(pk, MarkedText())
        texts[pk] = MarkedText((*before.marks, mark))
    return texts


def in_place(
    marked: MarkedText, texts: Mapping[str, str]
) -> tuple[list[Mark], list[Placed]]:
    """The marks that stand on the words that were marked, and those that do not."""
    right = [placed.mark for placed in marked.marks if placed.stands_in(texts)]
    return right, [placed for placed in marked.marks if not placed.stands_in(texts)]


def store(*, seat: Seat, sent: Mapping[int, Sent], now: datetime) -> None:
    """Keep what came of some items, as it is stored; the rest stays.

    A mark wins over a tick that says there is none. Call it where the seat is locked.
    """
    if not sent:
        return
    proposed, before = proposals.of_seat(seat), on_page(seat)
    rows: list[SpanMark] = []
    dropped: list[DroppedProposal] = []
    changed: list[int] = []
    for pk, of_text in sent.items():
        old = before.get(pk, MarkedText())
        marks = old.marks if of_text.marks is None else tuple(of_text.marks)
        clean = old.clean if of_text.clean is None else of_text.clean
        # A form without a tick, but with the marks of the text, has it unticked.
        clean = clean and not marks and (of_text.marks is None or bool(of_text.clean))
        # Proposals are shown before anything is kept: the same marks are news, then.
        if (marks, clean) != old or pk in proposed:
            changed.append(pk)
            about = {"seat": seat, "item_id": pk, "updated_at": now}
            rows += _rows(MarkedText(marks, clean), proposed.get(pk), about)
            _, deleted = proposals.fates(marks, proposed.get(pk, ()))
            dropped += [_dropped(proposal, about) for proposal in deleted]
    for model in (SpanMark, DroppedProposal) if proposed else (SpanMark,):
        model._default_manager.filter(seat=seat, item__in=changed).delete()
    SpanMark.objects.bulk_create(rows)
    DroppedProposal.objects.bulk_create(dropped)


def _rows(
    marked: MarkedText, proposed: Sequence[Placed] | None, about: Mapping[str, Any]
) -> Iterator[SpanMark]:
    """None: no metric has read the text."""
    if marked.clean:
        yield SpanMark(number=0, **about)
    outcomes, _ = proposals.fates(marked.marks, proposed or ())
    pairs = zip(marked.marks, outcomes, strict=True)
    for number, (placed, (proposal, fate)) in enumerate(pairs, start=1):
        yield SpanMark(
            number=number,
            words=placed.words,
            proposal=proposal,
            fate="" if proposed is None else fate,
            **placed.mark._asdict(),
            **about,
        )


def _dropped(proposal: Placed, about: Mapping[str, Any]) -> DroppedProposal:
    return DroppedProposal(
        number=proposal.proposal,
        words=proposal.words,
        **proposal.mark._asdict(),
        **about,
    )
