"""Start, cancel and retry runs; tell how far they are."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.human_scores import corrections
from annotation.models import (
    Negative,
    Prompt,
    Reference,
    Study,
    System,
)
from evalapp.queue import leases
from evalapp.queue.waking import wake_on_commit
from scoring import corpora, metrics
from scoring.evaluators import tables
from scoring.judging import estimating, spending
from scoring.judging.spending import Limit
from scoring.metrics import (
    Metric,
    MetricError,
    OptionError,
    SystemMetric,
    UnknownMetric,
    judge_endpoints,
    reference_kinds,
)
from scoring.models import (
    Chunk,
    Corpus,
    MetricRun,
)
from scoring.runs import over_network
from scoring.scores import allowed_models, models_here

__all__ = [
    "OptionError",
    "RunError",
    "UnknownMetric",
    "cancel",
    "check_web_options",
    "lacks",
    "prepared",
    "retry",
    "start",
    "start_ready",
]


# Small chunks are shared by many workers and lose little when one dies; in large ones
# texts of one length are scored together, and few are taken and saved.
TEXTS_PER_CHUNK, MANY_TEXTS_PER_CHUNK = 64, 256
ENOUGH_CHUNKS = 40
CHUNKS_PER_RUN = 1000  # a message each, sent while someone waits for the page

State = MetricRun.State
NEEDS = {
    "source": "sources (what the texts answer)",
    "references": "reference texts",
    "corrections": "corrections of its texts by people",
    "corpus": "a corpus of human texts",
    "log-probabilities": "log-probabilities of the texts under their systems",
}
HAS_NONE = {"corpus": "none was chosen: upload one under Metrics, Corpora"}
Kind = type[Metric] | type[SystemMetric]


class RunError(Exception):
    """This study cannot be scored so. The message says why."""


def check_web_options(metric: str, options: Mapping[str, object]) -> dict[str, object]:
    """Options as a page or the API may give them; `start` does this by itself, too.

    Raises:
        UnknownMetric, OptionError: The message lists what there is.
    """
    kind = metrics.get(metric)
    allowed = allowed_models.resolve_allowed(kind.Options, options)
    kind(**allowed).check()
    return allowed


def start(
    *,
    study: Study,
    metric: str,
    options: Mapping[str, object],
    user: Any = None,
    any_folder: bool = False,
    on: str = MetricRun.On.TEXTS,
    corpus: Corpus | None = None,
    limit: Limit | None = None,
) -> MetricRun:
    """Cut the study's texts, or its negatives, into chunks and queue them.

    What the study brings along fills the options that are left open. `any_folder`
    lets options name any folder or file of this machine: for the command line only. In
    the browser a path is under MODELS_DIR.

    Raises:
        UnknownMetric, OptionError: The message lists what there is.
        RunError: The study lacks what the metric needs.
    """
    made = prepared(study=study, metric=metric, options=options, any_folder=any_folder)
    on_texts = on == MetricRun.On.TEXTS
    parts = _parts(study, made) if on_texts else _negatives(study, made)
    _check_needs(study, made, corpus)
    agreed = _agreed(study, made, on, limit)
    with transaction.atomic():
        corpora.hold(corpus, RunError)
        run = MetricRun.objects.create(
            study=study,
            metric=metric,
            on=on,
            corpus=corpus,
            options=dataclasses.asdict(made.options),
            created_by=user,
            **agreed,
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
        wake_on_commit(Chunk, [chunk.pk for chunk in made_chunks])
    return run


def _agreed(
    study: Study, made: Metric | SystemMetric, on: str, limit: Limit | None
) -> dict[str, Any]:
    """Fields of the run, where a judge over the network is asked."""
    options = made.options
    if not estimating.is_endpoint(options):
        if limit is not None:
            raise RunError("the run asks no judge over the network: leave out limit")
        return {}
    if limit is None:
        found = estimating.of_run(study=study, options=options, on=on)
        raise RunError(f"{found.told}. Agree to that and set a limit, then start")
    try:
        endpoint, _ = judge_endpoints.chosen(options.model, estimating.known())
        spending.check(limit, endpoint)
    except (MetricError, spending.LimitError) as error:
        raise RunError(str(error)) from None
    return spending.columns(limit, now=timezone.now())


def prepared(
    *,
    study: Study,
    metric: str,
    options: Mapping[str, object],
    any_folder: bool = False,
) -> Metric | SystemMetric:
    """The metric with the options that a run of it would keep. Loads nothing.

    Raises:
        UnknownMetric, OptionError: The message lists what there is.
    """
    kind = metrics.get(metric)
    given = tables.filled(study=study, kind=kind, options=options)
    if any_folder:
        made = kind(**allowed_models.resolve_any(kind.Options, given))
    else:
        made = kind(**allowed_models.resolve_allowed(kind.Options, given, study))
    made.check()
    return made


def start_ready(
    *,
    study: Study,
    metric: str,
    options: Mapping[str, object],
    user: Any = None,
    corpus: Corpus | None = None,
    limit: Limit | None = None,
) -> MetricRun:
    """Start a run for someone who waits: its models are looked for first.

    Raises:
        UnknownMetric, OptionError, RunError: As `start`, or no such model is here.
    """
    made = prepared(study=study, metric=metric, options=options)
    models_here.check(type(made).Options, dataclasses.asdict(made.options))
    return start(
        study=study,
        metric=metric,
        options=options,
        user=user,
        corpus=corpus,
        limit=limit,
    )


def cancel(*, run: MetricRun) -> None:
    """Stop a run. Finished chunks keep their scores; workers notice within seconds."""
    now = timezone.now()
    with transaction.atomic():
        live = MetricRun.objects.filter(pk=run.pk).exclude(state__in=MetricRun.ENDED)
        if live.update(state=State.CANCELLED, finished_at=now):
            leases.cancel(run.chunks.all(), now=now)
    run.refresh_from_db()


def retry(*, run: MetricRun) -> None:
    """Queue the failed and cancelled chunks again, with all their attempts.

    Raises:
        RunError: The run is not one that failed or was cancelled, or its corpus was
            deleted.
    """
    with transaction.atomic():
        corpora.hold(run.corpus, RunError)
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
        leases.retry(run.chunks.all(), done_items=0)
        queued = run.chunks.filter(state=Chunk.State.QUEUED)
        wake_on_commit(Chunk, list(queued.values_list("pk", flat=True)))
    run.refresh_from_db()


# Cutting ------------------------------------------------------------------------------


def _parts(
    study: Study, metric: Metric | SystemMetric
) -> list[tuple[System | None, list[int]]]:
    """Ids of the texts of each chunk, with the system where one is scored at once."""
    texts = study.generations.order_by("pk")
    if isinstance(metric, SystemMetric):
        return _by_system(study, texts.of_one_level())
    ids = list(texts.values_list("pk", flat=True))
    if not ids:
        raise RunError(f"the study {study.name} has no texts yet")
    return _cut(ids, metric)


def _negatives(
    study: Study, metric: Metric | SystemMetric
) -> list[tuple[System | None, list[int]]]:
    if isinstance(metric, SystemMetric):
        raise RunError("the metric scores systems, and negatives belong to no system")
    found = Negative.objects.filter(survey__study=study).order_by("pk")
    ids = list(found.values_list("pk", flat=True))
    if not ids:
        raise RunError(
            f"the study {study.name} has no negatives: they are made when"
            " its surveys are created"
        )
    return _cut(ids, metric)


def _cut(
    ids: list[int], metric: Metric | SystemMetric
) -> list[tuple[System | None, list[int]]]:
    size = texts_per_chunk(len(ids))
    if estimating.is_endpoint(metric.options):
        size = over_network.texts_per_chunk(metric, size)
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
    """What metrics may need and no text of the study has, in words. Four queries."""
    known = study.generations.exclude(log_probability=None)
    there = {
        "source": Prompt.objects.filter(study=study).exclude(source="").exists(),
        "references": Reference.objects.filter(prompt__study=study).exists(),
        "corrections": corrections.exist(study=study),
        "log-probabilities": known.exists(),
    }
    return {need: NEEDS[need] for need, found in there.items() if not found}


def _check_needs(
    study: Study, metric: Metric | SystemMetric, corpus: Corpus | None
) -> None:
    """Refuse what could not give a single number. Gaps get their reason later."""
    kind = type(metric)
    missing = lacks(study=study) | ({} if corpus else {"corpus": NEEDS["corpus"]})
    for need in sorted(_needs(metric, missing) & missing.keys()):
        raise RunError(
            f"the metric {kind.name()} needs {missing[need]},"
            f" and {HAS_NONE.get(need, f'the study {study.name} has none')}"
        )
    if corpus and "corpus" not in kind.needs | kind.uses:
        raise RunError(f"the metric {kind.name()} does not use a corpus: choose none")
    if corpus and corpus.study_id != study.pk:
        raise RunError(f"the corpus {corpus.name} belongs to another study")


def _needs(metric: Metric | SystemMetric, missing: Mapping[str, str]) -> frozenset[str]:
    """What it needs, with the kind of reference that its options name."""
    kind = getattr(metric.options, reference_kinds.OPTION, reference_kinds.PREWRITTEN)
    if "references" not in metric.needs or kind == reference_kinds.PREWRITTEN:
        return metric.needs
    either = kind == reference_kinds.ALL and "references" not in missing
    return (metric.needs - {"references"}) | (set() if either else {"corrections"})
