"""Score one chunk: take it, load the metric once, save scores and end in one step."""

from __future__ import annotations

import dataclasses
import logging
import math
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings
from django.db import transaction

from annotation.models import Generation
from scoring import chunks, corpora, loading, parts, targets
from scoring.loading import Loaded
from scoring.metrics import MetricError, OptionError, Scores, UnknownMetric
from scoring.models import (
    Chunk,
    MetricRun,
    NegativeScore,
    Score,
    Signature,
    SystemScore,
)
from scoring.targets import Target, example_of

log = logging.getLogger(__name__)

Clock = Callable[[], datetime]

REPORT_SECONDS = 1.0
REASON_CHARACTERS = Score._meta.get_field("reason").max_length
# The spawn keys of a study's seed that belong to system scores start with this.
SYSTEM_SCORES = 3

_stopping = threading.Event()


class Lost(Exception):
    """The chunk was cancelled, or another worker has it by now."""


class Interrupted(Exception):
    """This worker was told to stop."""


class OtherContents(Exception):
    """The metric that this worker loaded is not the one that the run began with."""


def stop() -> None:
    """Let the chunk at hand go at its next sign of progress."""
    _stopping.set()


def is_stopping() -> bool:
    return _stopping.is_set()


def score(*, chunk_id: int, owner: str, clock: Clock) -> None:
    """Score a chunk if it is free. Whatever happens is written in its row.

    What a user can cure ends the run at once; anything else is tried three times in
    all. A worker that lost its chunk leaves no trace.
    """
    chunk = chunks.take(chunk_id=chunk_id, owner=owner, now=clock())
    if chunk is None:
        return
    try:
        _score(chunk, clock)
    except Lost:
        log.info("%s was cancelled or taken over", chunk)
    except Interrupted:
        chunks.give_back(chunk=chunk)
    except (MetricError, OptionError, UnknownMetric) as error:
        text = without_folders(str(error))
        chunks.fail(chunk=chunk, error=text, now=clock())
        chunks.fail_queued(run_id=chunk.run_id, error=text, now=clock())
    except OtherContents as error:
        chunks.fail(chunk=chunk, error=str(error), now=clock())
    except Exception as error:
        log.exception("%s failed", chunk)
        loading.forget_all()
        text = without_folders(f"{type(error).__name__}: {error}")[:2000]
        chunks.try_again(chunk=chunk, error=text, now=clock())
    chunks.end_run(run_id=chunk.run_id, now=clock())


def without_folders(text: str) -> str:
    """An error as the page of a run may show it: not where things lie on this server.

    What lies in a folder keeps its name there, by which people know it.
    """
    for folder in (settings.MODELS_DIR, settings.DATA_DIR, settings.BASE_DIR):
        text = text.replace(f"{folder}/", "")
    home = f"{Path.home()}/"
    return text.replace(home, "~/") if home != "//" else text


def _score(chunk: Chunk, clock: Clock) -> None:
    report = Report(chunk, clock)
    loaded = loading.load(metric=chunk.run.metric, options=chunk.run.options)
    report(0)
    corpora.check_there(chunk.run, loaded.metric.needs)
    signature = _agreed_signature(chunk.run, loaded)
    if chunk.system_id:
        _score_system(chunk, loaded, signature, report)
    else:
        _score_texts(chunk, loaded, signature, report)


class Report:
    """Progress, lease and fence in one UPDATE, at most one a second."""

    def __init__(self, chunk: Chunk, clock: Clock) -> None:
        self.chunk, self.clock = chunk, clock
        self.done = 0
        self.last = -math.inf

    def __call__(self, n: int) -> None:
        self.done += n
        if is_stopping():
            raise Interrupted
        if time.monotonic() - self.last < REPORT_SECONDS:
            return
        # A system may have got texts since its run was cut: all of them are scored.
        done = min(self.done, self.chunk.total_items)
        if not chunks.renew(chunk=self.chunk, done=done, now=self.clock()):
            raise Lost
        self.last = time.monotonic()


# Signature ----------------------------------------------------------------------------


