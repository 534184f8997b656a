"""Log-probabilities of texts under n-gram models that were estimated from texts.

A model gives the texts that it was estimated from far too much: it has seen each of
their 5-grams. Cross-fitted, the texts of each fold are scored by models of the other
folds. Texts of the same words share a fold, whichever side they are on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from scoring.metrics._distributions import ngrams
from scoring.metrics._engine.base import OptionError, Progress, SystemTexts

MOST_SEEDS, MOST_FOLDS = 100, 100
FOLDS_HELP = f"parts of the texts in cross-fitting, 2 to {MOST_FOLDS}"
SEEDS_HELP = f"how often all is done again, 1 to {MOST_SEEDS}"
REDRAW_HELP = "each seed draws the system's texts with replacement"


class Side(NamedTuple):
    """Texts that a model is estimated from."""

    texts: list[str]
    rows: list[np.ndarray]  # as `_ngrams.Vocabulary` gives them
    counts: np.ndarray  # how often each is there, (texts,)

    def take(self, indices: np.ndarray) -> Side:
        """Those texts alone."""
        return Side(
            [self.texts[index] for index in indices],
            [self.rows[index] for index in indices],
            self.counts[indices],
        )

    def counted(self, counts: np.ndarray) -> Side:
        """Those texts that are there, and how often."""
        return self._replace(counts=counts).take(np.flatnonzero(counts))

    def thinned(self, n: int, rng: np.random.Generator) -> Side:
        """Leave n of the texts."""
        return self.take(np.sort(rng.permutation(len(self.texts))[:n]))


def draw(texts: int, redraw: bool, rng: np.random.Generator) -> np.ndarray:
    """How often each text is there, (texts,): drawn with replacement, or each once."""
    if not redraw:
        return np.ones(texts, np.int64)
    return rng.multinomial(texts, np.full(texts, 1 / texts))


def sides(*given: Sequence[str]) -> tuple[list[Side], int]:
    """Each collection of texts in its order, and the size of their one vocabulary.

    Texts that differ in white space alone become equal, as they are to the models.
    """
    vocabulary = ngrams.Vocabulary(text for texts in given for text in texts)
    found = [
        Side(
            [" ".join(text.split()) for text in texts],
            vocabulary.rows(texts),
            np.ones(len(texts), np.int64),
        )
        for texts in given
    ]
    return found, len(vocabulary)


def check(seeds: int, folds: int) -> None:
    """Raise OptionError where one is out of range."""
    if not 1 <= seeds <= MOST_SEEDS:
        raise OptionError(f"seeds={seeds}: expected 1 to {MOST_SEEDS}")
    if not 2 <= folds <= MOST_FOLDS:
        raise OptionError(f"folds={folds}: expected 2 to {MOST_FOLDS}")


def unknown(given: SystemTexts) -> str:
    """Why the system's own log-probabilities cannot be used; empty: they can."""
    texts, known = len(given.texts), int(np.isfinite(given.log_probabilities).sum())
    if known == texts:
        return ""
    return f"{texts - known} of {texts} texts carry no log-probability"


def deal(
    sides: Sequence[Side], folds: int, rng: np.random.Generator
) -> list[np.ndarray]:
    """Fold of each text of one or two sides, (texts,), evenly spread."""
    members = [set(side.texts) for side in sides]
    texts = sorted(set().union(*members))
    rng.shuffle(texts)
    # Dealt in turn, those on both sides between the others: so each side's texts come
    # in a row, and no fold gets more of them than others.
    texts.sort(key=lambda text: (text in members[-1]) - (text in members[0]))
    fold = {text: place % folds for place, text in enumerate(texts)}
    return [np.array([fold[text] for text in side.texts]) for side in sides]


def log_probabilities(
    sides: Sequence[Side],
    size: int,
    dealt: Sequence[np.ndarray] | None,
    progress: Progress,
) -> list[np.ndarray]:
    """Score the texts of all sides with a model of each.

    Args:
        sides: Where a text is there more than once, a model learns it once: copies
            would spoil its discounts.
        size: Of the vocabulary.
        dealt: Folds as `deal` gives them; None: models of all texts score them.
        progress: Gets a sign of life after each model.

    Returns:
        For each side, nats, (texts, sides): column j is under the model of side j.
    """
    found = [np.full((len(side.texts), len(sides)), np.nan) for side in sides]
    for kept, held in _parts(sides, dealt):
        for j, side in enumerate(sides):
            model = ngrams.learn(side.take(kept[j]).rows, size)
            for values, other, there in zip(found, sides, held, strict=True):
                values[there, j] = model(other.take(there).rows)
            progress(0)
    return found


def _parts(
    sides: Sequence[Side], dealt: Sequence[np.ndarray] | None
) -> Iterator[tuple[list[np.ndarray], list[np.ndarray]]]:
    """For each fold what is learned and what is scored: indices, for each side."""
    if dealt is None:
        whole = [np.arange(len(side.texts)) for side in sides]
        yield whole, whole
        return
    for fold in np.unique(np.concatenate(dealt)):
        yield (
            [np.flatnonzero(folds != fold) for folds in dealt],
            [np.flatnonzero(folds == fold) for folds in dealt],
        )
