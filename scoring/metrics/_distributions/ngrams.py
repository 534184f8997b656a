"""Modified Kneser-Ney n-gram models of texts, as KenLM's lmplz estimates them.

Chen & Goodman (1999), section 3 and eq. 26; Heafield et al. (2013). With u the context
of the word w, u' the context without its first word, and a the adjusted count:

    p(w | u) = (a(uw) - D(a(uw))) / sum_v a(uv) + g(u) p(w | u')
    g(u) = sum_v D(a(uv)) / sum_v a(uv);  1 where u was never seen
    D(k) = k - (k + 1) Y n_{k+1} / n_k for k = 1, 2, 3 and above
    Y = n_1 / (n_1 + 2 n_2)

a is the count of an n-gram of the highest order and of one that begins a text, and else
the number of different words that stand before it; n_k is how many n-grams of an order
have a = k. Below single words lies the uniform distribution over the vocabulary: its
words, the end of a text, and one word that nobody knows. The start of a text is only
ever a context. Where n_1, n_2 or n_3 is 0 or a discount out of (0, k], the order's
discounts are 1/2, 1, 3/2, as with lmplz --discount_fallback.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from annotation.sentences import scripts

ORDER = 5
UNKNOWN, START, END = range(3)  # ids; words follow
FALLBACK = (0.0, 0.5, 1.0, 1.5)


class Vocabulary:
    """Ids of the words of some texts, as `scripts.pieces` gives them; case is kept."""

    def __init__(self, texts: Iterable[str]) -> None:
        # Not by the set's own order, which changes from process to process.
        words = sorted({word for text in texts for word in scripts.pieces(text)})
        self._ids: Mapping[str, int] = {w: END + 1 + n for n, w in enumerate(words)}

    def __len__(self) -> int:
        """Ids in use, that of the start of a text included."""
        return END + 1 + len(self._ids)

    def rows(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Ids of each text between its start and its end, (words + 2,) int64."""
        find = self._ids.get
        return [
            np.array([START, *(find(w, UNKNOWN) for w in scripts.pieces(text)), END])
            for text in texts
        ]


class _Level(NamedTuple):
    """The n-grams of one order. A key is the context's id times size, plus the word."""

    keys: np.ndarray  # (n-grams,) int64, sorted
    probabilities: np.ndarray  # (n-grams,)
    weights: np.ndarray  # g by id of the context, (n-grams of the order below,)


class Model(NamedTuple):
    """A distribution over texts."""

    size: int  # of the vocabulary
    levels: tuple[_Level, ...]

    def __call__(self, rows: Sequence[np.ndarray]) -> np.ndarray:
        """Log-probability of each text with its end, nats, (texts,) float64."""
        if not rows:
            return np.zeros(0)
        return np.asarray(np.add.reduceat(self.words(rows), starts(rows)))

    def words(self, rows: Sequence[np.ndarray]) -> np.ndarray:
        """Log-probability of each word, and of each end, of all texts in a row, nats.

        `starts` gives where each text begins.
        """
        tokens = np.concatenate([np.zeros(0, np.int64), *rows])
        return np.asarray(np.log(self.of_each(tokens))[tokens != START])

    def of_each(self, tokens: np.ndarray) -> np.ndarray:
        """Probability of each token given those before it in its text, (tokens,).

        What is given for the start of a text means nothing.
        """
        found = np.full(len(tokens), 1 / (self.size - 1))
        contexts = np.zeros(len(tokens), np.int64)
        for level in self.levels:
            ids = _find(level.keys, contexts * self.size + tokens)
            ids[contexts < 0] = -1
            found *= np.where(contexts < 0, 1, level.weights[contexts])
            seen = ids >= 0
            found[seen] = level.probabilities[ids[seen]]
            contexts = _before(ids)
        return found


def starts(rows: Sequence[np.ndarray]) -> np.ndarray:
    """Index of the first word of each text among all words and ends, (texts,)."""
    return np.cumsum([0, *(len(row) - 1 for row in rows)])[:-1]


def learn(rows: Sequence[np.ndarray], size: int, *, order: int = ORDER) -> Model:
    """Estimate a model.

    Args:
        rows: Texts as `Vocabulary.rows` gives them. Of none the model is uniform.
        size: Of the vocabulary. Words that are in none of the texts share in the
            uniform part, so that models of different texts can be compared.
        order: Words of the longest n-grams, at least 2.
    """
    counted = _count(rows, size, order)
    below = np.full(1, 1 / (size - 1))
    levels = []
    for level in counted:
        contexts = level.keys // size
        discounts = _discounts(level.adjusted)[np.minimum(level.adjusted, 3)]
        totals = np.bincount(contexts, level.adjusted, len(below))
        freed = np.bincount(contexts, discounts, len(below))
        weights = np.divide(freed, totals, out=np.ones(len(below)), where=totals > 0)
        own = (level.adjusted - discounts) / np.maximum(totals, 1)[contexts]
        below = own + weights[contexts] * below[level.shorter]
        levels.append(_Level(level.keys, below, weights))
    return Model(size, tuple(levels))


class _Counted(NamedTuple):
    """The different n-grams of one order."""

    keys: np.ndarray  # (n-grams,) int64, sorted
    adjusted: np.ndarray  # a, (n-grams,) int64
    shorter: np.ndarray  # id of the n-gram without its first word, (n-grams,)


def _count(rows: Sequence[np.ndarray], size: int, order: int) -> list[_Counted]:
    """The n-grams of each order, up to the longest that there is."""
    tokens = np.concatenate([np.zeros(0, np.int64), *rows])
    places = np.concatenate([np.zeros(0, np.int64), *(np.arange(len(r)) for r in rows)])
    # What ends at each token and what ends before it: at first the empty n-gram.
    ends = contexts = np.zeros(len(tokens), np.int64)
    found: list[_Counted] = []
    for n in range(1, order + 1):
        there = np.flatnonzero(places >= n - 1)
        if not len(there):
            break
        keys, first, ids, counts = np.unique(
            contexts[there] * size + tokens[there],
            return_index=True,
            return_inverse=True,
            return_counts=True,
        )
        if found:
            # Only words stand before a word; a longer n-gram may begin a text.
            begun = ends[places == n - 2] if n > 2 else ends[:0]
            extended = np.concatenate([ends[there[first]], begun])
            adjusted = np.bincount(extended, minlength=len(found[-1].keys))
            found[-1] = found[-1]._replace(adjusted=adjusted)
        found.append(_Counted(keys, counts, ends[there[first]]))
        ends = np.full(len(tokens), -1)
        ends[there] = ids
        contexts = _before(ends)
    return found


def _discounts(adjusted: np.ndarray) -> np.ndarray:
    """D by adjusted count 0, 1, 2, 3 and above, (4,)."""
    n = np.bincount(np.minimum(adjusted, 5), minlength=6).astype(np.float64)
    k = np.arange(1, 4)
    if (n[k] == 0).any():
        return np.array(FALLBACK)
    found = k - (k + 1) * n[1] / (n[1] + 2 * n[2]) * n[k + 1] / n[k]
    # lmplz lets 0 pass, with which some contexts leave nothing for other words.
    if ((found <= 0) | (found > k)).any():
        return np.array(FALLBACK)
    return np.array([0.0, *found])


def _before(ids: np.ndarray) -> np.ndarray:
    """What ends before each token, of what ends at each."""
    return np.concatenate([[-1], ids[:-1]])[: len(ids)]


def _find(keys: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Where each is in the sorted keys; -1 where it is not."""
    if not len(keys):
        return np.full(len(wanted), -1)
    places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[places] == wanted, places, -1)
