"""Reviews that nothing was learned from, and all that can be done to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from annotation import sentences
from annotation.perturbations import PERTURBATIONS
from benchmarks import trained_data
from scoring.metrics import Example
from scoring.metrics._learning import corruptions, hygiene

FRESH = 400  # reviews of the test split that damage is done to
WORDS = 70  # of those reviews


def fresh(data: Path) -> list[str]:
    """Beginnings of reviews of the test split, drawn once for all metrics."""
    texts = trained_data.reviews(data, "test").texts
    drawn = np.random.default_rng(1).permutation(len(texts))[:FRESH]
    return [_beginning(texts[k]) for k in drawn]


def _beginning(text: str) -> str:
    """Whole sentences, up to WORDS words, and one at least."""
    found: list[str] = []
    for sentence in sentences.split(text):
        if found and sum(len(s.split()) for s in (*found, sentence)) > WORDS:
            break
        found.append(sentence)
    return " ".join(found)


def rng_of(*key: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(7, spawn_key=key))


def families(
    data: Path, scorer: Any, key: str, trained_on: Sequence[str]
) -> dict[str, Any]:
    """AUC of fresh reviews against the same ones damaged, by kind of damage."""
    texts = fresh(data)
    real = scorer([Example(text) for text in texts]).values[key]
    found: dict[str, Any] = {}
    for place, (name, apply) in enumerate(_damages().items()):
        pairs = [(k, apply(text, rng_of(k, place, 2))) for k, text in enumerate(texts)]
        kept = [(k, text) for k, text in pairs if text is not None]
        damaged = scorer([Example(text) for _, text in kept]).values[key]
        human = real[[k for k, _ in kept]]
        known = ~np.isnan(human + damaged)
        both = np.append(human[known], damaged[known])
        n = int(known.sum())
        auc = hygiene.auc(both, np.arange(2 * n) < n)
        lengths = [len(texts[k].split()) for k, _ in kept]
        lengths += [len(text.split()) for _, text in kept]
        by_length = hygiene.separable(lengths, np.arange(len(lengths)) < len(kept))
        found[name] = {
            "auc": auc,
            "n": n,
            "auc of length": by_length,
            "trained on": name in trained_on,
        }
    return found


def _damages() -> dict[str, Callable[[str, np.random.Generator], str | None]]:
    """All that the project can do to a text by itself."""
    found: dict[str, Callable[[str, np.random.Generator], str | None]] = {
        name: one.apply for name, one in PERTURBATIONS.items() if not one.from_elsewhere
    }
    found["words shuffled locally"] = lambda text, rng: (
        corruptions.corrupt(text, [("shuffle", 0.8)], rng).text
    )
    return found
