"""Asks choix and arena-rank for strengths from votes that lean to long and first texts.

    python tests/golden/make_controlled.py

prints the numbers of controlled.json. Tests read the numbers alone.
"""

import json
import sys
from importlib.metadata import version

import choix
import jax.numpy as jnp
import numpy as np
from arena_rank.models.contextual_bradley_terry import ContextualBradleyTerry
from arena_rank.utils.data_utils import ContextualPairDataset

N, K = 5, 600
TRUE = np.array([0.9, 0.4, 0.0, -0.3, -1.0])
REGULARISED = (0.01, 1.0)


def votes(rng: np.random.Generator) -> dict[str, np.ndarray]:
    first = rng.integers(N, size=K)
    second = (first + 1 + rng.integers(N - 1, size=K)) % N
    ahead = TRUE[first] - TRUE[second]
    longer = np.round(np.tanh(rng.normal(0.3 * ahead, 0.5)), 3)
    wins = 0.85 / (1 + np.exp(-(ahead + 0.3 + 1.2 * longer)))
    drawn = rng.random(K)
    outcome = np.where(drawn < wins, 1, np.where(drawn < wins + 0.15, 0, 2))
    return {"first": first, "second": second, "outcome": outcome, "longer": longer}


def decided(cast: dict[str, np.ndarray]) -> list[float]:
    pairs = [
        (int(a), int(b)) if won == 1 else (int(b), int(a))
        for a, b, won in zip(
            cast["first"], cast["second"], cast["outcome"], strict=True
        )
        if won
    ]
    found = choix.opt_pairwise(N, pairs, alpha=0.0, method="Newton-CG", tol=1e-14)
    return (found - found.mean()).tolist()


def arena(cast: dict[str, np.ndarray], reg: float) -> dict[str, object]:
    given = ContextualPairDataset(
        [str(item) for item in range(N)],
        jnp.array(np.stack([cast["first"], cast["second"]], axis=1)),
        jnp.array(np.where(cast["outcome"] == 0, 0.5, cast["outcome"] == 1)),
        jnp.array(np.stack([np.ones(K), cast["longer"]], axis=1)),
        jnp.ones(K),
    )
    model = ContextualBradleyTerry(
        N, 2, reg=reg, max_iter=100_000, ftol=1e-16, gtol=1e-12
    )
    model.fit(given)
    ratings = np.array(model.params["ratings"])
    return {
        "reg": reg,
        "ratings": (ratings - ratings.mean()).tolist(),
        "coeffs": np.array(model.params["coeffs"]).tolist(),
    }


def main() -> None:
    cast = votes(np.random.default_rng(20261122))
    made_by = [f"{name} {version(name)}" for name in ("choix", "arena-rank")]
    json.dump(
        {
            "made_by": ", ".join(made_by),
            "command": "python tests/golden/make_controlled.py",
            "note": "outcome 1 = first wins, 2 = second wins, 0 = tie; log strengths of"
            " mean 0; coeffs of (1, longer)",
            **{name: column.tolist() for name, column in cast.items()},
            "decided": decided(cast),
            "arena": [arena(cast, reg) for reg in REGULARISED],
        },
        sys.stdout,
        indent=1,
    )


if __name__ == "__main__":
    main()
