"""Whether a server gives log-probabilities of texts, tried while somebody waits.

With a few words of EvalApp's own, within the limit of the run. A worker tries it again
when the run's turn comes: who answers may be another model by then.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from django.db import connection

from scoring.endpoints import admission
from scoring.judging import shared_admission
from scoring.metrics import MetricError
from scoring.metrics.judge import network_metric, support
from scoring.models import MetricRun

CALL_SECONDS = 5.0
ALL_SECONDS = 20.0
PASSING, SERVER_FAILED = (408, 409, 429), 500  # and above: statuses that may pass


class _TooLong(Exception):
    """Nobody waits any longer."""


def is_applicable(metric: Any) -> bool:
    """Whether a run of the metric asks for log-probabilities of texts.

    Inside a transaction it cannot be tried: what is asked must be seen by everybody.
    """
    asks = isinstance(metric, network_metric.OverNetwork)
    return (
        asks and bool(network_metric.models(metric.options)) and not _in_transaction()
    )


def refusal(metric: Any, run: MetricRun) -> str:
    """Why the run cannot be done, in a sentence; "" if it can, or nobody knows yet.

    That a server is away or slow, or its key is known to workers alone, is for them to
    tell.
    """
    until = time.monotonic() + ALL_SECONDS
    try:
        for model in network_metric.models(metric.options):
            _try(model, run, until)
    except MetricError as error:
        limit_messages = (admission.AT_ONCE, *admission.LIMITS_REACHED)
        out_of_budget = any(message in str(error) for message in limit_messages)
        return str(error) if _is_lasting(run) and not out_of_budget else ""
    except _TooLong:
        return ""
    return ""


def _try(model: str, run: MetricRun, until: float) -> None:
    client = shared_admission.client(model, run, waits=support.quick(CALL_SECONDS))
    support.engine(client, _deadline_tick(until))


def _deadline_tick(until: float) -> Callable[[], None]:
    def tick() -> None:
        if time.monotonic() > until:
            raise _TooLong

    return tick


def _is_lasting(run: MetricRun) -> bool:
    """Whether all that was asked was answered, and in earnest."""
    statuses = list(run.calls.values_list("status", flat=True))
    return bool(statuses) and not any(map(_passes, statuses))


def _passes(status: int | None) -> bool:
    """Whether it may be another one next time."""
    return status is None or status in PASSING or status >= SERVER_FAILED


def _in_transaction() -> bool:
    return bool(connection.in_atomic_block)
