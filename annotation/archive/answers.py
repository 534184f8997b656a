"""What is the same in all tables of single answers. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation.archive.columns import Column

SIMULATED = Column("simulated", "bool", "Whether no person gave it")
ABOUT = (
    Column("text", "string", "Key of the text; empty for a damaged one"),
    Column("negative_of", "string", "Key of the text that was damaged; else empty"),
)
PERTURBATION = Column("perturbation", "string", "What was done to the damaged text")
# Where a row is made of an answer with its seat.
OF_PAGE = {
    "state": "seat.state",
    "informed": "seat.informed",
    "survey": "seat.survey.number",
    "seat": "seat.pk",
    "claimed_at": "seat.claimed_at",
    "submitted_at": "seat.submitted_at",
}


def of_page(states: Sequence[Any], *more: Column) -> tuple[Column, ...]:
    """What became of the page of an answer; with `states`, and `more` columns."""
    return (
        Column("excluded", "bool", "Whether a text that it is about is excluded"),
        Column("state", "string", "Only valid and imported count", choices=states),
        Column("informed", "bool", "Given after the debriefing"),
        Column("reason", "string", "Why the page was discarded"),
        Column("survey", "int?", "Number of the page"),
        Column("seat", "int?", "Answers of one worker on one page share it"),
        Column("position", "int?", "On the page as this worker saw it, from 1"),
        Column("rater", "string", "A code, never a platform's id", person=True),
        *more,
        Column("claimed_at", "time", "When the worker got the page"),
        Column("submitted_at", "time", "When it was handed in; empty: it was not"),
    )
