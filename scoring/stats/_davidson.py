"""The most likely Davidson strengths of many vote tables at once, by Newton's method.

Arrays of B tables of n items: `wins[b, i, j]` votes for i over j, `ties[b, i, j]` equal
votes of i and j, symmetric. The diagonals are zero.
"""

from __future__ import annotations

import numpy as np

MAX_STEPS = 200
# A longer Newton step in log strength leaves the region where it can be trusted.
MAX_STRIDE = 2.0
# Newton squares the error: after a step this short there is none left.
CONVERGED = 1e-8


def linked(wins: np.ndarray, ties: np.ndarray) -> np.ndarray:
    """Whether a chain of won or tied votes leads from i to j, (B, n, n) bool."""
    n = wins.shape[-1]
    reach = (wins > 0) | (ties > 0) | np.eye(n, dtype=bool)
    for _ in range(max(1, int(np.ceil(np.log2(max(n, 2)))))):
        step = reach.astype(np.float32)
        reach = step @ step > 0
    return reach


def components(wins: np.ndarray, ties: np.ndarray) -> np.ndarray:
    """Whether i and j are strongly connected, so that both can stand on one scale.

    Ford (1957): within such a group no part wins all its votes against the rest, and
    only then are the most likely strengths finite. Shape (B, n, n), bool.
    """
    reach = linked(wins, ties)
    both: np.ndarray = reach & reach.swapaxes(-1, -2)
    return both


def tie_rate_exists(wins: np.ndarray, ties: np.ndarray) -> np.ndarray:
    """Whether the tie parameter has a finite most likely value, (B,) bool.

    Strengths and nu can grow together for ever, each vote becoming likelier or staying
    as it is, exactly if numbers v exist with v_i - v_j >= 1 for each win of i over j
    and |v_i - v_j| <= 1 for each tie. None exist where some circle of votes has more
    wins than ties: a negative circle for Floyd and Warshall. Two items that have each
    beaten the other are the usual one.
    """
    tied, won = ties.any(axis=(1, 2)), wins > 0
    found = np.asarray(~tied | (won & won.swapaxes(1, 2)).any(axis=(1, 2)))
    rare = np.flatnonzero(~found)
    if len(rare):
        steps = np.where(won[rare], -1.0, np.where(ties[rare] > 0, 1.0, np.inf))
        for k in range(steps.shape[1]):
            via = steps[:, :, k, None] + steps[:, None, k, :]
            # Only the sign matters, and a negative circle would double at each k.
            steps = np.maximum(np.minimum(steps, via), -1e9)
        found[rare] = (np.diagonal(steps, axis1=1, axis2=2) < 0).any(axis=1)
    return found


