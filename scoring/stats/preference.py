"""Strengths of systems from votes on pairs: Bradley and Terry's model with ties.

Davidson (1970), "On extending the Bradley-Terry model to accommodate ties in paired
comparison experiments".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, get_args

import numpy as np
import scipy  # loads scipy.stats, which takes a second, when it is first used

from scoring.stats import _davidson, counts, jackknife, votes
from scoring.stats.counts import LEVEL
from scoring.stats.estimates import Estimate
from scoring.stats.jackknife import Jackknifed

Ties = Literal["davidson", "half"]
TIES = get_args(Ties)

ELO_MEAN = 1000.0
ELO_SCALE = 400 / np.log(10)  # 400 points are odds of ten to one

NO_VOTES = "no votes"
ALONE = "it is not in any cycle of wins and ties: it only wins or only loses"
NO_TIE_RATE = "ties and differences cannot be separated: too few upsets"
NO_FIT = "the fit did not converge"


class Strengths(NamedTuple):
    """Log strengths, or why an item has none. Compare them within a component only."""

    values: tuple[float | None, ...]  # mean 0 in each component
    reasons: tuple[str | None, ...]
    nu: float | None  # P(tie) = nu / (2 + nu) between equals; None where not fitted
    components: tuple[tuple[int, ...], ...]  # what beats another comes before it
    left_out: tuple[int, ...]  # items without a vote
    regularised: bool


class Fit(NamedTuple):
    """Pearson's test of the votes of each pair against those that the model expects."""

    chi2: float | None
    df: int
    p: float | None  # small: one strength per item does not explain the votes
    smallest: float | None  # expected number; p is rough below 5
    reason: str | None


class Preferences(NamedTuple):
    """Everything that votes on pairs say about the items."""

    strengths: tuple[Estimate, ...]  # log scale
    elo: tuple[Estimate, ...]  # 1000 + 400 / ln 10 * log strength
    ranks: tuple[tuple[int, int] | None, ...]  # best and worst, in the own component
    n_undefined: tuple[int, ...]  # units without which the item has no strength
    fitted: Strengths
    position: votes.Position
    fit: Fit
    wins: np.ndarray  # (n_items, n_items), of the row over the column
    ties: np.ndarray  # (n_items, n_items), symmetric


