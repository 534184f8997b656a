"""What tells careless work, as functions of arrays. No Django, no database.

"We discard the submissions if the annotator assigns a higher rating to the negative
sample than other texts" (Ke et al. 2022, section 4.1) has three readings. For text t
and the compared aspects A, let

    m(t) = mean over a in A of the rating of t on a,

turned round where a low rating is a good one. With n the negative and T the real texts
of the page, a page is discarded when

    above_all    m(n) > max of m(t) over T      (the literal reading, the default)
    above_mean   m(n) > mean of m(t) over T
    above_any    m(n) > min of m(t) over T

always strictly: a tie is no evidence. So on several aspects the means are compared; one
aspect on which the negative did well is not enough. "We discard ... for each aspect"
may also be read so that it is: `by_aspect` has the rule on each aspect alone, and a
policy may discard a page where it is true of any one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

RULES = ("above_all", "above_mean", "above_any")

# Up to so many pages a worker's p is exact, beyond them normal: the table behind the
# exact one grows with the square of the pages.
EXACT_PAGES = 100


def is_above(rule: str, real: np.ndarray, negative: np.ndarray) -> np.ndarray:
    """Say which pages the rule discards.

    Args:
        rule: One of `RULES`.
        real: Ratings of the real texts, higher is better, shape (..., texts, aspects).
        negative: Ratings of the negative on the same aspects, shape (..., aspects).

    Returns:
        True where the negative stands above, shape (...).
    """
    # Sums instead of means: whole numbers, so that a tie is a tie.
    texts, own = real.sum(axis=-1), negative.sum(axis=-1)
    above: np.ndarray
    if rule == "above_all":
        above = own > texts.max(axis=-1)
    elif rule == "above_mean":
        above = own * texts.shape[-1] > texts.sum(axis=-1)
    elif rule == "above_any":
        above = own > texts.min(axis=-1)
    else:
        raise ValueError(f"{rule}: expected one of {', '.join(RULES)}.")
    return above


def by_aspect(rule: str, real: np.ndarray, negative: np.ndarray) -> np.ndarray:
    """Say on which aspects, each alone, the negative stands above.

    Arguments as in `is_above`.

    Returns:
        Shape (..., aspects).

    >>> by_aspect("above_all", np.array([[4, 4], [3, 2]]), np.array([4, 5])).tolist()
    [False, True]
    """
    alone = np.moveaxis(real, -1, -2)[..., np.newaxis]  # (..., aspects, texts, 1)
    return is_above(rule, alone, negative[..., np.newaxis])


def is_same(ratings: np.ndarray) -> np.ndarray:
    """Say which pages got one and the same value everywhere.

    Args:
        ratings: As given, not turned round, shape (..., texts, aspects). A page of one
            answer says nothing: False.
    """
    if ratings.shape[-2] * ratings.shape[-1] < 2:
        return np.zeros(ratings.shape[:-2], dtype=bool)
    same: np.ndarray = ratings.max(axis=(-2, -1)) == ratings.min(axis=(-2, -1))
    return same


def difference(real: np.ndarray, negative: np.ndarray) -> np.ndarray:
    """By how many points the negative stands above the mean of the real texts.

    Shapes as in `is_above`. Rounded to 12 decimals, so that equal fractions tie.
    """
    above = negative.mean(axis=-1) - real.mean(axis=(-2, -1))
    return np.asarray(np.round(above, 12))


def worker_p(differences: np.ndarray) -> float:
    """Test whether a worker rates the negatives lower, over all their pages.

    Wilcoxon's signed-rank test, one-sided: p is the chance of a rank sum of the
    positive differences that is as small or smaller, if each difference had either sign
    with chance 1/2. Ranks because a single page with an extreme answer must not decide
    about a person. Ties share the mean of their ranks, and the distribution is counted
    with them, so that p is exact for the few and coarse differences of rating scales.
    Differences of zero are left out (Wilcoxon's own way): they speak for neither side.

    Args:
        differences: Negative minus the mean of the real texts, one per page, (n,).

    Returns:
        p in (0, 1]; small for a careful worker, 1 where all differences are zero. Exact
        up to `EXACT_PAGES` pages, beyond them the normal approximation with ties.

    >>> worker_p(np.array([-2.0, -1.5, -1.0, -2.5, -0.5]))
    0.03125
    """
    found = differences[differences != 0]
    if not len(found):
        return 1.0
    ranks = _twice_ranks(np.abs(found))
    positive = int(ranks[found > 0].sum())
    if len(found) > EXACT_PAGES:
        return _normal(positive, ranks)
    chances = np.zeros(ranks.sum() + 1)
    chances[0] = 1.0
    for rank in ranks:
        chances[rank:] += chances[:-rank]
        chances /= 2
    return min(1.0, float(chances[: positive + 1].sum()))


def _twice_ranks(sizes: np.ndarray) -> np.ndarray:
    """Whole numbers also where ties share the mean of their ranks."""
    _, which, n = np.unique(sizes, return_inverse=True, return_counts=True)
    return (2 * np.cumsum(n) - n + 1)[which]


def _normal(positive: int, ranks: np.ndarray) -> float:
    """The same chance where each rank counts with 1/2, for many of them."""
    spread = math.sqrt(float((ranks.astype(float) ** 2).sum()) / 4)
    return 0.5 * math.erfc((ranks.sum() / 2 - positive) / spread / math.sqrt(2))


def is_blocked(discarded: Sequence[bool], after: int, within: int | None) -> bool:
    """Whether `after` of the last `within` pages were discarded; None = of all.

    Args:
        discarded: One bool per page of the worker, oldest first.
        after: So many discards are too many.
        within: How many pages count.
    """
    return sum(discarded[-(within or len(discarded)) :]) >= after


def chance_to_catch(
    rule: str, *, texts: int, aspects: int, steps: int, each: bool = False
) -> float:
    """How likely the rule discards a page rated uniformly at random. Exact.

    Args:
        rule: One of `RULES`.
        texts: Real texts on the page.
        aspects: Aspects compared.
        steps: Points of the scale.
        each: Whether any one aspect is enough. Random ratings of different aspects are
            independent: 1 - (1 - c)^aspects, with c the chance on one.
    """
    if each:
        one_aspect = chance_to_catch(rule, texts=texts, aspects=1, steps=steps)
        return 1 - (1 - one_aspect) ** aspects
    one = np.full(steps, 1 / steps)
    total = _sum_of(one, aspects)  # chance of each sum over the aspects, from 0 up
    up_to = np.cumsum(total)
    below = up_to - total
    if rule == "above_all":
        return float(total @ below**texts)
    if rule == "above_any":
        return float(1 - total @ (1 - below) ** texts)
    if rule == "above_mean":
        others = np.concatenate([[0], np.cumsum(_sum_of(total, texts))])
        return float(total @ others[np.arange(len(total)) * texts])
    raise ValueError(f"{rule}: expected one of {', '.join(RULES)}.")


def chance_of_same(*, answers: int, steps: int) -> float:
    """How likely a page rated uniformly at random has one value everywhere. Exact.

    Never together with a rule, which a tie does not trigger: the chances add up.
    """
    return float(steps) ** (1 - answers) if answers > 1 else 0.0


def _sum_of(chances: np.ndarray, n: int) -> np.ndarray:
    """Distribution of the sum of n independent draws from 0, 1, 2, ..."""
    found = np.ones(1)
    for _ in range(n):
        found = np.convolve(found, chances)
    return found
