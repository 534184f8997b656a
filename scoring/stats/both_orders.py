"""A judge that saw each pair of texts in both orders: does the order decide?

Zheng et al. (2023), "Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scoring.stats import cluster_t, clustered
from scoring.stats.counts import LEVEL
from scoring.stats.estimates import Estimate
from scoring.stats.votes import FIRST, SECOND, TIE

NO_PAIR = "no pair has a verdict in both orders"


class BothOrders(NamedTuple):
    """What exchanging the two texts of each pair shows."""

    inconsistency: Estimate  # in [0, 1]
    bias: Estimate  # in [-1, 1]; above 0 the text shown first wins too often
    n_first: int  # pairs in which the text shown first won both times
    n_second: int  # the text shown second
    n_half: int  # one order is a tie, and the other is not


def compare(
    verdicts: np.ndarray,
    points: np.ndarray,
    prompts: np.ndarray,
    *,
    level: float = LEVEL,
) -> BothOrders:
    """Measure how far the order decides. Pairs with one verdict are left out.

    With v_1 the verdict on a pair and v_2 that on the same texts exchanged, each as
    shown, the inconsistency is the share of pairs in which they do not name the same
    text, or both none (Zheng et al. 2023, section 3.4). The position bias is

        P(first wins) - P(second wins) = mean over pairs of (x_1 + x_2) - 1,

    where x = P(first wins) + P(tie) / 2 of an order: each text is shown first once.
    The interval of the share is that of `clustered.share`, as none of 50 pairs is no
    proof of none; that of the bias is t over prompts, see `cluster_t`.

    Args:
        verdicts: 1 = the first shown wins, 2 = the second, 0 = tie, as shown, in the
            one order and in the other, shape (n, 2); NaN = none.
        points: x of the same, in [0, 1], shape (n, 2); NaN = none.
        prompts: The prompt of each pair, shape (n,), of any kind.
        level: Nominal coverage.

    Raises:
        ValueError: If the shapes do not match, or a verdict is another number.

    >>> verdicts = np.array([[1, 1], [1, 2], [2, 1], [1, 2]])
    >>> points = np.array([[1, 1], [1, 0], [0, 1], [1, 0]])
    >>> found = compare(verdicts, points, np.arange(4))
    >>> found.inconsistency.value, found.bias.value, found.n_first
    (0.25, 0.25, 1)
    """
    verdicts, points = np.asarray(verdicts, float), np.asarray(points, float)
    if verdicts.shape != points.shape or verdicts.shape != (len(prompts), 2):
        raise ValueError(
            f"expected verdicts and points (n, 2) and prompts (n,), got"
            f" {verdicts.shape}, {points.shape} and ({len(prompts)},)"
        )
    both = ~np.isnan(verdicts).any(axis=1) & ~np.isnan(points).any(axis=1)
    verdicts, points = verdicts[both], points[both]
    units = np.asarray(prompts)[both]
    if not np.isin(verdicts, (FIRST, SECOND, TIE)).all():
        raise ValueError("verdicts: expected 1 (first), 2 (second) or 0 (tie)")
    differ = verdicts[:, 0] != turned(verdicts[:, 1])
    equal = verdicts[:, 0] == verdicts[:, 1]
    return BothOrders(
        clustered.share(differ, units, level=level, reason=NO_PAIR),
        cluster_t.mean(points.sum(axis=1) - 1, units, level=level, reason=NO_PAIR),
        n_first=int((equal & (verdicts[:, 0] == FIRST)).sum()),
        n_second=int((equal & (verdicts[:, 0] == SECOND)).sum()),
        n_half=int((differ & ~equal).sum()),
    )


def turned(verdicts: np.ndarray) -> np.ndarray:
    """The same verdicts seen from the other order; NaN stays."""
    verdicts = np.asarray(verdicts, float)
    won = (verdicts == FIRST) | (verdicts == SECOND)
    return np.where(won, FIRST + SECOND - verdicts, verdicts)
