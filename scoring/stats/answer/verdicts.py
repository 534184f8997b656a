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
    return start + _bad(one, verdict, len(facts))


def lead(facts: Sequence[Facts], found: Sequence[Verdict]) -> int | None:
    """Which metric the sentence speaks of."""
    known = [k for k, one in enumerate(facts) if one.value is not None]
    best = [k for k in known if found[k].code in BEATS] or known
    return max(best, key=lambda k: facts[k].value or 0.0, default=None)


def needed(one: Gap, n_units: int, *, tests: int = 1, effect: float = 0.0) -> int | None:
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
    if code == "early":
        return needed(one.gaps[hardest], one.prompts, effect=MEDIUM)
    if code == "floor":
        return needed(one.gaps[hardest], one.prompts, tests=tests)
    if code == "open" and one.ceiling is not None:
        return needed(one.ceiling, one.prompts, tests=tests)
    return max(1, MIN_PROMPTS - one.prompts) if code == "few" else None


def _reach(tests: int = 1) -> float:
    z = scipy.stats.norm
    return float(z.isf(ALPHA / 2 / tests) + z.ppf(POWER))


# Words --------------------------------------------------------------------------------


def _short(code: Code, hardest: str) -> str:
    sentinel = SENTINELS.get(hardest, "")
    return {
        "none": "no number",
        "few": "too few texts to say",
        "worse": f"worse than {sentinel}: do not use",
        "floor": f"not told apart from {sentinel}: do not use",
        "early": f"too early to say: not told apart from {sentinel}",
        "alone": "better than trivial; no single ratings to compare with",
        "above": "better than a single rater",
        "rater": "as good as a single rater",
        "under": "better than trivial, below a single rater",
        "open": "better than trivial, not told apart from a single rater",
    }[code]


def _good(one: Facts, verdict: Verdict) -> str:
    rater = "" if one.one is None else f" ({one.one:.2f})"
    said = f"{one.name} ({one.value:.2f}) agrees with people"
    trivial = f"better than {_named(one, [verdict.against])}"
    far = "far" if _far(one) else "clearly"
    return {
        "alone": f"{said} {trivial} and every other trivial predictor. Only mean"
        " ratings are known, so it cannot be compared with a single rater.",
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
    best = f"{one.name} ({one.value:.2f})"
    best = f"the best of {n} metrics, {best}," if n > 1 else best
    trivial = _named(one, _unbeaten(one))
    said = {
        "worse": f"do not use any of these metrics: even {best} agrees with people less"
        f" than {_named(one, [verdict.against])}",
        "floor": f"do not use any of these metrics instead of people: {best} cannot be"
        f" told apart from {trivial}",
        "early": f"it is too early to say: {best} cannot be told apart from {trivial}",
    }[verdict.code]
    if n == 1:
        said = said.replace("any of these metrics", "this metric").replace("even ", "")
    if one.one is None:
        return f"{said}."
    return f"{said}. A single rater reaches {one.one:.2f}{_distance(one)}."


def _unbeaten(one: Facts) -> list[str]:
    """Sentinels that it is not ahead of for sure, the hardest first; not chance."""
    known = {k: g.estimate.value or 0.0 for k, g in one.gaps.items()}
    left = [
        key
        for key, gap in one.gaps.items()
        if known[key] <= 0 or (gap.p is not None and gap.p >= ALPHA)
    ]
    left = sorted(left or [_hardest(one)], key=lambda key: known[key])
    return [key for key in left if key != "chance" and one.floor[key] > 0] or left[:1]


def _named(one: Facts, keys: Sequence[str]) -> str:
    """The sentinels in words, with what they reach."""
    words = [
        SENTINELS[key] + ("" if key == "chance" else f" ({one.floor[key]:.2f})")
        for key in keys
    ]
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


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
        "early": f"About {prompts} would show a medium difference ({MEDIUM}).",
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
