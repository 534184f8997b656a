"""Start, cancel and retry runs; tell how far they are."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.models import (
    Negative,
    Study,
    System,
)
from evalapp.work import heartbeats, leases
from evalapp.work.dispatch import wake_on_commit
from scoring import corpora, metrics
from scoring.evaluators import tables
from scoring.judging import capability_probe, endpoint_runs, estimates, ledger
from scoring.judging.estimates import Estimate
from scoring.judging.ledger import Limit
from scoring.metrics import (
    Metric,
    MetricError,
    OptionError,
    SystemMetric,
    UnknownMetric,
    reference_kinds,
)
from scoring.models import (
    Chunk,
    Corpus,
    MetricRun,
)
from scoring.runs import cutting, placing
from scoring.runs.needs import NEEDS, lacks
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

    Where log-probabilities of texts are asked for over the network, the server is tried
    first, with words of EvalApp's own.

    Raises:
        UnknownMetric, OptionError: The message lists what there is.
        RunError: The study lacks what the metric needs, or the server gives none. Then
            the run stays, with what was asked, as one that failed.
    """
    made = prepared(study=study, metric=metric, options=options, any_folder=any_folder)
    place, tried = placing.of(made), capability_probe.is_applicable(made)
    parts = _cut_up(study, made, on, place.queue)
    _check_needs(study, made, corpus)
    agreed = _agreed(study, made, on, limit, user)
    state = State.CANCELLED if tried else State.QUEUED
    with transaction.atomic():
        corpora.hold(corpus, RunError)
        run = MetricRun.objects.create(
            study=study,
            metric=metric,
            on=on,
            corpus=corpus,
            options=dataclasses.asdict(made.options),
            created_by=user,
            state=state,
            finished_at=timezone.now() if tried else None,
            **agreed,
        )
        made_chunks = Chunk.objects.bulk_create(_chunks(run, place, parts))
        if not tried:
            wake_on_commit(Chunk, [chunk.pk for chunk in made_chunks])
    if tried:
        _queue_if_it_can(run, made)
    return run


def _chunks(
    run: MetricRun, place: placing.Place, parts: list[tuple[System | None, list[int]]]
) -> Iterator[Chunk]:
    for index, (system, ids) in enumerate(parts):
        yield Chunk(
            run=run,
            **place._asdict(),
            index=index,
            system=system,
            generations=ids,
            total_items=len(ids),
            state=run.state,
        )


def _cut_up(
    study: Study, made: Metric | SystemMetric, on: str, queue: str
) -> list[tuple[System | None, list[int]]]:
    """For the workers that there are now."""
    alive = heartbeats.alive(now=timezone.now(), queue=queue)
    cut_up = _parts if on == MetricRun.On.TEXTS else _negatives
    return cut_up(study, made, len(alive))


def _queue_if_it_can(run: MetricRun, made: Metric | SystemMetric) -> None:
    """Until its server was tried, the run stands there as cancelled.

    So whatever happens meanwhile, somebody can try it again. If somebody has, it is
    theirs: what was found here must not end it.
    """
    said = capability_probe.refusal(made, run)
    if not said:
        _queue_again(run, State.CANCELLED)
        return
    stands = MetricRun.objects.filter(pk=run.pk, state=State.CANCELLED)
    if stands.update(state=State.FAILED, error=said, finished_at=timezone.now()):
        raise RunError(said)
    run.refresh_from_db()


def _agreed(
    study: Study,
    made: Metric | SystemMetric,
    on: str,
    limit: Limit | None,
    user: Any,
) -> dict[str, Any]:
    """Fields of the run, where a judge over the network is asked."""
    if not estimates.is_endpoint(made.options):
        if limit is not None:
            raise RunError("the run asks no judge over the network: leave out limit")
        return {}
    if limit is None:
        found = estimated(study=study, metric=made, on=on)
        raise RunError(f"{found.told}. Agree to that and set a limit, then start")
    try:
        for endpoint in estimates.endpoints_of(made.options):
            ledger.check(limit, endpoint, user)
    except (MetricError, ledger.LimitError) as error:
        raise RunError(str(error)) from None
    return ledger.columns(limit, user=user, now=timezone.now())


def estimated(
    *, study: Study, metric: Metric | SystemMetric, on: str = MetricRun.On.TEXTS
) -> Estimate:
    """What a run takes that asks somebody over the network.

    Raises:
        RunError: No limit could be set, or a file that is sent, too, cannot be read.
    """
    try:
        estimates.endpoints_of(metric.options)
        return estimates.of_run(study=study, metric=metric, on=on)
    except MetricError as error:
        raise RunError(str(error)) from None


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


def retry(*, run: MetricRun, user: Any = None) -> None:
    """Queue the failed and cancelled chunks again, with all their attempts.

    What a judge takes is spent on behalf of `user` from now on.

    Raises:
        RunError: The run is not one that failed or was cancelled, or its corpus was
            deleted.
    """
    agreed = {"agreed_by": user} if user and run.agreed_at else {}
    if not _queue_again(run, State.FAILED, State.CANCELLED, **agreed):
        raise RunError("only a run that failed or was cancelled can be retried")


def _queue_again(run: MetricRun, *states: str, **agreed: Any) -> bool:
    """Whether it was in one of these states, and is queued now."""
    with transaction.atomic():
        corpora.hold(run.corpus, RunError)
        if MetricRun.objects.filter(pk=run.pk, error=corpora.GONE).exists():
            raise RunError(corpora.GONE)
        again = MetricRun.objects.filter(pk=run.pk, state__in=states).update(
            state=State.QUEUED, error="", started_at=None, finished_at=None, **agreed
        )
        if again:
            _queue_chunks(run)
    run.refresh_from_db()
    return bool(again)


def _queue_chunks(run: MetricRun) -> None:
    if not run.chunks.filter(state=Chunk.State.DONE).exists():
        # Nothing binds it to the files that it was first tried with.
        MetricRun.objects.filter(pk=run.pk).update(signature=None)
    leases.retry(run.chunks.all(), done_items=0, passed_at=None)
    queued = run.chunks.filter(state=Chunk.State.QUEUED)
    wake_on_commit(Chunk, list(queued.values_list("pk", flat=True)))


# Cutting ------------------------------------------------------------------------------


def _parts(
    study: Study, metric: Metric | SystemMetric, workers: int
) -> list[tuple[System | None, list[int]]]:
    """Ids of the texts of each chunk, with the system where one is scored at once."""
    texts = study.generations.order_by("pk")
    if isinstance(metric, SystemMetric):
        return _by_system(study, texts.of_one_level())
    ids = list(texts.values_list("pk", flat=True))
    if not ids:
        raise RunError(f"the study {study.name} has no texts yet")
    return _cut(ids, metric, workers)


def _negatives(
    study: Study, metric: Metric | SystemMetric, workers: int
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
    return _cut(ids, metric, workers)


def _cut(
    ids: list[int], metric: Metric | SystemMetric, workers: int
) -> list[tuple[System | None, list[int]]]:
    size = texts_per_chunk(len(ids))
    if estimates.is_endpoint(metric.options):
        size, workers = endpoint_runs.texts_per_chunk(metric, size), 1
    return [(None, part) for part in cutting.cut(ids, size=size, workers=workers)]


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
