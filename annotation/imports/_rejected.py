"""Rows that somebody has rejected or given back: whether they count is asked. Pure.

Prolific says RETURNED, Toloka and MTurk REJECTED, Prodigy "ignore". Their answers were
taken for ratings like any, though most people throw them away.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from annotation.imports._account import Account
from annotation.imports._names import IGNORE
from annotation.imports._profile import Column
from annotation.imports._values import NOTHING, Table
from annotation.imports.files import Record

NAMES = frozenset(
    "status|answer|decision|assignment status|assignmentstatus|submission status"
    "|response status|completion status|prolific status|state|review status"
    "|assignment status|record status|approval".split("|")
)
REJECTED = frozenset(
    "rejected reject returned timed-out timed_out ignore ignored discarded discard"
    " invalid spam screened_out screened-out withdrawn cancelled canceled skipped"
    " abgelehnt zurückgegeben verworfen rejeté refusé rechazado devuelto 已拒绝 拒绝"
    " expired".split()
)
MOST = 12  # different words of a status
USED = 1


def columns_of(
    roles: Mapping[str, str], columns: Mapping[str, Column]
) -> Iterator[tuple[str, Table, Mapping[str, int]]]:
    """Columns that say so, with what is proposed: 1 is used, nothing is left out."""
    for name, column in columns.items():
        is_free = roles.get(name, IGNORE) == IGNORE
        if not is_free or column.words not in NAMES or not column.values:
            continue
        counts = column.values
        if table := table_of(counts):
            yield name, table, counts


def table_of(words: Collection[str]) -> Table:
    """What is proposed for each; nothing where none of them is rejected."""
    table: Table = {
        word: NOTHING if _is_rejected(word) else USED for word in words if word
    }
    return table if NOTHING in table.values() and len(table) <= MOST else {}


def _is_rejected(word: str) -> bool:
    plain = "_".join(word.casefold().split())
    return plain in REJECTED


def without_people(
    records: Iterable[Record],
    rater: str,
    people: Mapping[str, str],
    table: Table,
    account: Account,
) -> Iterator[Record]:
    """The rows of raters who count, as Prolific says of them."""
    for record in records:
        who = str(record.cells.get(rater)).strip()
        if table.get(people.get(who, "")) == NOTHING:
            account.leave_out([record.line])
        else:
            yield record


def without(
    records: Iterable[Record], tables: Mapping[str, Table], account: Account
) -> Iterator[Record]:
    """The rows that count, as answered or proposed; tables are by column."""
    for record in records:
        words = [(str(record.cells.get(c)).strip(), t) for c, t in tables.items()]
        if any(table.get(word) == NOTHING for word, table in words):
            account.leave_out([record.line])
        else:
            yield record