def _agreed_signature(run: MetricRun, loaded: Loaded) -> Signature:
    """The row of what was loaded. The first worker's counts for the whole run."""
    text = loaded.signature + corpora.signed(run.corpus) + _seeded(run, loaded)
    mine, _ = Signature.objects.get_or_create(
        digest=Signature.digest_of(text),
        defaults={
            "text": text,
            "metric": run.metric,
            "outputs": [dataclasses.asdict(output) for output in loaded.metric.outputs],
        },
    )
    runs = MetricRun.objects.filter(pk=run.pk)
    runs.filter(signature=None).update(signature=mine)
    agreed = Signature.objects.get(runs=run)
    if agreed != mine:
        raise OtherContents(
            "The metric's files differ from those that this run began with, so the"
            " scores would not be comparable. Start a new run; with several machines,"
            " see that all have the same model. The run began with"
            f" {agreed.text}; this worker loaded {mine.text}"
        )
    return mine


def _seeded(run: MetricRun, loaded: Loaded) -> str:
    """What chance begins with, where a metric draws: see `_rng`."""
    draws = hasattr(loaded.metric.options, "seeds")
    return f"|seed:{run.study.seed}" if draws else ""


# Texts --------------------------------------------------------------------------------


def _score_texts(
    chunk: Chunk, loaded: Loaded, signature: Signature, report: Report
) -> None:
    """Score what has no score yet under this signature. Few queries, however many."""
    target = targets.of(chunk.run)
    outputs = [output.key for output in loaded.metric.outputs]
    missing = target.missing(chunk.generations, signature, outputs)
    if target.has_parts:
        missing += _unexplained(chunk, loaded, signature, but=missing)
    texts = target.read(missing)
    report(len(chunk.generations) - len(texts))
    notes = _noted(chunk, signature) if len(texts) < len(chunk.generations) else []
    if not texts:
        _save(chunk, [], report, notes)
        return
    start = time.monotonic()
    scores = loaded.scorer([target.example(text) for text in texts], report)
    chunk.seconds, chunk.scored = time.monotonic() - start, len(texts)
    _check_names(scores.values, outputs)
    _check_shapes(scores, len(texts))
    if target.has_parts:
        parts.keep(chunk=chunk, texts=texts, parts=scores.parts)
    notes += scores.notes
    _save(chunk, list(_rows(target, signature, texts, scores)), report, notes)


def _noted(chunk: Chunk, signature: Signature) -> list[str]:
    """What the runs noted whose scores this one shares. One query."""
    runs = MetricRun.objects.filter(
        study=chunk.run.study_id, signature=signature, on=chunk.run.on
    )
    noted = runs.exclude(notes=[]).order_by("pk").values_list("notes", flat=True)
    return [note for notes in noted for note in notes]


def _unexplained(
    chunk: Chunk, loaded: Loaded, signature: Signature, but: list[int]
) -> list[int]:
    """Scored texts that have evaluators, though no file here says what these gave."""
    missing = set(but)
    scored = [pk for pk in chunk.generations if pk not in missing]
    runs = signature.runs.filter(study=chunk.run.study_id)
    gone = parts.without(runs=runs, ids=scored) if scored else []
    texts = Generation.objects.filter(pk__in=gone).select_related("prompt__label")
    return [
        text.pk
        for text in texts.prefetch_related("prompt__references")
        if any(loaded.metric.explain(example_of(text)).values())
    ]


def _check_names(values: Iterable[str], outputs: list[str]) -> None:
    """A metric that breaks its contract must not fill the table with nonsense."""
    if sorted(values) != sorted(outputs):
        raise MetricError(
            f"the metric announced the outputs {', '.join(outputs)} and returned"
            f" {', '.join(values) or 'none'}"
        )


def _check_shapes(scores: Scores, n: int) -> None:
    for key, values in scores.values.items():
        if np.shape(values) != (n,):
            raise MetricError(
                f"the metric returned {key} with shape {np.shape(values)} for {n} texts"
            )


