"""Texts as workers left them, where they leave the study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.db.models import OuterRef, QuerySet, Subquery

from annotation.archive.answers import ABOUT, OF_PAGE, PERTURBATION, SIMULATED, of_page
from annotation.archive.columns import Column, Reader, Table
from annotation.kinds.edits import words
from annotation.models import Edit, Seat, Study, Verdict
from annotation.models.texts import full_text
from annotation.page_kinds.tables import AnswerTable, InApi, NoTables

EDITS = Table(
    "edits",
    "One text as a worker left it, as in the export of corrections.",
    (
        *(SIMULATED, *ABOUT, PERTURBATION),
        Column("before", "string", "The text as the worker got it"),
        Column("after", "string", "As they left it"),
        Column("nothing_to_correct", "bool", "As the worker said"),
        Column("changed_words", "int", "Fewest words put in, left out or replaced"),
        Column("words", "int", "Of the text as it is after"),
        *of_page(Seat.State.choices),
    ),
    of={
        "text": "item.generation.key",
        "negative_of": "item.negative.source.key",
        "perturbation": "item.negative.perturbation",
        "after": "text",
        "nothing_to_correct": "unchanged",
        **OF_PAGE,
    },
)


def edits(study: Study) -> QuerySet[Edit]:
    newest = Verdict.objects.filter(seat=OuterRef("seat")).order_by("-pk")
    rows = Edit.objects.filter(seat__survey__study=study).select_related(
        "item__generation", "item__negative__source", "seat__survey__prompt"
    )
    return rows.annotate(reason=Subquery(newest.values("reason")[:1])).order_by("pk")


def before(edit: Edit) -> str:
    return full_text(edit.seat.survey.prompt.prefix, edit.item.text)


def readers(study: Study) -> Mapping[str, Reader]:
    return {
        "before": before,
        "changed_words": lambda edit: words.changed(before(edit), edit.text),
        "words": lambda edit: len(words.words(edit.text)),
        "excluded": lambda edit: bool(
            edit.item.generation and edit.item.generation.is_excluded
        ),
    }


# Also of damaged texts.
CORRECTIONS = AnswerTable(
    title="Corrections",
    contents="Each text as a worker left it and its state, with the number of changed"
    " words. Damaged texts are marked. Workers appear as codes.",
    table=EDITS,
    answers=edits,
    readers=readers,
    api=InApi(
        "edits",
        "Edit",
        "List single corrections",
        "Every text as a worker left it, also drafts and those that do not count: they"
        ' do where `state` is "valid". Workers are codes.',
    ),
)


class EditTables(NoTables):
    tables: Sequence[AnswerTable] = (CORRECTIONS,)
