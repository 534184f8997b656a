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
from scipy import sparse
from scipy.special import expit

from scoring.stats.severity._arrow import Arrow, Entries, arrow, entries
from scoring.stats.severity._rows import Parameters, Rows

MAX_STEPS, MAX_HALVINGS = 60, 40
# What is left of b shows in the slope of the likelihood, which must be smooth.
CONVERGED = 1e-10


class Terms(NamedTuple):
    """What the ratings give at some b: each (k,) unless it says (R, K)."""

    value: float  # -sum log P + b'b / 2
    above: np.ndarray  # F(A)
    below: np.ndarray  # 1 - F(B)
    high: np.ndarray  # threshold above, from the middle; 0 where there is none
    low: np.ndarray  # threshold below, from the middle; 0 where there is none
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
    """Probabilities at b; the value is infinite where b turns thresholds round."""
    text, severity, spread = effects(b, of)
    cuts = made.thresholds
    middle = cuts.mean()
    stretch = 1 + (made.spread or 0.0) * spread
    high = np.append(cuts - middle, 0.0)[of.point]
    low = np.append(0.0, cuts - middle)[of.point]
    eta = (made.systems[of.system] + made.text * text)[of.text] - middle
    eta = eta + (made.rater * severity)[of.rater]
    own = stretch[of.rater] if made.spread is not None else 1.0
    top, bottom = of.point == of.n_points - 1, of.point == 0
    above = expit(np.where(top, np.inf, own * high - eta))
    below = expit(np.where(bottom, np.inf, eta - own * low))
    width = np.concatenate([[0.0], np.diff(cuts), [0.0]])
    # Where a rater's thresholds are turned round, nothing but the value is read.
    safe = np.where(stretch > 0, stretch, 1.0)
    gap = np.outer(safe, np.concatenate([[np.inf], np.diff(cuts), [np.inf]]))
    if (stretch <= 0).any():
        value = np.inf
    else:
        with np.errstate(divide="ignore"):
            inner = (of.times * np.log(-np.expm1(-gap))).sum()
            value = b @ b / 2 - np.log(above * below).sum() - inner
    return Terms(float(value), above, below, high, low, gap, width)


def _pull(gap: np.ndarray) -> np.ndarray:
    """First derivative of log(1 - exp(-gap)), 0 at both ends."""
    with np.errstate(over="ignore"):
        return np.asarray(1 / np.expm1(gap))


def gradient(made: Parameters, b: np.ndarray, at: Terms, of: Rows) -> np.ndarray:
    """Of the value by b."""
    slope = at.below - at.above
    parts = [made.text * of.by_text(slope), made.rater * of.by_rater(slope)]
    if made.spread is not None:
        bent = -(1 - at.above) * at.high + (1 - at.below) * at.low
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
    starts, r = of.starts, of.n_raters
    if made.spread is not None:
        bent = up * at.high + down * at.low
        cells = np.stack([cells, -made.text * made.spread * bent], axis=1).ravel()
        columns = np.stack([of.rater, of.rater + r], axis=1).ravel()
        starts = 2 * starts
        e = _with_spread(made, at, of, e, bent, up * at.high**2 + down * at.low**2)
    shape = (of.n_texts, len(e))
    return arrow(d, sparse.csr_array((cells, columns, starts), shape=shape), e)


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


def mode(made: Parameters, of: Rows, start: np.ndarray) -> Mode | None:
    """Newton's method with halved steps; None if it did not converge."""
    b = start
    now = terms(made, b, of)
    if not np.isfinite(now.value):  # the start has thresholds turned round
        b = np.zeros(len(start))
        now = terms(made, b, of)
    for _ in range(MAX_STEPS):
        try:
            shape = hessian(made, now, of)
        except np.linalg.LinAlgError:
            return None
        step = -shape.solve(gradient(made, b, now, of))
        if not np.isfinite(step).all():
            return None
        if np.abs(step).max() < CONVERGED:
            return Mode(b, now, shape)
        for _ in range(MAX_HALVINGS):
            there = terms(made, b + step, of)
            # Rounding of a sum of many logs may hide the last, tiny improvement.
            if there.value <= now.value + 1e-10 * abs(now.value):
                break
            step = step / 2
        else:
            return None
        b, now = b + step, there
    return None


def value(at: Mode) -> float:
    """-log L by Laplace's approximation."""
    return at.terms.value + at.hessian.log_determinant / 2


# Its derivatives ----------------------------------------------------------------------


