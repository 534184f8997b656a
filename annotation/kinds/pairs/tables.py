"""Choices between two texts, where they leave the study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from django.db.models import OuterRef, QuerySet, Subquery

from annotation.archive.answers import OF_PAGE, PERTURBATION, SIMULATED, of_page
from annotation.archive.columns import Column, Reader, Table
from annotation.kinds.pairs import votes
from annotation.kinds.pairs.votes import has_pairs
from annotation.models import Annotation, Seat, Study, Verdict, comparing
from annotation.page_kinds.tables import AnswerTable, InApi, NoTables, VoteRow

UNKNOWN = "cannot say"
PAIRS = Table(
    "votes",
    "One answer of one worker on two texts, as in the export of votes.",
    (
        SIMULATED,
        Column("pair", "int", "Answers on the same texts share it"),
        Column("first", "string", "Key of a text"),
        Column("second", "string", "Of the other; empty: the first one, damaged"),
        Column("first_system", "string", "Who wrote the first; empty: unknown"),
        Column("second_system", "string", "Who wrote the second; empty: unknown"),
        PERTURBATION,
        Column("negative_text", "string", "The damaged text"),
        Column("prefix", "string", "Opening that systems were given"),
        Column("label", "string", "Attribute that was asked for"),
        Column("source", "string", "What was shown beside the texts"),
        Column("probability", "float", "With which the pair was drawn for its prompt"),
        Column("aspect", "string", "Key of the question"),
        Column(
            "left", "string", "Which stood on the left", choices=("first", "second")
        ),
        Column(
            "answer", "string", "In words", choices=(*comparing.LEADS.values(), UNKNOWN)
        ),
        Column("value", "int?", "From 2, the first text is much better, to -2"),
        Column("strength", "int?", "1: better, 2: much better; null: not asked"),
        Column("cannot_say", "bool", "The worker could not say"),
        *of_page(
            Seat.State.choices,
            Column("milliseconds", "int?", "In view; null: not measured"),
        ),
    ),
    of={
        "pair": "pair.pk",
        "first": "pair.first.key",
        "second": "pair.second.key",
        "first_system": "pair.first.system.name",
        "second_system": "pair.second.system.name",
        # Of a hidden check, whose second text is the first one, damaged.
        "perturbation": "item.negative.perturbation",
        "negative_text": "item.negative.text",
        "prefix": "pair.prompt.prefix",
        "label": "pair.prompt.label.name",
        "source": "pair.prompt.source",
        "probability": "pair.probability",
        "aspect": "aspect.key",
        **OF_PAGE,
    },
)


def answers(study: Study) -> QuerySet[Annotation]:
    newest = Verdict.objects.filter(seat=OuterRef("seat")).order_by("-pk")
    answers = Annotation.objects.filter(aspect__study=study, pair__isnull=False)
    if not has_pairs(study):
        answers = answers.none()  # else each rating would be asked if it is of a pair
    rows = answers.select_related(
        *("aspect", "seat__survey", "item__negative", "pair__prompt__label"),
        *("pair__first__system", "pair__second__system"),
    )
    return rows.annotate(reason=Subquery(newest.values("reason")[:1])).order_by("pk")


def lead(answer: Annotation) -> int | None:
    """From 2, the first text is much better, to -2."""
    return None if answer.value is None else comparing.lead(answer.value)


def words(answer: Annotation) -> str:
    value = lead(answer)
    return UNKNOWN if value is None else comparing.LEADS[value]


def left(answer: Annotation) -> str:
    assert answer.seat is not None
    return "second" if answer.item_id in answer.seat.flipped else "first"


def is_excluded(answer: Annotation) -> bool:
    assert answer.pair is not None
    texts = answer.pair.first, answer.pair.second
    return any(text is not None and text.is_excluded for text in texts)


def strength(answer: Annotation) -> int | None:
    value = lead(answer)
    return None if value is None else abs(value)


def milliseconds(answer: Annotation) -> int | None:
    assert answer.seat is not None
    position = answer.seat.order.index(answer.item_id) + 1
    in_view: int | None = answer.seat.visible.get(str(position))
    return in_view


def readers(study: Study) -> Mapping[str, Reader]:
    return {
        "left": left,
        "answer": words,
        "value": lead,
        "strength": strength if study.pair_strength else lambda answer: None,
        "cannot_say": lambda answer: answer.value is None,
        "excluded": is_excluded,
        "milliseconds": milliseconds,
    }


# Also those on a text and its damaged version, which are no votes for a system.
CHOICES = AnswerTable(
    title="Votes",
    contents="Each choice between two texts and its state: both texts with their"
    " systems, which one stood on the left, the answer in words and as a number from 2"
    " (the first text is much better) to −2, and the probability with which the pair"
    " was drawn. Choices between a text and its damaged version are marked. Workers"
    " appear as codes.",
    table=PAIRS,
    answers=answers,
    readers=readers,
    api=InApi(
        "comparisons",
        "Comparison",
        "List comparisons",
        "Every choice between two texts that workers made, with its fate: `state` is"
        ' "valid" where it counts. Votes from files are under votes.',
    ),
)


class PairTables(NoTables):
    tables: Sequence[AnswerTable] = (CHOICES,)
    not_rated = "pair"

    def counted_votes(
        self, study: Study, *, with_discarded: bool
    ) -> QuerySet[Annotation]:
        return votes.counted(study, with_discarded=with_discarded)

    def votes(self, study: Study, question: str | None) -> Iterator[VoteRow]:
        return votes.votes(study, question)
