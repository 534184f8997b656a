"""What the metrics that sacrebleu computes have in common."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

from scoring.metrics._engine.base import OptionError, Scorer
from scoring.metrics._references.several import JointScorer, PairScorer

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric

# The library's own way with several references; the others use it for one at a time.
JOINT = "joint"

MAX_ORDER = 20  # lists of this length are made for every text


def contents() -> dict[str, str]:
    """For the signature: another version may give other numbers."""
    return {"sacrebleu": version("sacrebleu")}


def scorer(
    signature: str,
    key: str,
    metric: Metric,
    *,
    aggregate: str,
    higher_is_better: bool = True,
) -> Scorer:
    """One number for each text, as the library's `sentence_score` gives it."""

    def group(text: str, references: list[str]) -> float:
        return metric.sentence_score(text, references).score

    def pair(text: str, reference: str) -> dict[str, float]:
        return {key: group(text, [reference])}

    if aggregate == JOINT:
        return JointScorer(signature, key, group)
    return PairScorer(
        signature,
        pair,
        keys=(key,),
        aggregate=aggregate,
        higher_is_better=higher_is_better,
    )


def check_order(name: str, value: int, least: int) -> None:
    """Refuse lengths of n-grams that mean nothing, or fill the memory.

    Raises:
        OptionError: If the value is not from `least` to MAX_ORDER.
    """
    if not least <= value <= MAX_ORDER:
        raise OptionError(f"{name}={value}: expected {least} to {MAX_ORDER}")
