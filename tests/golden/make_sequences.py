"""Asks confseq for confidence sequences of the differences that a study would have.

    python tests/golden/make_sequences.py

prints the numbers of sequences.json. Tests read the numbers alone. confseq 0.0.11 needs
numpy below 2.
"""

import json
import sys
from importlib.metadata import version

import numpy as np
from confseq.betting import betting_cs, betting_mart
from confseq.betting_strategies import lambda_predmix_eb

WIDTH, HORIZON, MOST, PRIOR = 4.0, 100, 0.95, 1 / 64
BREAKS = 20_000
LOOKS = (1, 5, 20, 60)
MEANS = (-1.5, -0.2, 0.0, 0.3, 2.0)


def made(alpha: float) -> dict[str, object]:
    def bets(x: np.ndarray, m: float) -> np.ndarray:
        return lambda_predmix_eb(
            x, alpha=alpha / 2, fixed_n=HORIZON, prior_variance=PRIOR
        )

    return {"bets": bets, "trunc_scale": MOST, "m_trunc": True, "alpha": alpha}


def case(d: np.ndarray, alpha: float) -> dict[str, object]:
    x, how = (d + WIDTH) / (2 * WIDTH), made(alpha)
    bets = how.pop("bets")
    capital = {
        str(mean): np.asarray(
            betting_mart(
                x,
                (mean + WIDTH) / (2 * WIDTH),
                lambdas_fn_positive=bets,
                lambdas_fn_negative=bets,
                theta=1.0,
                **how,
            )
        )[-1]
        for mean in MEANS
    }
    low, high = betting_cs(
        x,
        lambdas_fns_positive=bets,
        lambdas_fns_negative=bets,
        breaks=BREAKS,
        running_intersection=True,
        **how,
    )
    ends = {
        str(n): [2 * WIDTH * end[n - 1] - WIDTH for end in (low, high)] for n in LOOKS
    }
    return {"differences": d.tolist(), "alpha": alpha, "capital": capital, "ends": ends}


def main() -> None:
    rng = np.random.default_rng(3)
    found = []
    for mean, spread, alpha in ((0.0, 1, 0.05), (0.6, 0.8, 0.05), (-1.0, 1.5, 0.005)):
        d = np.rint(3 * rng.normal(mean, spread, max(LOOKS))) / 3
        found.append(case(np.clip(d, -WIDTH, WIDTH).round(6), alpha))
    json.dump(
        {"confseq": version("confseq"), "breaks": BREAKS, "cases": found},
        sys.stdout,
        indent=1,
    )


if __name__ == "__main__":
    main()
