"""Answers: one at a time as the worker gives them, and the whole page at the end.

No answer is ever lost: what reaches us before the page is submitted is kept, whether or
not its seat still has a place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from annotation import assigning, page_kinds, quality
from annotation.models import Place, Seat, Verdict
from annotation.page_kinds import Answering, Answers, Position
from annotation.seats import placing
from annotation.seats import writing as counting
from annotation.seats.writing import Writing


class AnswerError(Exception):
    """Some answers stand in the way. `answers` says which."""

    sentence = ""

    def __init__(self, answers: Iterable[Position]) -> None:
        self.answers = list(answers)
        super().__init__(self.answers)

    def __str__(self) -> str:
        named = ", ".join(f"text {position} {key}" for position, key in self.answers)
        return f"{self.sentence}: {named}."


class Missing(AnswerError):
    """The page is not complete. The answers that came with it are saved."""

    sentence = "Not answered yet"


class BadAnswer(AnswerError):
    """No such text or aspect, or a value off its scale. Nothing is saved."""

    sentence = "Not an answer on this page"


class AlreadySubmitted(BadAnswer):
    """The page was already submitted. Its answers stay. Nothing is saved."""

    sentence = "The page was already submitted"


@dataclass(frozen=True, slots=True)
class _Sent:
    """What came with a page that is submitted."""

    answers: Answers
    comment: str | None
    visible: Mapping[int, int]
    writing: Writing | None
    now: datetime


def save(
    *, seat: Seat, position: int, aspect: str, value: int | None, now: datetime
) -> None:
    """Keep one answer and renew the seat's lease: `save_all` of a single one."""
    save_all(seat=seat, answers={(position, aspect): value}, now=now)


def save_all(
    *,
    seat: Seat,
    answers: Answers,
    now: datetime,
    comment: str | None = None,
    visible: Mapping[int, int] | None = None,
    writing: Writing | None = None,
    source: str = "",
) -> None:
    """Keep what a page holds so far and renew the seat's lease.

    A seat that has expired takes an open place of its survey again; without one the
    answers are kept all the same.

    Args:
        seat: Whose page it is.
        answers: Those that came; others stay as they are.
        now: Start of the new lease.
        comment: On the page as a whole; None leaves it as it is.
        visible: Position -> milliseconds in view, as a browser claims. Never goes back,
            and never beyond the time since the page was claimed.
        writing: Counts of the text fields, as a browser claims. Never go back.
        source: As for `assigning.claim`, if an expired seat is to have a place again.

    Raises:
        BadAnswer: If one is none on this page, or the page was submitted.
    """
    _check(seat, answers)
    with transaction.atomic():
        survey = seat.survey
        seat, place = assigning.lock_seat(seat)
        seat.survey = survey  # with all that was read of it
        if seat.state in Seat.FINISHED:
            raise AlreadySubmitted(answers)
        _of(seat).store(seat, answers, now)
        _note(seat, comment, visible or {}, writing, now)
        claimed = seat.state == Seat.State.CLAIMED
        # Count late returns against their address again: otherwise nothing would limit
        # how many lapsed pages one address keeps.
        sits = claimed and not (source and place.is_open(now))
        if sits:
            placing.hold(seat, place, now)
    if not sits:
        # Apart, because all places of the survey are locked for it.
        assigning.keep(seat=seat, now=now, source=source)


def submit(
    *,
    seat: Seat,
    answers: Answers,
    now: datetime,
    comment: str | None = None,
    visible: Mapping[int, int] | None = None,
    writing: Writing | None = None,
    source: str = "",
) -> Seat:
    """Hand the page in and judge it: all of it or nothing, once.

    1. The answers are added to those saved before; a second submit changes nothing and
       returns the seat as the first left it.
    2. The current policy judges the page. Discarded: its place is free at once.
    3. Valid: it fills its place. If its lease lapsed and others took that, it fills
       another open one; without one it is surplus, kept but not counted. From a spare
       place it counts as long as the survey lacks a rating.
    4. What the worker's pages say together may change earlier ones, in the same
       transaction.

    Raises:
        Missing: If an answer is missing. Those that came are saved, the lease renewed.
        BadAnswer: If one of `answers` is none on this page. Nothing is saved.
    """
    _check(seat, answers)
    sent = _Sent(answers, comment, visible or {}, writing, now)
    try:
        seat, missing = _submit(seat, sent, with_earlier=False)
    except quality.MoreLocks:
        seat, missing = _submit(seat, sent, with_earlier=True)
    if missing:
        assigning.keep(seat=seat, now=now, source=source)
        raise Missing(missing)
    return seat