def solve(
    wins: np.ndarray, ties: np.ndarray, same: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Fit theta (B, n), of mean 0 in each group of `same`, and one nu (B,) per table.

    With d = theta_i - theta_j and Z = e^(d/2) + e^(-d/2) + nu:
    P(i) = e^(d/2) / Z, P(j) = e^(-d/2) / Z, P(tie) = nu / Z (Davidson 1970).
    The likelihood is concave in (theta, log nu). nu is 0 where no vote is a tie.

    Args:
        wins: The table of wins.
        ties: The table of ties.
        same: Which items share a group, from `components`; votes across groups say
            nothing about a finite difference and are left out.

    Returns:
        NaN in tables where nu has no finite value, or where Newton did not converge.
    """
    wins, ties = wins * same, ties * same
    votes = _Votes(wins, ties, same)
    at = votes.start()
    fitted = np.full_like(at, np.nan)
    todo = np.flatnonzero(tie_rate_exists(wins, ties))
    stride = np.full(len(at), MAX_STRIDE)
    for _ in range(MAX_STEPS):
        if len(todo) == 0:
            break
        step = votes.newton(at[todo], todo)
        size = np.abs(step).max(axis=1)
        step *= np.minimum(1, stride[todo] / np.maximum(size, 1e-300))[:, np.newaxis]
        ahead = at[todo] + step
        worse = votes.worse(ahead, at[todo], todo)
        stride[todo] = np.where(worse, np.minimum(stride[todo], size) / 4, MAX_STRIDE)
        at[todo[~worse]] = ahead[~worse]
        done = size < CONVERGED
        fitted[todo[done]] = at[todo[done]]
        todo = todo[~done]
    return fitted[:, :-1], np.exp(fitted[:, -1])


def influence(
    fitted: tuple[np.ndarray, np.ndarray],
    same: np.ndarray,
    whole: tuple[np.ndarray, np.ndarray],
    parts: tuple[np.ndarray, np.ndarray],
) -> np.ndarray:
    """How far each part of a table moves its strengths, to first order: I^-1 g.

    I is the information of all votes, g the gradient of the likelihood of the part. The
    influences of all parts add up to 0, and the sum of their squares, times parts over
    parts less one, is the sandwich variance.

    Args:
        fitted: theta (B, n) and nu (B,) of all votes, from `solve`.
        same: As in `solve`, (B, n, n).
        whole: Wins and ties of all votes, (B, n, n) each.
        parts: Of U parts of each table, (B, U, n, n) each.

    Returns:
        (B, U, n); 0 for items that stand alone.
    """
    theta, nu = fitted
    tables, n_parts, n = parts[0].shape[:3]
    with np.errstate(divide="ignore"):
        at = np.concatenate([theta, np.log(nu)[:, np.newaxis]], axis=1)
    of_all = _Votes(whole[0] * same, whole[1] * same, same)
    information = of_all.slopes(at, np.arange(tables))[1]
    of_part = np.repeat(np.arange(tables), n_parts)
    wins, ties = (part.reshape(-1, n, n) * same[of_part] for part in parts)
    votes = _Votes(wins, ties, same[of_part])
    gradient = votes.slopes(at[of_part], np.arange(len(of_part)))[0]
    gradient[:, -1] = np.where(of_all.tied[of_part] > 0, gradient[:, -1], 0.0)
    gradient = gradient.reshape(tables, n_parts, n + 1)
    moved = np.linalg.solve(information, gradient.swapaxes(1, 2)).swapaxes(1, 2)
    return moved[..., :-1]


class _Votes:
    """The likelihood of tables of votes; a point is (theta, log nu), (b, n + 1)."""

    def __init__(self, wins: np.ndarray, ties: np.ndarray, same: np.ndarray) -> None:
        self.all = wins + wins.swapaxes(1, 2) + ties
        self.won = (wins - wins.swapaxes(1, 2)) / 2
        self.tied = ties.sum(axis=(1, 2)) / 2
        self.same = same

    def start(self) -> np.ndarray:
        """Equal strengths, and the nu that fits them."""
        n_votes = self.all.sum(axis=(1, 2)) / 2
        decided = np.maximum(n_votes - self.tied, 1e-9)
        with np.errstate(divide="ignore"):
            log_nu = np.log(2 * self.tied / decided)  # -inf where nothing is tied
        zeros = np.zeros((len(self.all), self.all.shape[1]))
        return np.concatenate([zeros, log_nu[:, np.newaxis]], axis=1)

    def log_likelihood(self, at: np.ndarray, of: np.ndarray) -> np.ndarray:
        d, log_nu = _differences(at)
        won = (self.won[of] * d).sum(axis=(1, 2)) / 2
        tied = np.where(self.tied[of] > 0, self.tied[of] * at[:, -1], 0.0)
        value: np.ndarray = (
            won + tied - (self.all[of] * _log_z(d, log_nu)).sum(axis=(1, 2)) / 2
        )
        return value

    def worse(self, ahead: np.ndarray, at: np.ndarray, of: np.ndarray) -> np.ndarray:
        """Whether the likelihood falls, by more than rounding."""
        with np.errstate(invalid="ignore"):  # -inf - -inf of nu without ties
            before = self.log_likelihood(at, of)
            after = self.log_likelihood(ahead, of)
        rounding = 1e-12 * (1 + self.all[of].sum(axis=(1, 2)))
        fell: np.ndarray = after < before - rounding
        return fell

    def newton(self, at: np.ndarray, of: np.ndarray) -> np.ndarray:
        """Information^-1 gradient."""
        gradient, information = self.slopes(at, of)
        step: np.ndarray = np.linalg.solve(information, gradient[..., np.newaxis])
        return step[..., 0]

    def slopes(self, at: np.ndarray, of: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Gradient (b, n + 1) and information (b, n + 1, n + 1)."""
        votes, n = self.all[of], at.shape[1] - 1
        d, log_nu = _differences(at)
        log_z = _log_z(d, log_nu)
        p_i = np.exp(d / 2 - log_z)
        p_j = p_i.swapaxes(1, 2)
        p_tie = np.exp(log_nu - log_z)
        gradient = np.empty_like(at)
        gradient[:, :n] = (self.won[of] - votes * (p_i - p_j) / 2).sum(axis=2)
        gradient[:, n] = self.tied[of] - (votes * p_tie).sum(axis=(1, 2)) / 2
        spread = votes * (p_i + p_j - (p_i - p_j) ** 2) / 4
        information = np.zeros((len(at), n + 1, n + 1))
        information[:, :n, :n] = -spread
        rows = np.arange(n)
        information[:, rows, rows] += spread.sum(axis=2)
        # The mean of a group is free: this holds it at 0.
        information[:, :n, :n] += self.same[of]
        shared = -(votes * p_tie * (p_i - p_j)).sum(axis=2) / 2
        information[:, :n, n] = information[:, n, :n] = shared
        curve = (votes * p_tie * (1 - p_tie)).sum(axis=(1, 2)) / 2
        information[:, n, n] = np.where(self.tied[of] > 0, curve, 1.0)
        return gradient, information


def _differences(at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    theta = at[:, :-1]
    return theta[:, :, np.newaxis] - theta[:, np.newaxis, :], at[:, -1, None, None]


def _log_z(d: np.ndarray, log_nu: np.ndarray) -> np.ndarray:
    found: np.ndarray = np.logaddexp(np.logaddexp(d / 2, -d / 2), log_nu)
    return found
