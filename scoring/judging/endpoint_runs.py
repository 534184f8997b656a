"""Runs that ask a judge over the network: what is different about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db import transaction

from scoring.endpoints import admission
from scoring.judging import ledger, shared_admission
from scoring.metrics import Example, Metric, MetricError, Progress, Scores, SystemMetric
from scoring.metrics.judge import network_metric, support
from scoring.models import MetricRun

CALLS_PER_CHUNK = 1000


class Loaded(NamedTuple):
    """A metric that is ready to score."""

    metric: Metric | SystemMetric
    scorer: Any  # a Scorer, or a SystemScorer
    signature: str


def load(metric: Any, run: MetricRun) -> Loaded:
    """The judge, for this run alone.

    Raises:
        OptionError, MetricError: What a user, or the operator, can cure.
    """
    if isinstance(metric, network_metric.OverNetwork):
        scorer = _of_texts(metric, run)
    else:
        judge = shared_admission.scorer(metric, run)
        if notes := judge.client.notes:
            _add_notes(run, notes)
        scorer = LimitedScorer(judge, [judge.client], run)
    return Loaded(metric, scorer, scorer.signature)


def _of_texts(metric: network_metric.OverNetwork, run: MetricRun) -> LimitedScorer:
    """A metric that asks for log-probabilities of texts, of one model or of two."""
    clients: list[Any] = []

    def engine(model: str) -> Any:
        clients.append(shared_admission.client(model, run))
        return support.engine(clients[-1])

    scorer = metric.asking(engine)
    if any(client.limit_reached for client in clients):
        raise MetricError(admission.AT_ONCE)
    return LimitedScorer(scorer, clients, run)


def _add_notes(run: MetricRun, notes: Sequence[str]) -> None:
    """What the test question has shown, before the first text is sent."""
    with transaction.atomic():
        row = MetricRun.objects.select_for_update().get(pk=run.pk)
        row.notes = list(dict.fromkeys([*row.notes, *notes]))
        row.save(update_fields=["notes"])


def start_state(run: MetricRun) -> tuple[Any, ...]:
    """What a loaded judge is good for: this run, as it was last started. One query."""
    fields = ("pk", "started_at", "most_calls", "most_cost")
    return tuple(MetricRun.objects.filter(pk=run.pk).values_list(*fields).get())


class LimitedScorer:
    """A scorer that says so where the limit of its run was reached."""

    def __init__(self, scorer: Any, clients: Sequence[Any], run: MetricRun) -> None:
        self._scorer, self._clients, self._run = scorer, clients, run
        self.signature: str = scorer.signature

    def __call__(
        self, examples: Sequence[Example], progress: Progress | None = None
    ) -> Scores:
        scores: Scores = self._scorer(examples, progress)
        reached = next(
            (client.limit_reached for client in self._clients if client.limit_reached),
            "",
        )
        if not reached:
            return scores
        note = ledger.sentence(self._run, reached, "some texts have no score")
        return scores._replace(notes=(*scores.notes, note))


def texts_per_chunk(metric: Metric | SystemMetric, usual: int) -> int:
    """Fewer where each text takes many calls: a worker that dies loses little."""
    mode, samples = (getattr(metric.options, name, 1) for name in ("mode", "samples"))
    calls = len(metric.outputs) * (samples if mode == "samples" else 1)
    return max(1, min(usual, CALLS_PER_CHUNK // calls))
