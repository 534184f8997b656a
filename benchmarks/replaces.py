"""How often a test says that a metric may replace a rater, when it just may not.

    python -m benchmarks.replaces [--wild] [--power]

Every study is simulated at the border of the null hypothesis, mean d = epsilon, for one
rater, before any correction over raters. `--wild` has the wild cluster bootstrap, too.
`--power` simulates a metric that is as close as the rater instead, mean d = 0.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import sys
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy.stats

from scoring.stats.replacing import clustered
from scoring.stats.replacing.clustered import Sums

STUDIES, NOMINAL, LIMIT = 10_000, 0.05, 0.055
PROMPTS = (5, 10, 20, 30, 40, 60, 100)
# Texts of a prompt, in turn.
SIZES: dict[str, tuple[int, ...]] = {
    "1": (1,),
    "4": (4,),
    "10": (10,),
    "1-6": (1, 2, 3, 6),
}
TIES = (0.0, 0.5, 0.7, 0.8, 0.9)
EPSILONS = (0.1, 0.2)
SHARED = 0.5  # of the variance behind d, what texts of a prompt share
LEAST_TEXTS = 30
REPLICATES = 399
SEED = 20261123


class Cell(NamedTuple):
    """One kind of study."""

    epsilon: float
    prompts: int
    texts: str  # key of SIZES
    ties: float


def grid() -> Iterator[Cell]:
    """All cells that can be: enough texts, and ties that leave room for the mean."""
    for epsilon in EPSILONS:
        for texts in SIZES:
            for prompts in PROMPTS:
                for ties in TIES:
                    cell = Cell(epsilon, prompts, texts, ties)
                    if ties <= 1 - epsilon + 1e-9 and _enough(cell):
                        yield cell


def _enough(cell: Cell) -> bool:
    return int(sizes(cell).sum()) >= LEAST_TEXTS


def sizes(cell: Cell) -> np.ndarray:
    return np.resize(np.array(SIZES[cell.texts]), cell.prompts)


def simulate(
    cell: Cell, mean: float, rng: np.random.Generator
) -> tuple[Sums, np.ndarray]:
    """Sums by prompt of d in {-1, 0, 1}, and the sum of d^2, (STUDIES,).

    d is cut from a normal variable that texts of a prompt share in part, at the two
    points that give P(1) = (1 - ties + mean) / 2 and P(-1) = (1 - ties - mean) / 2.
    """
    n = sizes(cell)
    above = scipy.stats.norm.isf((1 - cell.ties + mean) / 2)
    below = scipy.stats.norm.ppf(max(0.0, (1 - cell.ties - mean) / 2))
    shape = STUDIES, len(n)
    prompt = rng.standard_normal(shape, np.float32) * np.float32(SHARED**0.5)
    own = np.float32((1 - SHARED) ** 0.5)
    total, squares = np.zeros(shape), np.zeros(shape)
    for k in range(int(n.max())):
        z = prompt + rng.standard_normal(shape, np.float32) * own
        d = ((z > above) * 1.0 - (z < below)) * (n > k)
        total += d
        squares += d != 0
    decided = (squares > 0).sum(axis=1)
    ties = 1 - squares.sum(axis=1) / n.sum()
    return Sums(n, total, decided, ties), squares.sum(axis=1)


def published(given: Sums, squares: np.ndarray, epsilon: float) -> np.ndarray:
    """p of the published test, (STUDIES,), by the same rules as `published.t_test`."""
    n = given.size.sum()
    mean = given.total.sum(axis=1) / n
    variance = (squares - n * mean**2) / (n - 1)
    flat = variance < 1e-12
    t = (mean - epsilon) / np.sqrt(np.where(flat, 1, variance) / n)
    p: np.ndarray = np.where(flat, mean >= epsilon, scipy.stats.t.cdf(t, n - 1))
    return p


def cr2(given: Sums, epsilon: float) -> np.ndarray:
    """p of CR2 alone, (STUDIES,); where there is no variance, as published."""
    found = clustered.robust(given)
    flat = np.where(found.mean < epsilon, 0.0, 1.0)
    p = scipy.stats.t.cdf(found.t(epsilon), found.degrees)
    return np.where(np.isnan(found.se), flat, p)


def wild(
    given: Sums, epsilon: float, kind: str, rng: np.random.Generator
) -> np.ndarray:
    """p of the wild cluster bootstrap of t, null hypothesis imposed, (STUDIES,).

    Residuals of whole prompts, d - epsilon, times one weight: +-1 (Rademacher), or
    Mammen's two points, whose third moment is 1 and which so keep skewness.
    """
    size = STUDIES // 10, REPLICATES, len(given.size)
    found = []
    for part in np.split(given.total, 10):
        e = part - given.size * epsilon
        root = 5**0.5
        drawn = rng.random(size[1:])
        two = np.where(drawn < (root + 1) / (2 * root), (1 - root) / 2, (1 + root) / 2)
        w = np.where(drawn < 0.5, -1.0, 1.0) if kind == "rademacher" else two
        t0 = _studentised(e.sum(1), (e**2).sum(1), e @ given.size, given.size)
        t = _studentised(e @ w.T, e**2 @ (w**2).T, (e * given.size) @ w.T, given.size)
        low = (t <= t0[:, np.newaxis] + 1e-9).sum(axis=1)
        found.append((low + 1) / (REPLICATES + 1))
    return np.concatenate(found)


def _studentised(
    total: np.ndarray, squares: np.ndarray, with_size: np.ndarray, n: np.ndarray
) -> np.ndarray:
    """The mean over its cluster-robust standard error, from sums."""
    m = total / n.sum()
    variance = squares - 2 * m * with_size + m**2 * (n**2).sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(variance > 1e-9, total / np.sqrt(variance), -np.inf)


def main() -> None:
    """Print each cell, then for each share of ties the largest error of every test."""
    with_wild, power = "--wild" in sys.argv, "--power" in sys.argv
    names = ["published", "CR2", "ours", *(["rademacher", "mammen"] * with_wild)]
    print("epsilon", "prompts", "texts", "ties", *names, "exact", sep=" | ")
    worst: dict[tuple[str, float], list[float]] = {}
    over = dict.fromkeys(names, 0)
    for number, cell in enumerate(grid()):
        if with_wild and (cell.texts in ("10", "1-6") or cell.ties == 0.7):
            continue
        rng = np.random.default_rng([SEED, number])
        given, squares = simulate(cell, 0.0 if power else cell.epsilon, rng)
        tested = clustered.test(given, cell.epsilon)
        p = [
            published(given, squares, cell.epsilon),
            cr2(given, cell.epsilon),
            tested.p,
        ]
        if with_wild:
            kinds = ("rademacher", "mammen")
            p += [wild(given, cell.epsilon, kind, rng) for kind in kinds]
        errors = [float((one <= NOMINAL).mean()) for one in p]
        counted = float((tested.method == clustered.EXACT).mean())
        shown = [f"{error:.3f}" for error in (*errors, counted)]
        print(*cell, *shown, sep=" | ", flush=True)
        for name, error in zip(names, errors, strict=True):
            over[name] += error > LIMIT
        key = "one text" if cell.texts == "1" else "several", cell.ties
        before = worst.get(key, errors)
        worst[key] = [max(both) for both in zip(before, errors, strict=True)]
    print(f"\ncells above {LIMIT}: {over}")
    for (texts, ties), errors in worst.items():
        print(texts, ties, *(f"{error:.3f}" for error in errors), sep=" | ")


if __name__ == "__main__":
    main()
