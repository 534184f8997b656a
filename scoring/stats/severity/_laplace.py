"""The likelihood of the ordinal model, its conditional modes and Laplace's integral.

With b the standard normal effects of texts and raters, A and B the thresholds above and
below a rating as `ordinal.py` has them,

    log P = log F(A) + log(1 - F(B)) + log(1 - exp(-(A - B))),   F logistic,

so that the second derivatives need no mixed part: the last term knows neither text nor
severity. A and B are linear in b, and log P is concave in both: the mode is unique.

    -log L = -sum log P + b'b / 2 + log det(H) / 2 at the mode,   H = its Hessian.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy  # loads scipy.sparse when it is first used

from scoring.stats.severity._arrow import Arrow, Entries, arrow, entries
from scoring.stats.severity._rows import Parameters, Rows

MAX_STEPS, MAX_HALVINGS = 60, 40
# What is left of b shows in the slope of the likelihood, which must be smooth.
CONVERGED = 1e-10
SHRINKS = 0.01  # of the step before: then the Hessian of before is good enough


class Terms(NamedTuple):
    """What the ratings give at some b."""

    value: float  # -sum log P + b'b / 2
    above: np.ndarray  # (k,) F(A)
    below: np.ndarray  # (k,) 1 - F(B)
    high: np.ndarray  # (K,) threshold above, from the middle; 0 where there is none
    low: np.ndarray  # (K,) threshold below, from the middle; 0 where there is none
    gap: np.ndarray  # (R, K) A - B of each rater and point; inf at both ends
    width: np.ndarray  # (K,) the same of the average rater; 0 at both ends


class Mode(NamedTuple):
    """The most likely b, and the Hessian there."""

    b: np.ndarray  # (T + R,), or (T + 2 R,) with spread: texts, severities, spreads
    terms: Terms
    hessian: Arrow


def effects(b: np.ndarray, of: Rows) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """B of texts (T,), of severities (R,) and of spreads (R,); zeros where none."""
    t, r = of.n_texts, of.n_raters
    spread = b[t + r :] if len(b) > t + r else np.zeros(r)
    return b[:t], b[t : t + r], spread


def size(made: Parameters, of: Rows) -> int:
    """How many numbers b has."""
    return of.n_texts + of.n_raters * (1 if made.spread is None else 2)


def terms(made: Parameters, b: np.ndarray, of: Rows) -> Terms:
    """Probabilities at b; the value is infinite where b turns thresholds round.

    With e = exp(eta), F(A) = 1 / (1 + e exp(-high)) and 1 - F(B) = e / (e + exp(low)):
    the thresholds' part is the same for all ratings of a rater and point.
    """
    text, severity, spread = effects(b, of)
    cuts = made.thresholds
    middle = cuts.mean()
    stretch = 1 + (made.spread or 0.0) * spread
    high, low = np.append(cuts - middle, np.inf), np.append(-np.inf, cuts - middle)
    eta = np.repeat(
        made.systems[of.system] + made.text * text - middle, np.diff(of.starts)
    )
    eta += (made.rater * severity)[of.rater]
    # Where a rater's thresholds are turned round, nothing but the value is read.
    safe = np.where(stretch > 0, stretch, 1.0)
    at, own = (of.point, 1.0) if made.spread is None else (of.cell, safe[:, np.newaxis])
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        odds = np.exp(eta, out=eta)
        above = 1 / (1 + odds * np.exp(-own * high).ravel()[at])
        below = odds / (odds + np.exp(own * low).ravel()[at])
        width = np.concatenate([[0.0], np.diff(cuts), [0.0]])
        gap = np.outer(safe, np.concatenate([[np.inf], np.diff(cuts), [np.inf]]))
        value = np.inf
        if (stretch > 0).all():
            inner = (of.times * np.log(-np.expm1(-gap))).sum()
            value = float(b @ b / 2 - np.log(above * below).sum() - inner)
    ends = np.append(cuts - middle, 0.0), np.append(0.0, cuts - middle)
    return Terms(value, above, below, *ends, gap, width)


def _pull(gap: np.ndarray) -> np.ndarray:
    """First derivative of log(1 - exp(-gap)), 0 at both ends."""
    with np.errstate(over="ignore"):
        return np.asarray(1 / np.expm1(gap))


def gradient(made: Parameters, b: np.ndarray, at: Terms, of: Rows) -> np.ndarray:
    """Of the value by b."""
    slope = at.below - at.above
    parts = [made.text * of.by_text(slope), made.rater * of.by_rater(slope)]
    if made.spread is not None:
        high, low = at.high[of.point], at.low[of.point]
        bent = (1 - at.below) * low - (1 - at.above) * high
        inner = (of.times * _pull(at.gap) * at.width).sum(axis=1)
        parts.append(made.spread * (of.by_rater(bent) - inner))
    return np.concatenate(parts) + b


def hessian(made: Parameters, at: Terms, of: Rows) -> Arrow:
    """Of the value by b, factored."""
    up, down = at.above * (1 - at.above), at.below * (1 - at.below)
    weight = up + down
    d = 1 + made.text**2 * of.by_text(weight)
    e = np.diag(1 + made.rater**2 * of.by_rater(weight))
    cells, columns = made.text * made.rater * weight, of.rater
    starts, r, groups = of.starts, of.n_raters, of.groups
    if made.spread is not None:
        high, low = at.high[of.point], at.low[of.point]
        bent = up * high + down * low
        cells = np.stack([cells, -made.text * made.spread * bent], axis=1).ravel()
        columns = np.stack([of.rater, of.rater + r], axis=1).ravel()
        starts, groups = 2 * starts, [np.append(at, at + r) for at in groups]
        e = _with_spread(made, at, of, e, bent, up * high**2 + down * low**2)
    shape = (of.n_texts, len(e))
    c = scipy.sparse.csr_array((cells, columns, starts), shape=shape)
    return arrow(d, c, e, groups)


def _with_spread(
    made: Parameters,
    at: Terms,
    of: Rows,
    severity: np.ndarray,
    bent: np.ndarray,
    squared: np.ndarray,
) -> np.ndarray:
    """The part of the raters, where they differ in spread, too; (2 R, 2 R)."""
    assert made.spread is not None
    pull = _pull(at.gap)
    inner = (of.times * pull * (1 + pull) * at.width**2).sum(axis=1)
    own = 1 + made.spread**2 * (of.by_rater(squared) + inner)
    mixed = np.diag(-made.rater * made.spread * of.by_rater(bent))
    return np.block([[severity, mixed], [mixed, np.diag(own)]])


def mode(
    made: Parameters, of: Rows, start: np.ndarray, near: Arrow | None = None
) -> Mode | None:
    """Newton's method with halved steps; None if it did not converge.

    The Hessian takes most of the time: an older one serves as long as each step is a
    small part of the one before.

    Args:
        made: The parameters.
        of: The ratings.
        start: Where to begin.
        near: The Hessian at a mode of other parameters.
    """
    b = start
    now = terms(made, b, of)
    if not np.isfinite(now.value):  # the start has thresholds turned round
        b, near = np.zeros(len(start)), None
        now = terms(made, b, of)
    shape, last = near, np.inf
    for _ in range(MAX_STEPS):
        slope = gradient(made, b, now, of)
        step = None if shape is None else -shape.solve(slope)
        if step is None or not np.abs(step).max() < SHRINKS * last:
            shape = _hessian(made, now, of)
            step = None if shape is None else -shape.solve(slope)
        if step is None or not np.isfinite(step).all():
            return None
        last = np.abs(step).max()
        moved = _halved(made, b, step, now, of)
        if moved is None:
            return None
        b, now = moved
        if last < CONVERGED:
            exact = _hessian(made, now, of)
            return None if exact is None else Mode(b, now, exact)
    return None


def _hessian(made: Parameters, at: Terms, of: Rows) -> Arrow | None:
    try:
        return hessian(made, at, of)
    except np.linalg.LinAlgError:
        return None


def _halved(
    made: Parameters, b: np.ndarray, step: np.ndarray, now: Terms, of: Rows
) -> tuple[np.ndarray, Terms] | None:
    """After the longest of step, step / 2, ... that does not go up."""
    for _ in range(MAX_HALVINGS):
        there = terms(made, b + step, of)
        # Rounding of a sum of many logs may hide the last, tiny improvement.
        if there.value <= now.value + 1e-10 * abs(now.value):
            return b + step, there
        step = step / 2
    return None


def value(at: Mode) -> float:
    """-log L by Laplace's approximation."""
    return at.terms.value + at.hessian.log_determinant / 2


