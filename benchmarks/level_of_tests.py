"""How often each test says that two metrics differ, when they do and when they do not.

python -m benchmarks.level_of_tests
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from scoring.stats import compare, groups
from scoring.stats.counts import draw

SYSTEMS, PROMPTS = 4, 60
SIMULATIONS, REPLICATES = 2000, 400
NOMINAL = 0.05


class Data(NamedTuple):
    """One simulated study of two metrics."""

    x: np.ndarray  # (n, 2)
    z: np.ndarray  # (n,)
    prompts: np.ndarray
    systems: np.ndarray


def simulate(rng: np.random.Generator, taste: float, noise: float) -> Data:
    """People score system, prompt and text; a metric adds its own noise to that.

    Args:
        rng: Draws all of it.
        taste: Spread of what a metric makes of a prompt as such, as one that likes
            long texts does.
        noise: Spread of the second metric's noise; the first has 1.
    """
    n = SYSTEMS * PROMPTS
    prompts, systems = np.arange(n) % PROMPTS, np.arange(n) // PROMPTS
    z = rng.normal(size=n) + 0.5 * rng.normal(size=SYSTEMS)[systems]
    z += 0.7 * rng.normal(size=PROMPTS)[prompts]
    x = z[:, np.newaxis] + rng.normal(size=(n, 2)) * (1, noise)
    x += taste * rng.normal(size=(PROMPTS, 2))[prompts]
    return Data(x, z, prompts, systems)


def p_values(data: Data, rng: np.random.Generator) -> dict[tuple[str, str], float]:
    """Of each test, flat and by prompt."""
    x, z, prompts, systems = data
    found = {("Williams", "flat"): compare.williams_of(*x.T, z).p or 1.0}
    for name, by in (("flat", None), ("by prompt", prompts)):
        for design in ("both", "inputs", "systems"):
            tested = compare.perm_both(
                *x.T, z, groups=by, design=design, inputs=prompts, systems=systems,
                rng=rng, k=REPLICATES - 1,
            )  # fmt: skip
            found[f"swap {design}", name] = tested.p or 1.0
        options = {"coefficient": "pearson", "groups": by}
        values = [groups.correlate(x[:, m], z, **options).value for m in (0, 1)]
        for unit, units in (("prompts", prompts), ("texts", np.arange(len(z)))):
            if unit == "texts" and by is not None:
                continue  # would take texts out of their group
            made = draw(units, rng=rng, draws=REPLICATES)
            r = groups.replicates(x, z[:, np.newaxis], made, **options)[:, :, 0]
            tested = compare.paired_bootstrap(
                *r.T, *values, n=len(z), n_units=made.n_units
            )
            found[f"bootstrap of {unit}", name] = tested.p or 1.0
    return found


def main() -> None:
    """Print a table: a row for each test, the share that it finds to differ."""
    cases = [(0.0, 1.0), (1.0, 1.0), (0.0, 1.3), (1.0, 1.3)]
    shares: dict[tuple[str, str], list[str]] = defaultdict(list)
    for taste, noise in cases:
        rng = np.random.default_rng(7)
        counted: dict[tuple[str, str], int] = defaultdict(int)
        for _ in range(SIMULATIONS):
            for test, p in p_values(simulate(rng, taste, noise), rng).items():
                counted[test] += p <= NOMINAL
        for test, count in counted.items():
            shares[test].append(f"{count / SIMULATIONS:.3f}")
    print(
        "| test | correlation | equal | equal, own taste | differ | differ, own taste |"
        "\n| --- | --- | --- | --- | --- | --- |"
    )
    for (test, name), row in shares.items():
        print(f"| {test} | {name} | {' | '.join(row)} |")


if __name__ == "__main__":
    main()
