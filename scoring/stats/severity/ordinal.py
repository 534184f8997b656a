"""An ordinal mixed model of ratings: systems, texts, and raters who are strict or not.

A cumulative logit model with crossed random effects (McCullagh 1980; as `clmm` of R's
package ordinal, Christensen 2019):

    P(rating of text t by rater r <= point k) = F(theta_k - beta_s(t) - u_t - v_r),
    u_t ~ N(0, sd_text^2), v_r ~ N(0, sd_rater^2), F(x) = 1 / (1 + exp(-x)).

All numbers are log odds: beta_s of the system that wrote the text, u_t of the text
within its system, v_r of the rater; v_r > 0 gives higher ratings. The parameters are
those of the highest marginal likelihood, where Laplace's approximation stands for the
integral over u and v. `points.py` turns log odds into points of the scale.

Spread: a second model has thresholds that each rater stretches from their middle,

    F(a_r (theta_k - m) + m - beta_s(t) - u_t - v_r),   a_r ~ N(1, sd_spread^2),

m being the mean of the thresholds. 1 / a_r is the rater's spread: above 1, the same
texts move this rater's answers further to both ends of the scale, and texts that others
rate 2 and 4 get 1 and 5; below 1, the rater stays in the middle. `clmm` has no such
term: it is ours, and held against simulated ratings.

A rater who gave no point between the ends says nothing against a_r = 0, where the
likelihood has no maximum. For such raters half a rating is added that lies between
thresholds and says nothing else: a factor (1 - exp(-a_r (theta_k+1 - theta_k)))^h for
each point between the ends, the h of a rater adding up to 1/2. Others are not touched.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from scoring.stats._ratings import ratings
from scoring.stats.severity import _laplace, _search
from scoring.stats.severity._arrow import Arrow
from scoring.stats.severity._rows import (
    Parameters,
    Rows,
    chain,
    every,
    pack,
    rows,
    unpack,
)

MOST_POINTS, MOST_RATERS = 11, 2000
MOST = 25.0  # log odds: no finite value is that large
INNER = 0.5  # ratings between the ends, for a rater who gave none there
NO_SD = 1e-4  # what is smaller is nothing
# From so many ratings on the search begins with about so many of them.
MANY, PART = 300_000, 30_000

NO_RATING = "there are no ratings by known raters"
ONE_RATER = "there is only one rater"
NO_PAIR = "no text has two ratings"
MANY_POINTS = (
    f"ratings have more than {MOST_POINTS} different values: the model is for scales of"
    " few points"
)
MANY_RATERS = f"there are more than {MOST_RATERS:,} raters"
SAME = "all ratings are the same"
APART = "all ratings of some systems lie above all ratings of the others"
NOT_FOUND = (
    "the model found no finite parameters: there are too few ratings, or they"
    " are too alike"
)
FLAT = "the likelihood is too flat for an interval"
NO_MIDDLE = "the spread needs ratings at three or more points of the scale"


class NoFit(NamedTuple):
    """Why there is no model."""

    reason: str


class Fit(NamedTuple):
    """The most likely parameters, and what the raters are like given these."""

    values: np.ndarray  # (K,) points of the scale that were used
    thresholds: np.ndarray  # (K - 1,) log odds, between them
    systems: np.ndarray  # (S,) log odds; the first finite one is 0
    text_sd: float
    rater_sd: float
    log_likelihood: float
    # (p, p) of thresholds, finite systems but the first, text_sd, rater_sd; NaN = FLAT
    covariance: np.ndarray
    raters: np.ndarray  # (R,) v_r at their joint mode; NaN = in no rating that counts
    rater_covariance: np.ndarray  # (R, R) given the parameters
    sensitivity: np.ndarray  # (R, p) how v_r moves with the parameters
    n_ratings: np.ndarray  # (R,)
    n_texts: np.ndarray  # (S,)
    n_groups: int  # of raters who share texts, directly or through others
    system_names: np.ndarray  # (S,)
    rater_names: np.ndarray  # (R,)
    at: np.ndarray  # where the search ended, as `unpack` reads it
    curvature: np.ndarray  # (p, p) of minus the log-likelihood there

    @property
    def errors(self) -> np.ndarray:
        """Standard errors of the parameters, (p,)."""
        return np.asarray(np.sqrt(np.diagonal(self.covariance)))


class Spread(NamedTuple):
    """How far each rater stretches the thresholds."""

    stretch: np.ndarray  # (R,) a_r at the joint mode; NaN = in no rating that counts
    errors: np.ndarray  # (R,) given the parameters
    sd: float
    log_likelihood: float
    no_inner: np.ndarray  # (R,) bool: gave no point between the ends


class _Read(NamedTuple):
    """Ratings as the model takes them, and what became of systems and raters."""

    rows: Rows
    values: np.ndarray
    system_names: np.ndarray
    ends: np.ndarray  # (S,) -inf, inf: all ratings at an end, not in rows; 0 else
    rater_names: np.ndarray
    in_rows: np.ndarray  # (R,) bool


def fit(
    text: np.ndarray,
    rater: np.ndarray,
    value: np.ndarray,
    system: np.ndarray | None = None,
) -> Fit | NoFit:
    """Fit the model without spread.

    A point of the scale that nobody used has no threshold. A system whose ratings are
    all at the lowest (highest) point in use has no finite beta: it is -inf (inf), and
    its ratings say nothing about anything else in the limit, so they are left out.

    Args:
        text: Which text was rated, (k,), of any kind.
        rater: Who rated it, (k,), of any kind. The last rating of a text counts.
        value: The rating, (k,); NaN = missing.
        system: The system of that text, (k,), of any kind; None: all of one.

    Raises:
        ValueError: If the lengths differ.
    """
    read = _read(text, rater, value, system)
    if isinstance(read, NoFit):
        return read
    search = _Search(read.rows, None)
    found = _search.lowest(search.slope, *_begun(read.rows))
    if not found.converged:
        return NoFit(NOT_FOUND)
    return _described(read, search, _settled(found, 2))


def spread(
    text: np.ndarray,
    rater: np.ndarray,
    value: np.ndarray,
    system: np.ndarray | None = None,
    *,
    after: Fit | None = None,
) -> Spread | NoFit:
    """Fit the model with spread. Arguments and errors are those of `fit`.

    The search begins at `after`, the model without spread of the same ratings; without
    one, that is fitted first.
    """
    read = _read(text, rater, value, system)
    if isinstance(read, NoFit):
        return read
    of = read.rows
    if of.n_points < 3:
        return NoFit(NO_MIDDLE)
    of, without = _with_inner(of)
    search, known = _Search(of, 0.2), after.curvature if after else None
    plain = after or _search.lowest(_Search(of, None).slope, *_begun(of))
    found = _search.lowest(search.slope, np.append(plain.at, 0.2), known)
    if not found.converged:
        return NoFit(NOT_FOUND)
    found = _settled(found, 3)
    mode, sd = search.mode_at(found.at), float(found.at[-1])
    assert mode is not None
    _, _, own = _laplace.effects(mode.b, of)
    variance = np.diagonal(mode.hessian.inner_inverse())[of.n_raters :]
    stretch, errors = np.full((2, len(read.rater_names)), np.nan)
    no_inner = np.zeros(len(stretch), bool)
    no_inner[read.in_rows] = without
    stretch[read.in_rows] = 1 + sd * own
    errors[read.in_rows] = sd * np.sqrt(variance)
    return Spread(stretch, errors, sd, -found.value, no_inner)


def _with_inner(of: Rows) -> tuple[Rows, np.ndarray]:
    """With half a rating between the ends for raters without one; and who these are."""
    without = of.times[:, 1:-1].sum(axis=1) == 0
    times = of.times.astype(np.float64)
    times[without, 1:-1] = INNER / (of.n_points - 2)
    return replace(of, times=times), without


# Reading ------------------------------------------------------------------------------


def _read(
    text: np.ndarray, rater: np.ndarray, value: np.ndarray, system: np.ndarray | None
) -> _Read | NoFit:
    known = ratings(text, rater, value)
    if len(known.row) == 0:
        return NoFit(NO_RATING)
    if len(known.names) < 2:
        return NoFit(ONE_RATER)
    if len(known.names) > MOST_RATERS:
        return NoFit(MANY_RATERS)
    if len(np.unique(known.value)) > MOST_POINTS:
        return NoFit(MANY_POINTS)
    whose = np.zeros(len(known.row)) if system is None else np.asarray(system)
    whose = whose if system is None else whose[known.row]
    names, of = np.unique(whose, return_inverse=True)
    ends = _at_ends(of, known.value, len(names))
    kept = ends[of] == 0
    if not kept.any() or len(np.unique(known.value[kept])) < 2:
        return NoFit(SAME)
    if _apart(of[kept], known.value[kept]):
        return NoFit(APART)
    unit, who = known.unit[kept], known.rater[kept]
    if np.bincount(unit).max() < 2:
        return NoFit(NO_PAIR)
    values, point = np.unique(known.value[kept], return_inverse=True)
    _, first, unit = np.unique(unit, return_index=True, return_inverse=True)
    _, systems = np.unique(of[kept][first], return_inverse=True)
    there, who = np.unique(who, return_inverse=True)
    if len(there) < 2:
        return NoFit(ONE_RATER)
    in_rows = np.isin(np.arange(len(known.names)), there)
    made = rows(unit, who, point, systems)
    return _Read(made, values, names, ends, known.names, in_rows)


def _at_ends(system: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    """-inf or inf for systems that only got the lowest or highest point in use.

    Again without these, as another point is then the lowest or highest.
    """
    found = np.zeros(n)
    low, high = np.full(n, np.inf), np.full(n, -np.inf)
    np.minimum.at(low, system, value)
    np.maximum.at(high, system, value)
    while n > 1 and (open_still := found == 0).any():
        least, most = low[open_still].min(), high[open_still].max()
        at_low = open_still & (high == least)
        at_high = open_still & (low == most) & ~at_low
        if not (at_low | at_high).any() or (at_low | at_high)[open_still].all():
            break
        found[at_low], found[at_high] = -np.inf, np.inf
    return found


def _apart(system: np.ndarray, value: np.ndarray) -> bool:
    """Whether a cut of the scale goes through no system's ratings."""
    names, of = np.unique(system, return_inverse=True)
    values, point = np.unique(value, return_inverse=True)
    low, high = np.full(len(names), len(values)), np.full(len(names), -1)
    np.minimum.at(low, of, point)
    np.maximum.at(high, of, point)
    cuts = np.arange(len(values) - 1)[:, np.newaxis]
    return bool(((low > cuts) | (high <= cuts)).all(axis=1).any())