class Model(NamedTuple):
    """How votes become strengths."""

    ridge: float = 0.0
    ties_as: Ties = "davidson"

    def check(self) -> None:
        if self.ties_as not in TIES:
            expected = ", ".join(TIES)
            raise ValueError(f"ties_as {self.ties_as!r}: expected one of {expected}")
        if self.ridge < 0:
            raise ValueError(f"ridge: expected 0 or more, got {self.ridge}")

    def tables(
        self, wins: np.ndarray, ties: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Votes as the model takes them, (B, n, n) each."""
        wins, ties = wins.astype(np.float64), ties.astype(np.float64)
        seen = wins + wins.swapaxes(1, 2) + ties > 0
        if self.ties_as == "half":
            wins, ties = wins + ties / 2, np.zeros_like(ties)
        # Never on pairs without votes: nothing speaks for those being alike.
        return wins + self.ridge * seen, ties

    def without_virtual(
        self, wins: np.ndarray, ties: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Votes of parts, to which no virtual ones belong."""
        return self._replace(ridge=0.0).tables(wins, ties)


def fit(
    wins: np.ndarray,
    ties: np.ndarray,
    *,
    ridge: float = 0.0,
    ties_as: Ties = "davidson",
) -> Strengths:
    """Find the most likely strengths.

    With d = theta_i - theta_j and Z = e^(d/2) + e^(-d/2) + nu, P(i) = e^(d/2) / Z,
    P(j) = e^(-d/2) / Z and P(tie) = nu / Z (Davidson 1970). Without ties this is
    Bradley and Terry's model: P(i) = 1 / (1 + e^(-d)).

    Finite strengths exist only among items that wins and ties connect in a circle
    (Ford 1957), so each such component has a scale of its own. nu has none unless some
    circle of votes has more wins than ties, as two items have that beat each other.

    Args:
        wins: Of the row over the column, from `votes.tally`, shape (n, n).
        ties: Of the two, from `votes.tally`, shape (n, n).
        ridge: Virtual wins each way for each pair that has votes; 0.5 makes every
            strength finite, and pulls all towards each other.
        ties_as: "davidson", or "half" to count a tie as half a win for either.

    Raises:
        ValueError: If ties_as is another word or ridge is negative.

    >>> fit(np.array([[0, 3], [1, 0]]), np.zeros((2, 2))).values  # log 3 apart
    (0.5493061443340549, -0.5493061443340549)
    """
    model = Model(ridge, ties_as)
    model.check()
    seen = (wins + wins.T + ties).sum(axis=1) > 0
    won, tied = model.tables(wins[np.newaxis], ties[np.newaxis])
    same = _davidson.components(won, tied)
    theta, nu = (found[0] for found in _davidson.solve(won, tied, same))
    exists = bool(_davidson.tie_rate_exists(won * same, tied)[0])
    grouped = same[0].sum(axis=1) > 1
    reasons = tuple(
        _reason(bool(seen[item]), bool(grouped[item]), float(theta[item]), exists)
        for item in range(len(wins))
    )
    modelled = ties_as == "davidson" and grouped.any() and np.isfinite(nu)
    return Strengths(
        values=tuple(
            None if reason else float(value)
            for value, reason in zip(theta, reasons, strict=True)
        ),
        reasons=reasons,
        nu=float(nu) if modelled else None,
        components=_ordered(won, tied, seen),
        left_out=tuple(int(item) for item in np.flatnonzero(~seen)),
        regularised=ridge > 0,
    )


def bradley_terry(
    first: np.ndarray,
    second: np.ndarray,
    outcome: np.ndarray,
    n_items: int,
    *,
    unit: np.ndarray | None = None,
    ridge: float = 0.0,
    ties_as: Ties = "davidson",
    level: float = LEVEL,
) -> Preferences:
    """Rank items by votes on pairs, with intervals and what may be wrong with them.

    The value is the fit of all votes (see `fit`); its limits have the sandwich variance
    of the likelihood, Var = U / (U - 1) sum_u (I^-1 g_u)^2 over U units with gradient
    g_u, and Student's t with U - 1 degrees of freedom. An item has no interval where
    one unit alone connects it to its component: its strength is infinite without it.

    Args:
        first: As in `votes.read`.
        second: As in `votes.read`.
        outcome: As in `votes.read`.
        n_items: As in `votes.read`.
        unit: What shares something, shape (k,): the prompt of each vote, as one prompt
            gives several, or its rater. Single votes where None.
        ridge: As in `fit`.
        ties_as: As in `fit`.
        level: Nominal coverage.

    Returns:
        In `ranks` the best rank is 1 + the number of items whose interval lies wholly
        above, the worst leaves out those wholly below.

    Raises:
        ValueError: As `votes.read` and `fit`.
    """
    cast = votes.read(first, second, outcome, n_items, unit)
    wins, ties = votes.tally(cast)
    fitted = fit(wins, ties, ridge=ridge, ties_as=ties_as)
    moved = _moved(cast, fitted, Model(ridge, ties_as))
    strengths = _estimates(fitted, moved, wins + wins.T + ties, level)
    return Preferences(
        strengths=strengths,
        elo=tuple(map(elo_of, strengths)),
        ranks=_ranks(strengths, fitted.components),
        n_undefined=tuple(np.isnan(moved.deviation).sum(axis=0).tolist()),
        fitted=fitted,
        position=votes.position(cast, level),
        fit=check(wins, ties, fitted, ties_as=ties_as),
        wins=wins,
        ties=ties,
    )


def check(
    wins: np.ndarray,
    ties: np.ndarray,
    fitted: Strengths,
    *,
    ties_as: Ties = "davidson",
) -> Fit:
    """Test whether one strength per item explains the votes of every pair.

    chi2 = sum over pairs and outcomes of (observed - expected)^2 / expected. Degrees of
    freedom: outcomes less one for each pair that has votes, less one for each item but
    one of a component, less one for nu.

    Args:
        wins: From `votes.tally`, shape (n, n).
        ties: From `votes.tally`, shape (n, n).
        fitted: From `fit` of the same votes.
        ties_as: As in `fit`.
    """
    if fitted.regularised or (ties_as == "half" and ties.any()):
        reason = (
            "only for maximum likelihood estimates: without shrinkage and without ties"
            " as half wins"
        )
        return Fit(None, 0, None, None, reason)
    groups = [g for g in fitted.components if fitted.values[g[0]] is not None]
    theta = np.array([v or 0.0 for v in fitted.values])
    nu = fitted.nu or 0.0
    i, j = _pairs_of(groups, wins + wins.T + ties)
    observed = np.stack([wins[i, j], wins[j, i], ties[i, j]], axis=1)
    d = (theta[i] - theta[j]) / 2
    odds = np.stack([np.exp(d), np.exp(-d), np.full(len(d), nu)], axis=1)
    total = observed.sum(axis=1, keepdims=True)
    expected = total * odds / odds.sum(axis=1, keepdims=True)
    df = len(i) * (2 if nu else 1) - sum(len(g) - 1 for g in groups) - (nu > 0)
    if df < 1:
        reason = (
            "no degrees of freedom are left: the model has too many parameters for"
            " these votes"
        )
        return Fit(None, int(df), None, None, reason)
    used = expected > 0
    chi2 = float(((observed[used] - expected[used]) ** 2 / expected[used]).sum())
    p = float(scipy.stats.chi2.sf(chi2, df))
    return Fit(chi2, int(df), p, float(expected[used].min()), None)


def _reason(seen: bool, grouped: bool, value: float, exists: bool) -> str | None:
    if not seen:
        return NO_VOTES
    if not grouped:
        return ALONE
    if np.isnan(value):
        return NO_FIT if exists else NO_TIE_RATE
    return None


def _ordered(
    wins: np.ndarray, ties: np.ndarray, seen: np.ndarray
) -> tuple[tuple[int, ...], ...]:
    """Components of the items with votes; the one that reaches more comes first."""
    reach = _davidson.linked(wins, ties)[0]
    found: dict[tuple[int, ...], int] = {}
    for item in np.flatnonzero(seen):
        members = tuple(int(i) for i in np.flatnonzero(reach[item] & reach[:, item]))
        found[members] = int(reach[item].sum())
    return tuple(sorted(found, key=lambda members: -found[members]))


def _moved(cast: votes.Votes, fitted: Strengths, model: Model) -> Jackknifed:
    """Strengths, and what each unit moves them by; NaN where it alone holds one up."""
    n = cast.n_items
    names, at = np.unique(cast.unit, return_inverse=True)
    n_units = len(names)
    cells = votes.by_unit(cast, at.reshape(-1), n_units)
    values = np.array([np.nan if v is None else v for v in fitted.values])
    deviation = np.full((n_units, n), np.nan)
    counted = np.zeros(n, int)
    wins, ties = model.tables(*votes.tables(cells.sum(axis=0).reshape(1, -1), n))
    same = _davidson.components(wins, ties)
    theta, nu = _davidson.solve(wins, ties, same)
    for part in _slabs(n_units, 8 * n * n):
        own = votes.tables(cells[part].toarray(), n)
        alone = model.without_virtual(*own)
        if np.isfinite(theta).all():
            each = alone[0][np.newaxis], alone[1][np.newaxis]
            found = _davidson.influence((theta, nu), same, (wins, ties), each)
            deviation[part] = found[0]
        there = (own[0] + own[0].swapaxes(1, 2) + own[1]).sum(axis=2) > 0
        counted += there.sum(axis=0)
        rest = model.tables(*votes.tables(cells.sum(axis=0) - cells[part].toarray(), n))
        lost = _cut_off(same[0], _davidson.components(*rest))
        deviation[part] = np.where(lost, np.nan, deviation[part])
    factor = np.array([[n_units / max(1, n_units - 1)]])
    df = np.full(n, n_units - 1.0)
    return Jackknifed(values, deviation, factor, df, counted)


def _cut_off(same: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """Items outside the largest part that is left of their component, (U, n)."""
    size = rest.sum(axis=2)
    largest = np.where(same, size[:, np.newaxis, :], 0).max(axis=2, initial=0)
    found: np.ndarray = (size < largest) | ((largest == 1) & (same.sum(axis=1) > 1))
    return found


def _slabs(draws: int, numbers: int) -> Iterator[slice]:
    step = max(1, counts.SLAB // max(1, numbers))
    return (slice(start, start + step) for start in range(0, draws, step))


def _estimates(
    fitted: Strengths, moved: Jackknifed, n_votes: np.ndarray, level: float
) -> tuple[Estimate, ...]:
    return tuple(
        jackknife.estimate(
            moved.at(item),
            n=int(n_votes[item].sum()),
            reason=reason,
            level=level,
        )
        for item, reason in enumerate(fitted.reasons)
    )


def elo_of(strength: Estimate) -> Estimate:
    """A log strength on the Elo scale."""
    return strength.transformed(lambda number: float(ELO_MEAN + ELO_SCALE * number))


def _ranks(
    strengths: tuple[Estimate, ...], components: tuple[tuple[int, ...], ...]
) -> tuple[tuple[int, int] | None, ...]:
    """An item without an interval is never wholly above or below another."""
    ranks: list[tuple[int, int] | None] = [None] * len(strengths)
    for members in components:
        others = [strengths[other] for other in members]
        for item in members:
            low, high = strengths[item].low, strengths[item].high
            if low is None or high is None:
                continue
            above = sum(o.low is not None and o.low > high for o in others)
            below = sum(o.high is not None and o.high < low for o in others)
            ranks[item] = 1 + above, len(members) - below
    return tuple(ranks)


def _pairs_of(
    groups: list[tuple[int, ...]], n_votes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Each pair with votes within a group, once."""
    within = np.zeros(n_votes.shape, dtype=bool)
    for group in groups:
        within[np.ix_(group, group)] = True
    i, j = np.nonzero(np.triu(within & (n_votes > 0), 1))
    return i, j
