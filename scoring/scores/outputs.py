"""The numbers that a metric gives, as its signature tells them."""

from __future__ import annotations

import re

from scoring.metrics import Output
from scoring.models import Signature


def label(metric: str, title: str) -> str:
    """An output's name: its title, with the metric where that does not say it."""
    says_it = re.match(rf"{re.escape(metric)}\b", title, re.IGNORECASE)
    return title if says_it else f"{metric}: {title}"


def outputs_of(signature: Signature) -> list[Output]:
    return [Output(**output) for output in signature.outputs]
