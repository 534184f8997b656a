"""The parameters with the highest likelihood: quasi-Newton from a first curvature."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

MAX_STEPS, MAX_HALVINGS = 100, 30
MAX_STRIDE = 1.5  # of any parameter in one step
# Of the step that is left, in standard errors; and where rounding ends the search.
CONVERGED, ROUNDED = 1e-9, 1e-5
STEP = 1e-4  # of differences of slopes

Slope = Callable[[np.ndarray], tuple[float, np.ndarray]]


class Found(NamedTuple):
    """Where the search ended."""

    at: np.ndarray  # (p,)
    value: float
    converged: bool
    inverse: np.ndarray  # (p, p) about that of the second derivatives


def lowest(of: Slope, start: np.ndarray, curvature: np.ndarray | None = None) -> Found:
    """Minimise a function with a known slope by BFGS with halved steps.

    Args:
        of: Value and slope at a point; the value may be infinite.
        start: Where the function is finite.
        curvature: About the second derivatives of the first parameters there, which
            saves to find them; None = not known.
    """
    at = start
    value, slope = of(at)
    inverse = _positive_inverse(_curvature(of, at, slope, curvature))
    for _ in range(MAX_STEPS):
        if _left(inverse, slope) < CONVERGED:
            return Found(at, value, True, inverse)
        step = -inverse @ slope
        step *= min(1.0, MAX_STRIDE / np.abs(step).max())
        made = _halved(of, at, value, slope, step)
        if made is None:
            break
        step, new_value, new_slope = made
        inverse = _updated(inverse, step, new_slope - slope)
        at, value, slope = at + step, new_value, new_slope
    return Found(at, value, _left(inverse, slope) < ROUNDED, inverse)


def _left(inverse: np.ndarray, slope: np.ndarray) -> float:
    """The length of Newton's step in the metric of the curvature.

    Infinite where the slope is unknown: max(0, NaN) is 0, as at the lowest point.
    """
    squared = float(slope @ inverse @ slope)
    return math.sqrt(max(0.0, squared)) if math.isfinite(squared) else math.inf


def differences(of: Callable[[np.ndarray], np.ndarray], at: np.ndarray) -> np.ndarray:
    """Derivatives of several functions by each parameter, (p, m).

    Args:
        of: Gives the functions, (m,).
        at: The point.
    """
    steps = STEP * np.eye(len(at))
    return np.stack([(of(at + step) - of(at - step)) / (2 * STEP) for step in steps])


def _curvature(
    of: Slope, at: np.ndarray, slope: np.ndarray, known: np.ndarray | None
) -> np.ndarray:
    """Second derivatives from slopes to one side: a beginning, not exact; (p, p)."""
    known = np.empty((0, 0)) if known is None else known
    n = len(known) if np.isfinite(known).all() else 0
    found = np.zeros((len(at), len(at)))
    found[:n, :n] = known[:n, :n]
    for row, step in enumerate(STEP * np.eye(len(at))[n:], start=n):
        found[row] = (of(at + step)[1] - slope) / STEP
    found[:n, n:] = found[n:, :n].T
    return np.asarray((found + found.T) / 2)


def _positive_inverse(of: np.ndarray) -> np.ndarray:
    """With the sizes of the eigenvalues: a first step then goes down anyway."""
    if not np.isfinite(of).all():
        return np.eye(len(of))
    values, vectors = np.linalg.eigh(of)
    sizes = np.maximum(np.abs(values), 1e-3 * max(1.0, np.abs(values).max()))
    return np.asarray((vectors / sizes) @ vectors.T)


def _halved(
    of: Slope, at: np.ndarray, value: float, slope: np.ndarray, step: np.ndarray
) -> tuple[np.ndarray, float, np.ndarray] | None:
    """The longest of step, step / 2, ... that goes down far enough (Armijo)."""
    for _ in range(MAX_HALVINGS):
        there, new = of(at + step)
        if there <= value + 1e-4 * (slope @ step) + 1e-10 * abs(value):
            return step, there, new
        step = step / 2
    return None


def _updated(inverse: np.ndarray, step: np.ndarray, change: np.ndarray) -> np.ndarray:
    """The formula of Broyden, Fletcher, Goldfarb and Shanno for the inverse."""
    along = step @ change
    if along <= 1e-12 * np.linalg.norm(step) * np.linalg.norm(change):
        return inverse
    left = np.eye(len(step)) - np.outer(step, change) / along
    return np.asarray(left @ inverse @ left.T + np.outer(step, step) / along)
