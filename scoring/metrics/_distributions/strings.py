"""Divergences of two sides from the log-probabilities of their texts.

Each text has a log-probability under p, the model of human texts, and under q, that of
the system's; `string_divergence` gives the equations. Everything is a mean over texts
or over words, so a bootstrap only counts the texts again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scoring.metrics._distributions import divergences
from scoring.metrics._distributions.densities import Scored

SCALE, SCALE_PER_WORD = 0.2, 5.0
# Weights of p in the mixture r: for forward KL, backward KL and JS, then the curve.
MIXTURES = np.array([0, 1, 0.5, *np.linspace(1e-6, 1 - 1e-6, divergences.WEIGHTS)])
NO_AREA = 1e-6  # the area outside the first and the last mixture


class Terms(NamedTuple):
    """What each text of one side contributes to the means."""

    own: np.ndarray  # its log-probability under the model of its side, nats, (texts,)
    other: np.ndarray  # under that of the other side
    texts: np.ndarray  # ln of own / mixture, (texts, MIXTURES)
    words: np.ndarray  # the same for each word, summed over each text
    lengths: np.ndarray  # words and the end, (texts,)


def terms(scored: Scored, side: int) -> Terms:
    """Of the texts of a side, 0 = human."""
    texts, words = scored.texts, scored.words
    of_texts, of_words = [], []
    for weight in MIXTURES:
        with np.errstate(divide="ignore"):  # ln 0, where r is one of them
            logs = np.log([weight, 1 - weight])
        of_texts.append(texts[:, side] - np.logaddexp.reduce(texts + logs, axis=1))
        each = words[:, side] - np.logaddexp.reduce(words + logs, axis=1)
        of_words.append(scored.summed(each))
    return Terms(
        texts[:, side],
        texts[:, 1 - side],
        np.stack(of_texts, axis=1),
        np.stack(of_words, axis=1),
        scored.summed(np.ones(len(words))),
    )


def measure(
    of_human: Terms, of_own: Terms, human: np.ndarray, own: np.ndarray
) -> dict[str, np.ndarray]:
    """All outputs, (draws,); the counts of texts are (draws, texts)."""
    n, words = human.sum(axis=1), human @ of_human.lengths
    by_text = _means(of_human.texts, human, n), _means(of_own.texts, own, own.sum(1))
    by_word = (
        _means(of_human.words, human, words),
        _means(of_own.words, own, own @ of_own.lengths),
    )
    forward, backward = by_text[0][:, 0], by_text[1][:, 1]
    return {
        "cross_entropy": -(human @ of_human.other) / n,
        "perplexity": np.exp(-(human @ of_human.other) / words),
        "forward_kl": forward,
        "backward_kl": backward,
        "exponentiated_kl": np.exp(forward * n / words),
        "jensen_shannon": (by_text[0][:, 2] + by_text[1][:, 2]) / 2,
        "auc": _auc(_curves(by_text, SCALE)),
        "jensen_shannon_per_word": (by_word[0][:, 2] + by_word[1][:, 2]) / 2,
        "auc_per_word": _auc(_curves(by_word, SCALE_PER_WORD)),
    }


def curve(of_human: Terms, of_own: Terms) -> np.ndarray:
    """The curve whose area is AUC, (points, 2), from (0, 1) to (1, 0)."""
    means = tuple(side.texts.mean(axis=0, keepdims=True) for side in (of_human, of_own))
    return np.asarray(_curves((means[0], means[1]), SCALE)[0])


def _means(given: np.ndarray, counts: np.ndarray, n: np.ndarray) -> np.ndarray:
    return np.asarray(counts @ given / n[:, np.newaxis])


def _curves(means: tuple[np.ndarray, np.ndarray], scale: float) -> np.ndarray:
    """Points of each draw, (draws, points, 2), from (0, 1) to (1, 0)."""
    inner = np.stack([side[:, 3:] for side in means], axis=-1)
    found = np.zeros((len(inner), inner.shape[1] + 2, 2))
    # For an estimate below 0, the point would lie outside the possible range of the
    # curve.
    found[:, 1:-1] = np.exp(-scale * np.maximum(inner, 0))
    found[:, 0, 1] = found[:, -1, 0] = 1
    return found


def _auc(curves: np.ndarray) -> np.ndarray:
    found = 1 - divergences.area(curves)
    return np.where(found < NO_AREA, 0.0, found)
