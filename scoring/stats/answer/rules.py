"""The rules by which numbers become a verdict.

For a metric, the first rule that holds:

    none     it has no coefficient
    few      fewer than 10 prompts, or no interval
    worse    a sentinel beats it (p < 0.05)
    early    it does not beat every sentinel, and the study is too small to have shown
             even a medium gain of 0.3 over the hardest of them
    floor    it does not beat every sentinel
    alone    it beats every sentinel; there is no ceiling to hold it against
    above    ... and agrees with people better than one rater (p < 0.05)
    rater    ... and is at most 0.1 below one rater, as the interval has it
    under    ... and is below one rater (p < 0.05)
    open     ... and is not clearly different from one rater

All p are adjusted for the number of metrics. Where the interval of its difference to
the hardest sentinel lies below 0, a metric is on the floor however small the study is:
it is not better, and more prompts would not make it so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import scipy

from scoring.stats.answer.measure import Gap

ALPHA = 0.05
POWER = 0.8
MARGIN = 0.1  # below one rater by no more than this: as good
FAR = 0.2  # below one rater by more than this: far
MEDIUM = 0.3  # a difference that a study should be able to see
MIN_PROMPTS = 10
# More prompts than that nobody collects.
NOBODY = 10_000

Code = Literal[
    "none",
    "few",
    "worse",
    "floor",
    "early",
    "alone",
    "above",
    "rater",
    "under",
    "open",
]
CODES: tuple[Code, ...] = get_args(Code)
BEATS = frozenset({"alone", "above", "rater", "under", "open"})


@dataclass(frozen=True, slots=True)
class Facts:
    """What the rules look at, of one metric."""

    name: str
    value: float | None
    floor: dict[str, float]  # what each sentinel reaches, never below 0
    gaps: dict[str, Gap]  # to each sentinel
    ceiling: Gap | None  # to one rater; None or without value = no ceiling
    one: float | None  # what one rater reaches
    beats: float  # adjusted p that it beats every sentinel; NaN = no test
    below: float  # adjusted p that some sentinel beats it
    apart: float  # adjusted p that it differs from one rater
    family: int  # metrics that p was adjusted for
    prompts: int
    # Metrics that it is above, but not clearly (paired bootstrap, Holm over all pairs),
    # the highest first, as they are called: "CTRLEval: coherence (0.24)".
    close: tuple[str, ...] = ()


def code_of(one: Facts) -> Code:
    """The first rule that holds."""
    if one.value is None:
        return "none"
    if one.prompts < MIN_PROMPTS or math.isnan(one.beats):
        return "few"
    if one.below < ALPHA:
        return "worse"
    if one.beats >= ALPHA:
        return "early" if is_blind(one) and not not_better(one) else "floor"
    apart = one.ceiling.estimate if one.ceiling else None
    if apart is None or apart.value is None or apart.low is None:
        return "alone"
    differs = one.apart < ALPHA
    if differs and apart.value > 0:
        return "above"
    if apart.low >= -MARGIN:
        return "rater"
    return "under" if differs else "open"


def is_blind(one: Facts) -> bool:
    """Whether a medium gain over the hardest sentinel would have gone unseen."""
    se = one.gaps[hardest_of(one)].se
    return se is not None and _reach() * se > MEDIUM


def hardest_of(one: Facts) -> str:
    """The sentinel that the metric is least ahead of."""
    known = {k: g.estimate.value for k, g in one.gaps.items()}
    ahead = {k: value for k, value in known.items() if value is not None}
    return min(ahead, key=lambda key: ahead[key], default="")


def beaten_by(one: Facts) -> str:
    """The sentinel that beats the metric most surely."""
    known = {key: gap for key, gap in one.gaps.items() if value_of(gap) < 0}
    sure = {key: (1.0 if g.p is None else g.p, value_of(g)) for key, g in known.items()}
    return min(sure, key=lambda key: sure[key], default=hardest_of(one))


def not_better(one: Facts) -> bool:
    """Whether the interval rules out any gain over the hardest sentinel."""
    hardest = one.gaps.get(hardest_of(one))
    return hardest is not None and side_of(hardest) < 0


def side_of(gap: Gap) -> int:
    """On which side of 0 the interval lies; 0 = it holds 0, or there is none."""
    low, high = gap.estimate.low, gap.estimate.high
    if low is None or high is None:
        return 0
    return -1 if high < 0 else int(low > 0)


def value_of(gap: Gap) -> float:
    """The difference; 0 where there is none."""
    return gap.estimate.value or 0.0


def prompts_more(one: Facts, code: Code) -> int | None:
    """Prompts more that would decide what is open; None = decided, or too many.

    A metric on the floor that is behind is decided: more prompts would at best show
    that it is worse, and it is not to be used either way.
    """
    tests = max(1, one.family)
    if code == "early":
        hardest = one.gaps[hardest_of(one)]
        return needed(hardest, one.prompts, tests=tests, effect=MEDIUM)
    if code == "floor" and is_ahead(one):
        each = [needed(gap, one.prompts, tests=tests) for gap in one.gaps.values()]
        known = [n for n in each if n is not None]
        return max(known) if len(known) == len(each) else None
    if code == "open" and one.ceiling is not None:
        return needed(one.ceiling, one.prompts, tests=tests)
    missing = MIN_PROMPTS - one.prompts
    return missing if code == "few" and missing > 0 else None


def is_ahead(one: Facts) -> bool:
    """Whether it is ahead of every sentinel, if only in what was found."""
    return all(value_of(gap) > 0 for gap in one.gaps.values())


def _reach(tests: int = 1) -> float:
    z = scipy.stats.norm
    return float(z.isf(ALPHA / 2 / tests) + z.ppf(POWER))


def needed(
    one: Gap, n_units: int, *, tests: int = 1, effect: float = 0.0
) -> int | None:
    """How many prompts more would show a difference, as large as it is now.

    The standard error falls with the square root of the prompts, so that
    n = prompts ((z_a + z_b) se / |d|)^2, with z_a for alpha / tests, two-sided.

    Args:
        one: The difference.
        n_units: Prompts there are.
        tests: What alpha is divided by: Holm's first step.
        effect: Another difference than the one found, to be seen.

    Returns:
        At least 1; None where more prompts than anybody collects would not do.
    """
    size = effect or abs(one.estimate.value or 0.0)
    if one.se is None or size == 0:
        return None
    whole = n_units * (_reach(tests) * one.se / size) ** 2
    return max(1, math.ceil(whole) - n_units) if whole <= NOBODY else None
