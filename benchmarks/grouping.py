"""Whether the rule of `scoring/stats/grouping.py` compares the texts that it should.

OMP_NUM_THREADS=1 python -m benchmarks.grouping FILE [--simulations 200] [--only WORD]

Truth: the correlation of a metric with people among texts of one prompt, over all
prompts that there could be. It is known, because texts are drawn from a model. Each
simulation draws prompts for the same systems, takes all three groupings, and asks how
far each is from the truth and whether its interval holds it. Metrics:

honest    knows as much of a text as makes its correlation 0.5 among texts of one
          prompt, and as much of how hard a prompt is for people as it can
prompts   knows how hard each prompt is, and nothing else: its truth is 0
style     tells systems apart by something that has nothing to do with how good they
          are, drawn again in each simulation, and knows nothing else: its truth is 0

FILE keeps the counts of each cell: a run that is stopped goes on from there. Tables in
markdown.
"""

from __future__ import annotations

import argparse
import json
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from scoring.stats.counts import Draws, draw, interval
from scoring.stats.grouping import choose
from scoring.stats.groups import replicates

PROMPTS = (6, 10, 15, 20, 40, 100)
SYSTEMS = (2, 3, 4, 8)
# Variance between prompts, where texts of one system and prompt have 1.
VARIANCES = (0.0, 0.5, 2.0)
OF_SYSTEMS = 0.3  # variance between systems
NOISE = 0.25  # variance of the mean of some raters
WITHIN = 0.5  # correlation of the honest metric among texts of one prompt
METRICS = ("honest", "prompts", "style")
TRUTHS = (WITHIN, 0.0, 0.0)
GROUPINGS = ("none", "item", "system")
COEFFICIENT = "pearson"
DRAWS = 300  # resamples of prompts


class Cell(NamedTuple):
    """A kind of study."""

    prompts: int
    systems: int
    variance: float  # between prompts
    shared: bool  # each prompt has a text of each system; else of one of them

    @property
    def name(self) -> str:
        shared = "shared" if self.shared else "apart"
        return f"{self.prompts} x {self.systems}, {self.variance:g}, {shared}"


class Study(NamedTuple):
    x: np.ndarray  # (n, 3) scores
    y: np.ndarray  # (n,)
    prompt: np.ndarray  # (n,)
    system: np.ndarray  # (n,)


Counts = dict[str, list[float]]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("--simulations", type=int, default=200)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    kept = json.loads(asked.file.read_text()) if asked.file.exists() else {}
    for cell in cells():
        if asked.only in cell.name and cell.name not in kept:
            kept[cell.name] = simulated(cell, asked.simulations)
            asked.file.write_text(json.dumps(kept))
    print("\n".join(report(kept)))


def cells() -> Iterator[Cell]:
    for systems, variance, prompts in product(SYSTEMS, VARIANCES, PROMPTS):
        yield Cell(prompts, systems, variance, True)
    for systems, variance, texts in product((2, 4), VARIANCES, (10, 20, 40)):
        yield Cell(systems * texts, systems, variance, False)


def effects(n_systems: int) -> np.ndarray:
    """Systems as far apart as normal ones, with a variance of `OF_SYSTEMS`, (S,)."""
    found = norm.ppf((np.arange(n_systems) + 0.5) / n_systems)
    return np.asarray(found * np.sqrt(OF_SYSTEMS / (found**2).mean()))


def study(cell: Cell, rng: np.random.Generator) -> Study:
    prompt = np.arange(cell.prompts)
    system = prompt % cell.systems
    if cell.shared:
        prompt = np.repeat(prompt, cell.systems)
        system = np.tile(np.arange(cell.systems), cell.prompts)
    n = len(prompt)
    hard = np.sqrt(cell.variance) * rng.normal(size=cell.prompts)[prompt]
    good = effects(cell.systems)[system] + rng.normal(size=n)
    y = hard + good + np.sqrt(NOISE) * rng.normal(size=n)
    x = [
        hard + good + np.sqrt(_noise()) * rng.normal(size=n),
        hard + 0.1 * rng.normal(size=n),
        rng.normal(size=cell.systems)[system] + 0.1 * rng.normal(size=n),
    ]
    return Study(np.column_stack(x), y, prompt, system)


