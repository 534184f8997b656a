"""What was added to a study so far: file by file, and whether it can be taken back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from annotation import imports
from annotation.assistant.reporting import account_of
from annotation.imports import undoing
from annotation.models import Annotation, Import, ImportedMean


@dataclass(frozen=True)
class Past:
    """An import, as a page lists it."""

    record: Import
    came: str  # what came of it: "12 texts, 40 ratings"
    account: dict[str, Any]
    why_not_undone: str


def past_of(record: Import) -> Past:
    """Some ten small queries."""
    return Past(
        record,
        came_of(record),
        account_of(record.options.get(imports.ACCOUNT, ())),
        undoing.why_not_undone(record),
    )


def came_of(record: Import) -> str:
    """What is there of it now, in words."""
    intake = undoing.intake_of(record)
    if intake is not None:
        return _n(record.n_rows, intake.row)
    counted = (
        (record.generation_set.count(), "text"),
        (Annotation.objects.filter(imported=record).count(), "rating"),
        (ImportedMean.objects.filter(imported=record).count(), "mean rating"),
        (record.options.get("scores", 0), "score"),  # they are not this app's
    )
    return ", ".join(_n(n, what) for n, what in counted if n) or "nothing"


def _n(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"
