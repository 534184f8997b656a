"""Scores of metrics in a data set: runs that are done, marked as from a file."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User

from annotation.models import Generation, Study
from scoring.archive.parquet import Mismatch
from scoring.archive.restore import parts
from scoring.archive.restore.damaged import Sets
from scoring.archive.restore.folder import AT_ONCE, Folder, Row
from scoring.archive.restore.texts import Known
from scoring.metrics import Output
from scoring.models import (
    Chunk,
    MetricRun,
    NegativeScore,
    Score,
    Signature,
    SystemScore,
)
from scoring.runs.score_lines import LARGEST, WORD
from scoring.scores import evaluator_files

MOST_METRICS = 2_000  # rows of their table
LONGEST_OPTIONS = 20_000
NOTE = "The scores came with the data set {name}: they were not computed here."


@dataclass(slots=True)
class Told:
    """What the table of metrics says of one signature."""

    metric: str
    parameters: int | None
    options: dict[str, Any]
    outputs: list[dict[str, object]] = field(default_factory=list)


def restore(
    *,
    study: Study,
    folder: Folder,
    known: Known,
    damaged: Sets,
    user: User | None,
    now: datetime,
) -> None:
    """Store all scores, and a finished run for each signature.

    Whoever made the folder may write any number under any signature. So the signature
    of what is stored names the file, and never is that of scores computed here.
    """
    told = _told(folder)
    mark = _digest(folder)
    signatures = {text: _signature(text, one, mark) for text, one in told.items()}
    scored = _texts(folder, known, signatures)
    systems = _systems(folder, known, signatures)
    if damaged.negatives:
        _damaged(folder, damaged, signatures)
    made_of = parts.read(folder.path, len(known.texts))
    for text, one in told.items():
        run = _run(study, one, signatures[text], folder, user, now)
        if texts := list(scored.get(text, ())):
            chunk = _chunk(run, 0, now, generations=texts)
            _keep(chunk, known, made_of.get(text, {}))
        for index, system in enumerate(sorted(systems.get(text, ())), start=1):
            n = study.generations.of_one_level().filter(system=system).count()
            _chunk(run, index, now, system_id=system, total=n)


def _told(folder: Folder) -> dict[str, Told]:
    found: dict[str, Told] = {}
    for number, row in enumerate(folder.rows("metrics"), start=1):
        if number > MOST_METRICS:
            raise Mismatch(f"There are more than {MOST_METRICS:,} numbers of metrics.")
        for name in ("metric", "output"):
            if not WORD.fullmatch(row[name]):
                raise Mismatch(f"metrics: {row[name][:60]!r} cannot be a name.")
        options = _options(row["options"])
        one = found.setdefault(
            row["signature"], Told(row["metric"], row["parameters"], options)
        )
        one.outputs.append(asdict(_output(row)))
    return found


def _output(row: Row) -> Output:
    return Output(
        key=row["output"],
        title=row["title"][:200],
        unit=row["unit"][:200],
        higher_is_better=row["higher_is_better"],
        measures=row["measures"] or None,
        quality=row["quality"],
    )


def _options(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text) if len(text) <= LONGEST_OPTIONS else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Mismatch("metrics: options is not a JSON object.")
    return found


def _digest(folder: Folder) -> str:
    """Of all scores that the folder has."""
    found = hashlib.sha256()
    for name in ("metrics", "metric_scores", "system_scores"):
        path = folder.path / f"data/{name}.parquet"
        if path.is_file():
            found.update(path.read_bytes())
    return found.hexdigest()[:16]


def _signature(text: str, told: Told, mark: str) -> Signature:
    marked = f"{text}|file:sha256:{mark}"
    found, _ = Signature.objects.get_or_create(
        digest=Signature.digest_of(marked),
        defaults={
            "text": marked,
            "metric": told.metric,
            "outputs": told.outputs,
            "parameters": told.parameters,
        },
    )
    return found


# Scores -------------------------------------------------------------------------------


def _texts(
    folder: Folder, known: Known, signatures: dict[str, Signature]
) -> dict[str, dict[int, None]]:
    """Store them, and return ids of the texts of each signature."""
    found: dict[str, dict[int, None]] = {}
    for batch in folder.batches("metric_scores"):
        made = []
        for row in batch:
            text = known.text("metric_scores", row["text"])
            found.setdefault(row["signature"], {})[text] = None
            made.append(Score(generation_id=text, **_value(row, signatures)))
        Score.objects.bulk_create(made)
    return found


def _systems(
    folder: Folder, known: Known, signatures: dict[str, Signature]
) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    made = []
    for row in folder.rows("system_scores"):
        system = known.system("system_scores", row["system"])
        if not 0 <= row["seed"] < 2**31:
            raise Mismatch(f"system_scores: {row['seed']} is no seed.")
        found.setdefault(row["signature"], set()).add(system)
        value = _value(row, signatures)
        made.append(SystemScore(system_id=system, seed=row["seed"], **value))
    SystemScore.objects.bulk_create(made, batch_size=AT_ONCE)
    return found


def _damaged(folder: Folder, damaged: Sets, signatures: dict[str, Signature]) -> None:
    for batch in folder.batches("damaged_scores"):
        made = []
        for row in batch:
            if row["damaged"] not in damaged.negatives:
                raise Mismatch(
                    f"damaged_scores: there is no damaged text {row['damaged']}."
                )
            negative = damaged.negatives[row["damaged"]]
            made.append(NegativeScore(negative=negative, **_value(row, signatures)))
        NegativeScore.objects.bulk_create(made)


def _value(row: Row, signatures: dict[str, Signature]) -> dict[str, Any]:
    if row["signature"] not in signatures:
        raise Mismatch(f"{row['signature'][:60]!r} is not in the table of metrics.")
    value = row["value"]
    if value is not None and (not math.isfinite(value) or abs(value) > LARGEST):
        raise Mismatch(f"{value} is no score.")
    return {
        "signature": signatures[row["signature"]],
        "output": row["output"][:64],
        "value": value,
        "reason": row["reason"][:300],
    }


# Runs ---------------------------------------------------------------------------------


def _run(
    study: Study,
    told: Told,
    signature: Signature,
    folder: Folder,
    user: User | None,
    now: datetime,
) -> MetricRun:
    return MetricRun.objects.create(
        study=study,
        metric=told.metric,
        options=told.options,
        signature=signature,
        state=MetricRun.State.DONE,
        notes=[NOTE.format(name=folder.name[:100])],
        created_by=user,
        started_at=now,
        finished_at=now,
    )


def _chunk(
    run: MetricRun,
    index: int,
    now: datetime,
    *,
    generations: list[int] | None = None,
    system_id: int | None = None,
    total: int = 0,
) -> Chunk:
    texts = generations or []
    return Chunk.objects.create(
        run=run,
        index=index,
        generations=texts,
        system_id=system_id,
        state=Chunk.State.DONE,
        finished_at=now,
        done_items=len(texts) or total,
        total_items=len(texts) or total,
    )


def _keep(chunk: Chunk, known: Known, made_of: parts.Parts) -> None:
    """Numbers of evaluators lie in a file: one that nobody needs is tidied away."""
    place = {pk: row for row, pk in enumerate(known.texts.values())}
    rows = [place[pk] for pk in chunk.generations]
    texts = [Generation(pk=pk) for pk in chunk.generations]
    of_texts = {name: part[rows] for name, part in made_of.items()}
    evaluator_files.keep(chunk=chunk, texts=texts, parts=of_texts)
