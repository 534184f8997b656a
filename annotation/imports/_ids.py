"""The texts of a study by id, and who gave them these ids."""

from __future__ import annotations

from dataclasses import dataclass, field

from annotation.imports._keys import is_number, looks_invented
from annotation.models import Import, Study

INVENTED = "invented_keys"  # of Import.options: how many texts had no id in the file
DATASET = "dataset"  # format of what EvalApp wrote: its ids may be anybody's


@dataclass(frozen=True)
class Ids:
    """Ids of the texts of a study, by the id that people see."""

    texts: dict[str, int]
    invented: set[str] = field(default_factory=set)  # by EvalApp: in nobody's file
    unknown: set[str] = field(default_factory=set)  # numbers: nobody knows by whom


def ids_of(study: Study) -> Ids:
    """Two queries."""
    nameless = {
        pk: options.get(INVENTED) if format != DATASET else None
        for pk, format, options in Import.objects.filter(study=study).values_list(
            "pk", "format", "options"
        )
    }
    found = Ids({})
    rows = study.generations.values_list("key", "pk", "imported_id")
    for key, pk, record in rows.iterator():
        found.texts[key] = pk
        n = nameless.get(record)  # None: it was not recorded
        if n != 0 and looks_invented(key):
            found.invented.add(key)
        elif n is None and is_number(key):
            found.unknown.add(key)
    return found