class _Blocks(NamedTuple):
    """For each rating: H^-1 times the slopes of A and of B, at its text and rater."""

    text: np.ndarray  # (2, k) of A, of B
    rater: np.ndarray  # (2, k)
    spread: np.ndarray  # (2, k)
    square: np.ndarray  # (2, k) slopes' H^-1 slopes


def derivatives(made: Parameters, at: Mode, of: Rows) -> np.ndarray:
    """Of `value` by thresholds, systems but the first, and the SDs, (p,).

    The mode moves with the parameters: s' db = -(H^-1 s)' dg, where s is the derivative
    of log det(H) / 2 by b and g the gradient by b.
    """
    now = at.terms
    found = entries(at.hessian)
    blocks = _blocks(made, at, found, of)
    f = np.stack([now.above * (1 - now.above), now.below * (1 - now.below)])
    bend = f * np.stack([1 - 2 * now.above, 2 * now.below - 1])
    pull = _pull(now.gap)
    third = pull * (1 + pull) * (1 + 2 * pull)  # minus: of what stands in H
    sd, raters = made.spread or 0.0, np.zeros(of.n_raters)
    if made.spread is not None:
        raters = np.diagonal(found.raters)[of.n_raters :]
    inner = sd**2 * np.outer(raters, now.width**2)
    half, half_gap = bend * blocks.square / 2, -third * inner / 2
    turn = at.hessian.solve(_slope(made, half, half_gap, at, of))
    text, rater, spread = effects(turn, of)
    turned = _along(made, text, rater, spread, at, of)
    pulls = np.stack([1 - now.above, -(1 - now.below)])
    g = half - pulls - f * turned
    g_gap = of.times * (
        half_gap - pull - pull * (1 + pull) * sd * np.outer(spread, now.width)
    )
    own = sd * np.outer(raters, now.width)
    v_gap = of.times * (pull * spread[:, np.newaxis] + pull * (1 + pull) * own)
    v = [
        pulls * text[of.text] + f * blocks.text,
        pulls * rater[of.rater] + f * blocks.rater,
        pulls * spread[of.rater] + f * blocks.spread,
    ]
    return _gathered(made, g, g_gap, v, v_gap, at, of)


def _slopes(made: Parameters, at: Mode) -> np.ndarray:
    """How A and B change with the spread of the rater, (2, k)."""
    return (made.spread or 0.0) * np.stack([at.terms.high, at.terms.low])


def _along(
    made: Parameters,
    text: np.ndarray,
    rater: np.ndarray,
    spread: np.ndarray,
    at: Mode,
    of: Rows,
) -> np.ndarray:
    """Change of A and B along a direction of b, (2, k)."""
    same = -made.text * text[of.text] - made.rater * rater[of.rater]
    return same + _slopes(made, at) * spread[of.rater]


def _slope(
    made: Parameters, half: np.ndarray, half_gap: np.ndarray, at: Mode, of: Rows
) -> np.ndarray:
    """Weights on A, B and the gaps as a vector like b."""
    both = half.sum(axis=0)
    parts = [-made.text * of.by_text(both), -made.rater * of.by_rater(both)]
    if made.spread is not None:
        bent = (half * np.stack([at.terms.high, at.terms.low])).sum(axis=0)
        inner = (of.times * half_gap * at.terms.width).sum(axis=1)
        parts.append(made.spread * (of.by_rater(bent) + inner))
    return np.concatenate(parts)


def _blocks(made: Parameters, at: Mode, found: Entries, of: Rows) -> _Blocks:
    slope = _slopes(made, at)
    u, v, r = made.text, made.rater, of.n_raters
    diagonal = np.diagonal(found.raters)
    tt, vv = found.text[of.text], diagonal[:r][of.rater]
    if made.spread is None:
        tv = found.cells
        ta = va = aa = np.zeros(len(tv))
    else:
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
    v: list[np.ndarray],
    v_gap: np.ndarray,
    at: Mode,
    of: Rows,
) -> np.ndarray:
    """Weights on A and B (g), on their slopes (v) and on the gaps, by parameter."""
    text, rater, spread = effects(at.b, of)
    both = g.sum(axis=0)
    by_text = of.by_text(both)
    parts = [
        _of_thresholds(made, g, g_gap, v[2], v_gap, at, of),
        -np.bincount(of.system, by_text, of.n_systems)[1:],
        np.array([-(by_text @ text) - v[0].sum()]),
        np.array([-(of.by_rater(both) @ rater) - v[1].sum()]),
    ]
    if made.spread is not None:
        ends = np.stack([at.terms.high, at.terms.low])
        outer = ((g * spread[of.rater] + v[2]) * ends).sum()
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
