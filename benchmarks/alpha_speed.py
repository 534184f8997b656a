"""Time alpha with its interval, and alpha without each rater, against plain loops.

python -m benchmarks.alpha_speed
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import time
from collections.abc import Callable

import krippendorff
import numpy as np

from scoring.stats.agreement import LEVELS, alpha, alpha_interval
from scoring.stats.raters import leave_one_out

SCALE = np.arange(1, 6)
TEXTS, RATERS, MISSING, DRAWS = 100_000, 5, 0.1, 1000
LOOPED = 10
CROWD, EACH = 2000, 50


def alpha_part() -> None:
    """Print both tables."""
    intervals()
    print()
    without_each_rater()


def intervals() -> None:
    """Alpha of 100,000 texts with an interval of 1000 resamples."""
    given = ratings(np.random.default_rng(0))
    counts = (given.T[:, :, np.newaxis] == SCALE).sum(axis=1)
    print(
        "| level | point and interval, s | package, ratings, s | package, counts, s "
        "| ratio to ratings | ratio to counts |\n| --- | --- | --- | --- | --- | --- |"
    )
    alpha_interval(counts[:100], SCALE, "ordinal", rng=np.random.default_rng(0))
    for level in LEVELS:
        ours = fastest(
            lambda level=level: alpha_interval(
                counts, SCALE, level, rng=np.random.default_rng(1), draws=DRAWS
            )
        )
        by_ratings, by_counts = looped(given, counts, level)
        print(
            f"| {level} | {ours:.3f} | {by_ratings:.1f} | {by_counts:.1f} "
            f"| {by_ratings / ours:.0f} | {by_counts / ours:.0f} |"
        )


def ratings(rng: np.random.Generator) -> np.ndarray:
    """Ratings of five people on a scale of five, some missing, (5, texts)."""
    truth = rng.normal(size=TEXTS)
    given = np.round(3 + truth + rng.normal(size=(RATERS, TEXTS)))
    given = np.clip(given, 1, 5)
    given[rng.random(given.shape) < MISSING] = np.nan
    return given


def looped(given: np.ndarray, counts: np.ndarray, level: str) -> tuple[float, float]:
    """What the package takes for all resamples: the calls alone, not the resampling."""
    rng = np.random.default_rng(2)
    times = np.zeros((LOOPED, 2))
    for i in range(LOOPED):
        rows = rng.integers(0, TEXTS, TEXTS)
        sample, counted = given[:, rows], counts[rows]
        times[i] = (
            seconds(
                lambda sample=sample: krippendorff.alpha(
                    reliability_data=sample, level_of_measurement=level
                )
            ),
            seconds(
                lambda counted=counted: krippendorff.alpha(
                    value_counts=counted,
                    value_domain=SCALE,
                    level_of_measurement=level,
                )
            ),
        )
    by_ratings, by_counts = np.median(times, axis=0) * DRAWS
    return float(by_ratings), float(by_counts)


def without_each_rater() -> None:
    """Statistics of 2000 raters of 50 texts each; alpha again without ten of them."""
    rng = np.random.default_rng(3)
    unit = np.concatenate(
        [rng.choice(CROWD * EACH // 5, EACH, replace=False) for _ in range(CROWD)]
    )
    rater = np.repeat(np.arange(CROWD), EACH)
    truth = rng.normal(size=CROWD * EACH // 5)
    value = np.clip(np.round(3 + truth[unit] + rng.normal(size=len(unit))), 1, 5)
    counts = np.zeros((len(truth), len(SCALE)), int)
    np.add.at(counts, (unit, value.astype(int) - 1), 1)
    print(
        "| level | all statistics of all raters, s | alpha again, s | ratio "
        "| largest difference |\n| --- | --- | --- | --- | --- |"
    )
    for level in LEVELS:
        ours = fastest(
            lambda level=level: leave_one_out(unit, rater, value, level=level)
        )
        found = leave_one_out(unit, rater, value, level=level)
        start, apart = time.process_time(), 0.0
        for one in found.raters[:LOOPED]:
            left = counts.copy()
            mine = rater == one.rater
            left[unit[mine], value[mine].astype(int) - 1] -= 1
            change = alpha(left, SCALE, level).value - found.alpha.value
            apart = max(apart, abs(change - one.alpha_change.value))
        again = (time.process_time() - start) / LOOPED * CROWD
        print(
            f"| {level} | {ours:.3f} | {again:.1f} | {again / ours:.0f} | {apart:.0e} |"
        )


def fastest(function: Callable[[], object], repeat: int = 3) -> float:
    """CPU seconds of the fastest of some calls."""
    return min(seconds(function) for _ in range(repeat))


def seconds(function: Callable[[], object]) -> float:
    """CPU seconds of one call."""
    start = time.process_time()
    function()
    return time.process_time() - start


if __name__ == "__main__":
    alpha_part()
