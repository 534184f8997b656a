"""Texts become scores."""

from scoring.runs.figures import OutputCount, counts, progress
from scoring.runs.starting import (
    OptionError,
    RunError,
    UnknownMetric,
    cancel,
    check_web_options,
    retry,
    start,
    texts_per_chunk,
)

__all__ = [
    "OptionError",
    "OutputCount",
    "RunError",
    "UnknownMetric",
    "cancel",
    "check_web_options",
    "counts",
    "progress",
    "retry",
    "start",
    "texts_per_chunk",
]
