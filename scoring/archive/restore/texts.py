"""Texts of a data set, handed to the import of any file as JSON lines."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

from django.contrib.auth.models import User
from django.utils import timezone

from annotation import imports
from annotation.archive.columns import DATASET
from annotation.archive.texts import TEXTS
from annotation.imports import jsonl
from annotation.models import Generation, Import, Study
from scoring.archive.parquet import Mismatch
from scoring.archive.restore.fields import fields_of, set_fields
from scoring.archive.restore.folder import Folder, Row

IMPORTED = [c.name for c in TEXTS.at(DATASET) if c.name in jsonl.NAMES]
# Stored as they are, once a text is there. A turn has its number from its dialogue.
FIELDS = fields_of(TEXTS, Generation) - {*IMPORTED, "turn"}
IN_MEMORY = 8 * 1024 * 1024  # bytes


@dataclass(frozen=True, slots=True)
class Known:
    """What the rows of other tables name."""

    texts: dict[str, int]  # ids by key
    prompts: list[int]  # ids, in order
    prompt_of: dict[int, int]  # of each text, by ids
    aspects: dict[str, int]
    systems: dict[str, int]

    def text(self, table: str, key: str) -> int:
        return _found(self.texts, key, f"{table}: text")

    def aspect(self, table: str, key: str) -> int:
        return _found(self.aspects, key, f"{table}: aspect")

    def system(self, table: str, name: str) -> int:
        return _found(self.systems, name, f"{table}: system")

    def prompt(self, table: str, number: int) -> int:
        if not 1 <= number <= len(self.prompts):
            raise Mismatch(f"{table}: there is no prompt {number}.")
        return self.prompts[number - 1]


def _found(among: dict[str, int], name: str, what: str) -> int:
    if name not in among:
        raise Mismatch(f"{what} {name[:60]!r} is not in this data set.")
    return among[name]


def restore(*, name: str, folder: Folder, owner: User | None) -> tuple[Study, Import]:
    """Make a study of the texts. Its questions and settings are not yet those."""
    with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as file:
        for line in _lines(folder):
            file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
        file.seek(0)
        result = imports.run(
            study_name=name,
            format="jsonl",
            file=cast(BinaryIO, file),
            file_name=folder.name,
            owner=owner,
        )
    study = result.study
    if study.generations.count() != _complete(study, folder):
        raise Mismatch("Turns of dialogues are not as the table of texts has them.")
    record = study.imports.get()
    record.format = "dataset"
    record.save(update_fields=["format"])
    return study, record


def _complete(study: Study, folder: Folder) -> int:
    """Add what no import of texts knows, and return how many rows there are."""
    n_rows = 0
    for batch in folder.batches("texts"):
        n_rows += len(batch)
        _complete_texts(study, {row["key"]: row for row in batch if _has_more(row)})
    return n_rows


def _has_more(row: Row) -> bool:
    return row["excluded"] or any(row[name] not in (None, "") for name in FIELDS)


def _complete_texts(study: Study, rows: dict[str, Row]) -> None:
    texts = list(study.generations.filter(key__in=list(rows)))
    for text in texts:
        row = rows[text.key]
        set_fields(text, FIELDS, row)
        if row["excluded"]:
            text.excluded_at = timezone.now()
    Generation.objects.bulk_update(texts, ["excluded_at", *FIELDS], batch_size=500)


def known(study: Study) -> Known:
    """What is there now. Five queries."""
    texts = study.generations.values_list("key", "pk", "prompt_id")
    rows = list(texts.iterator(chunk_size=5000))
    prompts = study.prompts.order_by("position", "pk").values_list("pk", flat=True)
    return Known(
        texts={key: pk for key, pk, _ in rows},
        prompts=list(prompts),
        prompt_of={pk: prompt for _, pk, prompt in rows},
        aspects=dict(study.aspects.values_list("key", "pk")),
        systems=dict(study.systems.values_list("name", "pk")),
    )


# As the format jsonl has it -----------------------------------------------------------


def _lines(folder: Folder) -> Iterator[Row]:
    turns = _turns(folder)
    marked = {
        (row["dialogue"], row["turn"]): row
        for row in (folder.rows("texts") if turns else ())
        if row["dialogue"] and row["turn"] is not None
    }
    for row in folder.rows("texts"):
        if not row["dialogue"]:
            yield _line(row)
        elif row["turn"] is None:
            yield _dialogue(row, turns.get(row["dialogue"], []), marked)


def _line(row: Row) -> Row:
    line = {name: row[name] for name in IMPORTED if row[name] is not None}
    return line | {"edited": row["corrections"]}


def _turns(folder: Folder) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in folder.rows("dialogues"):
        found.setdefault(row["dialogue"], []).append(row)
    return found


def _dialogue(
    row: Row, turns: list[Row], marked: dict[tuple[str, int], Row]
) -> dict[str, Any]:
    messages = []
    for turn in turns:
        text = marked.get((row["dialogue"], turn["turn"]))
        message = {"role": turn["role"], "content": turn["text"]}
        references = text["references"] if text else []
        messages.append({**message, "marked": bool(text), "references": references})
    line = {name: row[name] for name in ("key", "system", "label")}
    return {**line, "messages": messages}
