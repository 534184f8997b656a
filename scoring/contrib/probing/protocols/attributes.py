"""Whether a text's cluster tells its attributes (figure 3 of the paper).

Each cluster takes the category that most of its training texts have, and predicts it
for the test texts that fall into it. The baseline always says the category that most
training texts have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from scoring.contrib.probing.protocols._common import (
    Embed,
    Given,
    Options,
    Report,
    Steps,
    Stopwatch,
    lowered,
    summary,
    vectors,
)
from scoring.contrib.probing.protocols.results import Accuracy, Attribute, Attributes
from scoring.metrics import MetricError
from scoring.metrics import clusters as _clusters

TITLE = "Attributes"
QUESTION = "Does the cluster of a text reveal an attribute of the text?"
CLUSTERS = (5, 10, 20, 50, 100, 200, 500)
TEST_SHARE = 1 / 3
# How clusters are learned: on the training texts, or on another corpus.
TRAINING, CORPUS = "training", "corpus"


class Split(NamedTuple):
    train: np.ndarray  # indices of texts
    test: np.ndarray
    rng: np.random.Generator


def run(
    given: Given,
    options: Options,
    *,
    rng: np.random.Generator,
    embed: Embed,
    report: Report,
) -> Attributes:
    """Accuracy for each attribute and K, over the seeds.

    Texts that lack an attribute are left out of it and counted. Where the texts say
    "train" or "test", the seeds differ in where k-means begins, else in the split too.

    Raises:
        MetricError: If no attribute is given.
    """
    if not given.attributes:
        raise MetricError(
            "expected an attribute: upload a corpus whose lines have columns beside"
            " the text, and choose one of them"
        )
    watch = Stopwatch()
    parts = {"texts": given.texts, "learn_on": given.learn_on}
    found = vectors(parts, embed, report)
    watch.lap("embedding")
    ways = (TRAINING, CORPUS) if given.learn_on else (TRAINING,)
    fits = len(given.attributes) * options.seeds * len(options.clusters) * len(ways)
    step = Steps(fits, report)
    rows = [
        _of(name, given, options, found, ways, child, step)
        for (name, child) in zip(
            given.attributes, rng.spawn(len(given.attributes)), strict=True
        )
    ]
    watch.lap("clustering")
    return {
        "attributes": rows,
        "clusters": list(options.clusters),
        "n_texts": len(given.texts),
        "n_learn_on": len(given.learn_on),
        "seeds": options.seeds,
        "seconds": watch.seconds,
    }


def _of(
    name: str,
    given: Given,
    options: Options,
    found: dict[str, np.ndarray],
    ways: Sequence[str],
    rng: np.random.Generator,
    step: Steps,
) -> Attribute:
    """What the clusters know of one attribute."""
    values = np.array(given.attributes[name], dtype=object)
    there = np.flatnonzero(values != "")
    categories, codes = np.unique(values.astype(str), return_inverse=True)
    splits = [_split(there, given.split, child) for child in rng.spawn(options.seeds)]
    facts: Attribute = {
        "name": name,
        "n": len(there),
        "left_out": len(values) - len(there),
        "categories": len(categories) - int("" in categories),
        "n_train": len(splits[0].train),
        "n_test": len(splits[0].test),
        "column": bool(given.split),
        "reason": _reason(codes, splits[0]),
        "baseline": None,
        "ways": {},
    }
    if facts["reason"]:
        return facts
    facts["baseline"] = summary(_baseline(codes, split) for split in splits)
    for way in ways:
        facts["ways"][way] = [
            _at(k, way, codes, splits, found, step) for k in options.clusters
        ]
    return facts


def _split(there: np.ndarray, column: Sequence[str], rng: np.random.Generator) -> Split:
    if column:
        said = np.array(column, dtype=object)[there]
        return Split(there[said == "train"], there[said == "test"], rng)
    order = rng.permutation(there)
    n_test = round(len(order) * TEST_SHARE)
    return Split(order[n_test:], order[:n_test], rng)


def _reason(codes: np.ndarray, split: Split) -> str:
    """Why nothing can be said, or ""."""
    if len(split.train) < 2 or not len(split.test):
        return (
            f"too few texts have it: {len(split.train)} to learn from and"
            f" {len(split.test)} to test"
        )
    if len(np.unique(codes[np.concatenate([split.train, split.test])])) < 2:
        return "all texts have the same value"
    return ""


def _at(
    k: int,
    way: str,
    codes: np.ndarray,
    splits: Sequence[Split],
    found: dict[str, np.ndarray],
    step: Steps,
) -> Accuracy:
    """Accuracy with K clusters, learned in one of the two ways."""
    accuracies = []
    for split in splits:
        train, test = found["texts"][split.train], found["texts"][split.test]
        [used] = lowered([k], len(found["learn_on"] if way == CORPUS else train))
        if way == CORPUS:
            clusters = _clusters.learn(found["learn_on"], used, rng=split.rng)
            labels = clusters.assign(train)
        else:
            clusters = _clusters.learn(train, used, rng=split.rng)
            labels = clusters.labels
        majority = majorities(labels, codes[split.train], used, codes.max() + 1)
        said = majority[clusters.assign(test)]
        accuracies.append(float(np.mean(said == codes[split.test])))
        step()
    return {"asked": k, "used": used, "accuracy": summary(accuracies)}


def majorities(labels: np.ndarray, codes: np.ndarray, k: int, n: int) -> np.ndarray:
    """The most frequent of n categories in each of k clusters, (k,) int.

    A tie, and a cluster without texts, takes what is more frequent over all.
    """
    counts = np.zeros((k, n), dtype=np.int64)
    np.add.at(counts, (labels, codes), 1)
    # argmax takes the first of equals: so the most frequent over all comes first.
    order = np.argsort(-counts.sum(axis=0), kind="stable")
    best: np.ndarray = order[counts[:, order].argmax(axis=1)]
    return best


def _baseline(codes: np.ndarray, split: Split) -> float:
    majority = np.bincount(codes[split.train]).argmax()
    return float(np.mean(codes[split.test] == majority))
