"""From texts to a partition: embed them, choose K, cluster for each seed."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable

import numpy as np

from scoring.metrics._distributions import embeddings, partitions
from scoring.metrics._distributions.partitions import Partition, Texts, Timer
from scoring.metrics._engine.base import Progress, SystemTexts


@dataclasses.dataclass(frozen=True)
class Recipe:
    """How a metric wants its partition. The options of the same names explain it."""

    how_many: Callable[[Texts], tuple[int, tuple[str, ...]]]  # K, and notes on it
    seeds: int
    normalise: bool = False  # rows to length 1
    study: bool = False  # with the texts of all systems
    balanced: bool = False
    by_sample: bool = False


class Partitioner:
    """Makes partitions; that of a study only once for all its systems."""

    def __init__(self, encoder: embeddings.Encoder, recipe: Recipe) -> None:
        self._encoder, self._recipe = encoder, recipe
        self._corpus: tuple[str, ...] = ()
        self._human: dict[str, np.ndarray] = {}
        # Of the study scored last: the systems of a study are scored in a row.
        self._kept: tuple[bytes, Partition] | None = None

    def __call__(
        self,
        given: SystemTexts,
        rng: np.random.Generator,
        progress: Progress,
        timer: Timer,
    ) -> Partition | str:
        """The partition, or why samples cannot be used as seeds.

        Raises:
            MetricError: If the model gives all texts the same vector.
        """
        shared = self._recipe.study and given.seed is not None
        key = _digest(given) if shared else b""
        if shared and self._kept and self._kept[0] == key:
            progress(len(given.texts))
            return self._kept[1]
        drawing = np.random.default_rng(given.seed) if shared else rng
        texts = partitions.gather(
            given,
            drawing,
            study=self._recipe.study,
            balanced=self._recipe.balanced and not self._recipe.by_sample,
            by_sample=self._recipe.by_sample,
        )
        if isinstance(texts, str):
            return texts
        made = self._learned(given, texts, drawing, progress, timer)
        if shared:
            self._kept = key, made
        return made

    def _learned(
        self,
        given: SystemTexts,
        texts: Texts,
        rng: np.random.Generator,
        progress: Progress,
        timer: Timer,
    ) -> Partition:
        with timer("embedding"):
            features = self._embed(given, texts, progress)
        k, notes = self._recipe.how_many(texts)
        return partitions.learn(
            texts,
            features,
            k,
            rng.spawn(texts.samples or self._recipe.seeds),
            normalise=self._recipe.normalise,
            timer=timer,
            notes=notes,
            alive=lambda: progress(0),
        )

    def _embed(
        self, given: SystemTexts, texts: Texts, progress: Progress
    ) -> np.ndarray:
        """Vectors of different texts. Progress counts only the system's own texts."""
        if given.corpus != self._corpus:
            human = sorted(set(given.corpus))
            found = self._encoder(human, lambda n: progress(0))
            self._human = dict(zip(human, found, strict=True))
            self._corpus = given.corpus
        own = sorted(set(given.texts) - set(self._human))
        found = self._encoder(own, progress)
        vectors = self._human | dict(zip(own, found, strict=True))
        if others := sorted(set(texts.different) - set(vectors)):
            found = self._encoder(others, lambda n: progress(0))
            vectors |= dict(zip(others, found, strict=True))
        features = np.array([vectors[text] for text in texts.different])
        embeddings.check_vary(texts.different, features)
        return features


def _digest(given: SystemTexts) -> bytes:
    """Equal for all systems of a study, so that its partition is learned once."""
    sides = sorted(
        (one.name, one.texts, one.prompts, one.samples)
        for one in (given, *given.others)
    )
    everything = (given.seed, given.corpus, given.corpus_prompts, sides)
    return hashlib.sha256(repr(everything).encode(errors="surrogatepass")).digest()
