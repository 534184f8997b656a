"""Asks ppi-python for means with intervals on numbers of a seed.

    pip install ppi-python; python tests/golden/make_saved.py

writes saved.json beside it. Tests read the numbers alone.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

CASES = ((40, 160, 0.9), (60, 500, 0.5), (100, 100, 0.0), (30, 900, -0.6))


def case(n: int, more: int, r: float, rng: np.random.Generator) -> dict[str, object]:
    f = np.round(rng.normal(3, 1, n + more), 3)
    y = np.clip(np.round(3 + r * (f - 3) + rng.normal(0, 0.7, n + more)), 1, 5)
    known = y[:n], f[:n], f[n:]
    found = []
    for weight in (None, 0.0, 0.4, 1.0):
        low, high = ppi_mean_ci(*known, alpha=0.05, lam=weight)
        value = ppi_mean_pointestimate(*known, lam=weight)
        ends = [float(np.ravel(one)[0]) for one in (value, low, high)]
        found.append({"weight": weight, "found": ends})
    return {"n": n, "y": y[:n].tolist(), "f": f.tolist(), "found": found}


def main() -> None:
    rng = np.random.default_rng(20261123)
    made = {
        "ppi-python": version("ppi-python"),
        "cases": [case(*one, rng) for one in CASES],
    }
    path = Path(__file__).with_name("saved.json")
    path.write_text(json.dumps(made) + "\n")


if __name__ == "__main__":
    main()
