"""How often equal systems and equal metrics are told apart, after Holm.

OMP_NUM_THREADS=1 python -m benchmarks.level_of_tests [--studies 5000]

A study counts where any pair has an adjusted p below 0.05: at most 5 % should, and
0.65 % more are simulation. Studies are computed many at once with the functions that
the pages use; power is that of the last of the metrics, or systems, being better.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy

from benchmarks.cells import on_all_processors, table
from benchmarks.worlds import WORLDS, studies
from scoring.stats import cluster_t, jackknife
from scoring.stats._grouped import in_groups
from scoring.stats.by_prompt import of_ratio
from scoring.stats.compare import holm
from scoring.stats.groups import policy

SYSTEMS, FEW = (2, 5, 10), (5, 6, 10, 20, 40, 100)
METRICS, MANY = (2, 8, 20), (10, 20, 30, 60, 150)
MOST = 0.065  # of studies, after which a cell is repeated with four times as many
BATCH = 20_000  # prompts of all studies of a batch
BETTER = 0.4  # the last system's mean, and less noise of the last metric


class Cell(NamedTuple):
    of: str  # "systems" or "metrics"
    world: str
    prompts: int
    k: int
    studies: int
    better: bool = False
    again: bool = False

    def seed(self, of: int) -> list[int]:
        world = list(WORLDS).index(self.world)
        return [of, world, self.prompts, self.k, self.better, self.again]


SIZES = {"systems": (FEW, SYSTEMS), "metrics": (MANY, METRICS)}


def computed(cell: Cell) -> tuple[float, float]:
    return of_systems(cell) if cell.of == "systems" else of_metrics(cell)


def cells(of: str, world: str, studies: int, *, better: bool = False) -> list[Cell]:
    prompts, sizes = SIZES[of]
    return [Cell(of, world, u, k, studies, better) for u in prompts for k in sizes]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--studies", type=int, default=5000)
    n = parser.parse_args().studies
    worlds = "middle", "skewed", "two-valued"
    level = [c for of in SIZES for world in worlds for c in cells(of, world, n)]
    power = [c for of in SIZES for c in cells(of, "middle", n // 5, better=True)]
    slowest_first = sorted(level + power, key=lambda c: -c.prompts * c.k**2)
    found = results(slowest_first)
    missed = [c for c in level if found[c][0] > MOST]
    again = {c: c._replace(studies=4 * n, again=True) for c in missed}
    repeated = results(list(again.values()))

    def share(cell: Cell) -> str:
        if cell in again:
            return f"{100 * repeated[again[cell]][0]:.1f}*"
        return f"{100 * found[cell][0]:.1f}"

    def beside(cell: Cell) -> str:
        return " / ".join(f"{100 * part:.1f}" for part in found[cell])

    for of, (_, sizes) in SIZES.items():
        for world in worlds:
            print(f"\n## {world}: {of}, percent of studies with any p < 0.05\n")
            print(rows(cells(of, world, n), sizes, share))
        print(f"\n## Power among {of} (this test / t over prompts with scipy)\n")
        print(rows(cells(of, "middle", n // 5, better=True), sizes, beside))


def results(cells: list[Cell]) -> dict[Cell, tuple[float, float]]:
    return dict(zip(cells, on_all_processors(computed, cells), strict=True))


def rows(cells: list[Cell], sizes: tuple[int, ...], text: Callable[[Cell], str]) -> str:
    lines = [cells[k : k + len(sizes)] for k in range(0, len(cells), len(sizes))]
    return table(
        ["prompts", *sizes], [[line[0].prompts, *map(text, line)] for line in lines]
    )


def any_found(p: np.ndarray) -> np.ndarray:
    """Whether any test of each study (n, pairs) is significant: Holm's first step."""
    n_tests = np.isfinite(p).sum(axis=1)
    smallest = np.where(np.isfinite(p), p, 1.0).min(axis=1)
    found: np.ndarray = smallest * np.maximum(1, n_tests) < 0.05
    return found


def found_pair(p: np.ndarray, pair: int) -> np.ndarray:
    return np.array([holm(row)[pair] < 0.05 for row in p])