def _of(seat: Seat) -> Answering:
    return page_kinds.get(seat.survey.kind).answering


def _check(seat: Seat, answers: Answers) -> None:
    if wrong := _of(seat).wrong(seat, answers):
        raise BadAnswer(wrong)


def _note(
    seat: Seat,
    comment: str | None,
    visible: Mapping[int, int],
    writing: Writing | None,
    now: datetime,
) -> None:
    """Keep what is no answer. The seat is locked."""
    changed = counting.note(seat, writing)
    if comment is not None and comment != seat.comment:
        seat.comment = comment
        changed.append("comment")
    if (times := _longest(seat, visible, now)) != seat.visible:
        seat.visible = times
        changed.append("visible")
    if changed:
        seat.save(update_fields=changed)


def _longest(seat: Seat, visible: Mapping[int, int], now: datetime) -> dict[str, int]:
    """For each text the longest time that was ever claimed and is possible."""
    most = int((now - seat.claimed_at).total_seconds() * 1000)
    times = dict(seat.visible)
    for position, claimed in sorted(visible.items()):
        if 1 <= position <= len(seat.order):
            key = str(position)  # as it comes back out of JSON
            times[key] = max(times.get(key, 0), min(max(claimed, 0), most))
    return times


def _submit(
    seat: Seat, sent: _Sent, *, with_earlier: bool
) -> tuple[Seat, list[Position]]:
    """All or nothing; also returns the answers that are missing."""
    with transaction.atomic():
        survey = seat.survey
        seat, places = assigning.lock_survey(seat, with_earlier=with_earlier)
        seat.survey = survey  # with all that was read of it
        if seat.state in Seat.FINISHED:
            return seat, []
        _of(seat).store(seat, sent.answers, sent.now)
        _note(seat, sent.comment, sent.visible, sent.writing, sent.now)
        missing = _of(seat).missing(seat)
        if not missing:
            verdict = _finish(seat, places, sent.now)
            _reach_back(seat, verdict, sent.now, locked=with_earlier)
    return seat, missing


def _reach_back(seat: Seat, verdict: Verdict, now: datetime, *, locked: bool) -> None:
    """Let a verdict on all pages of a worker change earlier ones."""
    opinions = quality.due(verdict)
    if not opinions:
        return
    if not locked:
        raise quality.MoreLocks
    quality.reach_back(
        worker=seat.worker, policy=verdict.policy, opinions=opinions, now=now
    )


def _finish(seat: Seat, places: list[Place], now: datetime) -> Verdict:
    """Judge the complete page and settle its place. The places are locked."""
    policy = seat.worker.study.current_policy()
    verdict = quality.judge(seat=seat, policy=policy, now=now)
    seat.submitted_at = now
    # Two requests at once: the debriefing may have come first.
    seat.informed = seat.worker.debriefed_at is not None
    # The words of the worker may change by their next page; those of this one stay.
    seat.consent = seat.worker.consent_digest
    late = seat.state == Seat.State.EXPIRED
    place = placing.place_for(seat, places, now)
    if (
        verdict.valid
        and place is not None
        and assigning.may_count(seat)
        and placing.count_in(place, places, seat.worker.study, now)
    ):
        placing.fill(seat, place)
        return verdict
    if place is not None and not late:
        placing.free(place)
    seat.state = Seat.State.SURPLUS if verdict.valid else Seat.State.DISCARDED
    seat.save(update_fields=["state", "submitted_at", "consent", "informed"])
    return verdict
