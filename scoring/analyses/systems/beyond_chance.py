"""Metrics of whole systems: their values, and how far these exceed chance."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from scoring.analyses.systems.result import Mean, MetricPair
from scoring.stats import compare, signature
from scoring.stats.data import BESIDE, Data, Output
from scoring.stats.estimates import Estimate, number
from scoring.stats.seeds import Spread, spread

ONE_NUMBER = "one number of all texts: no interval"
NO_NUMBER = "the metric has no number for this system"
SAME = "all systems have the same value"
NO_TEST = "the texts of these two systems were not compared"
ROUNDING = 1e-12  # relative to the largest value
# The area outside the ends of a curve between 0 and 1.
ROUNDING_OF_SHARES = 1e-6


def same_for_all(means: np.ndarray, output: Output) -> bool:
    """Whether all systems that have a value have the same, except for rounding.

    Args:
        means: Over seeds, of each system; NaN = none.
        output: What they are of.
    """
    there = means[np.isfinite(means)]
    if len(there) < 2:
        return False
    share = "[0, 1]" in output.unit
    least = ROUNDING_OF_SHARES if share else ROUNDING * np.abs(there).max()
    return bool(np.ptp(there) <= least)


def means(data: Data, places: list[int], k: int) -> list[Mean]:
    """The value of each system by an output, with what comes with it."""
    signed = signature.text("score", metric=data.system_outputs[k].id, level="systems")
    over_seeds, values = spread(data.system_seeds), data.system_scores
    return [
        _with_beside(data, p, k, _of_seeds(values[p, k], over_seeds, (p, k), signed))
        for p in places
    ]


def _of_seeds(
    mean: float, over_seeds: Spread, at: tuple[int, int], signed: str
) -> Mean:
    """What a metric gives one system; with chance, over seeds."""
    n = int(over_seeds.n[at])
    if n == 0:
        return {**number(Estimate(None, reason=NO_NUMBER, signature=signed))}
    if n == 1:
        return {**number(Estimate(float(mean), reason=ONE_NUMBER, signature=signed))}
    why = f"mean over {n} seeds ± their standard deviation: no interval"
    made = number(Estimate(float(mean), reason=why, signature=signed))
    return {**made, "std": float(over_seeds.std[at]), "seeds": n}


def _with_beside(data: Data, place: int, k: int, found: Mean) -> Mean:
    if not data.system_beside.size or found["value"] is None:
        return found
    told = dict(zip(BESIDE, data.system_beside[place, k].tolist(), strict=True))
    made: Mean = {**found}
    if np.isfinite(told["spread"]):
        made["spread"] = told["spread"]
        made["reason"] = "± is the standard deviation over texts: no interval"
    if np.isfinite(told["chance"]):
        made["chance"] = told["chance"]
        made["excess"] = found["value"] - told["chance"]
        made["p"] = told["p"]
    return made


def pairs(data: Data, places: list[int], k: int) -> list[MetricPair]:
    """Each pair of systems whose texts were tested; p also adjusted for all pairs."""
    if not data.system_pairs.size:
        return []
    every = list(combinations(range(len(places)), 2))
    p = np.array([data.system_pairs[places[a], places[b], k] for a, b in every])
    if not np.isfinite(p).any():
        return []
    output, values = data.system_outputs[k], data.system_scores
    family = int(np.isfinite(p).sum())
    test = {"metric": output.id, "level": "systems", "test": "permutation"}
    plain = signature.text("difference", **test)
    holm = signature.text("difference", **test, correction="holm", family=family)
    found: list[MetricPair] = []
    for (a, b), one, adjusted in zip(every, p, compare.holm(p), strict=True):
        known = bool(np.isfinite(one))
        why = None if known else NO_TEST
        gap = float(values[places[a], k] - values[places[b], k])
        found.append(
            {
                "first": a,
                "second": b,
                "difference": number(
                    Estimate(gap if known else None, reason=why, signature=plain)
                ),
                "p": number(
                    Estimate(float(one) if known else None, reason=why, signature=plain)
                ),
                "adjusted": number(
                    Estimate(
                        float(adjusted) if known else None, reason=why, signature=holm
                    )
                ),
            }
        )
    return found
