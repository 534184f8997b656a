"""Columns that may hold what people want, and that nothing says what they are. Pure.

What is left out unsaid is the worst fault of an import: a metric of a name that nobody
knows, the answers of a survey program, a second system's texts. So they are a question
before the import. Notes, dates, counts and running numbers are none: to ask about
everything is a fault, too. The account names them.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from annotation.imports._account import filled
from annotation.imports._asking import answers_in_words
from annotation.imports._names import (
    BESIDE_RATINGS,
    COUNTS,
    IGNORE,
    OF_CHOICES,
    OF_COMMENTS,
    OF_SETTINGS,
    USUAL,
)
from annotation.imports._opening import Opened
from annotation.imports._problems import shown
from annotation.imports._profile import Column
from annotation.imports._question import UNPLACED, Question
from annotation.imports._rated import (
    MOST_UNNAMED,
    is_off_scale,
    looks_rated,
    numbers_rows,
)
from annotation.imports._values import are_flags
from annotation.imports.files import EARLIER, SKIPPED, Record

FEWEST_WORDS = 3  # of a cell on average: sentences
SHORTEST = 1.5  # where nearly each cell has its own
LISTED = 12  # columns in a sentence


def questions(found: Opened) -> Iterator[Question]:
    """One about all of them."""
    roles, columns = found.mapping, found.records.columns
    unplaced = [
        column
        for name, column in columns.items()
        if roles.get(name, IGNORE) == IGNORE
        and name not in found.table.own
        and may_matter(column)
    ]
    text = next((name for name, role in roles.items() if role == "text"), "")
    unplaced = [c for c in unplaced if not _repeats(c.name, text, found.first)]
    if not unplaced:
        return
    names = [column.name for column in unplaced]
    one = len(names) == 1
    yield Question(
        UNPLACED,
        names[0],
        f"Nothing says what {'this column is' if one else 'these columns are'}:"
        f" {_listed(names)}. {'It is' if one else 'They are'} not stored unless you"
        f" choose what {'it is' if one else 'they are'}. Is that right?",
        examples=[f"{shown(column.name)}: {_content(column)}" for column in unplaced],
        option=" ".join(f"--map {shlex.quote(f'ignore={name}')}" for name in names),
        alike={name: [] for name in names},
    )


def may_matter(column: Column) -> bool:
    """Whether texts, ratings or scores may stand in it."""
    if column.name.startswith((EARLIER, SKIPPED)) or not column.n_values:
        return False
    if not column.is_mostly_numbers and OF_COMMENTS.search(column.words):
        return False
    if looks_rated(column) or is_off_scale(column) or column.are_choices:
        return True
    if column.words in USUAL["key"] or column.words in USUAL["rater"]:
        return False
    if column.is_mostly_numbers:
        return column.low < column.high and not _is_of_no_use(column)
    if are_flags(answers_in_words([column])) and not _is_of_no_use(column):
        return True
    if column.is_of_objects or OF_CHOICES.search(column.words):
        return True
    return _has_texts(column)


def _has_texts(column: Column) -> bool:
    """Sentences, or short answers that are nearly all different."""
    if column.is_of_dates:
        return False
    n = len(column.values) if column.values is not None else column.n_values
    differ = 2 * n > column.n_values
    return column.mean_words >= (SHORTEST if differ else FEWEST_WORDS)


def _is_of_no_use(column: Column) -> bool:
    names = (COUNTS, BESIDE_RATINGS, OF_SETTINGS)
    return _is_running(column) or any(name.search(column.words) for name in names)


def _is_running(column: Column) -> bool:
    """1, 2, 3 ...: the number of the row, as pandas and R write it."""
    counts = column.is_whole and column.high - column.low + 1 == column.n_values
    return numbers_rows(column) or (counts and column.n_values > MOST_UNNAMED)


def _repeats(name: str, text: str, first: Sequence[Record]) -> bool:
    """Whether a text stands in it once more, as with its opening."""
    cells = [(r.cells.get(name), r.cells.get(text)) for r in first]
    pairs = [(str(a), str(b)) for a, b in cells if filled(a) and filled(b)]
    return bool(pairs) and all(b in a for a, b in pairs)


def _content(column: Column) -> str:
    if column.is_mostly_numbers:
        whole = "whole numbers" if column.is_whole else "numbers"
        return f"{whole} from {column.low:g} to {column.high:g}"
    if column.is_of_objects:
        return "objects in JSON"
    return f"such as {shown(column.odd)}"


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - LISTED:,} more" if len(names) > LISTED else ""
    return ", ".join(shown(name) for name in names[:LISTED]) + more
