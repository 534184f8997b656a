"""The first rows of a file, and what its columns seem to mean."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from annotation import imports, storable
from annotation.assistant import keeping
from annotation.assistant.choices import (
    ENCODING,
    LOOK,
    MAP,
    PRESET,
    PROBLEMS,
    SHEET,
)
from annotation.assistant.locks import alone
from annotation.imports import recipes
from annotation.models import Upload

SHOWN_ROWS = 5
SMALL_BYTES = 6 * 1024 * 1024  # what is read while the researcher waits: about a second
SLOW_SECONDS = 5.0  # then a worker reads the rest, whatever the size
LONGEST_CELL = 160  # characters


@dataclass
class LookedAt:
    """A column, with its role and the contents of its first rows."""

    number: int
    name: str
    kind: str  # its role, without of what
    about: str
    cells: list[str]

    @property
    def ignored(self) -> bool:
        return self.kind == imports.IGNORE

    @property
    def named(self) -> bool:
        """Whether the role needs a name: rating of what?"""
        return self.kind in imports.NAMED


@dataclass
class Look:
    """What a page shows of a file before anything of it is stored."""

    title: str = ""
    unit: str = "row"
    columns: list[LookedAt] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)  # of the shown rows
    sheets: Sequence[str] = ()
    sheet: str = ""
    preset: str = ""
    preset_title: str = ""
    note: str = ""
    encoding: str = ""  # of a file of text
    problems: list[str] = field(default_factory=list)  # why nothing can be shown
    waits: bool = False  # for a worker, which finds out what it is

    @property
    def rows(self) -> list[tuple[int, list[str]]]:
        cells = zip(*(column.cells for column in self.columns), strict=True)
        return [(n, list(row)) for n, row in zip(self.numbers, cells, strict=True)]

    def mapping(self) -> dict[str, str]:
        return {
            c.name: f"{c.kind}:{c.about}" if c.named else c.kind for c in self.columns
        }


def look(upload: Upload) -> Look:
    """What is known of the file from its last check; else as far as it tells quickly.

    `problems` says what cannot be read. That is noted: a file that takes the longest to
    be refused does so once, and not for each look at its page. So is a look that took
    long, and a worker does the rest.

    Raises:
        Busy: See `alone`.
    """
    if kept := (upload.report or {}).get(LOOK) or upload.choices.get(LOOK):
        columns = [LookedAt(**one) for one in kept["columns"]]
        return Look(**{**kept, "columns": columns})
    problems, chosen = imports.Problems(), upload.choices
    if said := chosen.get(PROBLEMS):
        return Look(problems=said)
    if upload.report and upload.report["of_the_file"]:  # a worker could not open it
        return Look(problems=[cause["example"] for cause in upload.report["causes"]])
    try:
        if is_large_document(upload):
            return Look(title=imports.TITLES["json"], waits=True)
        with alone(upload.user), keeping.opened(upload) as file:
            start = time.monotonic()
            source = imports.Source(file, imports.limits(), problems)
            found = imports.opened(
                source,
                sheet=str(chosen.get(SHEET) or ""),
                preset=chosen.get(PRESET),
                mapping=chosen.get(MAP),
                encoding=str(chosen.get(ENCODING) or ""),
                whole=upload.size <= SMALL_BYTES,
            )
            look = looked(found, source.encoding)
            note_columns(upload, found)
        if time.monotonic() - start > SLOW_SECONDS:
            upload.choices[LOOK] = asdict(look)
            upload.save(update_fields=["choices"])
        return look
    except imports.Unreadable:
        said = [cause.example for cause in problems.causes()]
        upload.choices[PROBLEMS] = said
        upload.save(update_fields=["choices"])
        return Look(problems=said)
    except FileNotFoundError:
        return Look(problems=["The file was deleted after a day: choose it again."])


def note_columns(upload: Upload, found: imports.Opened) -> None:
    """As the file has them before anybody chose: so it has them when it comes again."""
    if not upload.columns and not any(upload.choices.get(k) for k in (SHEET, ENCODING)):
        upload.columns = recipes.digest_of(found.table.columns)
        upload.save(update_fields=["columns"])


def is_large_document(upload: Upload) -> bool:
    """Whether it is JSON that only a worker should read.

    Raises:
        FileNotFoundError: It was deleted.
    """
    if upload.size <= imports.SMALL_DOCUMENT:
        return False
    with keeping.opened(upload) as file:
        return imports.is_document(file.read(imports.HEAD))


def looked(found: imports.Opened, encoding: imports.Encoding) -> Look:
    rows = found.first[:SHOWN_ROWS]
    columns = []
    for number, (name, role) in enumerate(found.mapping.items()):
        kind, _, about = role.partition(":")
        cells = [short(row.cells.get(name)) for row in rows]
        columns.append(LookedAt(number, name, kind, about, cells))
    return Look(
        title=imports.TITLES[found.table.kind],
        unit=found.table.unit,
        columns=columns,
        numbers=[row.line for row in rows],
        sheets=found.table.sheets,
        sheet=found.table.sheet,
        preset=found.preset,
        preset_title=found.ready.title,
        note=found.ready.note,
        encoding=encoding.name if found.table.is_text else "",
    )


def short(value: Any) -> str:
    if value is None:
        return ""
    # What cannot be kept is told as a problem; until then it must not break the page.
    text = " ".join(storable.cleaned(str(value)[: LONGEST_CELL * 2]).split())
    return f"{text[:LONGEST_CELL]}…" if len(text) > LONGEST_CELL else text