# Searching ----------------------------------------------------------------------------


class _Search:
    """Minus the log-likelihood as the search asks for it; each mode starts the next."""

    near: Arrow | None = None

    def __init__(self, of: Rows, spread: float | None) -> None:
        self.of = of
        self.b = np.zeros(of.n_texts + of.n_raters * (1 if spread is None else 2))

    def mode_at(self, at: np.ndarray) -> _laplace.Mode | None:
        made = unpack(at, self.of)
        if max(abs(made.text), abs(made.rater), np.abs(made.systems).max()) > MOST:
            return None
        found = _laplace.mode(made, self.of, self.b, self.near)
        if found is not None:
            self.b, self.near = found.b, found.hessian
        return found

    def slope(self, at: np.ndarray) -> tuple[float, np.ndarray]:
        found = self.mode_at(at)
        if found is None:
            return np.inf, np.full(len(at), np.nan)
        by = _laplace.derivatives(unpack(at, self.of), found, self.of)
        return _laplace.value(found), chain(at, self.of).T @ by

    def slope_and_raters(self, at: np.ndarray) -> np.ndarray:
        """The slope, and v at the mode, (p + R,)."""
        _, by = self.slope(at)
        made = unpack(at, self.of)
        return np.concatenate([by, made.rater * _laplace.effects(self.b, self.of)[1]])


