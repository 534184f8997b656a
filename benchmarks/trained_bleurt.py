"""BLEURT without references, for `benchmarks.trained_metrics`.

Pre-trained once on reviews, then fine-tuned on the ratings of CTRLEval's own texts, for
each aspect and each kind of pair: the prefix, or the label and the prefix, stands where
the reference was. Cross-fitted by prompt: no text is scored by a model that has seen a
rating of its prompt.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import trained_data
from scoring.metrics._learning import pairing
from scoring.metrics._learning.training import MODEL, Rated, TrainingData

ASPECTS = ("coherence", "consistency", "attribute-relevance")
PAIRS = {pairing.PREFIX: "prefix", pairing.LABEL_PREFIX: "label and prefix"}
PRETRAINED = "bleurt_pretrained"

# Of each cross-fitted training: its aspect and its pair.
TRAINED = {
    f"bleurt_{pair}_{aspect}": (aspect, pair)
    for aspect, pair in itertools.product(ASPECTS, PAIRS)
}
NAMES = {PRETRAINED: "BLEURT, pre-trained only"} | {
    name: f"BLEURT, {PAIRS[pair]}, {aspect}" for name, (aspect, pair) in TRAINED.items()
}


def experiments(
    reviews: Callable[[Any], TrainingData], base: str
) -> dict[str, Callable[[Any], dict[str, Any]]]:
    """By name, the pre-training first. `reviews` gives what it learns from."""
    return {PRETRAINED: partial(_pretrained, reviews=reviews, base=base)} | {
        name: partial(_fine_tuned, name=name) for name in TRAINED
    }


def _pretrained(
    bench: Any, *, reviews: Callable[[Any], TrainingData], base: str
) -> dict[str, Any]:
    found: dict[str, Any] = bench.trained(
        *(PRETRAINED, "bleurt", reviews(bench)),
        base=base,
        texts=2000,
        pretrain_epochs=1.0,
        batch=16,
        max_tokens=96,
    )
    return found


def _fine_tuned(bench: Any, *, name: str) -> dict[str, Any]:
    aspect, pair = TRAINED[name]
    found: dict[str, Any] = bench.trained(
        *(name, "bleurt", rated(bench.data, aspect, pair)),
        base=str(bench.work / PRETRAINED / MODEL),
        pair=pair,
        folds=5,
        pretrain_epochs=0.0,
        epochs=8.0,
        batch=16,
        max_tokens=96,
    )
    return found


def rated(data: Path, aspect: str, pair: str) -> TrainingData:
    """CTRLEval's texts, each beside its stand-in, with their ratings of one aspect."""
    judged = trained_data.ctrleval(data)
    return TrainingData(
        rated=[
            Rated(
                one.text,
                pairing.stand_in(pair, prefix=one.prefix, label=one.label),
                (float(rating) - 1) / 4,
                pairing.document(prefix=one.prefix, source=one.source),
            )
            for one, rating in zip(judged.examples, judged.human[aspect], strict=True)
        ],
        cross_fitted=True,
    )
