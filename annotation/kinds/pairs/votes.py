"""Votes on two systems from the answers on pairs.

A vote counts as a rating does: its page is valid, its rater had not read the
debriefing, neither text is excluded. It is seen from the text on the left, so that
`first` was shown first. How much better a text is stays with the answers; a vote is for
one of two texts, or for none.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import QuerySet

from annotation.models import Annotation, Pair, Seat, Study, Vote
from annotation.models.comparing import TIE, turned
from annotation.models.surveys import pseudonym
from annotation.page_kinds import tables


def counted(study: Study, *, with_discarded: bool) -> QuerySet[Annotation]:
    """Answers on pairs that count, in no order; if wanted, also of discarded pages."""
    if not has_pairs(study):
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


def has_pairs(study: Study) -> bool:
    """Ask it first: without one, no rating has to be looked at."""
    return Pair.objects.filter(survey__study=study).exists()


def votes(study: Study, question: str | None) -> Iterator[tables.VoteRow]:
    of_question = {} if question is None else {"aspect__title": question}
    names: dict[int, str] = {}
    answers = counted(study, with_discarded=False).filter(**of_question).order_by("pk")
    rows = answers.select_related("aspect", "seat", "pair__first", "pair__second")
    defer = ("pair__first__text", "pair__second__text", "seat__comment")
    for answer in rows.defer(*defer).iterator(chunk_size=2000):
        yield _vote(study, answer, names)


def _vote(study: Study, answer: Annotation, names: dict[int, str]) -> tables.VoteRow:
    pair, seat, value = answer.pair, answer.seat, answer.value
    assert pair and pair.second and seat and value is not None  # `counted`
    left, right = pair.first, pair.second
    if answer.item_id in seat.flipped:
        left, right, value = right, left, turned(value)
    if seat.worker_id not in names:
        names[seat.worker_id] = pseudonym(study, seat.worker_id)
    assert left.system_id and right.system_id  # texts without a system are in no pair
    return tables.VoteRow(
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
