"""Strengths of systems with the position and the length of their texts held fixed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from scoring.analyses.preferences.result import Effect, Steady
from scoring.stats import controlled, votes
from scoring.stats.data import Data
from scoring.stats.estimates import Estimate, number
from scoring.stats.preference import elo_of

EFFECTS = ("length", "position")  # the second yields where they go together


def find(
    data: Data,
    cast: votes.Votes,
    ordered: np.ndarray,
    lengths: np.ndarray,
    signed: Callable[..., str],
) -> Steady | None:
    """Both fits of the votes whose lengths are known; None where none is.

    Args:
        data: Whose systems are named.
        cast: The votes.
        ordered: Whether the first was shown first, (k,) bool.
        lengths: Words of the two texts, (k, 2), or (0, 0).
        signed: A statistic, and parts that differ, to its signature.
    """
    longer = controlled.relative_length(*lengths.T) if lengths.size else np.empty(0)
    known = np.isfinite(longer)
    if not known.any():
        return None
    first, second, outcome, unit = (column[known] for column in cast[:4])
    rows = votes.Votes(first, second, outcome, unit, cast.n_items)
    # An SD around 0, not around the mean: swapped texts must have the opposite number.
    one = float(np.sqrt((longer[known] ** 2).mean()))
    scaled = longer[known] / one if one > 0 else longer[known]
    covariates = np.stack([scaled, ordered[known].astype(np.float64)], axis=1)
    plain = controlled.controlled(rows, covariates[:, :0])
    steady = controlled.controlled(rows, covariates)
    made_of = signed(
        "bradley-terry position length", ties="half", interval="sandwich-t"
    )
    beside = signed("bradley-terry", ties="half", interval="sandwich-t")
    voted = [at for at in range(cast.n_items) if plain.strengths[at].n]
    voted.sort(key=lambda at: -(steady.strengths[at].value or -np.inf))
    return {
        "systems": [
            {
                "system": data.systems[at].name,
                "plain": number(elo_of(plain.strengths[at]).with_signature(beside)),
                "steady": number(elo_of(steady.strengths[at]).with_signature(made_of)),
            }
            for at in voted
        ],
        "effects": [
            _effect(key, estimate, one if key == "length" else None, made_of)
            for key, estimate in zip(EFFECTS, steady.effects, strict=True)
        ],
        "n_votes": int(known.sum()),
        "n_unknown": int((~known).sum()),
    }


def _effect(key: str, found: Estimate, one: float | None, signature: str) -> Effect:
    """As the share that it wins between equals: 0.5 = no effect."""
    share = found.transformed(lambda odds: float(1 / (1 + np.exp(-odds))))
    return {**number(share.with_signature(signature)), "key": key, "one": one}
