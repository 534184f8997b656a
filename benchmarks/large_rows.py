"""Write millions of rows fast: COPY on PostgreSQL, executemany on SQLite."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from itertools import count
from typing import Any

from django.db import connection, models, transaction

BIG = ("annotation_annotation", "scoring_score")  # the tables worth the trouble
POSTGRES = connection.vendor == "postgresql"


class plain:
    """Values as the database keeps them."""

    @staticmethod
    def uuid() -> str:
        made = uuid.uuid4()
        return str(made) if POSTGRES else made.hex

    @staticmethod
    def time(moment: datetime) -> str:
        return str(moment) if POSTGRES else str(moment.replace(tzinfo=None))

    @staticmethod
    def boolean(value: bool) -> bool | int:
        return value if POSTGRES else int(value)


def fill(
    kind: type[models.Model],
    columns: tuple[str, ...],
    rows: Iterable[tuple[Any, ...]],
) -> int:
    """Write rows; columns that are not named get their defaults. Returns the first id.

    Rows without an id get those behind the last one, in a row.
    """
    table = kind._meta.db_table
    quote = connection.ops.quote_name
    if "id" in columns:
        first = 0
    else:
        last = kind._default_manager.aggregate(last=models.Max("pk"))["last"] or 0
        first = last + 1
        columns = ("id", *columns)
        rows = ((pk, *row) for pk, row in zip(count(first), rows, strict=False))
    others = [f for f in kind._meta.concrete_fields if f.column not in columns]
    same = tuple(_default(field) for field in others)
    columns = (*columns, *(field.column for field in others))
    named = ", ".join(map(quote, columns))
    with transaction.atomic(), connection.cursor() as cursor:
        if POSTGRES:
            cursor.execute("SET LOCAL session_replication_role = replica")
            with cursor.copy(f"COPY {quote(table)} ({named}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row + same)
            for sql in connection.ops.sequence_reset_sql(_no_style(), [kind]):
                cursor.execute(sql)
        else:
            places = ", ".join("?" * len(columns))
            connection.connection.executemany(
                f"INSERT INTO {quote(table)} ({named}) VALUES ({places})",
                (row + same for row in rows),
            )
    return first


def _default(field: models.Field[Any, Any]) -> Any:
    value = field.get_default()
    if isinstance(field, models.JSONField):
        return json.dumps(value)
    return field.get_db_prep_save(value, connection)


def _no_style() -> Any:
    from django.core.management.color import no_style

    return no_style()


@contextmanager
def without_indexes() -> Iterator[None]:
    """Indexes of the big tables are made at the end, all at once."""
    with connection.cursor() as cursor:
        if POSTGRES:
            cursor.execute(
                "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = ANY(%s)"
                " AND indexname NOT IN (SELECT conname FROM pg_constraint)",
                [list(BIG)],
            )
        else:
            cursor.execute("PRAGMA synchronous=OFF")
            cursor.execute("PRAGMA cache_size=-400000")
            marks = ", ".join(["%s"] * len(BIG))
            cursor.execute(
                "SELECT name, sql FROM sqlite_master WHERE type = 'index'"
                f" AND sql IS NOT NULL AND tbl_name IN ({marks})",
                list(BIG),
            )
        found = cursor.fetchall()
        for name, _ in found:
            cursor.execute(f"DROP INDEX {connection.ops.quote_name(name)}")
        yield
        for _, sql in found:
            cursor.execute(sql)


def look_at_everything() -> None:
    """As the database does by itself sooner or later."""
    with connection.cursor() as cursor:
        if POSTGRES:
            cursor.execute("VACUUM ANALYZE")
        else:
            cursor.execute("PRAGMA synchronous=FULL")
            cursor.execute("PRAGMA analysis_limit = 1000")
            cursor.execute("PRAGMA optimize = 0x10002")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
