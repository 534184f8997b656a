"""Score one chunk: take it, load the metric once, save scores and end in one step."""

from __future__ import annotations

import dataclasses
import math
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from django.db import transaction

from annotation.models import Generation, System
from evalapp import seeds
from evalapp.seeds import OfStudy
from evalapp.work import leases, retries
from scoring import corpora
from scoring.judging import ledger
from scoring.metrics import (
    MetricError,
    OptionError,
    Scores,
    SystemMetric,
    UnknownMetric,
    output_key,
    parameters,
)
from scoring.models import (
    Chunk,
    MetricReading,
    MetricRun,
    NegativeScore,
    Score,
    Signature,
    SystemScore,
)
from scoring.runs import loading, marked_texts, saving, targets
from scoring.runs.loading import Loaded
from scoring.runs.targets import Target
from scoring.scores import evaluator_files, references
from scoring.scores import systems as system_scores
from scoring.scores.examples import examples_of

REASON_CHARACTERS = Score._meta.get_field("reason").max_length
CURABLE = (MetricError, OptionError, UnknownMetric)
OTHER_JUDGE = (
    "The server now answers as a different model than when this run started. Scores"
    " from the two are not mixed. Scores so far are kept. Start a new run to score all"
    " texts by the model that answers now. The run began with {}; now it is {}"
)


class OtherContents(Exception):
    """The metric that this worker loaded is not the one that the run began with."""


def score(chunk: Chunk, report: Report) -> None:
    """Score a chunk that was taken, and save what comes out."""
    run = run_of(chunk)
    references.drop_outdated(study=run.study)
    loaded = loading.load(metric=run.metric, options=run.options, run=run)
    report(0)
    corpora.check_there(run, loaded.metric.needs)
    signature = _agreed_signature(run, loaded)
    if chunk.system:
        _score_system(chunk, chunk.system, loaded, signature, report)
    else:
        _score_texts(chunk, loaded, signature, report)


def run_of(chunk: Chunk) -> MetricRun:
    assert chunk.run is not None  # a chunk without a run is a slice of a training
    return chunk.run


class Report(retries.Report):
    """Counts the texts that are done."""

    row: Chunk
    done = 0

    def __call__(self, n: int) -> None:
        self.done += n
        # A system may have got texts since its run was cut: all of them are scored.
        self.renew(done_items=min(self.done, self.row.total_items))


# Signature ----------------------------------------------------------------------------


def _count_parameters(mine: Signature, loaded: Loaded) -> None:
    """Of the model, where this was not done yet: for tables of variants."""
    if mine.parameters is None and (n := parameters.of_options(loaded.metric.options)):
        Signature.objects.filter(pk=mine.pk).update(parameters=n)


def _agreed_signature(run: MetricRun, loaded: Loaded) -> Signature:
    """The row of what was loaded. The first worker's counts for the whole run."""
    _check_keys(output.key for output in loaded.metric.outputs)
    text = loaded.signature + corpora.signed(run.corpus) + _seeded(run, loaded)
    mine, _ = Signature.objects.get_or_create(
        digest=Signature.digest_of(text),
        defaults={
            "text": text,
            "metric": run.metric,
            "outputs": [dataclasses.asdict(output) for output in loaded.metric.outputs],
        },
    )
    _count_parameters(mine, loaded)
    runs = MetricRun.objects.filter(pk=run.pk)
    runs.filter(signature=None).update(signature=mine)
    agreed = Signature.objects.get(runs=run)
    if agreed != mine:
        if run.most_calls is not None:
            raise OtherContents(OTHER_JUDGE.format(agreed.text, mine.text))
        raise OtherContents(
            "The metric's files differ from those at the start of this run, so the"
            " scores would not be comparable. Start a new run. If you have several"
            " machines, make sure that all have the same model. The run began with"
            f" {agreed.text}; this worker loaded {mine.text}"
        )
    return mine


def _check_keys(keys: Iterable[str]) -> None:
    """Refuse hyphens in output keys, and say what to write."""
    for key in keys:
        if key != output_key(key):
            raise MetricError(f"the key {key!r} of an output has a hyphen: write _")


def _seeded(run: MetricRun, loaded: Loaded) -> str:
    """What chance begins with, where a metric draws: see `_rng`."""
    draws = hasattr(loaded.metric.options, "seeds")
    return f"|seed:{run.study.seed}" if draws else ""


# Texts --------------------------------------------------------------------------------


def _score_texts(
    chunk: Chunk, loaded: Loaded, signature: Signature, report: Report
) -> None:
    """Score what has no score yet under this signature. Few queries, however many."""
    target = targets.of(run_of(chunk))
    outputs = [output.key for output in loaded.metric.outputs]
    # What a judge over the network did not answer is asked again; what it did is kept.
    again = run_of(chunk).most_calls is not None
    missing = target.missing(chunk.generations, signature, outputs, again=again)
    if target.has_parts:
        missing += _unexplained(chunk, loaded, signature, but=missing)
    texts = target.read(missing)
    report(len(chunk.generations) - len(texts))
    notes = _noted(chunk, signature) if len(texts) < len(chunk.generations) else []
    if not texts:
        _save(chunk, [], report, notes)
        return
    # Read before the texts' corrections are: what comes in between makes scores old.
    on_texts = target is targets.TEXTS
    told = references.digests(signature, missing) if on_texts else {}
    start = time.monotonic()
    examples = target.examples(texts)
    scores = loaded.scorer(examples, report)
    chunk.seconds, chunk.scored = time.monotonic() - start, len(texts)
    _check_names(scores.values, outputs)
    _check_shapes(scores, len(texts))
    if target.has_parts:
        evaluator_files.keep(chunk=chunk, texts=texts, parts=scores.parts)
    notes += scores.notes
    marked = on_texts and scores.marked
    readings = marked_texts.rows(signature, texts, examples, marked) if marked else ()
    rows = list(_rows(target, signature, texts, scores, told))
    _save(chunk, rows, report, notes, list(readings))


