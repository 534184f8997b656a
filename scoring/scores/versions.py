"""Scores that were made with an earlier version of their metric.

A metric's version is raised whenever the same text gets another number.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from scoring import metrics
from scoring.metrics import UnknownMetric
from scoring.metrics.judge import pairwise

# Behind it may stand the contents of a corpus, a seed, the file that scores came from.
VERSION = re.compile(r"\|v:(\d+)(?=\||$)")


class Old(NamedTuple):
    """A version of a metric that gives other numbers by now."""

    name: str
    version: int
    now: int

    @property
    def mark(self) -> str:
        """Beside the name of a number."""
        return f"made with version {self.version}, now {self.now}"

    @property
    def sentence(self) -> str:
        return (
            f"made with version {self.version} of this metric, which now gives other"
            f" numbers (version {self.now}): run it again"
        )


def version(signature: str) -> int | None:
    """None: it does not say."""
    found = VERSION.findall(signature)
    return int(found[-1]) if found else None


def old(signature: str) -> Old | None:
    """None where the metric has the same version now, or is not known."""
    name, made_with = signature.partition("|")[0], version(signature)
    now = _now(name) if name else None  # a run without a score has no signature
    if made_with is None or now is None or made_with == now:
        return None
    return Old(name, made_with, now)


def _now(name: str) -> int | None:
    if name == pairwise.NAME:
        return pairwise.VERSION
    try:
        return metrics.get(name).version
    except UnknownMetric:
        return None
