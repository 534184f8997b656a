"""Log-probabilities of texts under models that were estimated from texts.

A model gives far too high a probability to the texts it was estimated from: n-grams
have seen each of their 5-grams. With cross-fitting, the texts of each fold are scored
by models of the other folds. Texts with the same words are in the same fold, whichever
side they are on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from scoring.metrics._distributions import lstm, ngrams
from scoring.metrics._engine.base import OptionError, Progress, SystemTexts, option

MOST_SEEDS, MOST_FOLDS = 100, 100
NGRAM, LSTM = "ngram", "lstm"


class Model(Protocol):
    """What was estimated; see `ngrams.Model`."""

    def words(self, rows: Sequence[np.ndarray]) -> np.ndarray: ...


# Estimates a model of rows, given the size of the vocabulary.
Learn = Callable[[Sequence[np.ndarray], int], Model]


def learner(density: str, seed: int, progress: Progress) -> Learn:
    """How a density is estimated.

    The same rows give the same model: two sides with the same texts do not differ.

    Args:
        density: NGRAM or LSTM.
        seed: Of an LSTM; n-grams need no chance.
        progress: Gets a sign of life after each epoch.
    """

    def of_ngrams(rows: Sequence[np.ndarray], size: int) -> Model:
        return ngrams.learn(rows, size)

    def of_lstm(rows: Sequence[np.ndarray], size: int) -> Model:
        return lstm.learn(rows, size, seed=seed, progress=progress)

    return {NGRAM: of_ngrams, LSTM: of_lstm}[density]


def seed(rng: np.random.Generator) -> int:
    """For `learner`."""
    return int(rng.integers(2**32))


def of_texts(model: Model, rows: Sequence[np.ndarray]) -> np.ndarray:
    """Log-probability of each text with its end, nats, (texts,); at least one text."""
    return np.asarray(np.add.reduceat(model.words(rows), ngrams.starts(rows)))


def density_option() -> Any:
    return option(
        NGRAM,
        "what estimates the probability of a text: Kneser-Ney 5-grams (seconds), or a"
        " small LSTM (minutes)",
        (NGRAM, LSTM),
        label="Model of texts",
        titles=("5-grams", "LSTM"),
    )


def folds_option() -> Any:
    return option(
        5,
        "how many parts the texts are divided into for cross-fitting, 2 to"
        f" {MOST_FOLDS}",
        label="Parts in cross-fitting",
    )


def seeds_option() -> Any:
    return option(
        5,
        f"how many times everything is repeated with another seed, 1 to {MOST_SEEDS}",
        label="Repetitions",
    )


def by_sample_option() -> Any:
    return option(
        False,
        "use each sample number as a seed that has only the texts with that number",
        label="Use each sample number as a repetition",
    )


class Side(NamedTuple):
    """Texts that a model is estimated from."""

    texts: list[str]
    rows: list[np.ndarray]  # as `ngrams.Vocabulary` gives them

    def take(self, indices: np.ndarray) -> Side:
        """Only those texts."""
        return Side(
            [self.texts[index] for index in indices],
            [self.rows[index] for index in indices],
        )


class Scored(NamedTuple):
    """Log-probabilities of the texts of a side."""

    words: np.ndarray  # log-probability of each word and end, nats, (words, sides)
    starts: np.ndarray  # where each text begins among them, (texts,)

    @property
    def texts(self) -> np.ndarray:
        """Log-probability of each text with its end, nats, (texts, sides)."""
        return self.summed(self.words)

    def summed(self, words: np.ndarray) -> np.ndarray:
        """Sums over each text of numbers for each word."""
        return np.asarray(np.add.reduceat(words, self.starts))


def sides(*given: Sequence[str]) -> tuple[list[Side], int]:
    """Each collection of texts in its order, and the size of their one vocabulary.

    Texts that differ in white space alone become equal, as they are to the models.
    """
    vocabulary = ngrams.Vocabulary(text for texts in given for text in texts)
    found = [
        Side(
            [" ".join(text.split()) for text in texts],
            vocabulary.rows(texts),
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
    """Why the system's own log-probabilities cannot be used; empty if they can."""
    texts, known = len(given.texts), int(np.isfinite(given.log_probabilities).sum())
    if known == texts:
        return ""
    return f"{texts - known} of {texts} texts have no log-probability"


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
    learn: Learn = ngrams.learn,
) -> list[Scored]:
    """Score the texts of all sides with a model of each.

    Args:
        sides: With at least one text each.
        size: Of the vocabulary.
        dealt: Folds as `deal` gives them; None: models of all texts score them.
        progress: Gets a sign of life after each model.
        learn: Estimates each model.

    Returns:
        For each side the numbers of its words: column j is under the model of side j.
    """
    n = [sum(len(row) - 1 for row in side.rows) for side in sides]
    found = [
        Scored(np.full((words, len(sides)), np.nan), ngrams.starts(side.rows))
        for words, side in zip(n, sides, strict=True)
    ]
    for kept, held in _parts(sides, dealt):
        for j, side in enumerate(sides):
            model = learn(side.take(kept[j]).rows, size)
            for scored, other, there in zip(found, sides, held, strict=True):
                at = _places(scored.starts[there], [len(other.rows[k]) for k in there])
                scored.words[at, j] = model.words(other.take(there).rows)
            progress(0)
    return found


def _places(starts: np.ndarray, lengths: Sequence[int]) -> np.ndarray:
    """Indices of the words of some texts; each row also has the start of its text."""
    spans = zip(starts, lengths, strict=True)
    ranges = [np.arange(start, start + n - 1) for start, n in spans]
    return np.concatenate([np.zeros(0, np.int64), *ranges])


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
