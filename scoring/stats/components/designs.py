"""How wide the interval of a difference of two systems will be, in any design."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import scipy  # loads scipy.special when it is first used

from scoring.stats.components.coefficients import Coefficients
from scoring.stats.components.levels import (
    PROMPT,
    RATER,
    RATER_PROMPT,
    RATER_SYSTEM,
    RESIDUAL,
    SYSTEM,
    SYSTEM_PROMPT,
    TEXT,
)
from scoring.stats.counts import LEVEL

Number = TypeVar("Number", float, np.ndarray)


@dataclass(frozen=True, slots=True)
class Design:
    """Who rates how much.

    Raises:
        ValueError: If a number is below 1, a text has more raters than there are, or
            the share is not in [0, 1].
    """

    prompts: int
    raters: int  # of each text
    texts: int = 1  # of each prompt and system
    # Raters in all. None = a crowd: so many that no two prompts share one, and no two
    # texts of a prompt but those that are rated together.
    pool: int | None = None
    # Share of the pairs of systems whose texts for a prompt have the same raters: 1 =
    # who rates a prompt rates all systems; 0 = each text has raters of its own.
    together: float = 1.0

    def __post_init__(self) -> None:
        for name in ("prompts", "raters", "texts"):
            if getattr(self, name) < 1:
                raise ValueError(
                    f"expected at least 1 of {name}, got {getattr(self, name)}"
                )
        if self.pool is not None and self.pool < self.raters:
            raise ValueError(
                f"expected at least {self.raters} raters in all, got {self.pool}"
            )
        if not 0 <= self.together <= 1:
            raise ValueError(f"expected a share in [0, 1], got {self.together}")

    def ratings(self, systems: int) -> int:
        """Of one aspect."""
        return systems * self.prompts * self.texts * self.raters


def per_prompt(variances: Mapping[str, Number], design: Design) -> Number:
    """Variance over prompts of the difference of two systems' means of one prompt.

    2 (s_sp + s_t / T + s_e / (T R) + s_rs (1 / m - 1 / N)), R raters of each of T texts
    of a prompt and system, N raters in all, m = min(T R, N) of them for one prompt.
    Without s_sp, as from one text of each prompt and system, s_t is what prompts add to
    it as well: more texts may average none of that away, so it is not divided by T.
    Rater severity cancels where a rater rates both systems of a prompt; of the share of
    pairs where not, 2 (s_r + s_rp) (1 / m - 1 / N) is added. s_rs and s_r over N is
    what raters keep from one prompt to the next: no interval over prompts shows it, see
    `of_raters`; s_rp over N is what both texts of a prompt share. A crowd has 1 / N = 0
    and m = T R: each of its ratings brings a rater of its own. Effects that are not
    known count as 0: what they add is then in another one.

    Args:
        variances: By effect, in squared units; numbers, or arrays of one shape.
        design: The number of prompts does not matter.

    Returns:
        Not below 0.
    """
    each = design.texts * design.raters
    meet = each if design.pool is None else min(each, design.pool)
    stays = 0.0 if design.pool is None else 1 / design.pool
    apart = design.texts if SYSTEM_PROMPT in variances else 1
    total = _of(variances, SYSTEM_PROMPT) + _of(variances, TEXT) / apart
    total = total + _of(variances, RESIDUAL) / each
    total = total + _of(variances, RATER_SYSTEM) * (1 / meet - stays)
    if design.together < 1:
        own = _of(variances, RATER) + _of(variances, RATER_PROMPT)
        total = total + own * ((1 - design.together) * (1 / meet - stays))
    return np.maximum(2 * total, 0)


def of_raters(variances: Mapping[str, float], design: Design) -> float:
    """Variance of the difference that other raters would add: 2 s_rs / N."""
    if design.pool is None:
        return 0.0
    return 2 * max(variances.get(RATER_SYSTEM, 0.0), 0.0) / design.pool


def half_width(
    variances: Mapping[str, Number], design: Design, *, level: float = LEVEL
) -> Number:
    """Predict half the interval of a difference of two systems over drawn prompts.

    z sqrt(V (P - 1) / P^2), V = `per_prompt`: the percentile interval of a bootstrap,
    whose resamples vary by (P - 1) / P of what new prompts would.

    Args:
        variances: As in `per_prompt`.
        design: How much is rated.
        level: Nominal coverage.

    Returns:
        In points of the scale; NaN for one prompt, of which all resamples are alike.
    """
    z, p = float(scipy.special.ndtri((1 + level) / 2)), design.prompts
    variance = per_prompt(variances, design)
    if p < 2:
        return variance * np.nan
    return z * np.sqrt(variance * (p - 1)) / p


def reliability(variances: Mapping[str, float], design: Design) -> Coefficients:
    """G and Phi of the systems' means, prompts and raters random.

    As `coefficients` with systems measured, but rater effects are divided by how many
    raters the design has in all, or for unknown by how many ratings a system has.
    """
    p, each = design.prompts, design.texts * design.raters
    meet = each if design.pool is None else min(each, design.pool)
    raters = p * each if design.pool is None else design.pool
    own = max(variances.get(SYSTEM, 0.0), 0.0)
    relative = per_prompt(variances, design) / 2 / p
    relative += max(variances.get(RATER_SYSTEM, 0.0), 0.0) / raters
    shared = max(variances.get(PROMPT, 0.0), 0.0) / p
    shared += max(variances.get(RATER, 0.0), 0.0) / raters
    shared += design.together * max(variances.get(RATER_PROMPT, 0.0), 0.0) / (p * meet)
    absolute = float(relative + shared)
    g = own / (own + relative) if own + relative > 0 else None
    phi = own / (own + absolute) if own + absolute > 0 else None
    return Coefficients(own, float(relative), absolute, g, phi)


def _of(variances: Mapping[str, Number], effect: str) -> Number | float:
    return variances.get(effect, 0.0)
