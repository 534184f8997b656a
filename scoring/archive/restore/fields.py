"""Columns of a data set that are fields of a model."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from django.db.models import Model

from annotation.archive.columns import DATASET, Table


def field_names(model: type[Model]) -> frozenset[str]:
    """Of all but those that refer to other rows."""
    fields = model._meta.concrete_fields
    return frozenset(field.name for field in fields if not field.is_relation)


def fields_of(table: Table, model: type[Model]) -> frozenset[str]:
    """Names of the columns that are such fields."""
    return field_names(model) & {column.name for column in table.at(DATASET)}


def set_fields(
    instance: Model, names: Collection[str], row: Mapping[str, object]
) -> None:
    """Take cells over as they are.

    Raises:
        ValidationError: If one cannot be kept.
    """
    for name in names:
        setattr(instance, name, row[name])
    instance.clean_fields(
        exclude={field.name for field in instance._meta.fields} - set(names)
    )