# Its derivatives ----------------------------------------------------------------------


class _Blocks(NamedTuple):
    """For each rating: H^-1 times the slopes of A and of B, at its text and rater.

    (k,) without spread, where A and B have the same slopes; (2, k) of A, of B with it.
    """

    text: np.ndarray
    rater: np.ndarray
    spread: np.ndarray
    square: np.ndarray  # slopes' H^-1 slopes


def derivatives(made: Parameters, at: Mode, of: Rows) -> np.ndarray:
    """Of `value` by thresholds, systems but the first, and the SDs, (p,).

    The mode moves with the parameters: s' db = -(H^-1 s)' dg, where s is the derivative
    of log det(H) / 2 by b and g the gradient by b.
    """
    now = at.terms
    found = entries(at.hessian)
    blocks = _blocks(made, at, found, of)
    both = np.stack([now.above, now.below])
    turns = np.array([[1.0], [-1.0]])
    f = both * (1 - both)
    pulls = turns * (1 - both)
    pull = _pull(now.gap)
    third = pull * (1 + pull) * (1 + 2 * pull)  # minus: of what stands in H
    sd, raters = made.spread or 0.0, np.zeros(of.n_raters)
    if made.spread is not None:
        raters = np.diagonal(found.raters)[of.n_raters :]
    inner = sd**2 * np.outer(raters, now.width**2)
    half = turns * f * (0.5 - both) * blocks.square
    half_gap = -third * inner / 2
    turn = at.hessian.solve(_slope(made, half, half_gap, at, of))
    text, rater, spread = effects(turn, of)
    g = half - pulls - f * _along(made, text, rater, spread, at, of)
    g_gap = of.times * (
        half_gap - pull - pull * (1 + pull) * sd * np.outer(spread, now.width)
    )
    own = sd * np.outer(raters, now.width)
    v_gap = of.times * (pull * spread[:, np.newaxis] + pull * (1 + pull) * own)
    slope = pulls.sum(axis=0)
    v = (
        float(of.by_text(slope) @ text + (f * blocks.text).sum()),
        float(of.by_rater(slope) @ rater + (f * blocks.rater).sum()),
    )
    v_spread = np.empty((2, 0))
    if made.spread is not None:
        v_spread = pulls * spread[of.rater] + f * blocks.spread
    return _gathered(made, g, g_gap, v, v_spread, v_gap, at, of)


