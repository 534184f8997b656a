"""A question about a file: its kinds, its words, and how it is answered. Pure."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from annotation.imports import _values
from annotation.imports._problems import shown
from annotation.imports._values import Table

WORDS, STEPS, FAR, DECIMAL, RATINGS = "words", "steps", "far", "decimal", "ratings"
PARTS = "parts"  # whether files, sheets or lists are called after raters or systems
TEXTS = "texts"  # which column has the texts
UNPLACED = "unplaced"  # columns that nothing says what they are
SHAPE = "shape"  # whether a row is what a ready mapping takes it for
AGAIN = "again"  # whether the same words are another text
ROWS = "rows"  # whether rows that somebody rejected count
ENCODING = "encoding"  # how the characters of the file are written
HEADER = "header"  # whether the first line is a name, or a text
IDS = "ids"  # whether texts and values with one id belong together
LISTED = 12  # answers in a sentence


@dataclass(frozen=True)
class Question:
    """What only a person can say, and how."""

    code: str
    about: str  # an aspect, a metric or a column
    sentence: str
    table: Table = field(default_factory=dict)  # proposed numbers by cell
    counts: Mapping[str, int] = field(default_factory=dict)  # cells with each
    examples: Sequence[str] = ()  # to be looked at
    option: str = ""  # of the command, with what is proposed
    is_for_people: bool = False  # what is proposed is no more likely than the rest
    # What it is asked about together, each with the answers it has; empty: `about`.
    alike: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def words(self) -> Mapping[str, Sequence[str]]:
        """The answers that are asked about, by aspect, metric or column."""
        return self.alike or {self.about: list(self.table)}

    @property
    def has_proposal(self) -> bool:
        return not self.is_for_people and _values.is_complete(self.table)

    def plain(self) -> dict[str, Any]:
        return asdict(self)


class Asked(Exception):
    """Nothing was written: somebody has to answer these questions first."""

    def __init__(self, questions: list[Question]) -> None:
        super().__init__(" ".join(one.sentence for one in questions))
        self.questions = questions


def answers_listed(answers: Iterable[str]) -> str:
    some = list(answers)
    more = f" and {len(some) - LISTED:,} more" if len(some) > LISTED else ""
    return ", ".join(shown(one) for one in some[:LISTED]) + more


def option(about: str, table: Table) -> str:
    """As `import_study` takes it, also where an answer has a comma or a quote."""
    begin = f"{about}: " if about else ""  # without an aspect, for all of them
    line = io.StringIO()
    pairs = [f"{a}={'?' if n is None else n}" for a, n in table.items()]
    csv.writer(line, lineterminator="").writerow(pairs)
    return f"--ratings {shlex.quote(f'{begin}{line.getvalue()}')}"
