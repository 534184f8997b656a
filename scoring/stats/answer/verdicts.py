"""The rules by which numbers become a sentence, and the words of it.

For a metric, the first rule that holds:

    none     it has no coefficient
    few      fewer than 10 prompts, or no interval
    worse    a sentinel beats it (p < 0.05)
    floor    it does not beat every sentinel
    alone    it beats every sentinel; there is no ceiling to hold it against
    above    ... and agrees with people better than one rater (p < 0.05)
    rater    ... and is at most 0.1 below one rater, as the interval has it
    under    ... and is below one rater (p < 0.05)
    open     ... and cannot be told apart from one rater

All p are adjusted for the number of metrics. A metric on the floor is "early", not
"floor", where the study is too small to have shown even a medium gain of 0.3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
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
SENTINELS = {
    "length": "counting words",
    "surface": "a guess from surface features",
    "prompt": "knowing the prompt alone",
    "system": "knowing the system alone",
    "chance": "chance",
}
TITLES = {  # where there is less room
    "length": "word count",
    "surface": "surface features",
    "prompt": "prompt alone",
    "system": "system alone",
    "chance": "chance",
}


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


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rules say of one metric."""

    code: Code
    words: str  # a short one, for a table
    against: str  # key of the sentinel that is the hardest to beat; "" = none
    more: int | None  # prompts more that would decide what is open
    more_words: str  # the same as a sentence; "" = nothing is open


def judge(one: Facts) -> Verdict:
    """Apply the rules to a metric."""
    code = _code(one)
    hardest = _hardest(one)
    more = _more(one, code, hardest)
    return Verdict(code, _short(code, hardest), hardest, more, _said(code, more))


def sentence(aspect: str, facts: Sequence[Facts], found: Sequence[Verdict]) -> str:
    """The answer for one aspect.

    It speaks of the metric that agrees best among those that beat every sentinel, or
    else among all.

    Args:
        aspect: Its title.
        facts: Of each metric.
        found: The verdicts on them, in the same order.
    """
    at = lead(facts, found)
    start = f"For {lower(aspect)}, "
    if at is None:
        return f"{start}no metric has a number yet."
    one, verdict = facts[at], found[at]
    if verdict.code == "few":
        return (
            f"{start}there are too few texts to say which metric agrees with people:"
            f" {_prompts(one.prompts)}, and {MIN_PROMPTS} are the least."
        )
    n_beat = sum(verdict.code in BEATS for verdict in found)
    if n_beat:
        return start + _good(one, verdict) + _others(n_beat - 1)
    n = sum(one.value is not None for one in facts)
    return start + _bad(one, verdict, n)


def lead(facts: Sequence[Facts], found: Sequence[Verdict]) -> int | None:
    """Which metric the sentence speaks of."""
    known = [k for k, one in enumerate(facts) if one.value is not None]
    best = [k for k in known if found[k].code in BEATS] or known
    return max(best, key=lambda k: facts[k].value or 0.0, default=None)


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


# Rules --------------------------------------------------------------------------------


def _code(one: Facts) -> Code:
    if one.value is None:
        return "none"
    if one.prompts < MIN_PROMPTS or math.isnan(one.beats):
        return "few"
    if one.below < ALPHA:
        return "worse"
    if one.beats >= ALPHA:
        return "early" if _blind(one) else "floor"
    apart = one.ceiling.estimate if one.ceiling else None
    if apart is None or apart.value is None or apart.low is None:
        return "alone"
    differs = one.apart < ALPHA
    if differs and apart.value > 0:
        return "above"
    if apart.low >= -MARGIN:
        return "rater"
    return "under" if differs else "open"


def _blind(one: Facts) -> bool:
    """Whether a medium gain over the hardest sentinel would have gone unseen."""
    se = one.gaps[_hardest(one)].se
    return se is not None and _reach() * se > MEDIUM


def _hardest(one: Facts) -> str:
    """The sentinel that the metric is least ahead of."""
    known = {k: g.estimate.value for k, g in one.gaps.items()}
    ahead = {k: value for k, value in known.items() if value is not None}
    return min(ahead, key=lambda key: ahead[key], default="")


def _more(one: Facts, code: Code, hardest: str) -> int | None:
    tests = max(1, one.family)
    if code in ("floor", "early"):
        found = needed(one.gaps[hardest], one.prompts, tests=tests)
        if found is None and code == "early":
            return needed(one.gaps[hardest], one.prompts, effect=MEDIUM)
        return found
    if code == "open" and one.ceiling is not None:
        return needed(one.ceiling, one.prompts, tests=tests)
    return max(1, MIN_PROMPTS - one.prompts) if code == "few" else None


def _reach(tests: int = 1) -> float:
    z = scipy.stats.norm
    return float(z.isf(ALPHA / 2 / tests) + z.ppf(POWER))


