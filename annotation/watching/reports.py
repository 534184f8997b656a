"""Reports: a worker says that something is wrong with a text, a researcher decides."""

from __future__ import annotations

from datetime import datetime
from operator import attrgetter
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from annotation import events, page_kinds, storable
from annotation.models import Generation, Item, Report, Seat, Study
from annotation.watching import reviewing
from annotation.watching.reviewing import ReviewError

MAX_CHARACTERS = 2000  # of a reason; who writes more is cut, not refused


class BadReport(ValueError):
    """The page has no such text, or nothing is said about it. Nothing is saved."""


class Reported(NamedTuple):
    """A text or a pair that someone reported, with all that was said, oldest first."""

    item: Item
    reports: list[Report]

    @property
    def is_open(self) -> bool:
        return any(report.state == Report.State.OPEN for report in self.reports)

    @property
    def texts(self) -> list[Generation]:
        return texts_of(self.item)

    @property
    def excluded(self) -> bool:
        return any(text.excluded_at for text in self.texts)

    @property
    def left_to_exclude(self) -> list[Generation]:
        return [text for text in self.texts if not text.excluded_at]

    @property
    def template(self) -> str:
        """Shows it as `text`."""
        return page_kinds.get(self.item.survey.kind).review.reported

    @property
    def shown(self) -> object:
        """What the template shows, beside the item."""
        return page_kinds.get(self.item.survey.kind).review.shown(self.item)


def report(*, seat: Seat, position: int, reason: str, now: datetime) -> Report:
    """Put a text of the page before the researchers. Locks the seat.

    Who reports the same text again adds to what they said; a double click adds nothing.

    Raises:
        BadReport: If there is no text at `position`, from 1, or the reason is empty.
    """
    reason = storable.cleaned(reason).strip()[:MAX_CHARACTERS]
    if not 1 <= position <= len(seat.order):
        raise BadReport(f"Expected a text from 1 to {len(seat.order)}, got {position}.")
    if not reason:
        raise BadReport("Say what is wrong with the text.")
    with transaction.atomic():
        # One seat's reports come in turn: there is at most one for each of its texts.
        Seat.objects.select_for_update(no_key=True).get(pk=seat.pk)
        found, is_new = Report.objects.get_or_create(
            seat=seat,
            item_id=seat.order[position - 1],
            defaults={"reason": reason, "reported_at": now},
        )
        if not is_new and reason not in found.reason:
            found.reason = f"{found.reason}\n{reason}"[:MAX_CHARACTERS]
            found.save(update_fields=["reason"])
    return found


def queue(*, study: Study) -> list[Reported]:
    """The reported texts, those that nobody has looked at first. One query."""
    found = _by_text(Report.objects.filter(item__survey__study=study))
    return sorted(found, key=lambda text: not text.is_open)


def waiting(*, study: Study, most: int = 200) -> list[Reported]:
    """Texts with open reports, with these only, oldest first. One query."""
    rows = Report.objects.filter(item__survey__study=study, state=Report.State.OPEN)
    return _by_text(rows.order_by("pk")[:most])


def _by_text(reports: QuerySet[Report]) -> list[Reported]:
    related = (
        f"item__{name}" for kind in page_kinds.every() for name in kind.review.related
    )
    rows = reports.select_related(
        *("item__survey__prompt__label", "item__generation__system"),
        *("item__negative__source__system", "resolved_by", "seat", *related),
    )
    found: dict[int, Reported] = {}
    for row in rows:
        found.setdefault(row.item_id, Reported(row.item, [])).reports.append(row)
    return list(found.values())


def n_open(*, study: Study) -> int:
    """How many texts wait for someone to look at them. One query."""
    waiting = Report.objects.filter(
        item__survey__study=study, state=Report.State.OPEN
    ).order_by()
    return waiting.values("item").distinct().count()


def keep(*, item: Item, note: str, user: User, now: datetime) -> None:
    """What was reported stays; texts that were excluded count again."""
    excluded = [text for text in texts_of(item) if _is_excluded(text)]
    with transaction.atomic():
        for text in excluded:
            reviewing.include(text=text, note=note, user=user, now=now)
        if not excluded:
            _keep(item, storable.cleaned(note).strip(), user, now)


def _keep(item: Item, note: str, user: User, now: datetime) -> None:
    item.reports.update(
        state=Report.State.KEPT,
        resolution=note[:500],
        resolved_by=user,
        resolved_at=now,
    )
    events.log(
        study=item.survey.study,
        verb="kept-text",
        now=now,
        user=user,
        about=name_of(item),
        detail=note,
    )


def exclude(
    *, item: Item, reason: str, user: User, now: datetime, key: str = ""
) -> Generation:
    """Leave the text out of all statistics. Its page and its answers stay.

    Args:
        item: What was reported.
        reason: Why.
        user: Who excludes it.
        now: When.
        key: Of the text; needed where a pair was reported, of which it is one.

    Raises:
        ReviewError: Without a reason, if it is excluded already, for a pair without a
            key, or for a damaged text, which is in no statistic.
    """
    texts = texts_of(item)
    if not texts:
        raise ReviewError(
            "This text was damaged on purpose, or is part of a dialogue that was. It is"
            " in no statistic, so there is nothing to exclude it from. You can keep it"
            " and add a note."
        )
    wanted = [text for text in texts if text.key == key] if key else texts
    if len(wanted) != 1:
        names = " or ".join(text.key for text in texts)
        raise ReviewError(f"Choose which of the two texts to exclude: {names}.")
    reviewing.exclude(text=wanted[0], reason=reason, user=user, now=now)
    return wanted[0]


def texts_of(item: Item) -> list[Generation]:
    """What of it can be excluded: no damaged text. Reads survey and texts."""
    counting = page_kinds.get(item.survey.kind).counting
    names = (name for name in counting.texts if name not in counting.uncounted)
    texts = (attrgetter(name.replace("__", "."))(item) for name in names)
    return [text for text in texts if text is not None]


def name_of(item: Item) -> str:
    """What researchers call it. Reads survey and texts."""
    if item.negative:
        return f"negative of survey {item.survey.number}"
    if texts := texts_of(item):
        return " and ".join(text.key for text in texts)
    return page_kinds.get(item.survey.kind).review.name(item)


def _is_excluded(text: Generation) -> bool:
    """As it stands now: the row may have been read before."""
    return Generation.objects.filter(pk=text.pk, excluded_at__isnull=False).exists()