def _rows(
    target: Target, signature: Signature, texts: Sequence[Any], scores: Scores
) -> Iterator[Score | NegativeScore]:
    """By text: two runs that save the same rows lock them in the same order."""
    for i, text in enumerate(texts):
        for key, values in scores.values.items():
            value = _number(values[i])
            reasons = scores.reasons.get(key) or [None] * len(texts)
            reason = "" if value is not None else reasons[i] or _why(values[i])
            yield target.scores(
                signature=signature,
                output=key,
                value=value,
                reason=reason[:REASON_CHARACTERS],
                **{target.field: text},
            )


def _number(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None


def _why(value: float | None) -> str:
    return "undefined" if value is None or math.isnan(value) else "not finite"


# Systems ------------------------------------------------------------------------------


def _score_system(
    chunk: Chunk, loaded: Loaded, signature: Signature, report: Report
) -> None:
    """Score all texts of a system at once. Always anew, and all that there are now.

    Texts may have been added: an older run that is tried again must not bring back a
    number without them.
    """
    of_system = Generation.objects.filter(system=chunk.system)
    rows = list(of_system.select_related("prompt").order_by("pk"))
    # Results tell by it whether texts were added since.
    chunk.generations = [row.pk for row in rows]
    given = targets.system_texts(chunk.system, rows, chunk.run.corpus)
    start = time.monotonic()
    found = loaded.scorer(given, _rng(chunk), report)
    chunk.seconds, chunk.scored = time.monotonic() - start, len(rows)
    chunk.details = found.details
    _check_names(found.values, [output.key for output in loaded.metric.outputs])
    scores = [
        SystemScore(
            signature=signature,
            system=chunk.system,
            output=output.key,
            seed=seed,
            value=_number(value),
            reason=""
            if _number(value) is not None
            else (found.reasons.get(output.key) or _why(value))[:REASON_CHARACTERS],
        )
        for output in loaded.metric.outputs
        for seed, value in enumerate(found.values[output.key])
    ]
    _save(chunk, scores, report, found.notes)


def _rng(chunk: Chunk) -> np.random.Generator:
    """The same numbers for a system of that name on every machine."""
    key = (SYSTEM_SCORES, zlib.crc32(chunk.system.name.encode()), 0)
    return np.random.default_rng(
        np.random.SeedSequence(chunk.run.study.seed, spawn_key=key)
    )


# Saving -------------------------------------------------------------------------------


def _save(
    chunk: Chunk,
    rows: Sequence[Score | NegativeScore | SystemScore],
    report: Report,
    notes: Sequence[str] = (),
) -> None:
    """Scores and the end of the chunk stand or fall together.

    The fence comes first: it also locks the chunk's row, so that a rival waits. Only
    the run's row is locked before, where there are notes for it: whoever cancels locks
    them in that order, and the other one would be a deadlock.
    """
    with transaction.atomic():
        run = MetricRun.objects.filter(pk=chunk.run_id)
        noted = run.select_for_update().get() if notes else None
        if not chunks.finish(chunk=chunk, now=report.clock()):
            raise Lost
        if chunk.system_id:
            chunk.total_items = chunk.done_items = len(chunk.generations)
            names = ("generations", "total_items", "done_items", "details")
            chunk.save(update_fields=names)
        for kind in (Score, NegativeScore, SystemScore):
            _upsert(kind, [row for row in rows if isinstance(row, kind)])
        if chunk.system_id:
            _drop_other_seeds(rows)
        if noted:  # what several chunks say is said once
            run.update(notes=list(dict.fromkeys([*noted.notes, *notes])))


def _upsert(kind: type, rows: list[Any]) -> None:
    unique = kind._meta.constraints[0].fields
    kind.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=unique,
        update_fields=["value", "reason"],
    )


def _drop_other_seeds(rows: Sequence[Any]) -> None:
    """An earlier scoring may have had more: they would count in the mean."""
    for last in {row.output: row for row in rows}.values():
        SystemScore.objects.filter(
            signature=last.signature,
            system=last.system,
            output=last.output,
            seed__gt=last.seed,
        ).delete()
