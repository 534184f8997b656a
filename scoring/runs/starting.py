"""Start, cancel and retry runs; queue chunks; bring back what dead workers left."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Count, Q, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.models import (
    Negative,
    Prompt,
    Reference,
    Study,
    System,
)
from scoring import (
    beats,
    chunks,
    corpora,
    evaluator_tables,
    folders,
    metrics,
    system_scores,
    tasks,
)
from scoring.metrics import Metric, OptionError, SystemMetric, UnknownMetric
from scoring.models import (
    Chunk,
    Corpus,
    MetricRun,
    NegativeScore,
    Score,
)
from scoring.waking import wake

__all__ = [
    "OptionError",
    "Progress",
    "RunError",
    "UnknownMetric",
    "cancel",
    "check_web_options",
    "counts",
    "lacks",
    "progress",
    "reap",
    "retry",
    "start",
]


# Small chunks are shared by many workers and lose little when one dies; in large ones
# texts of one length are scored together, and few are taken and saved.
TEXTS_PER_CHUNK, MANY_TEXTS_PER_CHUNK = 64, 256
ENOUGH_CHUNKS = 40
CHUNKS_PER_RUN = 1000  # a message each, sent while somebody waits for the page
UNANSWERED = timedelta(seconds=60)
SENT_AGAIN = 16  # for each idle worker and round

State = MetricRun.State
NEEDS = {
    "source": "sources (what the texts answer)",
    "references": "reference texts",
    "corpus": "a corpus of human texts",
    "log-probabilities": "log-probabilities of the texts under their systems",
}
HAS_NONE = {"corpus": "none was chosen: upload one under Metrics, Corpora"}
Kind = type[Metric] | type[SystemMetric]


class RunError(Exception):
    """This study cannot be scored so. The message says why."""


class Progress(NamedTuple):
    """How far a run is. Items are texts."""

    state: str
    done: int
    total: int
    failed: int  # chunks
    rate: float | None  # items per second since the run, or its retry, began
    seconds_left: float | None
    workers: int  # alive, of all runs
    error: str

    @property
    def share(self) -> float:
        return self.done / self.total if self.total else 1.0

    @property
    def ended(self) -> bool:
        return self.state in MetricRun.ENDED


class OutputCount(NamedTuple):
    """How many values an output has, and how many are undefined, by reason."""

    output: str
    scored: int
    undefined: Counter[str]


def check_web_options(metric: str, options: dict[str, Any]) -> dict[str, Any]:
    """Options as a page or the API may give them; `start` does this by itself, too.

    Raises:
        UnknownMetric, OptionError: The message lists what there is.
    """
    kind = metrics.get(metric)
    allowed = folders.resolve_allowed(kind.Options, options)
    kind(**allowed).check()
    return allowed


def start(
    *,
    study: Study,
    metric: str,
    options: dict[str, Any],
    user: Any = None,
    any_folder: bool = False,
    on: str = MetricRun.On.TEXTS,
    corpus: Corpus | None = None,
) -> MetricRun:
    """Cut the study's texts, or its negatives, into chunks and queue them.

    What the study brings along fills the options that are left open. `any_folder`
    lets options name any folder or file of this machine: for the command line only. In
    the browser a path is under MODELS_DIR.

    Raises:
        UnknownMetric, OptionError: The message lists what there is.
        RunError: The study lacks what the metric needs.
    """
    kind = metrics.get(metric)
    given = evaluator_tables.filled(study=study, kind=kind, options=options)
    if any_folder:
        made = kind(**folders.resolve_any(kind.Options, given))
    else:
        made = kind(**folders.resolve_allowed(kind.Options, given, study))
    made.check()
    on_texts = on == MetricRun.On.TEXTS
    parts = _parts(study, made) if on_texts else _negatives(study, made)
    _check_needs(study, kind, corpus)
    with transaction.atomic():
        _hold(corpus)
        run = MetricRun.objects.create(
            study=study,
            metric=metric,
            on=on,
            corpus=corpus,
            options=dataclasses.asdict(made.options),
            created_by=user,
        )
        made_chunks = Chunk.objects.bulk_create(
            Chunk(
                run=run,
                index=index,
                system=system,
                generations=ids,
                total_items=len(ids),
            )
            for index, (system, ids) in enumerate(parts)
        )
        _send_on_commit(chunk.pk for chunk in made_chunks)
    return run


def _hold(corpus: Corpus | None) -> None:
    """Whoever deletes the corpus now waits, and then sees the run."""
    if corpus and not Corpus.objects.select_for_update().filter(pk=corpus.pk).first():
        raise RunError(f"the corpus {corpus.name} was deleted: choose another")


def cancel(*, run: MetricRun) -> None:
    """Stop a run. Finished chunks keep their scores; workers notice within seconds."""
    now = timezone.now()
    with transaction.atomic():
        live = MetricRun.objects.filter(pk=run.pk).exclude(state__in=MetricRun.ENDED)
        if live.update(state=State.CANCELLED, finished_at=now):
            run.chunks.filter(state__in=Chunk.UNFINISHED).update(
                state=Chunk.State.CANCELLED, lease_until=None, finished_at=now
            )
    run.refresh_from_db()


def retry(*, run: MetricRun) -> None:
    """Queue the failed and cancelled chunks again, with all their attempts.

    Raises:
        RunError: The run is not one that failed or was cancelled, or its corpus was
            deleted.
    """
    stopped = (Chunk.State.FAILED, Chunk.State.CANCELLED)
    with transaction.atomic():
        _hold(run.corpus)
        if MetricRun.objects.filter(pk=run.pk, error=corpora.GONE).exists():
            raise RunError(corpora.GONE)
        again = MetricRun.objects.filter(
            pk=run.pk, state__in=(State.FAILED, State.CANCELLED)
        ).update(state=State.QUEUED, error="", started_at=None, finished_at=None)
        if not again:
            raise RunError("only a run that failed or was cancelled can be retried")
        if not run.chunks.filter(state=Chunk.State.DONE).exists():
            # Nothing binds it to the files that it was first tried with.
            MetricRun.objects.filter(pk=run.pk).update(signature=None)
        ids = list(run.chunks.filter(state__in=stopped).values_list("pk", flat=True))
        run.chunks.filter(pk__in=ids).update(
            state=Chunk.State.QUEUED,
            attempt=0,
            owner="",
            error="",
            done_items=0,
            sent_at=None,
            finished_at=None,
        )
        _send_on_commit(ids)
    run.refresh_from_db()


def reap(*, now: datetime) -> None:
    """Bring back what dead workers and lost messages left. Safe to do twice at once."""
    chunks.requeue_expired(now=now)
    queued = Chunk.objects.filter(state=Chunk.State.QUEUED).order_by("pk")
    unsent = queued.filter(sent_at=None).values_list("pk", flat=True)
    _send(list(unsent[:CHUNKS_PER_RUN]), now=now)
    lost = queued.filter(sent_at__lte=now - UNANSWERED)
    if lost.exists() and (idle := beats.idle(now=now)):
        # Only while somebody has nothing to do: behind busy workers a message may
        # well wait for hours, and sending it again each minute would flood the broker.
        ids = lost.order_by("sent_at", "pk").values_list("pk", flat=True)
        _send(list(ids[: SENT_AGAIN * idle]), now=now)
    chunks.end_runs(now=now)


def progress(*, run: MetricRun, now: datetime | None = None) -> Progress:
    """Two queries, whatever the size. The state is that of `run` as it was read."""
    now = now or timezone.now()
    running = Q(state=Chunk.State.RUNNING)
    recent = running | Q(finished_at__gte=run.started_at or now)
    figures = run.chunks.aggregate(
        done=Coalesce(Sum("done_items"), 0),
        total=Coalesce(Sum("total_items"), 0),
        recent=Coalesce(Sum("done_items", filter=recent), 0),
        failed=Count("pk", filter=Q(state=Chunk.State.FAILED)),
    )
    rate = _rate(run, figures["recent"], now)
    left = figures["total"] - figures["done"]
    return Progress(
        state=run.state,
        done=figures["done"],
        total=figures["total"],
        failed=figures["failed"],
        rate=rate,
        seconds_left=left / rate if rate and not run.ended else None,
        workers=len(beats.alive(now=now)),
        error=run.error,
    )


def counts(*, run: MetricRun) -> list[OutputCount]:
    """How many of the study's texts, or systems, have a number. Five queries at most.

    Of a run on negatives: how many of these. A system counts once, with all its seeds.
    """
    found: dict[str, Counter[str]] = {}
    if run.signature is None:
        return []
    scores = Score.objects.filter(generation__study=run.study_id)
    if run.on == MetricRun.On.NEGATIVES:
        scores = NegativeScore.objects.filter(negative__survey__study=run.study_id)
    rows = scores.filter(signature=run.signature_id).order_by()
    for output, reason, n in rows.values_list("output", "reason").annotate(
        n=Count("pk")
    ):
        found.setdefault(output, Counter())[reason] = n
    of_systems = system_scores.read(study=run.study, signature=run.signature)
    for (_, output), given in of_systems.given.items():
        found[output] = Counter(
            one.reason if one.mean is None else "" for one in given.values()
        )
    return [OutputCount(output, c.pop("", 0), c) for output, c in found.items()]


def _rate(run: MetricRun, items: int, now: datetime) -> float | None:
    if run.started_at is None or not items:
        return None
    seconds = ((run.finished_at or now) - run.started_at).total_seconds()
    return items / seconds if seconds > 0 else None


# Cutting ------------------------------------------------------------------------------


def _parts(
    study: Study, metric: Metric | SystemMetric
) -> list[tuple[System | None, list[int]]]:
    """Ids of the texts of each chunk, with the system where one is scored at once."""
    texts = study.generations.order_by("pk")
    if isinstance(metric, SystemMetric):
        return _by_system(study, texts)
    ids = list(texts.values_list("pk", flat=True))
    if not ids:
        raise RunError(f"the study {study.name} has no texts yet")
    return _cut(ids)


def _negatives(
    study: Study, metric: Metric | SystemMetric
) -> list[tuple[System | None, list[int]]]:
    if isinstance(metric, SystemMetric):
        raise RunError("the metric scores systems, and negatives belong to none")
    found = Negative.objects.filter(survey__study=study).order_by("pk")
    ids = list(found.values_list("pk", flat=True))
    if not ids:
        raise RunError(f"the study {study.name} has no negatives: draw its surveys")
    return _cut(ids)


def _cut(ids: list[int]) -> list[tuple[System | None, list[int]]]:
    size = texts_per_chunk(len(ids))
    return [(None, ids[i : i + size]) for i in range(0, len(ids), size)]


def texts_per_chunk(n: int) -> int:
    """How many of n texts go into each chunk of a run."""
    wanted = max(TEXTS_PER_CHUNK, -(-n // ENOUGH_CHUNKS))
    return max(min(wanted, MANY_TEXTS_PER_CHUNK), -(-n // CHUNKS_PER_RUN))


def _by_system(study: Study, texts: Any) -> list[tuple[System | None, list[int]]]:
    systems = System.objects.in_bulk(
        texts.exclude(system=None).order_by().values_list("system", flat=True)
    )
    found: dict[int, list[int]] = {}
    for pk, system in texts.exclude(system=None).values_list("pk", "system"):
        found.setdefault(system, []).append(pk)
    if not found:
        raise RunError(
            f"the metric scores all texts of a system at once, and the study"
            f" {study.name} {_why_no_system(texts)}"
        )
    return [(systems[pk], ids) for pk, ids in found.items()]


def _why_no_system(texts: Any) -> str:
    if not texts.exists():
        return "has no texts yet"
    return "does not say which system wrote which text"


def lacks(*, study: Study) -> dict[str, str]:
    """What metrics may need and no text of the study has, in words. Three queries."""
    known = study.generations.exclude(log_probability=None)
    there = {
        "source": Prompt.objects.filter(study=study).exclude(source="").exists(),
        "references": Reference.objects.filter(prompt__study=study).exists(),
        "log-probabilities": known.exists(),
    }
    return {need: NEEDS[need] for need, found in there.items() if not found}


def _check_needs(study: Study, kind: Kind, corpus: Corpus | None) -> None:
    """Refuse what could not give a single number. Gaps get their reason later."""
    missing = lacks(study=study) | ({} if corpus else {"corpus": NEEDS["corpus"]})
    for need in sorted(kind.needs & missing.keys()):
        raise RunError(
            f"the metric {kind.name()} needs {missing[need]},"
            f" and {HAS_NONE.get(need, f'the study {study.name} has none')}"
        )
    if corpus and "corpus" not in kind.needs | kind.uses:
        raise RunError(f"the metric {kind.name()} has no use for a corpus: choose none")
    if corpus and corpus.study_id != study.pk:
        raise RunError(f"the corpus {corpus.name} belongs to another study")


# Queue --------------------------------------------------------------------------------


def _send_on_commit(ids: Iterable[int]) -> None:
    transaction.on_commit(partial(_send, list(ids), now=timezone.now()))


def _send(ids: list[int], *, now: datetime) -> None:
    sent = wake(tasks.score_chunk, ids)
    Chunk.objects.filter(pk__in=sent).update(sent_at=now)