def of_systems(cell: Cell) -> tuple[float, float]:
    """Share of studies in which the test finds something, and in which scipy's does."""
    world, prompts, k, n = WORLDS[cell.world], cell.prompts, cell.k, cell.studies
    better, rng = cell.better, np.random.default_rng(cell.seed(1))
    means = (*[0.0] * (k - 1), BETTER if better else 0.0)
    ours, theirs = [], []
    step = max(1, 100 // k)
    first, second = np.triu_indices(k, 1)
    for start in range(0, n, step):
        b = min(step, n - start)
        scores = studies(rng, world, b, prompts, systems=means).ratings.mean(axis=-1)
        # All studies of a batch share the numbers of their prompts, and no pair is of
        # two studies.
        at = np.indices(scores.shape)
        found = cluster_t.means(
            scores.ravel(), (at[0] * k + at[2]).ravel(), b * k, at[1].ravel()
        )
        p = cluster_t.differences(found).tests.p.reshape(b, k, b, k)
        p = np.stack([p[j, :, j, :][first, second] for j in range(b)])
        if better:
            plain = scipy.stats.ttest_rel(
                scores[..., first], scores[..., second], axis=1
            )
            ours.append(found_pair(p, -1))
            theirs.append(found_pair(plain.pvalue, -1))
        else:
            ours.append(any_found(p))
    power = float(np.concatenate(theirs).mean()) if theirs else np.nan
    return float(np.concatenate(ours).mean()), power


def coefficients(
    x: np.ndarray, y: np.ndarray, coefficient: str = "pearson"
) -> tuple[np.ndarray, np.ndarray]:
    """Values and weights of each prompt, (prompts, studies, metrics).

    Args:
        x: (studies, prompts, systems, metrics).
        y: (studies, prompts, systems).
    """
    n, u, s, m = x.shape
    at = np.repeat(np.arange(n * u), s)
    found = in_groups(coefficient, x.reshape(-1, m), y.reshape(-1, 1), at, n * u)
    values, counts = policy(found, "zero", 3)
    shape = n, u, m
    return (
        values.reshape(shape).swapaxes(0, 1),
        counts.reshape(shape).swapaxes(0, 1),
    )


def of_metrics(cell: Cell) -> tuple[float, float]:
    """The same among metrics, by prompt."""
    world, prompts, k, n = WORLDS[cell.world], cell.prompts, cell.k, cell.studies
    better, rng = cell.better, np.random.default_rng(cell.seed(2))
    noise = (*[0.8] * (k - 1), BETTER if better else 0.8)
    ours, theirs = [], []
    first, second = np.triu_indices(k, 1)
    step = max(1, BATCH // prompts)
    for start in range(0, n, step):
        b = min(step, n - start)
        made = studies(rng, world, b, prompts, noise=noise)
        values, counts = coefficients(made.metrics, made.ratings.mean(axis=-1))
        of = of_ratio(counts * values, counts)
        p = np.full((b, len(first)), np.nan)
        for at, (i, j) in enumerate(zip(first, second, strict=True)):
            difference = jackknife.contrast(
                (1, of.at(slice(None), i)), (-1, of.at(slice(None), j))
            )
            p[:, at] = jackknife.tested(difference).p
        if better:
            ours.append(found_pair(p, -1))
            theirs.append(found_pair(plain_t(values, counts, first, second), -1))
        else:
            ours.append(any_found(p))
    power = float(np.concatenate(theirs).mean()) if theirs else np.nan
    return float(np.concatenate(ours).mean()), power


def plain_t(
    values: np.ndarray, counts: np.ndarray, first: np.ndarray, second: np.ndarray
) -> np.ndarray:
    """Scipy's paired t over the prompts that count, with ten or more."""
    there = counts[:, :, 0] > 0
    p = np.full((values.shape[1], len(first)), np.nan)
    for study in np.flatnonzero(there.sum(axis=0) >= jackknife.LEAST):
        r = values[there[:, study], study]
        p[study] = scipy.stats.ttest_rel(r[:, first], r[:, second]).pvalue
    return p


if __name__ == "__main__":
    main()