def _settled(found: _search.Found, n_sds: int) -> _search.Found:
    """With SDs as SDs: the likelihood is the same for one and minus it, flat at 0."""
    at = found.at.copy()
    sds = np.abs(at[-n_sds:])
    at[-n_sds:] = np.where(sds < NO_SD, 0.0, sds)
    return found._replace(at=at)


def _begun(of: Rows) -> tuple[np.ndarray, np.ndarray | None]:
    """Where the search begins, and about the curvature there; None = not known.

    Of very many ratings, each of the first steps takes as long as one of the last, and
    they only have to come near: there they are made with a part of the texts.
    """
    whole = _start(of), None
    if len(of.point) < MANY:
        return whole
    some = every(of, len(of.point) // PART)
    if (some.n_points, some.n_systems) != (of.n_points, of.n_systems):
        return whole
    found = _search.lowest(_Search(some, None).slope, _start(some))
    if not found.converged:
        return whole
    return found.at, np.linalg.inv(found.inverse) * len(of.point) / len(some.point)


def _start(of: Rows) -> np.ndarray:
    """Thresholds from shares of the points, systems from mean points."""
    share = np.cumsum(np.bincount(of.point))[:-1] / len(of.point)
    cuts = 1.3 * np.log(share / (1 - share))
    mean = np.bincount(of.system, of.by_text(of.point)) / np.bincount(
        of.system, np.diff(of.starts)
    )
    slope = (cuts[-1] - cuts[0]) / max(1, of.n_points - 2) if of.n_points > 2 else 2.0
    return pack(Parameters(cuts, slope * (mean - mean[0]), 1.0, 0.5, None))


def _described(read: _Read, search: _Search, found: _search.Found) -> Fit:
    of, at = read.rows, found.at
    p, r = len(at), len(read.rater_names)
    mode = search.mode_at(at)
    assert mode is not None
    made = unpack(at, of)
    changes = _search.differences(search.slope_and_raters, at)
    turn = chain(at, of)
    back = np.linalg.inv(turn)
    kept = read.in_rows
    raters, sensitivity = np.full(r, np.nan), np.full((r, p), np.nan)
    raters[kept] = made.rater * _laplace.effects(mode.b, of)[1]
    sensitivity[kept] = changes[:, p:].T @ back
    inner = np.full((r, r), np.nan)
    inverse = mode.hessian.inner_inverse()
    inner[np.ix_(kept, kept)] = made.rater**2 * inverse
    systems = read.ends.copy()
    systems[read.ends == 0] = made.systems
    n_texts = np.zeros(len(systems), np.int64)
    n_texts[read.ends == 0] = np.bincount(of.system)
    n_ratings = np.zeros(r, np.int64)
    n_ratings[kept] = np.bincount(of.rater)
    return Fit(
        read.values,
        made.thresholds,
        systems,
        made.text,
        made.rater,
        -found.value,
        turn @ _inverse(changes[:, :p]) @ turn.T,
        raters,
        inner,
        sensitivity,
        n_ratings,
        n_texts,
        len(of.groups),
        read.system_names,
        read.rater_names,
        at,
        changes[:, :p],
    )


def _inverse(curvature: np.ndarray) -> np.ndarray:
    """NaN where the likelihood is flat in some direction."""
    curvature = (curvature + curvature.T) / 2
    if not np.isfinite(curvature).all() or np.linalg.eigvalsh(curvature)[0] < 1e-7:
        return np.full(curvature.shape, np.nan)
    return np.linalg.inv(curvature)
