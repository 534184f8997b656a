"""Several variants of one metric against people, and each against the first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from scoring.stats import compare, counts, resampling
from scoring.stats.analyses import _choice
from scoring.stats.analyses._cells import by_coefficient, cell, of_estimate
from scoring.stats.analyses._setting import FEW_TO_TEST
from scoring.stats.analyses.results.common import ByCoefficient, Number
from scoring.stats.analyses.results.variants import Difference
from scoring.stats.correlation import Coefficient
from scoring.stats.counts import TESTABLE, Draws, Estimate, estimate

NO_VALUE = "this variant does not have this output"
REFERENCE = "what the others are compared with"


@dataclass(frozen=True, slots=True)
class Rivals:
    """One column of a table: the same output of each variant, with one aspect."""

    human: np.ndarray  # (n,)
    scores: list[np.ndarray | None]  # of each variant, (n,) higher is better
    reasons: list[str]  # why a variant has no score at all, "" = it has
    draws: Draws
    signed: Callable[..., str]  # (statistic, variant, **parts) -> signature


def values(rivals: Rivals) -> list[ByCoefficient[Number]]:
    """Each variant's cell for each coefficient."""
    return [
        by_coefficient(partial(_value, rivals, variant))
        for variant in range(len(rivals.scores))
    ]


def _value(rivals: Rivals, variant: int, coefficient: str) -> Number:
    x = rivals.scores[variant]
    if x is None:
        return cell(None, NO_VALUE)
    value, drawn = _both(coefficient, x, rivals.human, rivals.draws)
    if value.value is None and rivals.reasons[variant]:
        value = value._replace(reason=rivals.reasons[variant])
    made = estimate(
        value.value,
        drawn,
        n=value.n,
        n_units=rivals.draws.n_units,
        reason=value.reason,
    )
    return of_estimate(made, rivals.signed(coefficient, variant, n=value.n))


def differences(rivals: Rivals, coefficient: str, reference: int) -> list[Difference]:
    """Each variant minus the reference, on the texts that both have scored."""
    return [
        _none(REFERENCE)
        if variant == reference
        else _difference(rivals, coefficient, variant, reference)
        for variant in range(len(rivals.scores))
    ]


def _difference(
    rivals: Rivals, coefficient: str, variant: int, reference: int
) -> Difference:
    x, base = rivals.scores[variant], rivals.scores[reference]
    if x is None or base is None:
        return _none(NO_VALUE if x is None else "the first does not have this output")
    shared = np.where(np.isnan(x) | np.isnan(base), np.nan, rivals.human)
    first, drawn = _both(coefficient, x, shared, rivals.draws)
    second, drawn_base = _both(coefficient, base, shared, rivals.draws)
    found = compare.paired_bootstrap(
        drawn,
        drawn_base,
        first.value,
        second.value,
        n=first.n,
        n_units=rivals.draws.n_units,
    )
    p, reason = found.p, found.reason
    if p is not None and rivals.draws.n_units < TESTABLE:
        p, reason = None, FEW_TO_TEST
    made = found.estimate
    if made.value is None:
        why = [first.reason, second.reason]
        made = made._replace(reason=next((one for one in why if one), made.reason))
    signature = rivals.signed(coefficient, variant, n=first.n, minus=reference)
    return {
        "difference": of_estimate(made, signature),
        "p": p,
        "adjusted": None,
        "reason": reason,
    }


def adjust(rows: list[Difference]) -> int:
    """Correct all tests of one table for their number (Holm); how many there are."""
    p = np.array([np.nan if row["p"] is None else row["p"] for row in rows], float)
    for row, one in zip(rows, compare.holm(p), strict=True):
        row["adjusted"] = None if np.isnan(one) else float(one)
    return int(np.isfinite(p).sum())


def _none(reason: str) -> Difference:
    made = of_estimate(Estimate(None, None, None, reason, 0))
    return {"difference": made, "p": None, "adjusted": None, "reason": reason}


def _both(
    coefficient: str, x: np.ndarray, y: np.ndarray, draws: Draws
) -> tuple[Coefficient, np.ndarray]:
    """The correlation, and the same in each replicate, (B,)."""
    found = _choice.correlate(coefficient, x, y)
    if found.value is None:
        return found, np.full(len(draws), np.nan)
    drawn = resampling.weighted(coefficient, x[:, None], y[:, None], draws)
    return found, drawn[:, 0, 0]


def draws_of(prompts: np.ndarray, seed: int) -> Draws:
    return counts.draw(prompts, rng=np.random.default_rng(seed))
