"""Texts drawn with replacement or relabelled at random, prompt by prompt.

Texts that answer the same prompt are similar, so they are drawn together, and exchange
labels only with each other. An unknown prompt is "": such a text is drawn on its own.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from scoring.metrics._engine.base import SystemTexts

BOOTSTRAP = 200  # draws of texts, for a standard deviation
# Draws of labels. With fewer, no pair of ten systems could be significant after Holm.
RELABELLINGS = 999
UNKNOWN = -1


def in_order(given: SystemTexts) -> SystemTexts:
    """The same, with texts sorted by content."""
    return dataclasses.replace(
        given,
        **_sorted(
            given,
            ("texts", "prompts", "samples", "log_probabilities"),
        ),
        **_sorted(given, ("corpus", "corpus_prompts", "corpus_log_probabilities")),
    )


def _sorted(given: SystemTexts, names: Sequence[str]) -> dict[str, Any]:
    columns = {name: getattr(given, name) for name in names if getattr(given, name)}
    rows = sorted(zip(*columns.values(), strict=True))
    sides = zip(*rows, strict=True)
    return dict(zip(columns, sides, strict=True)) if rows else {}


def prompts(given: SystemTexts) -> Sequence[str]:
    """Of each text; "": unknown."""
    return given.prompts or [""] * len(given.texts)


def prompts_of_corpus(given: SystemTexts) -> Sequence[str]:
    """Of each human text; "": unknown."""
    return given.corpus_prompts or [""] * len(given.corpus)


def both_drawn(
    given: SystemTexts, rng: np.random.Generator
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """How often each human text was drawn, (draws, n), and each of the system's."""
    human, own = codes(prompts_of_corpus(given), prompts(given))
    return drawn(human, rng), drawn(own, rng)


def codes(*sides: Sequence[str]) -> list[np.ndarray]:
    """Prompts as numbers that all sides share; `UNKNOWN` for ""."""
    names = sorted({prompt for side in sides for prompt in side if prompt})
    at = {name: place for place, name in enumerate(names)}
    return [
        np.array([at.get(prompt, UNKNOWN) for prompt in side], np.int64)
        for side in sides
    ]


def drawn(
    prompts: np.ndarray, rng: np.random.Generator, draws: int = BOOTSTRAP
) -> np.ndarray | None:
    """How often each text was drawn, (draws, n); None with fewer than two prompts.

    Draws as many prompts as there are, with replacement, each with all its texts.
    """
    alone = prompts == UNKNOWN
    apart = np.where(
        alone, prompts.max(initial=0) + 1 + np.arange(len(prompts)), prompts
    )
    units, of = np.unique(apart, return_inverse=True)
    if len(units) < 2:
        return None
    counts = rng.multinomial(len(units), np.full(len(units), 1 / len(units)), draws)
    return np.asarray(counts[:, of])


def strata(prompts: np.ndarray, side: np.ndarray) -> np.ndarray:
    """Prompts that both sides have texts of; all other texts are one stratum.

    Args:
        prompts: As `codes` gives them, (n,).
        side: False or True, (n,).
    """
    shared = np.intersect1d(prompts[side], prompts[~side])
    return np.where(np.isin(prompts, shared), prompts, UNKNOWN)


def relabelled(
    labels: np.ndarray,
    groups: np.ndarray,
    rng: np.random.Generator,
    draws: int = RELABELLINGS,
) -> np.ndarray:
    """The labels (n,) of texts in random order within each group, (draws, n).

    The labels of a cluster in a group are multivariate hypergeometric.
    """
    sorted_labels = labels[np.argsort(groups, kind="stable")]
    found = np.empty((draws, len(labels)), labels.dtype)
    for draw in found:
        draw[np.lexsort((rng.random(len(labels)), groups))] = sorted_labels
    return found


def smallest_p(labels: np.ndarray, groups: np.ndarray) -> float:
    """The smallest p that relabelling can give: 1 / ways to order the labels."""
    ways = 0.0
    for group in np.unique(groups):
        _, n = np.unique(labels[groups == group], return_counts=True)
        ways += math.lgamma(n.sum() + 1) - sum(math.lgamma(one + 1) for one in n)
    return math.exp(-ways)


def deviation(found: np.ndarray) -> float | None:
    """Standard deviation over draws; None if a draw has no number."""
    return float(found.std(ddof=1)) if np.isfinite(found).all() else None


def of_samples(samples: Sequence[int]) -> list[np.ndarray] | str:
    """The texts of each sample number, or why samples cannot be used as seeds."""
    numbers = np.array(samples, np.int64)
    different, n = np.unique(numbers, return_counts=True)
    if len(different) < 2:
        return "the system has only one sample, so samples cannot be used as seeds"
    if len(set(n.tolist())) > 1:
        return (
            f"samples of the system have {n.min()} to {n.max()} texts: to use samples"
            " as seeds, all need the same number"
        )
    return [np.flatnonzero(numbers == one) for one in different]
