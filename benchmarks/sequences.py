"""How often a study that is looked at after every prompt stops wrongly, and how soon.

python -m benchmarks.sequences
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import scipy

from scoring.stats import sequences

STUDIES, SLAB = 10_000, 250
RATERS, SCALE = 3, (1, 5)
WIDTH = float(SCALE[1] - SCALE[0])
# Spread of prompts, of texts, and of what a rater adds; where ratings lie.
PROMPT, TEXT, RATER, LEVEL = 0.5, 0.6, 0.8, 3.3
FIRST_LOOK = 10  # of the usual intervals, which need some prompts

Draw = Callable[[np.random.Generator, int, int], np.ndarray]


class Case(NamedTuple):
    """Systems of one kind of study: how their texts are rated, and their true means."""

    name: str
    draw: Draw  # rng, studies, prompts -> (studies, systems, prompts)
    means: np.ndarray  # (systems,)


def rated(shifts: list[float]) -> Case:
    """Ratings of 1 to 5 by three raters, rounded, of systems that are so far apart."""
    at = LEVEL + np.array(shifts)[:, np.newaxis, np.newaxis]

    def draw(rng: np.random.Generator, studies: int, prompts: int) -> np.ndarray:
        shape = studies, len(shifts), prompts, 1
        given = at + rng.normal(0, PROMPT, (studies, 1, prompts, 1))
        given = given + rng.normal(0, TEXT, shape)
        given = given + rng.normal(0, RATER, (*shape[:3], RATERS))
        found: np.ndarray = np.clip(np.rint(given), *SCALE).mean(axis=-1)
        return found

    spread = (PROMPT**2 + TEXT**2 + RATER**2) ** 0.5
    steps = np.arange(SCALE[0], SCALE[1]) + 0.5
    above = scipy.stats.norm.sf((steps - at[:, 0]) / spread)
    means = SCALE[0] + above.sum(axis=1)
    return Case(f"{len(shifts)} systems", draw, means)


def failing() -> Case:
    """Two systems fail on one prompt in fifty; a third is a little worse on many.

    All have the mean 4.92. Until the first failure the first two look better.
    """

    def draw(rng: np.random.Generator, studies: int, prompts: int) -> np.ndarray:
        u = rng.random((studies, 3, prompts))
        failed = np.where(u < 0.02, 1.0, 5.0)
        failed[:, 2] = np.where(u[:, 2] < 0.08, 4.0, 5.0)
        return failed

    return Case("3 systems, two fail seldom", draw, np.full(3, 4.92))


def differences(case: Case, prompts: int) -> Iterator[np.ndarray]:
    """(studies, pairs, prompts) of some studies at a time: first minus second."""
    rng = np.random.default_rng(20)
    first, second = np.array(sequences.pairs(len(case.means))).T
    for _ in range(STUDIES // SLAB):
        drawn = case.draw(rng, SLAB, prompts)
        yield drawn[:, first] - drawn[:, second]


def false_alarms(case: Case, prompts: int) -> tuple[float, float]:
    """Share of studies in which any pair at any look leaves out the true difference.

    Of the sequences, and of usual 95 % intervals that are recomputed at each look.
    Both are corrected over pairs by Bonferroni.
    """
    first, second = np.array(sequences.pairs(len(case.means))).T
    true = case.means[first] - case.means[second]
    level = sequences.level_of_pair(len(true))
    ours = usual = 0
    for d in differences(case, prompts):
        found = sequences.interval(d, width=WIDTH, alpha=level)
        # NaN, an empty interval, leaves it out, too.
        ours += int((~((found.low <= true) & (true <= found.high))).any(axis=1).sum())
        usual += int(_usual(d - true[:, np.newaxis], level).any(axis=(1, 2)).sum())
    return ours / STUDIES, usual / STUDIES


def _usual(off: np.ndarray, level: float) -> np.ndarray:
    """Looks at which the t-interval of a mean leaves out 0."""
    n = np.arange(1, off.shape[-1] + 1)[FIRST_LOOK - 1 :]
    total, squares = off.cumsum(axis=-1), (off**2).cumsum(axis=-1)
    mean = total[..., FIRST_LOOK - 1 :] / n
    variance = (squares[..., FIRST_LOOK - 1 :] - n * mean**2) / (n - 1)
    half = scipy.stats.t.isf(level / 2, n - 1) * np.sqrt(np.maximum(variance, 0) / n)
    # Rounding: where all differences are equal there is no test.
    found: np.ndarray = (np.abs(mean) > half) & (variance > 1e-12)
    return found


class Saved(NamedTuple):
    decided: float  # share of studies
    wrong: float  # share of studies
    median: float  # share of ratings that were not needed
    quartiles: tuple[float, float]


def saved(case: Case, prompts: int) -> Saved:
    """Stop once the order of all pairs is certain; at the latest after all prompts."""
    first, second = np.array(sequences.pairs(len(case.means))).T
    true = np.sign(case.means[first] - case.means[second])
    level = sequences.level_of_pair(len(true))
    shares, n_wrong = [], 0
    for d in differences(case, prompts):
        found = sequences.signs(d, width=WIDTH, alpha=level)
        certain = (found != 0).all(axis=1)
        n = np.where(certain.any(axis=1), certain.argmax(axis=1) + 1, prompts)
        shares.append(np.where(certain.any(axis=1), 1 - n / prompts, np.nan))
        n_wrong += int((found[..., -1] == -true).any(axis=1).sum())
    share = np.concatenate(shares)
    decided = float(np.isfinite(share).mean())
    low, median, high = np.quantile(np.nan_to_num(share), (0.25, 0.5, 0.75))
    return Saved(decided, n_wrong / STUDIES, median, (low, high))


def main() -> None:
    """Print both tables."""
    print("| studies | prompts | false alarms | of usual intervals at each look |")
    print("| --- | --- | --- | --- |")
    several = rated([0.0] * 4 + [0.5])
    cases = [
        rated([0.0] * 2)._replace(name="2 equal systems"),
        rated([0.0] * 5)._replace(name="5 equal systems"),
        several._replace(name="4 equal systems, one better"),
        failing(),
    ]
    for case in cases:
        for prompts in (40, 200, 400):
            ours, usual = false_alarms(case, prompts)
            print(f"| {case.name} | {prompts} | {ours:.4f} | {usual:.3f} |", flush=True)
    print(
        "\n| studies | differences | prompts | decided | wrong | saved, median | half |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for shifts in ([0, 0.2], [0, 0.3], [0, 0.5], [0, 0.8], [0, 0.5, 1], [0, 0.8, 1.6]):
        case = rated([float(shift) for shift in shifts])
        apart = ", ".join(f"{step:.2f}" for step in np.diff(case.means))
        for prompts in (50, 100, 200, 400):
            found = saved(case, prompts)
            low, high = found.quartiles
            print(
                f"| {case.name} | {apart} | {prompts} | {found.decided:.3f} |"
                f" {found.wrong:.4f} | {found.median:.0%} | {low:.0%} to {high:.0%} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