# Words --------------------------------------------------------------------------------


def _short(code: Code, hardest: str) -> str:
    trivial = TITLES.get(hardest, "")
    return {
        "none": "No number",
        "few": "Too few texts to say",
        "worse": f"Do not use: worse than {trivial}",
        "floor": f"Do not use: not better than {trivial}",
        "early": f"Too early to say: not better than {trivial} yet",
        "alone": "Better than trivial",
        "above": "Better than a single rater",
        "rater": "As good as a single rater",
        "under": "Better than trivial, below a single rater",
        "open": "Better than trivial, single rater undecided",
    }[code]


def _good(one: Facts, verdict: Verdict) -> str:
    rater = "" if one.one is None else f" ({_number(one.one)})"
    said = f"{_called(one)} agrees with people"
    trivial = f"better than {_named(one, [verdict.against])}"
    far = "far" if _far(one) else "clearly"
    return {
        "alone": f"{said} {trivial} and any other trivial predictor. There are no"
        " single ratings, so it cannot be compared with a single rater.",
        "above": f"{said} better than a single rater does{rater}.",
        "rater": f"{said} as well as a single rater does{rater}.",
        "under": f"{said} {trivial}, but {far} less than a single rater does{rater}.",
        "open": f"{said} {trivial}. It cannot be told apart from a single rater{rater}"
        " yet.",
    }[verdict.code]


def _others(n: int) -> str:
    if n < 1:
        return ""
    return f" {n} more metric{'s beat' if n > 1 else ' beats'} every trivial predictor."


def _bad(one: Facts, verdict: Verdict, n: int) -> str:
    if verdict.code == "early":
        start = "it is too early to say whether a metric can stand in for people"
    elif n > 1:
        start = "none of these metrics can stand in for people"
    else:
        start = "this metric cannot stand in for people"
    best = f"The best of {n}, {_called(one)}," if n > 1 else _called(one)
    said = f"{start}. {best} {_held_back(one)}."
    if one.one is None:
        return said
    return f"{said} A single rater reaches {_number(one.one)}{_distance(one)}."


def _held_back(one: Facts) -> str:
    """Which trivial predictors it does not beat: the hardest, and counting words."""
    values = {key: gap.estimate.value or 0.0 for key, gap in one.gaps.items()}
    sure = {k for k, gap in one.gaps.items() if gap.p is not None and gap.p < ALPHA}
    hardest = _hardest(one)
    keys = [hardest] if hardest == "length" else [hardest, "length"]
    keys = [key for key in keys if key in values]
    less = [key for key in keys if values[key] < 0 and key in sure]
    alike = [key for key in keys if key not in sure]
    found = []
    if less:
        found.append(f"agrees with people less than {_named(one, less)}")
    if alike or not less:
        found.append(f"cannot be told apart from {_named(one, alike or [hardest])}")
    return ", and ".join(found)


def _named(one: Facts, keys: Sequence[str]) -> str:
    """The sentinels in words, with what they reach."""
    words = [
        SENTINELS[key] + ("" if key == "chance" else f" ({_number(one.floor[key])})")
        for key in keys
    ]
    return " or ".join(words)


def _called(one: Facts) -> str:
    return f"{one.name} ({_number(one.value or 0.0)})"


def _number(value: float) -> str:
    return f"{value:.2f}".replace("-", "\N{MINUS SIGN}")


def _far(one: Facts) -> bool:
    high = one.ceiling.estimate.high if one.ceiling else None
    return high is not None and high < -FAR


def _distance(one: Facts) -> str:
    if _far(one):
        return ": the metric is far below"
    clear = one.apart < ALPHA and one.ceiling and (one.ceiling.estimate.value or 0) < 0
    return ": the metric is clearly below" if clear else ""


def _said(code: Code, more: int | None) -> str:
    """What more prompts would do."""
    if code in ("floor", "open") and more is None:
        return (
            "The difference is so small that no realistic number of prompts would"
            " decide it."
        )
    if more is None:
        return ""
    prompts = f"{_rounded(more):,} more prompt{'s' if more > 1 else ''}"
    return {
        "floor": f"About {prompts} would decide it, if the difference stays the same.",
        "open": f"About {prompts} would decide it, if the difference stays the same.",
        "early": f"About {prompts} would decide it, if the difference stays the same.",
        "few": f"Rate texts of at least {prompts}.",
    }.get(code, "")


def _rounded(n: int) -> int:
    """Two digits: the forecast is no more exact."""
    return n if n < 100 else round(n, 1 - int(math.log10(n)))


def _prompts(n: int) -> str:
    return f"{n:,} prompt{'' if n == 1 else 's'}"


def lower(title: str) -> str:
    """As within a sentence: abbreviations stay."""
    return title if title[1:2].isupper() else title[:1].lower() + title[1:]
