"""The jackknife over prompts: intervals and tests of numbers that are no plain means.

Each prompt is left out once, with all its texts. A number of the whole study that moves
much is unsure. Numbers from the same prompts can be subtracted, weighted and tested
together. Tukey (1958); Efron and Stein (1981) show that the variance errs upwards.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from scoring.stats.cluster_t import degrees
from scoring.stats.counts import LEVEL, Draws
from scoring.stats.estimates import Estimate
from scoring.stats.inversion import (
    ON_Z,
    SECOND_ORDER,
    Inverted,
    by_longer_tail,
    by_t,
    skewness,
)

LEAST = 10  # units, from which on coverage holds in simulation
# Of more units, so many groups of units are left out in turn: t allows for them.
MOST_GROUPS = 100
FEW_UNITS = f"an interval needs {LEAST} prompts"
FEW_TO_TEST = f"a test needs {LEAST} prompts"
ONE_UNIT = "it has no value without one of the prompts"
ALIKE = "leaving out any one of the prompts changes nothing"
PERFECT = "the correlation is perfect, so its uncertainty cannot be estimated"

# How t is made true to the distribution: not at all; on Fisher's z, for correlations
# of all texts; there with a longer tail, for means of prompts' correlations; with a
# longer tail on the natural scale, for differences of those.
Form = Literal["natural", "fisher", "skewed", "difference"]


@dataclass(frozen=True, slots=True)
class LeaveOut:
    """Replicates that each lack one unit, or one group of units."""

    draws: Draws  # counts of 0 and 1, for functions that take replicates
    factor: np.ndarray  # (B,) of squared deviations: (G - 1) / G
    df: float
    n_units: int

    def only(self, rows: np.ndarray) -> LeaveOut:
        """The same of some of the rows, given as a mask or as indices."""
        return LeaveOut(self.draws.only(rows), self.factor, self.df, self.n_units)


@dataclass(frozen=True, slots=True)
class Jackknifed:
    """Numbers of one shape (...) and what each unit has moved them by."""

    value: np.ndarray  # (...), NaN = none
    deviation: np.ndarray  # (B, ...): value less that without the unit
    factor: np.ndarray  # broadcast with deviation
    df: np.ndarray  # (...)
    n_units: np.ndarray  # (...) units that each number rests on
    form: Form = "natural"

    def at(self, *index: int | slice | np.ndarray) -> Jackknifed:
        """Some of the numbers."""
        every = (slice(None), *index)
        factor = np.broadcast_to(self.factor, self.deviation.shape)[every]
        return Jackknifed(
            self.value[index],
            self.deviation[every],
            factor,
            self.df[index],
            self.n_units[index],
            self.form,
        )


class Tested(NamedTuple):
    """Numbers with limits and p; (...) each, NaN = none, with the reason."""

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p: np.ndarray  # two-sided
    greater: np.ndarray  # of "at most the null": small where the value is above it
    less: np.ndarray  # of "at least the null"
    reason: np.ndarray  # object: None, or why there are no limits and no p


def leave_out(
    units: np.ndarray, *, rng: np.random.Generator, most: int = MOST_GROUPS
) -> LeaveOut:
    """Leave each unit out once; of many units, groups of them drawn at random.

    Args:
        units: The unit of each row, (n,), of any kind: mostly the prompt.
        rng: For the groups, where there are more than `most` units.
        most: Replicates at most.

    >>> left = leave_out(np.array([7, 7, 9]), rng=np.random.default_rng(1))
    >>> left.draws.rows()
    array([[0., 0., 1.],
           [1., 1., 0.]])
    """
    names, at = np.unique(units, return_inverse=True)
    n_units = len(names)
    n_groups = min(n_units, most)
    group = np.arange(n_units)
    if n_units > n_groups:
        group = rng.permutation(n_units) % n_groups
    counts = (group != np.arange(n_groups)[:, np.newaxis]).astype(np.uint16)
    size = np.bincount(group[at.reshape(-1)], minlength=n_groups)
    factor = np.full(n_groups, (n_groups - 1) / max(1, n_groups))
    df = float(degrees(size)) if n_groups else 0.0
    return LeaveOut(Draws((counts,), (at.reshape(-1),)), factor, df, n_units)


def leave_out_both(
    units: np.ndarray, others: np.ndarray, *, rng: np.random.Generator
) -> LeaveOut:
    """Leave out each unit, then each of the others: for new ones of both kinds.

    The variances add up: Var = Var_units + Var_others, as in the bootstrap of both
    (Owen 2007), which errs upwards by what single rows add. Degrees of freedom: of the
    kind that has fewer.
    """
    first, second = leave_out(units, rng=rng), leave_out(others, rng=rng)
    (of_first,), (of_second,) = first.draws.counts, second.draws.counts
    ones = [
        np.ones((len(b), a.shape[1]), np.uint16)
        for a, b in ((of_first, of_second), (of_second, of_first))
    ]
    counts = np.vstack([of_first, ones[0]]), np.vstack([ones[1], of_second])
    return LeaveOut(
        Draws(counts, (*first.draws.at, *second.draws.at)),
        np.concatenate([first.factor, second.factor]),
        min(first.df, second.df),
        min(first.n_units, second.n_units),
    )


def jackknifed(
    value: np.ndarray | float, without: np.ndarray, left: LeaveOut, form: Form
) -> Jackknifed:
    """Numbers with those of each replicate of `leave_out`.

    Args:
        value: Of all rows, (...); NaN = none.
        without: Of each replicate, (B, ...); NaN where it has none.
        left: The replicates.
        form: How t is made true to the distribution.

    A unit that moves nothing, as one without scores of a metric, is not counted.
    """
    value = np.asarray(value, np.float64)
    deviation = value - np.asarray(without, np.float64)
    scale = np.maximum(np.abs(value), 1e-3)
    moved = ~(np.abs(deviation) <= 1e-12 * scale)
    groups = moved.sum(axis=0)
    n_units = np.where(groups == len(left.factor), left.n_units, groups)
    factor = left.factor.reshape(-1, *[1] * value.ndim)
    df = np.minimum(left.df, groups - 1.0)
    return Jackknifed(value, deviation, factor, df, n_units, form)


def contrast(*parts: tuple[float, Jackknifed]) -> Jackknifed:
    """A weighted sum of numbers from the same units: m - 0.85 o, or g + o / 3 - m.

    The units move the sum by the sum of what they move its parts by. Degrees of
    freedom and units: of the part that has fewest. A mean, whose weights have one sign,
    keeps the form of its parts. A difference is on the natural scale, with a longer
    tail where its parts are means of prompts' correlations. Never with a shorter one:
    two like numbers differ symmetrically, and there Hall's transformation with an
    estimated skewness tells 20 equal metrics apart in 0.11 of studies after Holm.

    Args:
        parts: Weight and numbers, whose shapes are broadcast.

    Raises:
        ValueError: If the numbers do not have the same replicates.

    >>> unit = np.arange(4.0)
    >>> of = [Jackknifed(np.array(1.0), d - d.mean(), np.array([0.75] * 4),
    ...       np.array(3.0), np.array(4)) for d in (unit, unit**2)]
    >>> contrast((1, of[0]), (-0.5, of[1])).deviation
    array([ 0.25,  0.75,  0.25, -1.25])
    """
    if len({len(one.deviation) for _, one in parts}) != 1:
        raise ValueError("expected numbers with the same replicates")
    ndim = max(one.value.ndim for _, one in parts)
    weights = np.array([weight for weight, _ in parts])
    forms = {one.form for _, one in parts}
    alike = (weights >= 0).all() and len(forms) == 1
    deviation: np.ndarray = sum(w * _deep(one.deviation, ndim) for w, one in parts)  # type: ignore[assignment]
    factor = _most([_deep(one.factor, ndim) for _, one in parts])
    return Jackknifed(
        np.asarray(sum(w * one.value for w, one in parts)),
        deviation,
        factor,
        _least([one.df for _, one in parts]),
        _least([one.n_units for _, one in parts]),
        forms.pop() if alike else form_of_difference(forms),
    )


def form_of_difference(forms: set[Form]) -> Form:
    """Of numbers of these forms."""
    return "difference" if forms == {"skewed"} else "natural"


def _deep(array: np.ndarray, ndim: int) -> np.ndarray:
    """Replicates x numbers with so many axes of numbers, for broadcasting."""
    missing = ndim - (array.ndim - 1)
    return array.reshape(len(array), *[1] * missing, *array.shape[1:])


def _least(arrays: list[np.ndarray]) -> np.ndarray:
    return np.asarray(np.min(np.broadcast_arrays(*arrays), axis=0))


def _most(arrays: list[np.ndarray]) -> np.ndarray:
    return np.asarray(np.max(np.broadcast_arrays(*arrays), axis=0))


def tested(
    of: Jackknifed, *, null: float = 0.0, level: float = LEVEL, least: int = LEAST
) -> Tested:
    """Limits of each number, two-sided and one-sided p, from one inversion.

    Var = sum_b factor_b deviation_b^2, with t of df. "fisher": value and deviations on
    z = artanh r. "skewed": there, with the longer tail of t stretched by the skewness
    of the deviations, see `inversion.by_longer_tail`. "difference": the latter, but on
    the natural scale.

    Args:
        of: The numbers.
        null: Value under the hypothesis.
        level: Nominal coverage.
        least: Units below which there is neither interval nor test.

    Returns:
        No limits and no p, and the reason: where there are few units, where a unit
        alone holds up a number, and where no unit moves it. Limits of correlations are
        within [-1, 1].
    """
    on_z = of.form in ("fisher", "skewed")
    made = _on_z(of, null, level) if on_z else _on_natural_scale(of, null, level)
    reason = _reasons(of, made, least)
    untested = reason.astype(bool)
    low, high, p, greater, less = (np.where(untested, np.nan, one) for one in made)
    return Tested(of.value, low, high, p, greater, less, reason)


def _on_natural_scale(of: Jackknifed, null: float, level: float) -> Inverted:
    numbers = of.value, np.sqrt((of.factor * of.deviation**2).sum(axis=0)), of.df
    if of.form == "natural":
        return by_t(*numbers, null=null, level=level)
    a = skewness(of.deviation, of.n_units)
    return by_longer_tail(*numbers, a, stretch=SECOND_ORDER, null=null, level=level)


def _on_z(of: Jackknifed, null: float, level: float) -> Inverted:
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.arctanh(of.value)
        deviation = z - np.arctanh(np.clip(of.value - of.deviation, -1, 1))
        spread = np.sqrt((of.factor * deviation**2).sum(axis=0))
        spread = np.where(np.isfinite(z + spread), spread, np.nan)
        a = np.zeros(())
        if of.form == "skewed":
            a = skewness(deviation, of.n_units)
        options = {"null": float(np.arctanh(null)), "level": level}
        made = by_longer_tail(z, spread, of.df, a, stretch=ON_Z, **options)
    return made._replace(low=np.tanh(made.low), high=np.tanh(made.high))


def _reasons(of: Jackknifed, made: Inverted, least: int) -> np.ndarray:
    undefined = np.isnan(of.deviation).any(axis=0)
    on_z = of.form in ("fisher", "skewed")
    perfect = on_z & (np.abs(of.value) >= 1 - 1e-12)
    found = np.full(np.shape(of.value), None, object)
    found[np.isnan(made.p)] = ALIKE
    found[perfect] = PERFECT
    few = f"an interval needs {least} prompts"
    found[(of.n_units < least) & (of.n_units > 0)] = few
    found[undefined] = ONE_UNIT
    if len(of.deviation) < least:
        found[...] = few
    return found


def estimate(
    of: Jackknifed,
    *,
    n: int,
    reason: str | None = None,
    level: float = LEVEL,
    least: int = LEAST,
    bounds: tuple[float, float] = (-np.inf, np.inf),
) -> Estimate:
    """One number with its interval.

    Args:
        of: One number, of shape ().
        n: Rows behind it.
        reason: Why it is None, where its value is NaN.
        level: Nominal coverage.
        least: As in `tested`.
        bounds: What limits cannot pass.
    """
    if np.isnan(of.value):
        return Estimate(None, n=n, reason=reason)
    found = tested(of, level=level, least=least)
    why = found.reason[()]
    if why is not None:
        return Estimate(float(of.value), n=n, reason=str(why))
    low, high = np.clip([found.low, found.high], *bounds).tolist()
    return Estimate(float(of.value), low, high, n)


def over(found: Estimate, units: str) -> Estimate:
    """The same, where not prompts but other units were left out, as the reason says."""
    if found.value is None or found.reason is None:
        return found
    return replace(found, reason=found.reason.replace("prompts", units))


def difference(
    first: Jackknifed, second: Jackknifed, *, n: int, reason: str | None = None
) -> tuple[Estimate, float | None, str | None]:
    """First minus second of two numbers of shape (), with interval and two-sided p.

    Args:
        first: From the same units as the second.
        second: Likewise.
        n: Rows behind them.
        reason: Why one of them is None, where one is.

    Returns:
        The estimate, p, and why p is None.
    """
    made = contrast((1, first), (-1, second))
    found = estimate(made, n=n, reason=reason)
    if found.reason is None:
        return found, float(tested(made).p), None
    few = int(made.n_units) < LEAST and found.value is not None
    return found, None, FEW_TO_TEST if few else found.reason


def all_pairs(of: Jackknifed) -> np.ndarray:
    """Test each two numbers, (M,), against each other.

    Returns:
        Two-sided p of `contrast((1, i), (-1, j))`, symmetric, (M, M); NaN on the
        diagonal and where there is no test.
    """
    n = len(of.value)
    p = np.full((n, n), np.nan)
    for i in range(n - 1):
        rest = slice(i + 1, None)
        found = tested(contrast((1, of.at(i)), (-1, of.at(rest))))
        p[i, rest] = p[rest, i] = found.p
    return p
