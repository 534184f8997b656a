"""Texts as workers left them, where they leave the study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.db.models import OuterRef, QuerySet, Subquery

from annotation.kinds.edits import words
from annotation.models import Edit, Study, Verdict
from annotation.models.surveys import pseudonym
from annotation.models.texts import full_text
from annotation.page_kinds.tables import AnswerTable, NoTables, Row


class Corrections:
    """Each text as a worker left it, with its fate, also damaged ones."""

    name = "edits"
    title = "Corrections"
    contents = (
        "Each text as a worker left it and its state, with the number of changed words."
        " Damaged texts are marked. Workers appear as codes."
    )

    def rows(self, *, study: Study) -> Iterator[Row]:
        for edit in edits(study).iterator(chunk_size=1000):
            yield row(study, edit)


class EditTables(NoTables):
    tables: Sequence[AnswerTable] = (Corrections(),)


def edits(study: Study) -> QuerySet[Edit]:
    """Every edit of the study, with all that `row` reads."""
    newest = Verdict.objects.filter(seat=OuterRef("seat")).order_by("-pk")
    rows = Edit.objects.filter(seat__survey__study=study).select_related(
        "item__generation", "item__negative__source", "seat__survey__prompt"
    )
    return rows.annotate(reason=Subquery(newest.values("reason")[:1])).order_by("pk")


def row(study: Study, edit: Edit) -> Row:
    seat, item = edit.seat, edit.item
    text, negative = item.generation, item.negative
    before = full_text(seat.survey.prompt.prefix, item.text)
    return {
        "simulated": study.simulated,
        "text": text.key if text else "",
        "negative_of": negative.source.key if negative else "",
        "perturbation": negative.perturbation if negative else "",
        "before": before,
        "after": edit.text,
        "nothing_to_correct": edit.unchanged,
        "changed_words": words.changed(before, edit.text),
        "words": len(words.words(edit.text)),
        "excluded": bool(text and text.excluded_at),
        "state": seat.state,
        "informed": seat.informed,  # after the debriefing
        "reason": edit.reason or "",  # type: ignore[attr-defined]
        "survey": seat.survey.number,
        "seat": seat.pk,
        # 1 = the first text on the page as this worker saw it.
        "position": seat.order.index(edit.item_id) + 1,
        "rater": pseudonym(study, seat.worker_id),
        "claimed_at": seat.claimed_at.isoformat(),
        "submitted_at": seat.submitted_at.isoformat() if seat.submitted_at else "",
    }
