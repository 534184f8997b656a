"""What the evaluators of a metric ask, in words, from the metric itself."""

from __future__ import annotations

import json
from typing import NamedTuple

from scoring import metrics
from scoring.metrics import Example, Metric, MetricError, OptionError, UnknownMetric

TEXT = "…"


class Question(NamedTuple):
    """One evaluator, alike for all texts."""

    prompt: str  # with TEXT for the text and [...] for the gap
    words: str  # what is to fill the gap, for each label


def questions(
    metric: str, options: str, key: str, labels: list[str], n: int
) -> list[Question] | None:
    """The n evaluators of an output, in order; None where they cannot be told.

    The metric is asked about a text that says nothing, once for each label. Nothing is
    loaded. None, too, where the number does not fit: its tables have changed since.

    Args:
        metric: Its name.
        options: Of its run, as JSON.
        key: Of the output.
        labels: Attribute labels of the texts; none = texts without one.
        n: How many evaluators gave scores.
    """
    try:
        kind = metrics.get(metric)
        made = kind(**(json.loads(options) if options else {}))
        if not isinstance(made, Metric):
            return None
        asked = [
            made.explain(Example(text=TEXT, label=label)).get(key, [])
            for label in labels or [""]
        ]
    except (UnknownMetric, OptionError, MetricError, OSError):
        return None
    fitting = [one for one in asked if len(one) == n]
    return [
        Question(
            same[0].source, " / ".join(dict.fromkeys(each.target for each in same))
        )
        for same in zip(*fitting, strict=True)
    ] or None
