"""Texts of people and of systems in common clusters.

A partition is learned on all texts of a comparison. Counts of texts by cluster depend
on the author of each text, so the same partition serves for the texts as they are, for
texts drawn with replacement, and for texts with exchanged authors.
"""

from __future__ import annotations

import dataclasses
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from scoring.metrics._distributions import clusters, resampling
from scoring.metrics._engine.base import SystemTexts

EVERY = 0  # the sample number of human texts, which every seed counts
ALL = 1  # that of all texts of a system, if samples are not seeds


class Party(NamedTuple):
    """Texts of people, or of one system."""

    rows: np.ndarray  # which of the different texts each is, (n,)
    prompts: np.ndarray  # as `resampling.codes`, (n,)
    samples: np.ndarray  # (n,): EVERY, or a seed's sample number from 1


class Trial(NamedTuple):
    """One seed: the cluster of each different text, and the sample that counts."""

    labels: np.ndarray  # (different,) int
    k: int
    sample: int

    def counts(self, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Texts in each cluster, (draws, k).

        Args:
            rows: Which of the different texts each is, (n,).
            weights: How often each counts, (draws, n).
        """
        from scipy.sparse import csr_array

        n = len(rows)
        ones = np.ones(n), self.labels[rows], np.arange(n + 1)
        members = csr_array(ones, shape=(n, self.k))
        return np.asarray(np.atleast_2d(weights) @ members)


class Partition(NamedTuple):
    """The texts of all parties, and a trial for each seed."""

    human: Party
    systems: dict[str, Party]  # by name
    trials: list[Trial]
    dimensions: int
    notes: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Texts:
    """The texts of all parties before they are clustered."""

    different: list[str]  # sorted
    human: Party
    systems: dict[str, Party]  # by name, sorted
    samples: int  # how many are seeds; 0: samples are not seeds
    notes: tuple[str, ...] = ()

    @property
    def weights(self) -> np.ndarray:
        """How often each different text occurs, (different,)."""
        rows = [party.rows for party in (self.human, *self.systems.values())]
        return np.bincount(np.concatenate(rows), minlength=len(self.different))

    @property
    def n_human(self) -> int:
        return len(self.human.rows)

    @property
    def n_each(self) -> int:
        """Texts of a system that one seed counts; the fewest of several systems."""
        fewest = min(len(party.rows) for party in self.systems.values())
        return fewest // max(1, self.samples)


def gather(
    given: SystemTexts,
    rng: np.random.Generator,
    *,
    study: bool = False,
    balanced: bool = False,
    by_sample: bool = False,
) -> Texts | str:
    """The texts to compare, or why samples cannot be used as seeds.

    Sorted by content: the order in which texts were uploaded must not matter.

    Args:
        given: A system's texts, human ones, and the other systems'.
        rng: Draws texts, if there are too many; the same for all of a study.
        study: Include the other systems' texts.
        balanced: Keep the same number of texts from each system, of shared prompts if
            most texts have one.
        by_sample: Each sample number is a seed.
    """
    # Even if nothing is drawn, so that later draws stay the same.
    [drawing] = rng.spawn(1)
    sides = sorted([given, *(given.others if study else ())], key=lambda one: one.name)
    why = _unlike([one.samples for one in sides]) if by_sample else ""
    if why:
        return why
    prompts = resampling.codes(
        resampling.prompts_of_corpus(given), *map(resampling.prompts, sides)
    )
    parties = {
        one.name: _party(one.texts, codes, one.samples if by_sample else ())
        for one, codes in zip(sides, prompts[1:], strict=True)
    }
    kept, notes = _balanced(parties, drawing) if balanced else (parties, ())
    human = _party(given.corpus, prompts[0], ())
    human = human._replace(samples=np.full(len(given.corpus), EVERY))
    return _joined(human, kept, len(set(given.samples)) if by_sample else 0, notes)


class _Own(NamedTuple):
    """A party before its texts are numbered together with those of others."""

    texts: list[str]
    prompts: np.ndarray
    samples: np.ndarray

    def take(self, indices: np.ndarray) -> _Own:
        texts = [self.texts[index] for index in indices]
        return _Own(texts, self.prompts[indices], self.samples[indices])


def _party(texts: Sequence[str], prompts: np.ndarray, samples: Sequence[int]) -> _Own:
    numbers = np.full(len(texts), ALL)
    if len(samples):
        numbers = np.unique(samples, return_inverse=True)[1] + ALL
    order = sorted(
        range(len(texts)), key=lambda k: (texts[k], prompts[k], int(numbers[k]))
    )
    return _Own([texts[k] for k in order], prompts[order], numbers[order])


def _unlike(samples: Sequence[Sequence[int]]) -> str:
    """Why samples cannot be used as seeds; empty: they can."""
    found = [resampling.of_samples(one) for one in samples]
    why = next((one for one in found if isinstance(one, str)), "")
    if why or len({tuple(map(len, one)) for one in found}) == 1:
        return why
    return "to use samples as seeds, all systems need the same samples"


def _balanced(
    parties: Mapping[str, _Own], rng: np.random.Generator
) -> tuple[Mapping[str, _Own], tuple[str, ...]]:
    """The same number of texts of each, and a note if that leaves any out."""
    sizes = [len(one.texts) for one in parties.values()]
    shared = _of_shared_prompts([one.prompts for one in parties.values()])
    n = sum(shared.values())
    use_shared = 2 * n >= min(sizes)
    if max(sizes) == (n if use_shared else min(sizes)):
        return parties, ()
    kept = {}
    for (name, one), own in zip(parties.items(), rng.spawn(len(parties)), strict=True):
        order = own.permutation(len(one.texts))
        if use_shared:
            chosen = [order[one.prompts[order] == at][:m] for at, m in shared.items()]
            order = np.concatenate(chosen)
        kept[name] = one.take(np.sort(order[: n if use_shared else min(sizes)]))
    n = n if use_shared else min(sizes)
    of = "of the prompts that all share" if use_shared else "chosen at random"
    return kept, (
        f"Systems have {min(sizes)} to {max(sizes)} texts. {n} of each are used,"
        f" {of}, because divergences depend on the number of texts",
    )


def _of_shared_prompts(prompts: Sequence[np.ndarray]) -> dict[int, int]:
    """Prompts that all have, and the smallest number of texts for each."""
    counted = [Counter(one[one != resampling.UNKNOWN].tolist()) for one in prompts]
    fewest = counted[0]
    for one in counted[1:]:
        fewest &= one
    return dict(sorted(fewest.items()))


def _joined(
    human: _Own, systems: Mapping[str, _Own], samples: int, notes: tuple[str, ...]
) -> Texts:
    every = [human, *systems.values()]
    different = sorted({text for one in every for text in one.texts})
    places = {text: place for place, text in enumerate(different)}

    def placed(one: _Own) -> Party:
        rows = np.array([places[text] for text in one.texts], np.int64)
        return Party(rows, one.prompts, one.samples)

    parties = {name: placed(one) for name, one in systems.items()}
    return Texts(different, placed(human), parties, samples, notes)


def learn(
    texts: Texts,
    features: np.ndarray,
    k: int,
    rngs: Sequence[np.random.Generator],
    *,
    normalise: bool,
    timer: Timer,
    notes: tuple[str, ...] = (),
    alive: Callable[[], None] = lambda: None,
) -> Partition:
    """Cluster all texts for each seed. A text that occurs twice counts twice.

    Args:
        texts: Of all parties.
        features: Of each different text, (different, d).
        k: Clusters.
        rngs: Give the start of k-means for each seed.
        normalise: Whether rows are scaled to length 1 first.
        timer: Gets the seconds of PCA and k-means.
        notes: On the partition.
        alive: Called for each seed.
    """
    rows = clusters.unit(features) if normalise else features
    trials = []
    with clusters.one_thread():
        with timer("pca"):
            mean, axes = clusters.reduce(rows, weights=texts.weights)
            reduced = (rows - mean) @ axes.T
        for seed, rng in enumerate(rngs):
            alive()
            with timer("clustering"):
                labels, _ = clusters.group(reduced, k, rng=rng, weights=texts.weights)
            trials.append(Trial(labels, k, seed + ALL if texts.samples else ALL))
    said = (*texts.notes, *notes)
    return Partition(texts.human, texts.systems, trials, len(axes), said)


class Timer:
    """Seconds of each stage, over all seeds."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        start = time.monotonic()
        yield
        self.seconds[stage] += time.monotonic() - start
