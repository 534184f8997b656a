"""The rows that an import has brought to a study, while it runs and ever after."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db import models
from django.db.models import Exists, Max, OuterRef, Q, Subquery

from annotation.models import (
    Annotation,
    AttributeLabel,
    Dialogue,
    Generation,
    Import,
    ImportedMean,
    Prompt,
    Reference,
    Storing,
    Study,
    Survey,
    System,
)

AT_ONCE = 500  # rows that are removed in one transaction
# What the import brings to a study that is there, beside texts; what hangs on others
# first. Texts, ratings and means know which import they came with.
BROUGHT: dict[str, tuple[type[models.Model], str]] = {
    "reference": (Reference, "prompt__study"),
    "prompt": (Prompt, "study"),
    "system": (System, "study"),
    "label": (AttributeLabel, "study"),
}
OWN = (Annotation, ImportedMean, Generation, Dialogue)
# Nobody else writes to the study meanwhile: what stands in between came with the file.
BEFORE, AFTER = Import.BEFORE, Import.AFTER
Piece = tuple[type[models.Model], list[int]]


def last_rows(study: Study) -> dict[str, int]:
    """One query."""
    lasts = {}
    for name, (kind, path) in BROUGHT.items():
        rows = kind._default_manager.filter(**{path: OuterRef("pk")}).order_by()
        lasts[name] = Subquery(rows.values(path).annotate(n=Max("pk")).values("n"))
    row = Study.objects.filter(pk=study.pk).order_by().values_list(*lasts.values())
    return {name: pk or 0 for name, pk in zip(lasts, row.get(), strict=True)}


def brought(row: Storing) -> Iterator[Piece]:
    """What is to be removed; more of it once these rows are gone."""
    if row.undoes:
        yield from _of_finished(row.record)
        return
    for own in OWN:
        yield from _in_pieces(own._default_manager.filter(imported=row.record))
    for name, (kind, path) in BROUGHT.items():
        behind = {path: row.study, "pk__gt": row.before.get(name, 0)}
        yield from _in_pieces(kind._default_manager.filter(**behind))


def pages_of(record: Import) -> models.QuerySet[Survey]:
    """Pages with texts of this import, or with what was made of them."""
    texts = Generation.objects.filter(imported=record)
    return Survey.objects.filter(
        Q(items__generation__in=texts)
        | Q(items__decoy__in=texts)
        | Q(pairs__first__in=texts)
        | Q(pairs__second__in=texts)
        | Q(negative__source__in=texts),
        study=record.study_id,
    ).distinct()


def _of_finished(record: Import) -> Iterator[Piece]:
    """Its texts and pages; of the rest what no later file uses."""
    yield from _in_pieces(pages_of(record))
    for own in OWN:
        yield from _in_pieces(own._default_manager.filter(imported=record))
    others = Generation.objects.filter(prompt=OuterRef("prompt"))
    later = Exists(others.filter(imported__gt=record.pk))
    yield from _in_pieces(_new(record, "reference").exclude(later))
    for name in ("prompt", "system", "label"):
        yield from _in_pieces(unused(_new(record, name)))


def _new(record: Import, name: str) -> models.QuerySet[Any]:
    kind, path = BROUGHT[name]
    first, last = record.options[BEFORE].get(name, 0), record.options[AFTER][name]
    span = {path: record.study_id, "pk__gt": first, "pk__lte": last}
    return kind._default_manager.filter(**span)


def unused(rows: models.QuerySet[Any]) -> models.QuerySet[Any]:
    """Of rows those that nothing points to: of a prompt, its own references may."""
    for relation in rows.model._meta.related_objects:
        if relation.related_model is not Reference:
            pointing = relation.related_model._default_manager.filter(
                **{relation.field.name: OuterRef("pk")}
            )
            rows = rows.filter(~Exists(pointing))
    return rows


def _in_pieces(rows: models.QuerySet[Any]) -> Iterator[Piece]:
    rows = rows.order_by("pk")
    while some := list(rows.values_list("pk", flat=True)[:AT_ONCE]):
        yield rows.model, some
