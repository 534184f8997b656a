"""Whether a text's cluster reveals its surface features (figure 5 of the paper).

The mean share of stopwords, and of punctuation marks, of each cluster's texts in one
half predicts that of the texts in the other half:

    R2 = 1 - sum_n (y_n - mean of n's cluster)^2 / sum_n (y_n - mean of y)^2

It is negative where the clusters predict worse than one number for all texts.
"""

from __future__ import annotations

import numpy as np

from scoring.contrib.probing.protocols._common import (
    Embed,
    Given,
    Options,
    Report,
    Steps,
    Stopwatch,
    halves,
    lowered,
    picked,
    summary,
    vectors,
)
from scoring.contrib.probing.protocols._edits import shares
from scoring.contrib.probing.protocols.results import Surface
from scoring.metrics import clusters as _clusters

TITLE = "Surface"
QUESTION = "Do the clusters reveal how many stopwords and punctuation marks a text has?"
CLUSTERS = (5, 10, 20, 50, 100, 200, 500)
FEATURES = {"stopwords": "Share of stopwords", "punctuation": "Share of punctuation"}


def run(
    given: Given,
    options: Options,
    *,
    rng: np.random.Generator,
    embed: Embed,
    report: Report,
) -> Surface:
    """R2 of both shares for each K, over the seeds.

    Clusters are learned on all texts, of which they see no share, or on other texts
    where there are some. Texts without any token are left out and counted.

    Raises:
        MetricError: If fewer than 4 texts have a token.
    """
    watch = Stopwatch()
    measured = [shares(text) for text in given.texts]
    there = np.array([i for i, one in enumerate(measured) if one], dtype=int)
    targets = np.array([one for one in measured if one])
    splits = [(*halves(len(there), child), child) for child in rng.spawn(options.seeds)]
    parts = {"texts": picked(given.texts, there), "learn_on": given.learn_on}
    found = vectors(parts, embed, report)
    watch.lap("embedding")
    learned = found["learn_on"] if given.learn_on else found["texts"]
    used = lowered(options.clusters, len(learned))
    step = Steps(len(used) * len(splits), report)
    numbers = []
    for k in used:
        over_seeds = []
        for fit, test, child in splits:
            clusters = _clusters.learn(learned, k, rng=child)
            labels = clusters.assign(found["texts"])
            over_seeds.append(
                explained(labels[fit], targets[fit], labels[test], targets[test], k)
            )
            step()
        numbers.append(over_seeds)
    watch.lap("clustering")
    return {
        "features": [
            {
                "key": key,
                "title": title,
                "mean": float(targets[:, column].mean()),
                "r2": [summary(one[column] for one in seeds) for seeds in numbers],
            }
            for column, (key, title) in enumerate(FEATURES.items())
        ],
        "clusters": [
            {"asked": asked, "used": k}
            for asked, k in zip(options.clusters, used, strict=True)
        ],
        "n_texts": len(there),
        "left_out": len(given.texts) - len(there),
        "n_learn_on": len(given.learn_on),
        "seeds": options.seeds,
        "seconds": watch.seconds,
    }


def explained(
    fit_labels: np.ndarray,
    fit: np.ndarray,
    test_labels: np.ndarray,
    test: np.ndarray,
    k: int,
) -> list[float | None]:
    """R2 of each column; None where all test texts have the same value.

    A cluster without a text to fit takes the mean of all.

    Args:
        fit_labels, test_labels: Clusters of texts, (n,) and (m,) int from 0.
        fit, test: Numbers of the same texts, (n, columns) and (m, columns).
        k: Number of clusters.
    """
    counts = np.bincount(fit_labels, minlength=k)
    found: list[float | None] = []
    for a, b in zip(fit.T, test.T, strict=True):
        sums = np.bincount(fit_labels, weights=a, minlength=k)
        means = np.where(counts > 0, sums / np.maximum(counts, 1), a.mean())
        total = ((b - b.mean()) ** 2).sum()
        left = ((b - means[test_labels]) ** 2).sum()
        found.append(float(1 - left / total) if total > 0 else None)
    return found
