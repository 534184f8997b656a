"""Ratings, means and votes of a data set."""

from __future__ import annotations

import math
from datetime import datetime

from django.db.models import Model

from annotation import page_kinds
from annotation.models import Annotation, Import, ImportedMean, Study, Vote
from annotation.page_kinds.tables import ArchivedAnswers
from scoring.archive.parquet import Mismatch
from scoring.archive.restore.folder import Folder, Row
from scoring.archive.restore.pages import Seats, item_of
from scoring.archive.restore.texts import Known

HIGHEST = 100  # of any scale
OUTCOMES = {outcome.word: outcome for outcome in Vote.Outcome}


def ratings(
    *, folder: Folder, known: Known, seats: Seats, record: Import, now: datetime
) -> None:
    """In the order in which they were given."""
    for batch in folder.batches("ratings"):
        Annotation.objects.bulk_create(
            _rating(row, known, seats, record, now) for row in batch
        )


def _rating(
    row: Row, known: Known, seats: Seats, record: Import, now: datetime
) -> Annotation:
    value = row["value"]
    if value is not None and not 0 <= value <= HIGHEST:
        raise Mismatch(f"ratings: {value} is on no scale.")
    made = Annotation(
        aspect_id=known.aspect("ratings", row["aspect"]), value=value, updated_at=now
    )
    if row["text"]:
        made.generation_id = known.text("ratings", row["text"])
    elif row["damaged"] in seats.sets.negatives:
        made.negative = seats.sets.negatives[row["damaged"]]
    else:
        raise Mismatch(f"ratings: there is no damaged text {row['damaged']}.")
    if row["page"] is None:
        made.imported, made.rater = record, row["rater"][:128]
        if value is None or not row["text"]:
            raise Mismatch("ratings: a rating without a page has no value or text.")
    else:
        made.seat = seats.by_page[row["page"]]
        made.item_id = item_of(row, known, seats.sets)
    return made


def of_kinds(*, folder: Folder, texts: Known, seats: Seats, now: datetime) -> None:
    """Answers that are no ratings, on the pages that the ratings were on."""
    for kind in page_kinds.every():
        for archived in kind.tables.archived:
            for batch in folder.batches(archived.table.name):
                rows = [_of_kind(archived, row, texts, seats, now) for row in batch]
                type(rows[0])._default_manager.bulk_create(rows)


def _of_kind(
    archived: ArchivedAnswers, row: Row, texts: Known, seats: Seats, now: datetime
) -> Model:
    seat = seats.by_page.get(row["page"])
    if seat is None:
        raise Mismatch(f"{archived.table.name}: there is no page {row['page']}.")
    place = item_of({**row, "survey": seat.survey.number}, texts, seats.sets)
    try:
        answer = archived.restore(row, seat, place, now)
    except ValueError as error:
        raise Mismatch(f"{archived.table.name}: {error}.") from error
    answer.clean_fields(exclude=["seat", "item"])
    return answer


def means(*, folder: Folder, known: Known, record: Import) -> None:
    """Those that came as means; instead of single ratings, those of all ratings."""
    table = "means" if folder.has_single_ratings else "human_scores"
    for batch in folder.batches(table):
        ImportedMean.objects.bulk_create(
            ImportedMean(
                imported=record,
                generation_id=known.text(table, row["text"]),
                aspect_id=known.aspect(table, row["aspect"]),
                mean=_finite(table, row["mean"]),
                n=_count(table, row["n"]),
            )
            for row in batch
        )


def votes(*, study: Study, folder: Folder, known: Known, record: Import) -> None:
    """As votes of a file: pages of pairs are not made again."""
    for batch in folder.batches("votes"):
        Vote.objects.bulk_create(
            Vote(
                study=study,
                imported=record,
                pair=row["pair"][:64],
                prompt_id=row["prompt"] and known.prompt("votes", row["prompt"]),
                question=row["question"][:100],
                first_id=known.system("votes", row["first"]),
                second_id=known.system("votes", row["second"]),
                ordered=row["ordered"],
                rater=row["rater"][:128],
                outcome=_outcome(row["outcome"]),
            )
            for row in batch
        )


def _outcome(word: str) -> Vote.Outcome:
    if word not in OUTCOMES:
        raise Mismatch(f"votes: {word[:20]!r} is not first, second or tie.")
    return OUTCOMES[word]


def _finite(table: str, value: float | None) -> float:
    if value is None or not math.isfinite(value):
        raise Mismatch(f"{table}: a mean is missing or no number.")
    return value


def _count(table: str, n: int | None) -> int | None:
    if n is not None and not 0 <= n < 2**31:
        raise Mismatch(f"{table}: {n} is no number of ratings.")
    return n or None
