"""Metrics that learn before they score."""

from scoring.training.starting import (
    OptionError,
    TrainingError,
    UnknownMetric,
    cancel,
    end_all,
    progress,
    remove,
    retry,
    start,
    start_or_go_on,
    tidy,
    trained,
)

__all__ = [
    "OptionError",
    "TrainingError",
    "UnknownMetric",
    "cancel",
    "progress",
    "end_all",
    "remove",
    "retry",
    "start",
    "start_or_go_on",
    "tidy",
    "trained",
]