def _noted(chunk: Chunk, signature: Signature) -> list[str]:
    """What the runs noted whose scores this one shares. One query."""
    run = run_of(chunk)
    runs = MetricRun.objects.filter(study=run.study_id, signature=signature, on=run.on)
    noted = runs.exclude(notes=[]).order_by("pk").values_list("notes", flat=True)
    found = (note for notes in noted for note in notes)
    return [note for note in found if not note.startswith(ledger.LIMIT_REACHED)]


def _unexplained(
    chunk: Chunk, loaded: Loaded, signature: Signature, but: list[int]
) -> list[int]:
    """Scored texts that have evaluators, though no file here says what these gave."""
    missing = set(but)
    scored = [pk for pk in chunk.generations if pk not in missing]
    runs = signature.runs.filter(study=run_of(chunk).study_id)
    gone = evaluator_files.without(runs=runs, ids=scored) if scored else []
    texts = Generation.objects.filter(pk__in=gone).select_related("prompt__label")
    rows = list(texts.prefetch_related("prompt__references"))
    return [
        text.pk
        for text, example in zip(rows, examples_of(rows), strict=True)
        if any(loaded.metric.explain(example).values())
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
    target: Target,
    signature: Signature,
    texts: Sequence[Any],
    scores: Scores,
    told: Mapping[int, str],
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
                **({"corrections": told[text.pk]} if text.pk in told else {}),
            )


def _number(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None


def _why(value: float | None) -> str:
    return "undefined" if value is None or math.isnan(value) else "not finite"


# Systems ------------------------------------------------------------------------------


def _score_system(
    chunk: Chunk,
    system: System,
    loaded: Loaded,
    signature: Signature,
    report: Report,
) -> None:
    """Score all texts of a system at once: always all that exist now.

    Texts may have been added: an older run that is tried again must not bring back a
    number without them.
    """
    of_system = Generation.objects.filter(system=system).of_one_level()
    of_system = of_system.select_related("prompt__label").order_by("pk")
    rows = list(of_system.prefetch_related("prompt__references"))
    # Results tell by it whether texts were added since.
    chunk.generations = [row.pk for row in rows]
    run = run_of(chunk)
    compares = isinstance(loaded.metric, SystemMetric) and loaded.metric.compares
    told = references.digest_of_all(signature, chunk.generations)
    given = targets.system_texts(system, rows, run.corpus, others=compares)
    start = time.monotonic()
    found = loaded.scorer(given, _rng(run, system), report)
    chunk.seconds, chunk.scored = time.monotonic() - start, len(rows)
    n_study = len(rows) + sum(len(other.texts) for other in given.others)
    chunk.details = {
        **found.details,
        system_scores.SPREAD: found.spread,
        **({system_scores.N_STUDY: n_study} if compares else {}),
    }
    _check_names(found.values, [output.key for output in loaded.metric.outputs])
    scores = [
        SystemScore(
            signature=signature,
            system=system,
            output=output.key,
            seed=seed,
            value=_number(value),
            reason=""
            if _number(value) is not None
            else (found.reasons.get(output.key) or _why(value))[:REASON_CHARACTERS],
            corrections=told,
        )
        for output in loaded.metric.outputs
        for seed, value in enumerate(found.values[output.key])
    ]
    _save(chunk, scores, report, found.notes)


def _rng(run: MetricRun, system: System) -> np.random.Generator:
    """The same numbers for a system of that name on every machine."""
    name = zlib.crc32(system.name.encode())
    return seeds.rng(run.study.seed, OfStudy.SYSTEM_SCORES, name, 0)


# Saving -------------------------------------------------------------------------------


def _save(
    chunk: Chunk,
    rows: Sequence[Score | NegativeScore | SystemScore],
    report: Report,
    notes: Sequence[str] = (),
    readings: Sequence[MetricReading] = (),
) -> None:
    """Scores and the end of the chunk stand or fall together.

    The fence comes first: it also locks the chunk's row, so that a rival waits. Only
    the run's row is locked before, where there are notes for it: cancelling locks
    them in that order, and the other one would be a deadlock.
    """
    with transaction.atomic():
        run = MetricRun.objects.filter(pk=run_of(chunk).pk)
        noted = run.select_for_update().get() if notes else None
        items = {"done_items": chunk.total_items, "scored": chunk.scored}
        seconds = {"seconds": chunk.seconds}
        if not leases.finish(chunk, now=report.clock(), **items, **seconds):
            raise retries.Lost
        if chunk.system_id:
            chunk.total_items = chunk.done_items = len(chunk.generations)
            names = ("generations", "total_items", "done_items", "details")
            chunk.save(update_fields=names)
        if run_of(chunk).most_calls is not None:
            rows = saving.without_lost(rows)
        for kind in (Score, NegativeScore, SystemScore):
            saving.upsert(kind, [row for row in rows if isinstance(row, kind)])
        marked_texts.keep(readings)
        if chunk.system_id:
            saving.drop_other_seeds(rows)
        if noted:  # what several chunks say is said once
            run.update(notes=list(dict.fromkeys([*noted.notes, *notes])))
