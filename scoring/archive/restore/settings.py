"""How a study was set up: its questions, scales, systems and quality control."""

from __future__ import annotations

import json

from django.db import models

from annotation import page_kinds
from annotation.models import (
    Aspect,
    AttributeLabel,
    Policy,
    Study,
    System,
)
from annotation.studies.settings import SETTINGS, Archive
from scoring.archive.parquet import Mismatch
from scoring.archive.restore.folder import Folder, Row

OF_STUDY = (
    "simulated",
    *(
        setting.name
        for setting in SETTINGS.values()
        if setting.archive == Archive.RESTORED
    ),
)
OF_ASPECT = (
    *("key", "title", "question", "pair_question", "kind", "low", "middle", "high"),
    *("cannot_say", "level", "about", "higher_is_better"),
)
NOT_OF_POLICY = frozenset({"id", "study", "created_at"})
MOST_ASPECTS, MOST_POLICIES = 100, 200


def restore(*, study: Study, folder: Folder) -> None:
    """Replace what the import of texts began with.

    Raises:
        Mismatch: If a table or the design says what cannot be.
        ValidationError: If a value will not do.
    """
    _study(study, folder)
    study.aspects.all().delete()
    rows = list(folder.rows("aspects"))
    if len(rows) > MOST_ASPECTS:
        raise Mismatch(f"There are more than {MOST_ASPECTS} questions.")
    for position, row in enumerate(rows):
        _aspect(study, position, row)
    _systems(study, folder)
    _labels(study, folder)
    _policies(study, folder)


def _study(study: Study, folder: Folder) -> None:
    given = folder.design.get("study")
    told = given if isinstance(given, dict) else {}
    for name in OF_STUDY:
        if name in told:
            setattr(study, name, told[name])
    kinds = study.page_kinds
    known = set(page_kinds.names())
    if not isinstance(kinds, list) or not kinds or not set(map(str, kinds)) <= known:
        raise Mismatch("The design has a kind of page that does not exist.")
    study.full_clean()
    study.save()


def _aspect(study: Study, position: int, row: Row) -> None:
    aspect = Aspect(study=study, position=position)
    for name in OF_ASPECT:
        setattr(aspect, name, row[name])
    if row["own_scale"] and row["kind"] != Aspect.Kind.SLIDER:
        aspect.scale_min, aspect.scale_max = row["scale_min"], row["scale_max"]
    aspect.words = _words(row["words"])
    aspect.full_clean()
    aspect.save()


def _words(text: str) -> dict[str, str]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or len(found) > 100:
        raise Mismatch("aspects: words is not a JSON object of labels.")
    if not all(k.isdigit() and isinstance(v, str) for k, v in found.items()):
        raise Mismatch("aspects: words has a label that is none.")
    return {k: v[:100] for k, v in found.items()}


def _systems(study: Study, folder: Folder) -> None:
    """Also those without a text, of which there are votes."""
    there = {system.name: system for system in study.systems.all()}
    for row in folder.rows("systems"):
        system = there.get(row["name"]) or System(study=study, name=row["name"])
        for name in ("kind", "model", "top_p", "top_k"):
            setattr(system, name, row[name])
        system.full_clean()
        system.save()


def _labels(study: Study, folder: Folder) -> None:
    there = {label.name: label for label in study.labels.all()}
    for row in folder.rows("labels"):
        label = there.get(row["name"]) or AttributeLabel(study=study, name=row["name"])
        label.verbalizers = row["verbalizers"]
        label.full_clean()
        label.save()


def _policies(study: Study, folder: Folder) -> None:
    given = folder.listed("policies")[:MOST_POLICIES]
    if not given:
        return
    study.policies.all().delete()
    names = _columns(Policy) - NOT_OF_POLICY
    for one in given:
        policy = Policy(study=study, **{k: v for k, v in one.items() if k in names})
        policy.full_clean()
        policy.save()


def _columns(kind: type[models.Model]) -> set[str]:
    return {field.name for field in kind._meta.concrete_fields}
