"""How many prompts show a difference of two systems, or that there is none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import comb
from typing import NamedTuple

import numpy as np
import scipy  # its special functions: scipy.stats takes a second to load

from scoring.stats.components.designs import Design, half_width, per_prompt
from scoring.stats.counts import TESTABLE
from scoring.stats.power import ALPHA, POWER

# A study of more prompts is not planned here.
MOST_PROMPTS = 100_000
MOST_RATERS = 20
# Points of the integral over the standard deviation that is found.
POINTS = 400
HALVINGS = 20


class Goal(NamedTuple):
    """What a study is to show of two systems."""

    difference: float  # in points of the scale; for equivalence, less than this
    power: float = POWER
    alpha: float = ALPHA  # two-sided; of each of the two tests for equivalence
    equivalence: bool = False
    systems: int = 2  # that are compared, each two of them

    @property
    def level(self) -> float:
        """Of the test of one pair: by Holm, that of the smallest p of all pairs.

        Where other pairs are told apart, too, those left are tested at a higher level,
        so the power of such a pair is above what is planned.
        """
        if self.equivalence:
            return self.alpha
        return self.alpha / max(1, comb(self.systems, 2))


class Planned(NamedTuple):
    """A design that reaches a goal, and what it takes."""

    design: Design
    ratings: int
    cost: float | None
    power: float
    half_width: float  # never NaN: a design that reaches a goal has several prompts


def power(variance: float, prompts: int, goal: Goal) -> float:
    """Find the chance that a study reaches its goal.

    A t test over prompts, df = P - 1, of a true difference of `goal.difference`; for
    equivalence two one-sided tests of a true difference of 0 (Schuirmann 1987).

    Args:
        variance: `per_prompt` of the design.
        prompts: At least 2.
        goal: What is to be shown.

    Returns:
        In [0, 1]; 1 where nothing varies.

    Raises:
        ValueError: If a difference is not above 0, or power or alpha not in (0, 1).
    """
    _check(goal)
    if prompts < 2:
        return 0.0
    error = np.sqrt(variance / prompts)
    if error == 0:
        return 1.0
    reach, df = goal.difference / error, prompts - 1
    return _equivalent(reach, df, goal) if goal.equivalence else _seen(reach, df, goal)


def _seen(reach: float, df: int, goal: Goal) -> float:
    """P(|t| > t_(1 - level / 2)), t noncentral with noncentrality `reach`."""
    limit = scipy.special.stdtrit(df, 1 - goal.level / 2)
    below = scipy.special.nctdtr(df, reach, np.array([limit, -limit]))
    # NaN where it is too small to be told from 0.
    inside, wrong = np.nan_to_num(below)
    return float(1 - inside + wrong)


def _equivalent(reach: float, df: int, goal: Goal) -> float:
    """P(both tests reject): 2 E Phi(reach - t s) - 1 where positive.

    s^2 ~ chi^2 / df is the variance that is found, as a share of the true one. Phi is
    averaged over its quantiles.
    """
    limit = scipy.special.stdtrit(df, 1 - goal.alpha)
    shares = (np.arange(POINTS) + 0.5) / POINTS
    s = np.sqrt(2 * scipy.special.gammaincinv(df / 2, shares) / df)
    inside = 2 * scipy.special.ndtr(reach - limit * s) - 1
    return float(np.maximum(inside, 0).mean())


def prompts_needed(
    variances: Mapping[str, float], design: Design, goal: Goal
) -> int | None:
    """Find the smallest number of prompts that reaches the power.

    Args:
        variances: By effect, as in `designs.per_prompt`.
        design: Its own number of prompts does not matter.
        goal: What is to be shown.

    Returns:
        At least 6: intervals over fewer prompts are no evidence. None above 100,000.
    """
    _check(goal)
    variance = float(per_prompt(variances, design))
    low, high = TESTABLE, TESTABLE
    while power(variance, high, goal) < goal.power:
        low, high = high + 1, 2 * high
        if low > MOST_PROMPTS:
            return None
    while low < high:
        middle = (low + high) // 2
        if power(variance, middle, goal) < goal.power:
            low = middle + 1
        else:
            high = middle
    return high if high <= MOST_PROMPTS else None


def raters_needed(
    variances: Mapping[str, float], design: Design, goal: Goal
) -> int | None:
    """The fewest raters of each text that reach the power with these prompts.

    Returns:
        None if not even 20 do, or not as many as there are raters in all.
    """
    most = min(MOST_RATERS, design.pool or MOST_RATERS)
    for raters in range(1, most + 1):
        wanted = replace(design, raters=raters)
        variance = float(per_prompt(variances, wanted))
        if power(variance, design.prompts, goal) >= goal.power:
            return raters
    return None


def detectable(variance: float, prompts: int, goal: Goal) -> float | None:
    """The smallest difference, or margin, that the prompts reach the power for.

    Args:
        variance: `per_prompt` of the design.
        prompts: How many there are.
        goal: Its difference does not matter.

    Returns:
        In points of the scale, found by bisection; None with fewer than 2 prompts.
    """
    if prompts < 2:
        return None
    low, high = 0.0, 1.0
    while power(variance, prompts, goal._replace(difference=high)) < goal.power:
        low, high = high, 2 * high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if power(variance, prompts, goal._replace(difference=middle)) < goal.power:
            low = middle
        else:
            high = middle
    return high


def designs(
    variances: Mapping[str, float],
    goal: Goal,
    *,
    systems: int,
    like: Design,
    raters: Sequence[int] = (1, 2, 3, 5),
    texts: Sequence[int] = (1,),
    price: float | None = None,
    price_of_text: float = 0.0,
    most_prompts: int | None = None,
) -> list[Planned]:
    """List the designs that reach a goal, the cheapest first.

    Args:
        variances: By effect, as in `designs.per_prompt`.
        goal: What is to be shown.
        systems: How many are rated.
        like: Who rates; its prompts, texts and raters do not matter.
        raters: Numbers of raters of each text to look at.
        texts: Numbers of texts of each prompt and system to look at.
        price: Of one rating; None = unknown, and ratings are counted instead.
        price_of_text: What a text costs before anybody rates it, in the same unit.
        most_prompts: How many there are; None = as many as it takes.

    Returns:
        Empty if no design does. Equally cheap ones with fewer prompts first.
    """
    found = list(
        _reaching(variances, goal, systems, like, raters, texts, price, price_of_text)
    )
    kept = [
        p for p in found if most_prompts is None or p.design.prompts <= most_prompts
    ]
    return sorted(kept, key=lambda p: (p.cost or p.ratings, p.design.prompts))


def _reaching(
    variances: Mapping[str, float],
    goal: Goal,
    systems: int,
    like: Design,
    raters: Sequence[int],
    texts: Sequence[int],
    price: float | None,
    price_of_text: float,
) -> Iterator[Planned]:
    for each in texts:
        for number in raters:
            if like.pool is not None and number > like.pool:
                continue
            design = replace(like, texts=each, raters=number)
            if (prompts := prompts_needed(variances, design, goal)) is None:
                continue
            design = replace(design, prompts=prompts)
            ratings = design.ratings(systems)
            cost = None
            if price is not None:
                cost = ratings * price + systems * prompts * each * price_of_text
            reached = power(float(per_prompt(variances, design)), prompts, goal)
            width = float(half_width(variances, design))
            yield Planned(design, ratings, cost, reached, width)


def _check(goal: Goal) -> None:
    if not goal.difference > 0:
        raise ValueError(f"expected a difference above 0, got {goal.difference}")
    for name, share in (("power", goal.power), ("alpha", goal.alpha)):
        if not 0 < share < 1:
            raise ValueError(f"expected {name} between 0 and 1, got {share}")
    if goal.systems < 2:
        raise ValueError(f"expected at least 2 systems, got {goal.systems}")
    if goal.power <= goal.alpha:
        raise ValueError(
            f"expected a power above alpha, got {goal.power} and {goal.alpha}"
        )
