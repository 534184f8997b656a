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
aspect on which the negative did well is not enough. Where aspects have different scales
their answers come as percentages of these (`common_scale`). "We discard ... for each
aspect" may also be read so that one is enough: `by_aspect` has the rule on each aspect
alone, and a policy may discard a page where it is true of any one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

RULES = ("above_all", "above_mean", "above_any")

# Up to so many pages a worker's p is exact, beyond them normal: the table behind the
# exact one grows with the square of the pages.
EXACT_PAGES = 100
# Distributions of more values than this are added up by Fourier transforms.
LONG = 4096


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
        above = _exact(own) > _exact(texts.max(axis=-1))
    elif rule == "above_mean":
        above = _exact(own * texts.shape[-1]) > _exact(texts.sum(axis=-1))
    elif rule == "above_any":
        above = _exact(own) > _exact(texts.min(axis=-1))
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


def _exact(sums: np.ndarray) -> np.ndarray:
    """Sums of percentages are no whole numbers: equal ones are made so."""
    return np.asarray(np.round(sums, 6))


def is_same(
    ratings: np.ndarray,
    groups: np.ndarray | None = None,
    asked: np.ndarray | None = None,
) -> np.ndarray:
    """Say which pages got one and the same value everywhere.

    Args:
        ratings: As given, not turned round, shape (..., texts, aspects); NaN is a value
            of its own: "cannot say". A page of one answer says nothing: False.
        groups: Which scale each aspect has, shape (aspects,): of different scales each
            has its own value. None: all have one.
        asked: Which aspects are asked of which texts, (texts, aspects) bool; None: all.
    """
    if ratings.shape[-2] * ratings.shape[-1] < 2:
        return np.zeros(ratings.shape[:-2], dtype=bool)
    groups = np.zeros(ratings.shape[-1]) if groups is None else groups
    same: np.ndarray = np.ones(ratings.shape[:-2], dtype=bool)
    for group in np.unique(groups):
        here = np.broadcast_to(groups == group, ratings.shape[-2:])
        here = here if asked is None else here & asked
        if not here.any():
            continue
        own = ratings[..., here]
        unsaid = np.isnan(own)
        equal = own.max(axis=-1) == own.min(axis=-1)  # never of a NaN
        same &= equal | unsaid.all(axis=-1)
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
    rule: str, *, texts: int, steps: Sequence[int], each: bool = False
) -> float:
    """How likely the rule discards a page rated uniformly at random. Exact.

    Args:
        rule: One of `RULES`.
        texts: Real texts on the page.
        steps: Points of the scale of each aspect that is compared.
        each: Whether any one aspect is enough. Random ratings of different aspects are
            independent: 1 - product of (1 - c), with c the chance on each alone.
    """
    if each:
        alone = [chance_to_catch(rule, texts=texts, steps=[n]) for n in steps]
        return 1 - math.prod(1 - chance for chance in alone)
    # On scales of 4 and 6 steps, say, every answer is a whole number of twelfths.
    parts = math.lcm(*(n - 1 for n in steps))
    total = np.ones(1)  # chance of each sum over the aspects, from 0 up
    for n in steps:
        total = _plus(total, n, parts // (n - 1))
    up_to = np.cumsum(total)
    below = up_to - total
    if rule == "above_all":
        return float(total @ below**texts)
    if rule == "above_any":
        return float(1 - total @ (1 - below) ** texts)
    if rule == "above_mean":
        others = np.concatenate([[0], np.cumsum(_times(total, texts))])
        return float(total @ others[np.arange(len(total)) * texts])
    raise ValueError(f"{rule}: expected one of {', '.join(RULES)}.")


def chance_of_same(*, texts: int, steps: Sequence[int]) -> float:
    """How likely a page rated uniformly at random has one value everywhere. Exact.

    Where scales differ, one value on each (`is_same`). With a single scale never
    together with a rule, which a tie does not trigger: the chances add up.

    Args:
        texts: On the page, the negative among them.
        steps: Points of the scale of each aspect.
    """
    if texts * len(steps) < 2:
        return 0.0
    scales = Counter(steps)
    return math.prod(float(n) ** (1 - texts * times) for n, times in scales.items())


def _plus(chances: np.ndarray, steps: int, apart: int) -> np.ndarray:
    """Distribution of a sum, and one more answer on so many points, so far apart."""
    found = np.zeros(len(chances) + (steps - 1) * apart)
    for step in range(steps):
        found[step * apart :][: len(chances)] += chances / steps
    return found


def _times(chances: np.ndarray, n: int) -> np.ndarray:
    """Distribution of the sum of n independent draws from 0, 1, 2, ..."""
    size = n * (len(chances) - 1) + 1
    if size > LONG:  # exact to 15 digits, and soon done
        found = np.fft.irfft(np.fft.rfft(chances, size) ** n, size)
        return np.asarray(np.clip(found, 0, None))
    found = np.ones(1)
    for _ in range(n):
        found = np.convolve(found, chances)
    return found
