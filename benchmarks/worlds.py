"""Simulated studies in four worlds, many at once: for intervals and tests.

People's answers and metrics see the same hidden quality of a text: of its prompt, of
its system and its own. A world says where the points of the scale lie, how far prompts
and texts differ, and how noisy a rater is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

RATERS = 3


SYSTEMS = (-0.45, -0.15, 0.15, 0.45)  # means of four that differ


class World(NamedTuple):
    """Standard deviations are of the hidden quality; cuts are limits of the points."""

    cuts: tuple[float, ...]
    prompt: float
    text: float
    rater: float
    systems: tuple[float, ...] = SYSTEMS


WORLDS = {
    "middle": World((-1.5, -0.5, 0.5, 1.5), 0.7, 0.6, 0.8),
    "skewed": World((-3.0, -2.4, -1.6, -0.6), 0.7, 0.6, 0.8),
    "low agreement": World((-1.5, -0.5, 0.5, 1.5), 0.5, 0.3, 1.5),
    "two-valued": World((-0.6,), 0.7, 0.6, 0.8),
}
# Methods were chosen by the worlds above: see coverage_of_intervals.md.
OTHER_WORLDS = {
    "three systems": World((-1.5, -0.5, 0.5, 1.5), 0.7, 0.6, 0.8, (-0.4, 0.0, 0.4)),
    "eight systems": World(
        (-1.5, -0.5, 0.5, 1.5), 0.7, 0.6, 0.8, tuple(np.linspace(-0.7, 0.7, 8))
    ),
    "systems far apart": World(
        (-1.5, -0.5, 0.5, 1.5), 0.7, 0.3, 0.8, (-1.5, -0.5, 0.5, 1.5)
    ),
    "raters agree": World((-2.0, -1.0, 0.0, 1.0, 2.0), 0.3, 1.2, 0.3),
    "skewed, low agreement": World((-3.0, -2.4, -1.6, -0.6), 0.5, 0.5, 1.5),
}


class Studies(NamedTuple):
    """Axes: studies, prompts, systems, and raters or metrics."""

    ratings: np.ndarray
    metrics: np.ndarray


def studies(
    rng: np.random.Generator,
    world: World,
    n: int,
    prompts: int,
    *,
    systems: tuple[float, ...] | None = None,
    noise: tuple[float, ...] = (0.8,),
) -> Studies:
    """Draw n studies; `noise` is the standard deviation of each metric."""
    means = np.array(world.systems if systems is None else systems)
    shape = n, prompts, len(means)
    quality = rng.normal(0, world.prompt, (n, prompts, 1)) + means
    quality = quality + rng.normal(0, world.text, shape)
    heard = quality[..., np.newaxis] + rng.normal(0, world.rater, (*shape, RATERS))
    ratings = np.searchsorted(world.cuts, heard).astype(float)
    metrics = quality[..., np.newaxis] + rng.normal(0, noise, (*shape, len(noise)))
    return Studies(ratings, metrics)
