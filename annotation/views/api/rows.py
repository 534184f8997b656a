"""What the API says of the rows of a table: from its columns."""

from __future__ import annotations

from rest_framework import serializers

from annotation.archive.columns import API, Column, Table

FIELDS: dict[str, type[serializers.Field]] = {
    "string": serializers.CharField,
    "int": serializers.IntegerField,
    "float": serializers.FloatField,
    "bool": serializers.BooleanField,
}


def serializer(name: str, table: Table, help: str = "") -> type[serializers.Serializer]:
    """Describes the rows of a table; `Table.rows` makes them."""
    fields = {column.name: _field(column) for column in table.at(API)}
    names = {"__doc__": help or table.help, "__module__": __name__}
    return type(f"{name}Serializer", (serializers.Serializer,), names | fields)


def _field(column: Column) -> serializers.Field:
    facts = {"help_text": column.help, "allow_null": column.nullable}
    if column.choices:
        return serializers.ChoiceField(list(column.choices), **facts)
    if column.type == "strings":
        return serializers.ListField(child=serializers.CharField(), **facts)
    return FIELDS[column.type](**facts)
