"""Votes on two systems: from files, and from the pages of pairs that count.

The one door for scoring. A vote collected here counts as a rating does: its page is
valid, its rater had not read the debriefing, neither text is excluded. Seen from the
text on the left, so that `first` was shown first. How much better a text is stays with
the answers; a vote is for one of two texts, or for none.
"""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import QuerySet

from annotation.models import Annotation, Pair, Seat, Study, Vote
from annotation.models.comparing import TIE, turned
from annotation.models.surveys import pseudonym


class Row(NamedTuple):
    """One vote."""

    pair: str  # votes on the same texts share it
    question: str  # "" = the only one of a file
    first: int  # ids of systems
    second: int
    ordered: bool  # whether `first` was shown first
    rater: str  # "" = unknown
    outcome: int  # of `Vote.Outcome`
    prompt: int | None  # id, where it is known
    texts: tuple[int, int] | None = None  # ids, where it is known which were shown


def rows(*, study: Study, question: str | None = None) -> list[Row]:
    """All votes, or those on a question; of files first. Two queries."""
    return [*_from_files(study, question), *_collected(study, question)]


def questions(*, study: Study) -> list[str]:
    """What was asked about two texts, by name. Two queries."""
    asked = set(study.votes.order_by().values_list("question", flat=True).distinct())
    titles = counted(study=study).values_list("aspect__title", flat=True).distinct()
    return sorted(asked | set(titles))


def any_of(*, study: Study) -> bool:
    """Whether there is a vote. Two queries."""
    return study.votes.exists() or counted(study=study).exists()


def counted(*, study: Study, with_discarded: bool = False) -> QuerySet[Annotation]:
    """Answers on pairs that count, in no order; if wanted, also of discarded pages."""
    if not any_pair(study).exists():
        return Annotation.objects.none()
    states = [Seat.State.VALID, *([Seat.State.DISCARDED] if with_discarded else [])]
    return Annotation.objects.filter(
        # By its pair: by its question, every rating of the study would be looked at.
        pair__survey__study=study,
        pair__second__isnull=False,
        pair__first__excluded_at=None,
        pair__second__excluded_at=None,
        seat__state__in=states,
        seat__informed=False,
        value__isnull=False,
    ).order_by()


def any_pair(study: Study) -> QuerySet[Pair]:
    """Pairs of the study. Ask it first: without one, no rating has to be looked at."""
    return Pair.objects.filter(survey__study=study)


def _from_files(study: Study, question: str | None) -> list[Row]:
    asked = {} if question is None else {"question": question}
    found = study.votes.filter(**asked).order_by("pk")
    return [
        Row(*values)
        for values in found.values_list(
            *("pair", "question", "first_id", "second_id"),
            *("ordered", "rater", "outcome", "prompt_id"),
        )
    ]


def _collected(study: Study, question: str | None) -> list[Row]:
    asked = {} if question is None else {"aspect__title": question}
    names: dict[int, str] = {}
    found = counted(study=study).filter(**asked).order_by("pk")
    rows = found.select_related("aspect", "seat", "pair__first", "pair__second")
    defer = ("pair__first__text", "pair__second__text", "seat__comment")
    return [
        _row(study, answer, names)
        for answer in rows.defer(*defer).iterator(chunk_size=2000)
    ]


def _row(study: Study, answer: Annotation, names: dict[int, str]) -> Row:
    pair, seat, value = answer.pair, answer.seat, answer.value
    assert pair and pair.second and seat and value is not None  # `counted`
    left, right = pair.first, pair.second
    if answer.item_id in seat.flipped:
        left, right, value = right, left, turned(value)
    if seat.worker_id not in names:
        names[seat.worker_id] = pseudonym(study, seat.worker_id)
    assert left.system_id and right.system_id  # texts without a system are in no pair
    return Row(
        pair=f"pair {pair.pk}",
        question=answer.aspect.title,
        first=left.system_id,
        second=right.system_id,
        ordered=True,
        rater=names[seat.worker_id],
        outcome=_outcome(value),
        prompt=pair.prompt_id,
        texts=(left.pk, right.pk),
    )


def _outcome(value: int) -> int:
    if value == TIE:
        return Vote.Outcome.TIE
    return Vote.Outcome.FIRST if value < TIE else Vote.Outcome.SECOND
