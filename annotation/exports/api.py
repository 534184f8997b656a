"""Rows of a table in the API: what they are, from its columns, and some at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.access import get_study_for
from annotation.archive.columns import API, Column, Row, Table
from annotation.page_kinds.tables import AnswerTable
from evalapp.api.errors import REFUSED
from evalapp.api.pages import Pages

FIELDS: dict[str, type[serializers.Field]] = {
    "string": serializers.CharField,
    "time": serializers.CharField,
    "int": serializers.IntegerField,
    "float": serializers.FloatField,
    "bool": serializers.BooleanField,
}


def serializer(name: str, table: Table) -> type[serializers.Serializer]:
    """Describes the rows of a table; `Table.rows` makes them."""
    fields = {column.name: _field(column) for column in table.at(API)}
    names = {"__doc__": table.help, "__module__": __name__}
    return type(f"{name}Serializer", (serializers.Serializer,), names | fields)


def _field(column: Column) -> serializers.Field:
    facts = {"help_text": column.help, "allow_null": column.nullable}
    if column.choices:
        return serializers.ChoiceField(list(column.choices), **facts)
    return FIELDS[column.type](**facts)


class RowsApi(APIView):
    """A page of rows."""

    tag = "Ratings and scores"
    pagination_class = Pages

    def page(
        self,
        request: Request,
        queryset: QuerySet[Any],
        rows: Callable[[list[Any]], Iterable[Row]],
    ) -> Response:
        pages = Pages()
        page = pages.paginate_queryset(queryset, request, view=self)
        return pages.get_paginated_response(list(rows(page)))


def answers_api(table: AnswerTable) -> type[RowsApi]:
    """Lists the answers that only pages of one kind have."""
    rows = serializer(table.api.row, table.table)

    class AnswersApi(RowsApi):
        @extend_schema(
            summary=table.api.lists,
            description=table.api.about,
            responses={200: rows(many=True), **REFUSED},
        )
        def get(self, request: Request, name: str) -> Response:
            study = get_study_for(request.user, name)
            return self.page(request, *table.of(study))

    return AnswersApi