def _slopes(made: Parameters, at: Mode, of: Rows) -> np.ndarray:
    """How A and B change with the spread of the rater, (2, k)."""
    ends = np.stack([at.terms.high, at.terms.low])
    return (made.spread or 0.0) * ends[:, of.point]


def _along(
    made: Parameters,
    text: np.ndarray,
    rater: np.ndarray,
    spread: np.ndarray,
    at: Mode,
    of: Rows,
) -> np.ndarray:
    """Change of A and B along a direction of b, (2, k), or (k,) if it is the same."""
    same = np.repeat(-made.text * text, np.diff(of.starts))
    same -= (made.rater * rater)[of.rater]
    if made.spread is None:
        return same
    return same + _slopes(made, at, of) * spread[of.rater]


def _slope(
    made: Parameters, half: np.ndarray, half_gap: np.ndarray, at: Mode, of: Rows
) -> np.ndarray:
    """Weights on A, B and the gaps as a vector like b."""
    both = half.sum(axis=0)
    parts = [-made.text * of.by_text(both), -made.rater * of.by_rater(both)]
    if made.spread is not None:
        bent = half[0] * at.terms.high[of.point] + half[1] * at.terms.low[of.point]
        inner = (of.times * half_gap * at.terms.width).sum(axis=1)
        parts.append(made.spread * (of.by_rater(bent) + inner))
    return np.concatenate(parts)


