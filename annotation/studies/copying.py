"""A new study with the set-up of another one: to ask again, or to ask otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from itertools import islice
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Max, Model, QuerySet
from django.dispatch import Signal

from annotation import events, page_kinds
from annotation.models import (
    Import,
    Member,
    Practice,
    PracticeText,
    Reference,
    Study,
)
from annotation.models.studies import new_code, new_seed
from annotation.studies.creating import StudyError, check_name, taken
from annotation.studies.settings import SETTINGS

# Sent with `source` and `study`, inside the transaction: other apps copy their part.
copied = Signal()

# What a copy does not take over, because it is for other people.
ANEW = frozenset(
    {"id", "public_id", "name", "state", "simulated", "created_at", "seed"}
    | {"closed_at", "archived_at", "deleted_at", "deleted_by", "state_before"}
    | {setting.name for setting in SETTINGS.values() if not setting.copied}
)
AT_ONCE = 1000  # rows: a study may have a hundred thousand texts

Row = TypeVar("Row", bound=Model)
Values = dict[str, Any]


def copy(
    *, source: Study, name: str, user: User | None, now: datetime, with_texts: bool
) -> Study:
    """Make a draft with the settings, questions, labels, quality control and practice
    page of another study, and its texts if wanted. Never ratings, votes or workers.

    Raises:
        StudyError: The name will not do.
    """
    check_name(name)
    try:
        with transaction.atomic():
            study = _study(source, name)
            study.save(force_insert=True)
            if user is not None:
                study.members.create(user=user, role=Member.Role.OWNER)
            _copy_questions(source, study)
            if with_texts:
                _copy_texts(source, study)
            copied.send(sender=Study, source=source, study=study)
            detail = f"from {source.name}, {'with' if with_texts else 'without'} texts"
            events.log(study=study, verb="copied", now=now, user=user, detail=detail)
    except IntegrityError as error:  # another process was faster
        raise StudyError(taken(name)) from error
    return study


def values_of(row: Model, *, without: Iterable[str] = ()) -> dict[str, Any]:
    """The fields of a row as keyword arguments, foreign keys by their id."""
    left_out = {"id", *without}
    return {
        field.attname: getattr(row, field.attname)
        for field in row._meta.concrete_fields
        if field.name not in left_out
    }


def _study(source: Study, name: str) -> Study:
    fresh = {"name": name, "completion_code": new_code(), "seed": new_seed()}
    return Study(**values_of(source, without=ANEW), **fresh)


def _copy_questions(source: Study, study: Study) -> None:
    def here(row: Model) -> Values:
        return {"study_id": study.pk}

    _copy_rows(source.aspects.all(), here)
    _copy_rows(source.labels.all(), here)
    newest = source.policies.aggregate(version=Max("version"))
    _copy_rows(
        source.policies.filter(**newest),
        lambda row: {"study_id": study.pk, "version": 1},
    )
    for kind in page_kinds.every():
        if options := kind.setup.own(source):
            kind.setup.set_own(study, options)
    made = _copy_rows(Practice.objects.filter(study=source), here)
    for old, new in made.items():
        texts = PracticeText.objects.filter(practice=old)
        _copy_rows(texts, lambda row, to=new: {"practice_id": to})  # type: ignore[misc]


def _copy_texts(source: Study, study: Study) -> None:
    """Prompts, references, systems and texts, with the files that these came from."""

    def here(row: Model) -> Values:
        return {"study_id": study.pk}

    names = dict(study.labels.values_list("name", "pk"))
    named = source.labels.values_list("pk", "name")
    labels: dict[int | None, int] = {pk: names[name] for pk, name in named}
    used = Import.objects.filter(study=source, generation__isnull=False).distinct()
    systems = _copy_rows(source.systems.all(), here)
    imports = _copy_rows(used, lambda row: {**here(row), "options": _options(row)})
    dialogues = _copy_rows(
        source.dialogues.all(),
        lambda row: {**here(row), "imported_id": imports.get(row.imported_id)},
    )
    prompts = _copy_rows(
        source.prompts.all(),
        lambda row: {**here(row), "label_id": labels.get(row.label_id)},
    )
    _copy_rows(
        Reference.objects.filter(prompt__study=source),
        lambda row: {"prompt_id": prompts[row.prompt_id]},
    )
    texts = _copy_rows(
        source.generations.all(),
        lambda row: {
            **here(row),
            "prompt_id": prompts[row.prompt_id],
            "system_id": systems.get(row.system_id),
            "dialogue_id": dialogues.get(row.dialogue_id),
            "imported_id": imports.get(row.imported_id),
            **dict.fromkeys(("asked", "probability", "stratum")),  # drawn again
        },
    )
    _copy_rows(
        Reference.objects.filter(generation__study=source),
        lambda row: {"generation_id": texts[row.generation_id]},
    )


def _options(record: Import) -> Values:
    """But for what names rows of the source."""
    names = Import.BEFORE, Import.AFTER
    return {key: value for key, value in record.options.items() if key not in names}


def _copy_rows(
    rows: QuerySet[Row], change: Callable[[Row], Values]
) -> dict[int | None, int]:
    """Copy the rows with other values; return the id of each copy by that of its row.

    Piece by piece: nothing holds all texts of a study at once.
    """
    ids: dict[int | None, int] = {}
    waiting = rows.order_by("pk").iterator(AT_ONCE)
    while some := list(islice(waiting, AT_ONCE)):
        made = [rows.model(**{**values_of(row), **change(row)}) for row in some]
        rows.model._default_manager.bulk_create(made)
        ids |= {row.pk: new.pk for row, new in zip(some, made, strict=True)}
    return ids
