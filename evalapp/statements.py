"""Queries that Django writes once in each process, not for each request.

Django takes longer to write a query of 100 columns than the database to answer it: that
was half of what saving an answer cost. For what workers' pages ask all the time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import Field, Model, QuerySet
from django.db.models.query import get_related_populators  # type: ignore[attr-defined]

M = TypeVar("M", bound=Model)
Row = tuple[Any, ...]


class Statement(Generic[M]):
    """A query in which one value varies.

    Args:
        query: For such a value, which stands in it once.
        varies: The field that the value is compared with.
    """

    def __init__(
        self, query: Callable[[Any], QuerySet[M, Any]], varies: Field[Any, Any]
    ) -> None:
        self._query = query
        self._varies = varies
        # By database: a rehearsal of a study on PostgreSQL is on one of SQLite.
        self._written: dict[str, _Written] = {}

    def rows(self, value: object) -> list[Row]:
        """As `values_list` has them."""
        _, rows = self._ask(value)
        return [tuple(row) for row in rows]

    def get(self, value: object) -> M:
        """The one row as an instance, with what `select_related` names.

        Raises:
            DoesNotExist: The model's, if there is no row.
        """
        written, rows = self._ask(value)
        row = next(rows, None)
        if row is None:
            raise written.model.DoesNotExist
        instance: M = written.instance(row)
        return instance

    def _ask(self, value: object) -> tuple[_Written, Iterator[list[Any]]]:
        vendor = connection.vendor
        if vendor not in self._written:
            self._written[vendor] = _Written(self._query(value))
        written = self._written[vendor]
        with connection.cursor() as cursor:
            values = [self._varies.get_db_prep_value(value, connection)]
            cursor.execute(written.sql, values)
            rows = cursor.fetchall()
        return written, written.compiler.apply_converters(rows, written.converters)


class _Written:
    """The SQL of a query, and what Django knows of its columns."""

    def __init__(self, query: QuerySet[Any, Any]) -> None:
        self.model = query.model
        self.compiler = query.query.get_compiler(DEFAULT_DB_ALIAS)
        self.sql, values = self.compiler.as_sql()
        if len(values) != 1:
            raise ValueError(f"One value varies in a statement, not {len(values)}.")
        select, info = self.compiler.select, self.compiler.klass_info
        columns = [column for column, *_ in select]
        self.converters = self.compiler.get_converters(columns)
        if info is not None:  # instances, not rows of values
            places = info["select_fields"]
            self.own = slice(places[0], places[-1] + 1)
            self.names = [column.target.attname for column in columns[self.own]]
            self.related = get_related_populators(info, select, DEFAULT_DB_ALIAS)

    def instance(self, row: list[Any]) -> Any:
        instance = self.model.from_db(DEFAULT_DB_ALIAS, self.names, row[self.own])
        for populator in self.related:
            populator.populate(row, instance)
        return instance