def _noise() -> float:
    """Variance that makes the honest metric correlate as `WITHIN` says."""
    good = OF_SYSTEMS + 1
    return good**2 / (WITHIN**2 * (good + NOISE)) - good


def simulated(cell: Cell, simulations: int) -> Counts:
    """Values (sum, squared error) and intervals that hold, by metric and grouping."""
    kept: Counts = {}
    for seed in range(simulations):
        rng = np.random.default_rng([seed, *cell.name.encode()])
        made = study(cell, rng)
        draws = _and_all(draw(made.prompt, rng=rng, draws=DRAWS))
        groups = dict(zip(GROUPINGS, (None, made.prompt, made.system), strict=True))
        for grouping, of in groups.items():
            many = replicates(
                made.x, made.y, draws, coefficient=COEFFICIENT, groups=of
            )[:, :, 0]
            if np.isnan(many[0]).any():
                continue
            low, high, _ = interval(many[1:])
            for k, metric in enumerate(METRICS):
                error = float(many[0, k]) - TRUTHS[k]
                held = bool(low[k] <= TRUTHS[k] <= high[k])
                _add(kept, f"{metric} {grouping}", 1.0, error, error**2, held)
    return kept


def _and_all(draws: Draws) -> Draws:
    """With each prompt once, first: the value itself."""
    return Draws((np.insert(draws.counts[0], 0, 1, axis=0),), draws.at)


def _add(kept: Counts, name: str, *values: float) -> None:
    before = kept.get(name, [0.0] * len(values))
    kept[name] = [one + float(more) for one, more in zip(before, values, strict=True)]


# Words --------------------------------------------------------------------------------


def report(kept: dict[str, Counts]) -> Iterator[str]:
    """Errors of each grouping, and for each metric bias and percent held."""
    of_metrics = "".join(f" {m}: {g} |" for m in METRICS for g in GROUPINGS)
    errors = "".join(f" error: {g} |" for g in GROUPINGS)
    yield f"| prompts x systems | variance | rule | best |{errors}{of_metrics}"
    yield "|" + " --- |" * (4 + 4 * len(GROUPINGS))
    for cell in cells():
        if cell.name in kept:
            yield _row(cell, kept[cell.name])


def _row(cell: Cell, one: Counts) -> str:
    found = {g: error(one, g) for g in GROUPINGS}
    size = f"{cell.prompts} x {cell.systems}" + ("" if cell.shared else " apart")
    parts = [
        size,
        f"{cell.variance:g}",
        rule(cell),
        min(found, key=lambda g: found[g]),
        *(f"{of:.2f}" if np.isfinite(of) else "—" for of in found.values()),
        *(_told(one, f"{m} {g}") for m in METRICS for g in GROUPINGS),
    ]
    return "| " + " | ".join(parts) + " |"


def rule(cell: Cell) -> str:
    """What the rule chooses for such a study: it only counts texts."""
    made = study(cell, np.random.default_rng(0))
    return choose(
        "auto",
        made.y[:, np.newaxis],
        prompt=made.prompt,
        system=made.system,
    ).grouping


def error(one: Counts, grouping: str) -> float:
    """Root of the mean squared error, averaged over metrics: a study may have any."""
    names = [f"{metric} {grouping}" for metric in METRICS]
    if not all(name in one for name in names):
        return np.inf
    return float(np.mean([np.sqrt(one[name][2] / one[name][0]) for name in names]))


def _told(one: Counts, name: str) -> str:
    if name not in one:
        return "—"
    n, bias, _, held = one[name]
    return f"{bias / n:+.2f}, {100 * held / n:.0f}"


if __name__ == "__main__":
    main()
