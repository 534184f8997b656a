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
    option,
    output_key,
)
from scoring.metrics._engine.judging import questions as judge_questions
from scoring.metrics._engine.words import CountingScorer
from scoring.metrics._judge import capabilities as judge_capabilities
from scoring.metrics._judge import desk as judge_desk
from scoring.metrics._judge import endpoints as judge_endpoints
from scoring.metrics._judge import examples as judge_examples
from scoring.metrics._judge import finding as judge_finding
from scoring.metrics._judge import pairwise as judge_pairs
from scoring.metrics._judge import prompts as judge_prompts
from scoring.metrics._judge import records as judge_records
from scoring.metrics._judge import rubric as judge_rubric
from scoring.metrics._judge import sizing as judge_sizing
from scoring.metrics._judge import steps as judge_steps
from scoring.metrics._judge import support as judge_support
from scoring.metrics._judge import texts as judge_texts
from scoring.metrics._judge import variants as judge_variants
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
    "cdm_pairs",
    "clusters",
    "corruptions",
    "ctrleval_tables",
    "divergences",
    "embeddings",
    "get",
    "hygiene",
    "iwf",
    "judge_capabilities",
    "judge_desk",
    "judge_endpoints",
    "judge_examples",
    "judge_questions",
    "judge_finding",
    "judge_pairs",
    "judge_prompts",
    "judge_records",
    "judge_rubric",
    "judge_sizing",
    "judge_steps",
    "judge_support",
    "judge_texts",
    "judge_variants",
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
    found = (module.name for module in pkgutil.iter_modules(__path__))
    return sorted(name for name in found if not name.startswith("_"))


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
