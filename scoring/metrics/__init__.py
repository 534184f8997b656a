"""Metrics. `names()` lists them without importing any, `get(name)` imports one.

from scoring.metrics import Example, get
scorer = get("length")().load("cpu")
scorer([Example(text="Two words")]).values["words"]
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil

# What code outside this package needs from the helpers: names that begin with "_" are
# for metrics only.
from scoring.metrics._cdm import choosing as cdm_pairs
from scoring.metrics._ctrleval import iwf
from scoring.metrics._ctrleval import tables as ctrleval_tables
from scoring.metrics._distributions import clusters, divergences, embeddings, vectors
from scoring.metrics._engine import model_kinds, models, parameters
from scoring.metrics._engine.base import (
    GAP,
    LOG_PROBABILITY,
    Evaluator,
    Example,
    Marked,
    MarkedError,
    Metric,
    MetricError,
    OptionError,
    Output,
    Progress,
    Scores,
    Series,
    SystemMetric,
    SystemScorer,
    SystemScores,
    SystemTexts,
    Unplaced,
    option,
    output_key,
)
from scoring.metrics._engine.words import CountingScorer
from scoring.metrics._learning import (
    corruptions,
    hygiene,
    pairing,
    sources,
    training,
)
from scoring.metrics._learning.trained import TrainedMetric
from scoring.metrics._learning.training import Rated, Step, Training, TrainingData
from scoring.metrics._references import kinds as reference_kinds
from scoring.option_fields import OptionField, option_fields

__all__ = [
    "CountingScorer",
    "Evaluator",
    "Example",
    "GAP",
    "LOG_PROBABILITY",
    "Marked",
    "MarkedError",
    "Metric",
    "MetricError",
    "OptionError",
    "OptionField",
    "Output",
    "Progress",
    "Rated",
    "Scores",
    "Step",
    "SystemMetric",
    "Series",
    "SystemScorer",
    "SystemScores",
    "SystemTexts",
    "TrainedMetric",
    "Training",
    "TrainingData",
    "UnknownMetric",
    "Unplaced",
    "cdm_pairs",
    "clusters",
    "corruptions",
    "ctrleval_tables",
    "divergences",
    "embeddings",
    "get",
    "hygiene",
    "iwf",
    "model_kinds",
    "models",
    "names",
    "option",
    "option_fields",
    "pairing",
    "parameters",
    "reference_kinds",
    "output_key",
    "sources",
    "training",
    "vectors",
]


class UnknownMetric(LookupError):
    """There is no file of that name. The message lists the metrics that exist."""


def names() -> list[str]:
    """Names of all metrics: the files of this folder without a leading underscore."""
    files = [file.name for file in pkgutil.iter_modules(__path__) if not file.ispkg]
    return sorted(name for name in files if not name.startswith("_"))


def get(name: str) -> type[Metric] | type[SystemMetric]:
    """The class of a metric. Imports its file, but neither torch nor transformers.

    Raises:
        UnknownMetric: If there is no such file.
    """
    if name not in names():
        raise UnknownMetric(f"no metric {name!r}; there are: {', '.join(names())}")
    module = importlib.import_module(f"{__name__}.{name}")
    found = [
        member
        for _, member in inspect.getmembers(module, inspect.isclass)
        if member.__module__ == module.__name__
        and issubclass(member, (Metric, SystemMetric))
    ]
    if len(found) != 1:
        raise UnknownMetric(
            f"{module.__file__}: expected one metric, found {len(found)}"
        )
    return found[0]
