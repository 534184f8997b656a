"""What BLEURT reads beside a text, and which prompts are learned or scored together."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from scoring.metrics._engine.base import Example, MetricError
from scoring.metrics._learning import hygiene

REFERENCE, PREFIX, LABEL_PREFIX = PAIRS = ("reference", "prefix", "label_prefix")
ALONE = "alone"  # for metrics that compare a rated text with nothing
TITLES = ("a reference", "its prefix", "its label and prefix")
HAS_NONE = {PREFIX: "there is no prefix", LABEL_PREFIX: "there is no label or prefix"}


def stand_in(pair: str, *, prefix: str, label: str) -> str:
    """What stands in the place of the reference; empty: there is nothing.

    >>> stand_in("label_prefix", prefix="The lake", label="positive")
    'positive: The lake'
    """
    if pair == PREFIX:
        return prefix.strip()
    return ": ".join(part.strip() for part in (label, prefix) if part.strip())


def against(pair: str, example: Example) -> Example | str:
    """The text, with what stands in as its only reference; or why there is none."""
    if not example.text.strip():
        return "the text is empty"
    found = stand_in(pair, prefix=example.prefix, label=example.label)
    # Without a prefix of its own, so that the whole text is compared.
    return Example(example.text, references=(found,)) if found else HAS_NONE[pair]


def document(*, prefix: str, source: str) -> str:
    """What the texts of a prompt share: the label aside, as others share its words."""
    return hashlib.sha256("\x1f".join((prefix, source)).encode()).hexdigest()[:16]


def folds(documents: Iterable[str], n: int) -> Mapping[str, int]:
    """The fold of each document: the same for any order, and of sizes alike.

    Raises:
        MetricError: If there are fewer documents than folds.
    """
    found = sorted(set(documents), key=hygiene.place)
    if len(found) < n:
        raise MetricError(too_few(len(found), n))
    return {one: k % n for k, one in enumerate(found)}


def too_few(found: int, n: int) -> str:
    return (
        f"folds={n}: expected rated texts of at least {n} prompts with different"
        f" prefixes or sources, got {found}: choose fewer folds (2 at least), or the"
        " ratings of another study"
    )
