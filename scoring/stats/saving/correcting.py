"""Means of systems and their differences, by people alone and with a metric's help."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy  # loads scipy.stats, which takes a second, when it is first used

from scoring.stats.counts import LEVEL, SLAB
from scoring.stats.saving import exact, refusing
from scoring.stats.saving.forms import Forms, Target
from scoring.stats.saving.refusing import cubed

# Rated prompts from which the weight of the metric is estimated: with fewer it is 0.
LEAST_PROMPTS = 50
FLAT = 1e-12  # of a skewness: no correction
SMALL = 1e-15  # of a variance: none


class Estimates(NamedTuple):
    """C contrasts, such as the mean of a system or the difference of two."""

    value: np.ndarray  # (C,)
    low: np.ndarray
    high: np.ndarray
    se: np.ndarray
    p: np.ndarray  # two-sided, that it is 0
    reason: list[str]  # why there is no interval, "" = there is


class Corrected(NamedTuple):
    """The same contrasts without and with the metric."""

    people: Estimates
    corrected: Estimates
    weight: np.ndarray  # (C,) of the metric, in [0, 1]
    like: np.ndarray  # (C,) rated texts that people alone would need; NaN = unknown


def means(found: Forms, target: Target, *, level: float = LEVEL) -> Corrected:
    """Mean rating of each system.

    theta = mean_w(Y) + lambda (mean_all(f) - mean_w(f)), with lambda = -cov(mean,
    shift) / var(shift) clipped to [0, 1], which makes its variance the smallest. It is
    estimated from the system's own texts if 50 prompts have a rating of it, else from
    those of all systems together if they have; else it is 0.

    Args:
        found: Of the study.
        target: As `found` was made for.
        level: Nominal coverage.

    Returns:
        In the unit of ratings. No interval, with the reason, where ratings are nearly
        constant or too few (`refusing.py`). For "texts", where the metric hardly ever
        differs from people, bounds (`exact.py`), or the reason if they are wider than
        the interval of people alone.
    """
    return contrasts(found, np.eye(len(found.mean)), target, level=level)


def differences(
    found: Forms, pairs: np.ndarray, target: Target, *, level: float = LEVEL
) -> Corrected:
    """First minus second system of each pair, (C, 2), as in `means`.

    Its lambda is its own: what two systems have in common cancels. So its value may
    differ a little from the difference of the corrected means.

    Pairs are taken in slabs: each needs a few numbers for every unit.
    """
    each = max(1, SLAB // max(1, len(found.influence)))
    starts = range(0, max(1, len(pairs)), each)
    slabs = (_of_pairs(pairs[k : k + each], len(found.mean)) for k in starts)
    return _joined([contrasts(found, one, target, level=level) for one in slabs])


def _of_pairs(pairs: np.ndarray, n_systems: int) -> np.ndarray:
    rows, at = np.zeros((len(pairs), n_systems)), np.arange(len(pairs))
    rows[at, pairs[:, 0]], rows[at, pairs[:, 1]] = 1, -1
    return rows


def _joined(slabs: list[Corrected]) -> Corrected:
    return Corrected(
        _in_a_row([one.people for one in slabs]),
        _in_a_row([one.corrected for one in slabs]),
        np.concatenate([one.weight for one in slabs]),
        np.concatenate([one.like for one in slabs]),
    )


def _in_a_row(of: list[Estimates]) -> Estimates:
    return Estimates(
        np.concatenate([one.value for one in of]),
        np.concatenate([one.low for one in of]),
        np.concatenate([one.high for one in of]),
        np.concatenate([one.se for one in of]),
        np.concatenate([one.p for one in of]),
        [why for one in of for why in one.reason],
    )


def contrasts(
    found: Forms, rows: np.ndarray, target: Target, *, level: float = LEVEL
) -> Corrected:
    """Sums of means of systems, each row (C, S) with the weights of one.

    The interval is Hall's (1992): the t distribution's ends, moved for the skewness of
    the estimate, as ratings pile up at an end of the scale.
    """
    used = rows != 0
    with np.errstate(invalid="ignore"):
        known = np.where(used, found.mean, 0)
        human, shift = _dot(rows, known), _dot(rows, np.where(used, found.shift, 0))
    parts = _parts(np.nan_to_num(found.covariance), rows)
    drawn = _parts(np.nan_to_num(found.design), rows)
    prompts = (used @ found.prompts.astype(np.int64) > 0).sum(axis=1)
    degrees = _degrees(found, rows, target)
    weight, own = _weight(found, parts, prompts)
    influence = np.nan_to_num(found.influence)
    n_systems = len(found.mean)
    reasons = refusing.of_ratings(found, rows, influence[:, :n_systems])
    z = influence[:, :n_systems] @ rows.T
    more = influence[:, n_systems:] @ rows.T
    left = _left(drawn[0], z, found, target)
    people = _estimates(human, parts[0], z, left, degrees, level, reasons)
    errors, bare = _of_errors(found, rows, weight, people.reason, target)
    spent = np.where(own & (weight > 0), degrees / np.maximum(degrees - 1, 1), 1)
    variance = (parts[0] + 2 * weight * parts[1] + weight**2 * parts[2]) * spent
    corrected = _estimates(
        human + weight * shift, variance, z + weight * more, left, degrees - own, level,
        bare, errors,
    )  # fmt: skip
    if target == "texts":
        open_still = np.flatnonzero(np.isnan(corrected.se) & (weight > 0))
        variance = _bounded(found, rows, level, people, corrected, open_still, variance)
    like = _like(found, used, variance - parts[0], drawn[0])
    return Corrected(people, corrected, weight, like)


def _of_errors(
    found: Forms,
    rows: np.ndarray,
    weight: np.ndarray,
    reasons: list[str],
    target: Target,
) -> tuple[list[str], list[str]]:
    """Why the metric's errors bear no interval, and for which contrasts they do not.

    Ratings are not to blame where the metric hardly ever differs from them.
    """
    errors = [refusing.of_errors(found, row) for row in rows]
    if target == "prompts":
        return errors, reasons
    rare = [
        bool(w > 0 and refusing.rarely_errs(found, row))
        for w, row in zip(weight, rows, strict=True)
    ]
    bare = [
        why or (error if few else "")
        for why, error, few in zip(reasons, errors, rare, strict=True)
    ]
    return errors, bare


def _bounded(
    found: Forms,
    rows: np.ndarray,
    level: float,
    people: Estimates,
    corrected: Estimates,
    places: np.ndarray,
    variance: np.ndarray,
) -> np.ndarray:
    """Put bounds (`exact.py`) where the metric's errors bear no interval.

    Where they are narrower than the interval of people alone. Changes `corrected`.

    Returns:
        The variances, (C,): in these places, people's at the ratio of the widths.
    """
    variance = variance.copy()
    for c in places.tolist():
        if people.reason[c] or found.judged is None:
            continue
        made = exact.bounds(found.judged, rows[c], level)
        ratio = (made.high - made.low) / (people.high[c] - people.low[c])
        if not 0 < ratio < 1:
            continue
        corrected.value[c] = made.value
        corrected.p[c] = exact.p(found.judged, rows[c])
        corrected.low[c], corrected.high[c] = made.low, made.high
        corrected.se[c], corrected.reason[c] = people.se[c] * ratio, ""
        variance[c] = (people.se[c] * ratio) ** 2
    return variance


def _dot(rows: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.asarray((rows * values).sum(axis=1))


def _parts(matrix: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Of each contrast: var(mean), cov(mean, shift), var(shift); (3, C)."""
    n = rows.shape[1]
    blocks = (matrix[:n, :n], matrix[:n, n:], matrix[n:, n:])
    return np.stack([np.einsum("cs,st,ct->c", rows, one, rows) for one in blocks])


