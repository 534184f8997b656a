"""How well votes tell two systems apart: what to ask next."""

from __future__ import annotations

import numpy as np

from scoring.stats import preference

RIDGE = 0.5  # virtual wins each way between any two items: nothing is infinite


def variances(wins: np.ndarray, ties: np.ndarray, ridge: float = RIDGE) -> np.ndarray:
    """Variance of the difference of each two log strengths.

    Of Bradley and Terry's model, where a tie is half a win for each. With n_ij votes of
    i and j, p_ij the fitted chance of i over j, and the information
    L_ij = - n_ij p_ij p_ji off the diagonal, L_ii = sum of n_ij p_ij p_ji,

        var(theta_i - theta_j) = (e_i - e_j)' L^+ (e_i - e_j)

    with L^+ the pseudo-inverse, as strengths are known up to a constant. To draw pairs
    in proportion to it asks most where least is known.

    Args:
        wins: Of the row over the column, (n, n), 0 or more.
        ties: Symmetric, (n, n).
        ridge: Virtual wins each way between any two, above 0.

    Returns:
        (n, n), symmetric, 0 on the diagonal, above 0 elsewhere.

    Raises:
        ValueError: If `ridge` is not above 0.

    >>> variances(np.array([[0, 3], [1, 0]]), np.zeros((2, 2)), 1e-9)[0, 1].round(6)
    np.float64(1.333333)
    """
    if ridge <= 0:
        raise ValueError(f"ridge: expected a number above 0, got {ridge}")
    n = len(wins)
    votes = wins + ties / 2 + ridge * (1 - np.eye(n))
    fitted = preference.fit(votes, np.zeros_like(votes), ties_as="half")
    theta = np.array(fitted.values, float)
    p = 1 / (1 + np.exp(theta[np.newaxis, :] - theta[:, np.newaxis]))
    information = -(votes + votes.T) * p * (1 - p)
    np.fill_diagonal(information, 0.0)
    np.fill_diagonal(information, -information.sum(axis=1))
    covariance = np.linalg.pinv(information, hermitian=True)
    spread = np.diag(covariance)
    found = spread[:, np.newaxis] + spread[np.newaxis, :] - 2 * covariance
    np.fill_diagonal(found, 0.0)
    return np.asarray(found)
