"""The divergences of a system on a partition, and their values by chance.

The partition stays the same: counting other texts, or the same texts with other labels,
costs little compared with embedding and clustering. Numbers are means over the seeds.

- `spread`: prompts are drawn with replacement on both sides, each with its texts: the
  standard deviation that other texts would cause.
- `by_chance`: texts are exchanged between people and the system, within the prompts
  that both have. The mean is the value of a divergence with this number of texts and
  clusters if there is no difference. p is how often the distance by chance is at least
  the real one.
- `between`: texts are exchanged between two systems in the same way; p is how often
  their divergences then differ by at least as much.

Every p is (1 + relabellings at least as far) / (1 + relabellings), so never 0.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from scoring.metrics._distributions import resampling
from scoring.metrics._distributions.partitions import EVERY, Partition, Party, Trial
from scoring.metrics._engine.base import SystemTexts

# From counts of human texts and a system's by cluster, (draws, k) each, numbers by
# output, (draws,).
Numbers = Mapping[str, np.ndarray]
Measure = Callable[[np.ndarray, np.ndarray], Numbers]
ROUNDING = 1e-12
SIGNIFICANT = 0.05
NO_POWER = (
    "Too few texts for a test: even sets of texts without a common cluster would not"
    " differ significantly (p < .05)"
)


class Beside(NamedTuple):
    """What comes with the numbers of a system, by output."""

    spread: dict[str, float]
    by_chance: dict[str, dict[str, float]]  # "mean" and "p"
    pairs: dict[str, dict[str, dict[str, float]]]  # by system: "difference" and "p"
    notes: tuple[str, ...]


def beside(
    partition: Partition,
    given: SystemTexts,
    measure: Measure,
    rng: np.random.Generator,
    *,
    nearer: Collection[str] = (),
    alive: Callable[[], None],
) -> Beside:
    """All of it. A pair is given only with the system whose name comes first.

    Args:
        partition: With the system's texts, human ones and other systems'.
        given: The system.
        measure: Gives the numbers.
        rng: Draws prompts and labels.
        nearer: Outputs for which a higher number means closer to human text.
        alive: Called from time to time.
    """
    of = given.name
    drawing, relabelling, *several = rng.spawn(2 + len(given.others))
    alive()
    spreads = spread(partition, of, measure, drawing)
    alive()
    chance, able = by_chance(partition, of, measure, relabelling, nearer=nearer)
    pairs = {}
    for other, of_pair in zip(given.others, several, strict=True):
        if of < other.name and other.name in partition.systems:
            alive()
            pairs[other.name] = between(partition, of, other.name, measure, of_pair)
    return Beside(spreads, chance, pairs, () if able else (NO_POWER,))


def found(partition: Partition, system: str, measure: Measure) -> list[Numbers]:
    """The numbers of each seed, for the texts as they are, (1,) each."""
    return [
        measure(
            counted(trial, partition.human), counted(trial, partition.systems[system])
        )
        for trial in partition.trials
    ]


def counted(
    trial: Trial, party: Party, weights: np.ndarray | None = None
) -> np.ndarray:
    """How many texts of a party a trial counts in each cluster, (draws, k).

    Args:
        trial: Of some seed.
        party: People, or a system.
        weights: How often each text counts, (draws, n); None: once, one draw.
    """
    there = np.isin(party.samples, (EVERY, trial.sample)).astype(float)
    return trial.counts(party.rows, there * (1 if weights is None else weights))


def spread(
    partition: Partition, system: str, measure: Measure, rng: np.random.Generator
) -> dict[str, float]:
    """Standard deviation of each number; none if a side has only one prompt."""
    human, own = partition.human, partition.systems[system]
    drawn = resampling.drawn(human.prompts, rng), resampling.drawn(own.prompts, rng)
    if drawn[0] is None or drawn[1] is None:
        return {}
    # If samples are seeds, a seed may have no text of the drawn prompts: no number.
    with np.errstate(invalid="ignore"):
        means = _over_trials(
            [
                measure(counted(trial, human, drawn[0]), counted(trial, own, drawn[1]))
                for trial in partition.trials
            ]
        )
    deviations = {key: resampling.deviation(values) for key, values in means.items()}
    return {key: value for key, value in deviations.items() if value is not None}


def by_chance(
    partition: Partition,
    system: str,
    measure: Measure,
    rng: np.random.Generator,
    *,
    nearer: Collection[str] = (),
) -> tuple[dict[str, dict[str, float]], bool]:
    """For each number its mean by chance and p, and whether every p can be small.

    Args:
        partition: With the system's texts and human ones.
        system: Its name.
        measure: Gives the numbers.
        rng: Draws the labels.
        nearer: Outputs for which a higher number means closer to human text.
    """
    pool = _Pool(partition.human, partition.systems[system])
    drawn = resampling.relabelled(pool.labels, pool.strata, rng)
    null, real, apart = (
        _over_trials([pool.measured(trial, measure, one) for trial in partition.trials])
        for one in (drawn, pool.labels[None], pool.separated(partition.trials[0])[None])
    )
    told = {}
    able = pool.smallest_p < SIGNIFICANT
    for key, value in real.items():
        if not np.isfinite([*value, *null[key]]).all():
            continue
        sign = -1 if key in nearer else 1
        p = _p(sign * null[key], sign * value)
        told[key] = {"mean": float(null[key].mean()), "p": p}
        able = able and _p(sign * null[key], sign * apart[key]) < SIGNIFICANT
    return told, able


def between(
    partition: Partition,
    one: str,
    other: str,
    measure: Measure,
    rng: np.random.Generator,
) -> dict[str, dict[str, float]]:
    """For each number the first system's minus the other's, and a two-sided p."""
    human = partition.human
    pool = _Pool(partition.systems[one], partition.systems[other])

    def gaps(labels: np.ndarray) -> Numbers:
        trials = []
        for trial in partition.trials:
            p = counted(trial, human)
            first, second = (measure(p, q) for q in pool.counts(trial, labels))
            trials.append({key: first[key] - second[key] for key in first})
        return _over_trials(trials)

    null = gaps(resampling.relabelled(pool.labels, pool.strata, rng))
    return {
        key: {
            "difference": float(value[0]),
            "p": _p(np.abs(null[key]), np.abs(value)),
        }
        for key, value in gaps(pool.labels[None]).items()
        if np.isfinite([*value, *null[key]]).all()
    }


class _Pool:
    """Texts of two parties. A label is a sample number, negative for the first party.

    Human texts have the label 0: all of them count in every trial.
    """

    def __init__(self, first: Party, second: Party) -> None:
        n = len(first.rows)
        self.rows = np.concatenate([first.rows, second.rows])
        labels = [-first.samples, second.samples]
        self.labels = np.concatenate(labels)
        second_side = np.arange(len(self.rows)) >= n
        prompts = np.concatenate([first.prompts, second.prompts])
        self.strata = resampling.strata(prompts, second_side)

    @property
    def smallest_p(self) -> float:
        return resampling.smallest_p(self.labels, self.strata)

    def counts(self, trial: Trial, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Texts of each party in each cluster, (draws, k) each."""
        sides = np.isin(labels, (EVERY, -trial.sample)), labels == trial.sample
        first, second = (trial.counts(self.rows, one.astype(float)) for one in sides)
        return first, second

    def measured(self, trial: Trial, measure: Measure, labels: np.ndarray) -> Numbers:
        return measure(*self.counts(trial, labels))

    def separated(self, trial: Trial) -> np.ndarray:
        """The labels in the order of the clusters, so that few clusters are shared."""
        found = np.empty_like(self.labels)
        found[np.argsort(trial.labels[self.rows], kind="stable")] = np.sort(self.labels)
        return found


def _over_trials(trials: Sequence[Numbers]) -> Numbers:
    with np.errstate(invalid="ignore"):
        return {key: np.mean([one[key] for one in trials], axis=0) for key in trials[0]}


def _p(null: np.ndarray, value: np.ndarray) -> float:
    return float((1 + (null >= value - ROUNDING).sum()) / (1 + len(null)))
