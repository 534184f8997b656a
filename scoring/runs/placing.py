"""Where a run waits, and what a worker must load before it can score its chunks.

Read off what was chosen, so the author of a metric declares nothing: an option that
names a model is enough. `needs_gpu` of a metric may say otherwise.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from typing import NamedTuple

from evalapp.work import queues
from scoring.judging import estimates
from scoring.metrics import Metric, SystemMetric


class Place(NamedTuple):
    queue: str
    loads: str  # see `key`; empty: nothing that takes long


def of(made: Metric | SystemMetric) -> Place:
    """For a run of this metric, with these options."""
    if estimates.is_endpoint(made.options):
        return Place(queues.JUDGES, "")
    return Place(queues.GPU if made.needs_gpu else queues.CPU, key(made))


def key(made: Metric | SystemMetric) -> str:
    """The same for all runs that one loaded metric can score; empty without a model."""
    if not made.named_models:
        return ""
    options = dataclasses.asdict(made.options)
    told = json.dumps([made.name(), options], sort_keys=True, default=str)
    return hashlib.sha256(told.encode()).hexdigest()[:32]
