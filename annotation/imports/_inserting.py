"""Many rows into a table, prepared before anyone has to wait for them.

Django makes an object of each row, and its statement while the table is locked: ten
times the work. Here rows are tuples, and a row knows its id before it is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from django.db import connection, models, transaction

AT_ONCE = 10_000  # ids


class Rows(NamedTuple):
    """Rows of one table, as tuples in the order of the named columns."""

    kind: type[models.Model]
    columns: tuple[str, ...]  # as the database calls them
    values: list[tuple[Any, ...]]


def insert(rows: Rows) -> None:
    """Call inside a transaction. Columns that are not named get their defaults."""
    if not rows.values:
        return
    fields = rows.kind._meta.concrete_fields
    others = [field for field in fields if field.column not in rows.columns]
    same = tuple(
        field.get_db_prep_save(field.get_default(), connection) for field in others
    )
    quote = connection.ops.quote_name
    columns = (*rows.columns, *(field.column for field in others))
    table = quote(rows.kind._meta.db_table)
    places = ", ".join(["%s"] * len(columns))
    with connection.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO {table} ({', '.join(map(quote, columns))}) VALUES ({places})",
            [row + same for row in rows.values],
        )


def ids(kind: type[models.Model], expected: int) -> Iterator[int]:
    """Ids that nobody else gets, in rising order; some more than are needed."""
    at_once = max(1, min(expected, AT_ONCE))
    while True:
        yield from _reserved(kind._meta.db_table, at_once)


def _reserved(table: str, n: int) -> Sequence[int]:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT nextval(pg_get_serial_sequence(%s, 'id'))"
                " FROM generate_series(1, %s)",
                [connection.ops.quote_name(table), n],
            )
            return [row[0] for row in cursor.fetchall()]
    with transaction.atomic(), connection.cursor() as cursor:
        # SQLite keeps the last id of a table with AUTOINCREMENT here.
        last = f"COALESCE((SELECT MAX(id) FROM {connection.ops.quote_name(table)}), 0)"
        cursor.execute(
            f"UPDATE sqlite_sequence SET seq = MAX(seq, {last}) + %s WHERE name = %s",
            [n, table],
        )
        if not cursor.rowcount:
            cursor.execute(
                f"INSERT INTO sqlite_sequence (seq, name) SELECT {last} + %s, %s",
                [n, table],
            )
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        (last_id,) = cursor.fetchone()
    return range(last_id - n + 1, last_id + 1)
