"""Several variants of one metric against people, and each against the first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from scoring.analyses.shared.cells import by_coefficient
from scoring.analyses.shared.grouping import Within
from scoring.analyses.shared.result import ByCoefficient
from scoring.analyses.variants.result import Difference
from scoring.stats import compare, jackknife
from scoring.stats.correlation import Coefficient
from scoring.stats.estimates import Estimate, Number, number
from scoring.stats.jackknife import Jackknifed, LeaveOut

NO_VALUE = "this variant does not have this output"
REFERENCE = "what the others are compared with"


@dataclass(frozen=True, slots=True)
class Rivals:
    """One column of a table: the same output of each variant, with one aspect."""

    human: np.ndarray  # (n,)
    scores: list[np.ndarray | None]  # of each variant, (n,) higher is better
    reasons: list[str]  # why a variant has no score at all, "" = it has
    left: LeaveOut
    within: Within  # what texts are compared within
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
        return number(Estimate(None, reason=NO_VALUE))
    value, jackknifed = _both(rivals, coefficient, x, rivals.human)
    if value.value is None and rivals.reasons[variant]:
        value = value._replace(reason=rivals.reasons[variant])
    made = jackknife.estimate(jackknifed, n=value.n, reason=value.reason)
    return number(made.with_signature(rivals.signed(coefficient, variant, n=value.n)))


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
    first, ours = _both(rivals, coefficient, x, shared)
    second, theirs = _both(rivals, coefficient, base, shared)
    why = first.reason or second.reason
    made, p, reason = jackknife.difference(ours, theirs, n=first.n, reason=why)
    signature = rivals.signed(coefficient, variant, n=first.n, minus=reference)
    return {
        "difference": number(made.with_signature(signature)),
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
    made = number(Estimate(None, n=0, reason=reason))
    return {"difference": made, "p": None, "adjusted": None, "reason": reason}


def _both(
    rivals: Rivals, coefficient: str, x: np.ndarray, y: np.ndarray
) -> tuple[Coefficient, Jackknifed]:
    """The correlation, and the same without each prompt."""
    found = rivals.within.correlate(coefficient, x, y)
    return found, rivals.within.jackknifed(coefficient, x, y, rivals.left).at(0, 0)


def left_out(prompts: np.ndarray, seed: int) -> LeaveOut:
    """Every prompt in turn."""
    return jackknife.leave_out(prompts, rng=np.random.default_rng(seed))
