"""How a study was set up: its questions, scales, systems and quality control."""

from __future__ import annotations

import json

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
from scoring.archive.restore.fields import field_names, fields_of, set_fields
from scoring.archive.restore.folder import Folder, Row
from scoring.archive.tables import ASPECTS, LABELS, SYSTEMS

OF_STUDY = (
    "simulated",
    *(
        setting.name
        for setting in SETTINGS.values()
        if setting.archive == Archive.RESTORED
    ),
)
# Of a question, those of its scale and its words are checked.
OF_ASPECT = fields_of(ASPECTS, Aspect) - {"scale_min", "scale_max", "words"}
OF_SYSTEM = fields_of(SYSTEMS, System) - {"name"}
OF_LABEL = fields_of(LABELS, AttributeLabel) - {"name"}
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
    _own_of_kinds(study, folder)


def _own_of_kinds(study: Study, folder: Folder) -> None:
    design = folder.design.get("kinds")
    by_kind = design if isinstance(design, dict) else {}
    for kind in page_kinds.every():
        if not (options := by_kind.get(kind.key)):
            continue
        try:
            kind.setup.set_own(study, options)
        except (ValueError, TypeError, AttributeError) as error:
            raise Mismatch(f"The design sets pages of {kind.key} wrongly.") from error


def _aspect(study: Study, position: int, row: Row) -> None:
    aspect = Aspect(study=study, position=position)
    set_fields(aspect, OF_ASPECT, row)
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
        set_fields(system, OF_SYSTEM, row)
        system.full_clean()
        system.save()


def _labels(study: Study, folder: Folder) -> None:
    there = {label.name: label for label in study.labels.all()}
    for row in folder.rows("labels"):
        label = there.get(row["name"]) or AttributeLabel(study=study, name=row["name"])
        set_fields(label, OF_LABEL, row)
        label.full_clean()
        label.save()


def _policies(study: Study, folder: Folder) -> None:
    given = folder.listed("policies")[:MOST_POLICIES]
    if not given:
        return
    study.policies.all().delete()
    names = field_names(Policy) - NOT_OF_POLICY
    for one in given:
        policy = Policy(study=study, **{k: v for k, v in one.items() if k in names})
        policy.full_clean()
        policy.save()
