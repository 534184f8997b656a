"""Choices between two texts, where they leave the study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.db.models import OuterRef, QuerySet, Subquery

from annotation.kinds.pairs import votes
from annotation.kinds.pairs.votes import has_pairs
from annotation.models import Annotation, Generation, Study, Verdict, comparing
from annotation.models.surveys import pseudonym
from annotation.page_kinds.tables import AnswerTable, NoTables, Row, Vote


class Choices:
    """Each choice between two texts that was made here, with its fate.

    Also those on a text and its damaged version, which are no votes for a system.
    """

    name = "votes"
    title = "Votes"
    contents = (
        "Each choice between two texts and its state: both texts with their systems,"
        " which one stood on the left, the answer in words and as a number from 2 (the"
        " first text is much better) to −2, and the probability with which the pair was"
        " drawn. Choices between a text and its damaged version are marked. Workers"
        " appear as codes."
    )

    def rows(self, *, study: Study) -> Iterator[Row]:
        for answer in answers(study).iterator(chunk_size=1000):
            yield row(study, answer)


def answers(study: Study) -> QuerySet[Annotation]:
    """Every answer on a pair in the study, with all that `row` reads."""
    newest = Verdict.objects.filter(seat=OuterRef("seat")).order_by("-pk")
    answers = Annotation.objects.filter(aspect__study=study, pair__isnull=False)
    if not has_pairs(study):
        answers = answers.none()  # else each rating would be asked if it is of a pair
    rows = answers.select_related(
        *("aspect", "seat__survey", "item__negative", "pair__prompt__label"),
        *("pair__first__system", "pair__second__system"),
    )
    return rows.annotate(reason=Subquery(newest.values("reason")[:1]))


def row(study: Study, answer: Annotation) -> Row:
    seat, pair, item = answer.seat, answer.pair, answer.item
    assert seat is not None and pair is not None and item is not None
    second, damaged = pair.second, None if pair.second else item.negative
    prompt, value = pair.prompt, answer.value
    lead = None if value is None else comparing.lead(value)
    visible = seat.visible.get(str(position := seat.order.index(item.pk) + 1))
    texts = [pair.first, *([second] if second else [])]
    return {
        "simulated": study.simulated,
        "pair": pair.pk,
        "first": pair.first.key,
        "second": second.key if second else "",
        "first_system": _system(pair.first),
        "second_system": _system(second),
        # Of a hidden check the second text is the first one, damaged.
        "perturbation": damaged.perturbation if damaged else "",
        "negative_text": damaged.text if damaged else "",
        "prefix": prompt.prefix,
        "label": prompt.label.name if prompt.label else "",
        "source": prompt.source,
        "probability": pair.probability,  # with which the pair was drawn
        "aspect": answer.aspect.key,
        "left": "second" if item.pk in seat.flipped else "first",
        "answer": "cannot say" if lead is None else comparing.LEADS[lead],
        "value": lead,  # from 2, the first text is much better, to -2
        "strength": None if lead is None or not study.pair_strength else abs(lead),
        "cannot_say": value is None,
        "excluded": any(text.excluded_at for text in texts),
        "state": seat.state,
        "informed": seat.informed,  # after the debriefing
        "reason": answer.reason or "",  # type: ignore[attr-defined]
        "survey": seat.survey.number,
        "seat": seat.pk,
        "position": position,  # 1 = the first pair on the page as this worker saw it
        "rater": pseudonym(study, seat.worker_id),
        "milliseconds": visible,  # that the pair was in view
        "claimed_at": seat.claimed_at.isoformat(),
        "submitted_at": seat.submitted_at.isoformat() if seat.submitted_at else "",
    }


def _system(text: Generation | None) -> str:
    return text.system.name if text and text.system else ""


class PairTables(NoTables):
    tables: Sequence[AnswerTable] = (Choices(),)
    not_rated = "pair"

    def counted_votes(
        self, study: Study, *, with_discarded: bool
    ) -> QuerySet[Annotation]:
        return votes.counted(study, with_discarded=with_discarded)

    def votes(self, study: Study, question: str | None) -> Iterator[Vote]:
        return votes.votes(study, question)
