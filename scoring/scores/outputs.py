"""The numbers that a metric gives, as its signature tells them, and their names."""

from __future__ import annotations

import re
from collections.abc import Collection

from scoring import metrics
from scoring.metrics import Output, UnknownMetric, output_key
from scoring.models import Signature

# "Negative log-likelihood" continues in lower case; "AUC", "F1" and "Jensen-Shannon"
# are names.
COMMON_WORD = re.compile(r"[A-Z][a-z]+(-[a-z]+)?(?![-\w])")


def metric_title(metric: str) -> str:
    """A metric in words; scores from elsewhere keep the name that they came with."""
    try:
        return metrics.get(metric).title
    except UnknownMetric:
        return metric


def short_title(metric: str) -> str:
    """As before the name of an output."""
    try:
        kind = metrics.get(metric)
    except UnknownMetric:
        return metric
    return kind.short or kind.title


def label(metric: str, title: str) -> str:
    """An output's name: "CTRLEval: coherence", or its title where that says it all.

    A title such as "CDM, sum" becomes "CDM (sum)": in a sentence, it would read as two
    things.
    """
    short = short_title(metric)
    named = "|".join(re.escape(one) for one in (short, metric))
    if re.match(rf"({named})\b", title, re.IGNORECASE):
        name, comma, rest = title.partition(", ")
        rest = rest.replace(" (", ", ").replace(")", "")
        return f"{name} ({rest})" if comma else title
    known = short != metric  # scores from elsewhere are called as their file says
    return f"{short}: {lower(title) if known else title}"


def without_metric(metric: str, label: str) -> str:
    """An output's name where the metric stands above it."""
    title = label.removeprefix(f"{short_title(metric)}: ")
    return title[:1].upper() + title[1:]


def lower(title: str) -> str:
    """A title inside a sentence; names and abbreviations keep their capitals."""
    return title[:1].lower() + title[1:] if COMMON_WORD.match(title) else title


def meant_for(output: Output, aspects: Collection[str]) -> str | None:
    """The key of the aspect that an output is meant for; - and _ are alike.

    Whoever types the question of a judge may write overall_quality for the aspect
    overall-quality.
    """
    if output.measures is None or output.measures in aspects:
        return output.measures
    alike = {output_key(aspect): aspect for aspect in aspects}
    return alike.get(output_key(output.measures), output.measures)


def outputs_of(signature: Signature) -> list[Output]:
    """As the worker stored them. Earlier ones lack `quality`."""
    told = {"quality": signature.metric != "fidelity"}
    return [Output(**{**told, **output}) for output in signature.outputs]
