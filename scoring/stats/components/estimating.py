"""The variance components of rated texts, with intervals over prompts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scoring.stats import counts
from scoring.stats.components import henderson
from scoring.stats.components.levels import (
    PROMPT,
    RATER,
    RESIDUAL,
    SYSTEM,
    TEXT,
    Rated,
    levels,
    numbered,
)
from scoring.stats.estimates import Estimate

DRAWS = 500
FEW_PROMPTS = 10
ONE_EACH = "no text has two ratings to tell differences between texts from chance"


class Components(NamedTuple):
    """Variances in squared points of the scale; what is not in `of` is not told apart.

    An estimate below 0 stays so: it makes up for another one that is too large.
    """

    of: dict[str, float]
    resampled: dict[str, np.ndarray]  # by effect, (B,): in resamples of prompts
    left_out: dict[str, str]  # by effect, the reason
    n: dict[str, int]  # systems, prompts, texts, raters (0 = unknown), ratings

    def estimate(self, effect: str) -> Estimate:
        """One of them with its percentile interval over prompts.

        None of systems or raters: resamples of prompts have the same ones, and say
        nothing of others (such an interval of 95 % covers 28 to 53 %). That of the
        other effects covers 85 to 97 %.
        """
        value = self.of.get(effect)
        reason = self.left_out.get(effect)
        if value is not None and effect in (SYSTEM, RATER):
            why = f"other prompts do not show how much other {effect}s would differ"
            return Estimate(value, n=self.n["ratings"], reason=why)
        replicates = self.resampled.get(effect, np.empty(0))
        n, prompts = self.n["ratings"], self.n["prompts"]
        return counts.estimate(value, replicates, n=n, n_units=prompts, reason=reason)


class Estimated(NamedTuple):
    """Components, or why there are none."""

    components: Components | None
    reason: str | None


def estimate(
    rated: Rated, *, rng: np.random.Generator, draws: int = DRAWS
) -> Estimated:
    """Estimate the components by Henderson's method I, and again in resamples.

    Whole prompts are drawn, as for every interval of a study. A prompt that is drawn
    twice repeats its chance as if it were that of its raters, so resamples are biased
    where the estimate is not: they are moved until their mean is the estimate.

    Args:
        rated: Ratings of one aspect; NaN = none, and left out.
        rng: Where the resamples come from.
        draws: How many resamples; 0 = none, and no intervals.

    Returns:
        No components below two systems or ten prompts, if all ratings are equal, or if
        no text has two ratings.
    """
    rated = rated.only(~np.isnan(rated.value))
    n = sizes(rated)
    if reason := _why_not(rated, n):
        return Estimated(None, reason)
    found = levels(rated)
    if TEXT not in found.of:
        return Estimated(None, ONE_EACH)
    prompt = numbered(rated.prompt)
    even = np.full(n["prompts"], 1 / n["prompts"])
    drawn = rng.multinomial(n["prompts"], even, size=draws)
    weights = np.vstack([np.ones((1, n["prompts"]), np.int64), drawn])
    every = henderson.replicates(rated.value, found.of, prompt, weights)
    of = {name: float(values[0]) for name, values in every.items()}
    if np.isnan(of[RESIDUAL]):
        return Estimated(None, "these ratings do not tell the effects apart")
    resampled = {name: _centred(values) for name, values in every.items()}
    return Estimated(Components(of, resampled, found.left_out, n), None)


def sizes(rated: Rated) -> dict[str, int]:
    """How many of each there are."""
    raters = 0 if rated.rater is None else len(np.unique(rated.rater))
    return {
        "systems": len(np.unique(rated.system)),
        "prompts": len(np.unique(rated.prompt)),
        "texts": len(np.unique(rated.text)),
        "raters": raters,
        "ratings": len(rated.value),
    }


def _centred(values: np.ndarray) -> np.ndarray:
    """Resamples of an estimate, which comes first, around it."""
    resampled = values[1:]
    known = np.isfinite(resampled)
    if not known.any():
        return resampled
    return resampled - resampled[known].mean() + values[0]


def _why_not(rated: Rated, n: dict[str, int]) -> str:
    if n["systems"] < 2:
        return f"fewer than two {SYSTEM}s have ratings"
    if n["prompts"] < FEW_PROMPTS:
        return f"fewer than {FEW_PROMPTS} {PROMPT}s have ratings"
    return "all ratings are equal" if np.ptp(rated.value) == 0 else ""