def _blocks(made: Parameters, at: Mode, found: Entries, of: Rows) -> _Blocks:
    u, v, r = made.text, made.rater, of.n_raters
    diagonal = np.diagonal(found.raters)
    tt, vv = np.repeat(found.text, np.diff(of.starts)), diagonal[:r][of.rater]
    if made.spread is None:
        text, rater = -u * tt - v * found.cells, -u * found.cells - v * vv
        return _Blocks(text, rater, np.empty(0), -u * text - v * rater)
    slope = _slopes(made, at, of)
    tv, ta = found.cells.reshape(-1, 2).T
    va = np.diagonal(found.raters, r)[:r][of.rater]
    aa = diagonal[r:][of.rater]
    text = -u * tt - v * tv + slope * ta
    rater = -u * tv - v * vv + slope * va
    spread = -u * ta - v * va + slope * aa
    return _Blocks(text, rater, spread, -u * text - v * rater + slope * spread)


def _gathered(
    made: Parameters,
    g: np.ndarray,
    g_gap: np.ndarray,
    v: tuple[float, float],
    v_spread: np.ndarray,
    v_gap: np.ndarray,
    at: Mode,
    of: Rows,
) -> np.ndarray:
    """Weights on A and B (g), on their slopes (v) and on the gaps, by parameter.

    Of the weights on the slopes by text and by rater, sums are enough.
    """
    text, rater, spread = effects(at.b, of)
    both = g.sum(axis=0)
    by_text = of.by_text(both)
    parts = [
        _of_thresholds(made, g, g_gap, v_spread, v_gap, at, of),
        -np.bincount(of.system, by_text, of.n_systems)[1:],
        np.array([-(by_text @ text) - v[0]]),
        np.array([-(of.by_rater(both) @ rater) - v[1]]),
    ]
    if made.spread is not None:
        ends = np.stack([at.terms.high, at.terms.low])[:, of.point]
        outer = ((g * spread[of.rater] + v_spread) * ends).sum()
        inner = ((g_gap * spread[:, np.newaxis] + v_gap) * at.terms.width).sum()
        parts.append(np.array([outer + inner]))
    return np.concatenate(parts)


def _of_thresholds(
    made: Parameters,
    g: np.ndarray,
    g_gap: np.ndarray,
    v: np.ndarray,
    v_gap: np.ndarray,
    at: Mode,
    of: Rows,
) -> np.ndarray:
    k, sd = of.n_points, made.spread or 0.0
    stretch = 1 + sd * effects(at.b, of)[2]
    gaps = (g_gap * stretch[:, np.newaxis] + sd * v_gap).sum(axis=0)
    # Of each point: its upper threshold is the end of its gap, its lower the beginning.
    found = gaps[:-1] - gaps[1:]
    if made.spread is None:
        return found + _ends(g, of)
    own = g * stretch[of.rater] + sd * v
    # At the ends of the scale there is no threshold: the weights there are 0.
    middle = (g * (1 - stretch[of.rater]) - sd * v).sum() / (k - 1)
    return found + _ends(own, of) + middle


def _ends(of_rating: np.ndarray, of: Rows) -> np.ndarray:
    """Sums over the ratings that have each threshold above, or below them, (K - 1,)."""
    above = np.bincount(of.point, of_rating[0], of.n_points)[:-1]
    below = np.bincount(of.point, of_rating[1], of.n_points)[1:]
    return above + below