def _degrees(found: Forms, rows: np.ndarray, target: Target) -> np.ndarray:
    """Of freedom of each variance, (C,), by Satterthwaite's rule.

    For "texts" systems have their own, and Welch's are those of a sum. For "prompts"
    each prompt has one, with a part in the variance as if texts were all alike: of U
    equal ones U - 1, and fewer where some texts stand for many others.
    """
    squares = rows**2
    if target == "prompts":
        parts, each = squares @ found.squares, 1.0
    else:
        own = np.nan_to_num(np.diagonal(found.design))[: len(found.mean)]
        parts = squares * own
        each = np.maximum(found.degrees, 1)
    total, spread = parts.sum(axis=1) ** 2, (parts**2 / each).sum(axis=1)
    less = 1 if target == "prompts" else 0
    degrees = np.divide(total, spread, out=np.ones_like(total), where=spread > 0) - less
    return np.asarray(np.maximum(degrees, 1))


def _weight(
    found: Forms, parts: np.ndarray, prompts: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Lambda of each contrast, and whether its own texts gave it."""
    n = len(found.mean)
    diagonal = _parts(np.nan_to_num(found.covariance), np.eye(n))
    together = found.prompts.any(axis=0).sum() >= LEAST_PROMPTS
    usual = _best(diagonal[:, found.n > 1].sum(axis=1)) if together else 0.0
    own = prompts >= LEAST_PROMPTS
    return np.where(own, _best(parts), usual), own


def _best(parts: np.ndarray) -> np.ndarray:
    ratio = np.zeros_like(parts[0])
    np.divide(-parts[1], parts[2], out=ratio, where=parts[2] > SMALL)
    return np.clip(ratio, 0, 1)


def _left(drawn: np.ndarray, z: np.ndarray, found: Forms, target: Target) -> np.ndarray:
    """The share of the variance that is left as the draw is without replacement."""
    if target == "prompts":
        return np.ones(len(drawn))
    squares = (z**2).sum(axis=0)
    ratio = np.divide(drawn, squares, out=np.ones_like(drawn), where=squares > SMALL)
    return np.clip(ratio, 1e-6, 1)


def _estimates(
    value: np.ndarray,
    variance: np.ndarray,
    influence: np.ndarray,
    left: np.ndarray,
    degrees: np.ndarray,
    level: float,
    reasons: list[str],
    instead: list[str] | None = None,
) -> Estimates:
    """`instead`: the reasons where the values of units are nearly constant."""
    skew = _skewness(influence)
    nearly = [
        refusing.nearly_constant(v, g) for v, g in zip(variance, skew, strict=True)
    ]
    if instead is not None:
        nearly = [here and why for here, why in zip(nearly, instead, strict=True)]
    reason = [why or here for why, here in zip(reasons, nearly, strict=True)]
    se = np.where([not why for why in reason], np.sqrt(np.maximum(variance, 0)), np.nan)
    t = scipy.stats.t.isf((1 - level) / 2, np.maximum(degrees, 1))
    low = value - se * _end(t, skew, left)
    high = value - se * _end(-t, skew, left)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = _as_normal(value / se, skew, left)
    p = 2 * scipy.stats.t.sf(np.abs(found), np.maximum(degrees, 1))
    return Estimates(value, low, high, se, p, reason)


def _skewness(influence: np.ndarray) -> np.ndarray:
    """Of the sum of independent units, (C,): sum z^3 / (sum z^2)^1.5."""
    squares = (influence**2).sum(axis=0)
    cubes = cubed(influence).sum(axis=0)
    found = np.zeros(len(squares))
    np.divide(cubes, squares**1.5, out=found, where=squares > SMALL)
    return found


def _end(t: np.ndarray, skew: np.ndarray, left: np.ndarray) -> np.ndarray:
    """Where the studentised estimate has the quantile that t is of a normal one.

    Hall's monotone cubic W = T + a g T^2 + a^2 g^2 T^3 / 3 + b g, solved for T. With
    f = 1 - left the sampling fraction, a = (2 - f) / 6 sqrt(1 - f) and
    b = (1 - 2f) / 6 sqrt(1 - f): 1/3 and 1/6 where f is 0.
    """
    a, b = _turns(left)
    bent = np.where(np.abs(skew) > FLAT, a * skew, FLAT)
    return (np.cbrt(1 + 3 * bent * (t - b * skew)) - 1) / bent


def _as_normal(t: np.ndarray, skew: np.ndarray, left: np.ndarray) -> np.ndarray:
    a, b = _turns(left)
    bent = a * skew
    return np.asarray(t + bent * t**2 + bent**2 * t**3 / 3 + b * skew)


def _turns(left: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    root = 6 * np.sqrt(left)
    return (1 + left) / root, (2 * left - 1) / root


def _like(
    found: Forms, used: np.ndarray, gained: np.ndarray, drawn: np.ndarray
) -> np.ndarray:
    """Texts n* that people alone would need: 1/n* = 1/n + (V - V_people) / S^2.

    S^2 = D / (1/n - 1/N) is the variance of a text, from the variance D that drawing n
    of N texts causes. Only of means of one system; n where all texts are rated.
    """
    found_like = np.full(len(used), np.nan)
    for c in np.flatnonzero(used.sum(axis=1) == 1):
        n, n_texts = found.n[used[c]][0], found.n_texts[used[c]][0]
        if n == n_texts:
            found_like[c] = n
        elif drawn[c] > SMALL:
            inverse = 1 / n + gained[c] / drawn[c] * (1 / n - 1 / n_texts)
            found_like[c] = 1 / max(inverse, 1 / n_texts)
    return found_like
