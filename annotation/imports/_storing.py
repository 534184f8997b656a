"""A checked file, piece by piece, into a study that is shown when all is in."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from functools import partial
from typing import Any

from django.dispatch import Signal
from django.utils import timezone

from annotation import studies
from annotation.imports import _curtain
from annotation.imports._results import ImportResult, result_of
from annotation.imports._sheet import Sheet
from annotation.imports._writing import PIECE, WRITTEN, Piece, Plan
from annotation.models import Storing, Study
from evalapp import planner

# Sent while a file with metric scores is stored, with `study`, `scores` (an iterator of
# key, metric, value), `file_name`, `sha256`, `user`, `record` (of the import) and
# `piece`: with it, receivers write a little at a time. What they return is called in
# the last piece.
scores_came = Signal()

Fence = Callable[[Study], object]
Stored = Callable[[int], object]


def store(
    row: Storing,
    plan: Plan,
    sheet: Sheet,
    *,
    now: datetime.datetime | None,
    stored: Stored | None,
    fence: Fence | None,
) -> ImportResult:
    """All of the rows, or none where this raises."""
    piece = partial(_curtain.piece, row)
    is_first = not plan.study.generations.exists()
    try:
        plan.save(
            sheet, now or timezone.now(), piece=piece, stored=stored or (lambda n: None)
        )
        ends = _send_scores(plan, sheet, piece)
        with piece():
            plan.save_described()
            if is_first:
                studies.suit_kinds(study=plan.study)
            if is_first and not (sheet.counts.ratings or sheet.counts.means):
                studies.suit(study=plan.study)
            if sheet.counts.ratings or sheet.counts.means:
                plan.study.rated_elsewhere = True
                Study.objects.filter(pk=plan.study.pk).update(rated_elsewhere=True)
            for end in ends:
                end()
            if fence:
                fence(plan.study)
            _curtain.end(row)
    except BaseException:
        _curtain.undo(row)
        raise
    if sheet.n_kept > PIECE:
        planner.look_at(*WRITTEN)
    return result_of(plan, sheet)


def _send_scores(plan: Plan, sheet: Sheet, piece: Piece) -> list[Any]:
    """Scores are told as they are asked for."""
    if not sheet.counts.metrics:
        return []
    answers = scores_came.send(
        Study,
        study=plan.study,
        scores=sheet.scores(),
        file_name=plan.record.file_name,
        sha256=sheet.sha256,
        user=plan.record.created_by,
        record=plan.record,
        piece=piece,
    )
    return [end for _, end in answers]
