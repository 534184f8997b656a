"""What scores are made of: one file for each chunk that a worker scored.

A metric with evaluators gives their scores and weights beside its numbers. They are
many, read one text at a time, and could be made again: a file is enough for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from django.db.models import BooleanField, Func, Value

from annotation.models import Generation, Study
from evalapp import storage
from evalapp.cage.packs import DAMAGED
from scoring.metrics import output_key
from scoring.models import Chunk, MetricRun

FOLDER = "parts"
# A storage that does not answer is none of these: nothing is scored again for that.
UNREADABLE = (*DAMAGED, storage.Damaged)


class Found(NamedTuple):
    """The parts of one text, with the run that scored it."""

    run: MetricRun
    rows: dict[
        str, np.ndarray
    ]  # by part, words joined by _; as many columns as its chunk's longest row


def path(chunk: Chunk) -> Path:
    """Where the file can be read on this machine."""
    return storage.local(_name(chunk))


def keep(
    *, chunk: Chunk, texts: Sequence[Generation], parts: dict[str, np.ndarray]
) -> None:
    """Write the parts with the ids of the texts as one file; without parts, nothing.

    A reader, and a rival worker, sees a whole file or none.
    """
    if not parts:
        return
    ids = np.array([text.pk for text in texts], dtype=np.int64)
    with storage.writing(_name(chunk)) as file:
        np.savez_compressed(file, generations=ids, **parts)  # type: ignore[arg-type]


def any_of(*, run_ids: Iterable[int]) -> bool:
    """Whether one of these runs has kept parts. No query, and no file is read."""
    return any(storage.holds_files(f"{FOLDER}/{pk}") for pk in run_ids)


def find(*, runs: Iterable[MetricRun], generation_id: int) -> Found | None:
    """The parts of a text, from the first of these runs that scored it and has them.

    Runs share scores: only the one that scored a text has its parts. One query, and one
    file for each run, however many chunks they have.
    """
    listed = list(runs)
    order = {run.pk: place for place, run in enumerate(listed)}
    chunks = Chunk.objects.filter(
        _Holds("generations", Value(generation_id)),
        run__in=listed,
        state=Chunk.State.DONE,
    )
    found = {(order[c.run_id], c.pk): c for c in chunks.only("run") if c.run_id}
    for (place, _), chunk in sorted(found.items()):
        if rows := _rows(chunk, generation_id):
            return Found(listed[place], rows)
    return None


class _Holds(Func):
    """Whether a list of ids has this one: the database looks, and sends no list."""

    output_field = BooleanField()

    def as_sqlite(self, *args: Any, **more: Any) -> tuple[str, Any]:
        found = "EXISTS (SELECT 1 FROM json_each(%(expressions)s))"
        more |= {"template": found, "arg_joiner": ") WHERE value = ("}
        return self.as_sql(*args, **more)

    def as_postgresql(self, *args: Any, **more: Any) -> tuple[str, Any]:
        found = "(%(expressions)s::text::jsonb)"
        more |= {"template": found, "arg_joiner": " @> "}
        return self.as_sql(*args, **more)


def without(*, runs: Iterable[MetricRun], ids: Sequence[int]) -> list[int]:
    """Those of these texts whose parts no file of these runs has.

    One query, and one file for each chunk that had any of the texts.
    """
    missing = set(ids)
    done = Chunk.objects.filter(run__in=runs, state=Chunk.State.DONE)
    for chunk in done.only("run", "generations").order_by("pk"):
        if missing.intersection(chunk.generations):
            missing -= _ids(chunk)
    return [pk for pk in ids if pk in missing]


def evaluators(
    *, study: Study, ids: np.ndarray
) -> dict[tuple[int, str], tuple[np.ndarray, np.ndarray]]:
    """Scores and weights of all evaluators, by signature and output: its `output_key`.

    Two queries, and one file for each scored chunk.

    Args:
        study: Whose runs.
        ids: Of the texts, ascending.

    Returns:
        s and w, each (n, evaluators) float64, NaN where no file has them; w is all
        ones where an output's evaluators have no weights.
    """
    chunks = Chunk.objects.filter(run__study=study, state=Chunk.State.DONE)
    chunks = chunks.filter(run__on=MetricRun.On.TEXTS, run__signature__isnull=False)
    found: dict[tuple[int, str], list[tuple[np.ndarray, np.ndarray, np.ndarray]]] = {}
    for chunk in chunks.select_related("run").only("run__signature").order_by("pk"):
        assert chunk.run and chunk.run.signature_id  # asked for above
        signature = chunk.run.signature_id
        for output, at, s, w in _chunk_evaluators(chunk, ids):
            found.setdefault((signature, output), []).append((at, s, w))
    return {key: _joined(rows, len(ids)) for key, rows in found.items()}


def _chunk_evaluators(
    chunk: Chunk, ids: np.ndarray
) -> Iterator[tuple[str, np.ndarray, np.ndarray, np.ndarray]]:
    try:
        with _parts(chunk) as parts:
            texts = parts["generations"]
            at = np.searchsorted(ids, texts)
            here = (at < len(ids)) & (ids[np.minimum(at, len(ids) - 1)] == texts)
            for name in parts.files:
                if name.endswith(".s"):
                    s, key = parts[name][here], name.removesuffix(".s")
                    w = f"{key}.w"
                    weights = parts[w][here] if w in parts.files else np.ones_like(s)
                    yield output_key(key), at[here], s, weights
    except UNREADABLE:
        return


def _joined(
    rows: list[tuple[np.ndarray, np.ndarray, np.ndarray]], n: int
) -> tuple[np.ndarray, np.ndarray]:
    """Chunks are as wide as their longest text: shorter rows end in NaN."""
    width = max(s.shape[1] for _, s, _ in rows)
    s_all, w_all = np.full((n, width), np.nan), np.full((n, width), np.nan)
    for at, s, w in rows:
        # Scored again with fewer references: none of the old ones may stay behind.
        s_all[at], w_all[at] = np.nan, np.nan
        s_all[at, : s.shape[1]] = s
        w_all[at, : w.shape[1]] = w
    return s_all, w_all


def tidy(*, now: datetime) -> None:
    """Delete the files of runs that are gone: their study was deleted. Safe twice."""
    # Looked for before the runs: a run that begins now is not among them.
    folders = [one for one in storage.children(FOLDER) if one.base.isdecimal()]
    known = {str(pk) for pk in MetricRun.objects.values_list("pk", flat=True)}
    for folder in folders:
        if folder.base not in known:
            storage.delete(folder.name)


def _name(chunk: Chunk) -> str:
    return f"{FOLDER}/{chunk.run_id}/{chunk.pk}.npz"


@contextmanager
def _parts(chunk: Chunk) -> Iterator[Any]:
    with (
        storage.opened(_name(chunk)) as file,
        np.load(file, allow_pickle=False) as parts,
    ):
        yield parts


def _ids(chunk: Chunk) -> set[int]:
    try:
        with _parts(chunk) as parts:
            return set(parts["generations"].tolist())
    except UNREADABLE:
        return set()


def _rows(chunk: Chunk, generation_id: int) -> dict[str, np.ndarray]:
    """One text's row of each part; empty where the file is gone or does not hold it."""
    try:
        with _parts(chunk) as parts:
            (at,) = np.nonzero(parts["generations"] == generation_id)
            names = [name for name in parts.files if name != "generations"]
            return {output_key(n): parts[n][at[0]] for n in names} if len(at) else {}
    except UNREADABLE:
        return {}  # deleted, or cut off when a disk was full: as good as gone
