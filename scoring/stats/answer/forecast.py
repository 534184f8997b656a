"""How many more prompts would decide what is open, and when none would."""

from __future__ import annotations

import math

import scipy  # loads scipy.stats, which takes a second, when it is first used

from scoring.stats.answer.chips import Chip
from scoring.stats.answer.contributions import Contrast
from scoring.stats.answer.evidence import Evidence
from scoring.stats.answer.margins import ALPHA, MIN_PROMPTS, MOST, POWER

FEW = 0.1  # of the present prompts: "a few"


def prompts_more(chip: Chip, evidence: Evidence, n_tests: int) -> int | None:
    """Prompts more that would decide, if the differences are as observed.

    n = P ((z_a + z_power) se / d)^2 for the claim that is the nearest, with Holm's
    first step for a.

    Args:
        chip: Only "unclear", "beats" and "few" are open.
        evidence: Of the metric.
        n_tests: Metrics that p is adjusted for.

    Returns:
        One significant digit, and at least a tenth of the present prompts; None where
        nothing is open, or more than ten times the present prompts would be needed.
    """
    if chip == "few":
        return max(1, MIN_PROMPTS - evidence.n_prompts)
    open_claims = {"unclear": _over_guesses, "beats": _beside_rater}
    if chip not in open_claims:
        return None
    n = evidence.n_prompts
    needed = min(open_claims[chip](evidence, ALPHA / max(1, n_tests)), default=math.inf)
    if needed > (1 + MOST) * n:
        return None
    more = max(needed - n, FEW * n, 1)
    digit = 10 ** math.floor(math.log10(more))
    return math.ceil(more / digit) * digit


def _over_guesses(e: Evidence, alpha: float) -> list[float]:
    """To show that it beats each guess, or that it adds little."""
    beats = [_needed(c, c.value, e.n_prompts, alpha / 2) for c in e.beats.values()]
    found = [max(beats)] if beats else []
    if e.little:
        little = e.little[e.hardest]
        found.append(_needed(little, little.value, e.n_prompts, alpha))
    return found


def _beside_rater(e: Evidence, alpha: float) -> list[float]:
    if e.rater_gap is None or e.keeps is None:
        return []
    return [
        _needed(e.rater_gap, abs(e.rater_gap.value), e.n_prompts, alpha / 2),
        _needed(e.keeps, e.keeps.value, e.n_prompts, alpha),
    ]


def _needed(contrast: Contrast, effect: float, n: int, alpha: float) -> float:
    """Prompts in all; infinite where the effect points the other way."""
    if not effect > 0 or math.isnan(contrast.se):
        return math.inf
    z = scipy.special.ndtri
    reach = -float(z(alpha)) + float(z(POWER))
    return n * (reach * contrast.se / effect) ** 2
