"""Ratings of known components."""

from __future__ import annotations

import numpy as np

from scoring.stats.components.levels import Rated


def simulated(
    *,
    seed: int = 0,
    prompts: int = 30,
    systems: int = 4,
    texts: int = 2,
    each: int = 3,
    raters: int | None = 9,
    system: float = 0.4,
    prompt: float = 0.4,
    text: float = 0.6,
    rater: float = 0.4,
    residual: float = 0.7,
) -> Rated:
    """By standard deviations; raters are drawn for each page, or unknown."""
    rng = np.random.default_rng(seed)
    shape = prompts, texts, systems, each
    p, t, s, _ = np.indices(shape)
    number = (p * texts + t) * systems + s
    value = 3 + rng.normal(0, system, systems)[s] + rng.normal(0, prompt, prompts)[p]
    value += rng.normal(0, text, prompts * texts * systems)[number]
    value += rng.normal(0, residual, shape)
    if raters is None:
        return Rated(value.ravel(), s.ravel(), p.ravel(), number.ravel())
    who = rng.random((prompts, texts, 1, raters)).argsort(axis=3)[:, :, :, :each]
    who = np.broadcast_to(who, shape)
    value += rng.normal(0, rater, raters)[who]
    return Rated(value.ravel(), s.ravel(), p.ravel(), number.ravel(), who.ravel())
