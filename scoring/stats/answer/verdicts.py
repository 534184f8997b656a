"""What the rules say of metrics, in words: for a table, and for an aspect."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scoring.stats.answer import rules
from scoring.stats.answer.rules import (
    ALPHA,
    BEATS,
    MEDIUM,
    MIN_PROMPTS,
    Code,
    Facts,
    not_better,
    side_of,
    value_of,
)

SENTINELS = {
    "length": "counting words",
    "surface": "a guess from surface features",
    "prompt": "the mean rating of the prompt's other texts",
    "system": "the mean rating of the system's other texts",
    "chance": "chance",
}
TITLES = {  # where there is less room
    "length": "word count",
    "surface": "surface features",
    "prompt": "prompt's mean rating",
    "system": "system's mean rating",
    "chance": "chance",
}


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
    code = rules.code_of(one)
    against = rules.beaten_by(one) if code == "worse" else rules.hardest_of(one)
    more = rules.prompts_more(one, code)
    better = "better" if not_better(one) else "clearly better"
    words = _short(code, against, better)
    return Verdict(code, words, against, more, _said(one, code, more))


def sentence(aspect: str, facts: Sequence[Facts], found: Sequence[Verdict]) -> str:
    """The answer for one aspect.

    It speaks of the metric that agrees most among those that beat every sentinel, or
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
        return f"{start}there are too few texts to say {_too_few(one)}."
    n_beat = sum(verdict.code in BEATS for verdict in found)
    if n_beat:
        return start + _good(one, verdict) + _others(n_beat - 1)
    return start + _bad(one, verdict, [verdict.code for verdict in found])


def lead(facts: Sequence[Facts], found: Sequence[Verdict]) -> int | None:
    """Which metric the sentence speaks of."""
    known = [k for k, one in enumerate(facts) if one.value is not None]
    judged = [k for k in known if found[k].code != "few"]
    best = [k for k in judged if found[k].code in BEATS] or judged or known
    return max(best, key=lambda k: facts[k].value or 0.0, default=None)


# Words --------------------------------------------------------------------------------


def _short(code: Code, against: str, better: str = "clearly better") -> str:
    trivial = _titled(against)
    return {
        "none": "No number",
        "few": "Too few texts to say",
        "worse": f"Do not use: worse than {trivial}",
        "floor": f"Do not use: not {better} than {trivial}",
        "early": f"Too early to say: not {better} than {trivial}",
        "alone": "Better than trivial",
        "above": "Better than a single rater",
        "rater": "As good as a single rater",
        "under": "Better than trivial, below a single rater",
        "open": "Better than trivial, unclear against a single rater",
    }[code]


def beside(code: Code, hardest: str, reached: float | None) -> str:
    """The verdict beside a correlation: only what it says of trivial predictors.

    Args:
        code: Of the metric.
        hardest: Key of the sentinel that is the hardest to beat.
        reached: Its coefficient.
    """
    if code in BEATS:
        return "Better than trivial"
    value = "" if hardest == "chance" or reached is None else f" ({_number(reached)})"
    trivial = f"{_titled(hardest)}{value}"
    return {
        "none": "No number",
        "few": "Too few texts to say",
        "worse": f"Worse than {trivial}",
        "floor": f"Not clearly better than {trivial}",
        "early": f"Not clearly better than {trivial} yet",
    }[code]


def _titled(key: str) -> str:
    article = "the " if key in ("prompt", "system") else ""
    return article + TITLES.get(key, "")


def _good(one: Facts, verdict: Verdict) -> str:
    rater = "" if one.one is None else f" ({_number(one.one)})"
    said = f"{_called(one)} agrees with people"
    trivial = f"better than {_named(one, verdict.against)}"
    far = "far" if _far(one) else "clearly"
    below = one.ceiling is not None and side_of(one.ceiling) < 0
    undecided = (
        f"It is below a single rater{rater}, but not clearly{_among(one)}."
        if below
        else f"There is no clear difference from a single rater{rater} yet."
    )
    found = {
        "alone": f"{said} {trivial} and any other trivial predictor. There are no"
        " single ratings, so it cannot be compared with a single rater.",
        "above": f"{said} better than a single rater does{rater}.",
        "rater": f"{said} as well as a single rater does{rater}.",
        "under": f"{said} {trivial}, but {far} less than a single rater does{rater}.",
        "open": f"{said} {trivial}. {undecided}",
    }[verdict.code]
    return found + (f" It is not clearly above {_close(one)}." if one.close else "")


def _others(n: int) -> str:
    if n < 1:
        return ""
    return f" {n} more metric{'s beat' if n > 1 else ' beats'} every trivial predictor."


def _too_few(one: Facts) -> str:
    if one.prompts < MIN_PROMPTS:
        least = f"{_prompts(one.prompts)}, and at least {MIN_PROMPTS} are needed"
        return f"which metric agrees with people: {least}"
    few = "it has scored too few of the rated texts"
    return f"how well {_called(one)} agrees with people: {few}"


def _bad(one: Facts, verdict: Verdict, codes: Sequence[Code]) -> str:
    """Where no metric beats every sentinel: of the highest, and why."""
    known = [code for code in codes if code not in ("none", "few")]
    n, early = len(known), known.count("early")
    found = [f"{_start(one, verdict, n, early)}. {_highest(one, n)}"]
    found.append(f"{_held_back(one, verdict)}.")
    said = " ".join(found)
    if verdict.code != "early" and early:
        said += f" For {early} other{'s' if early > 1 else ''} it is too early to say."
    if one.one is None:
        return said
    return f"{said} A single rater reaches {_number(one.one)}{_distance(one)}."


def _start(one: Facts, verdict: Verdict, n: int, early: int) -> str:
    gain = f"a gain of {MEDIUM} over {_named(one, verdict.against)}"
    study = f"a study of {_prompts(one.prompts)}"
    if verdict.code == "early":
        return (
            "it is too early to say whether a metric can stand in for people:"
            f" {study} like this one could have missed {gain}"
        )
    start = "this metric cannot stand in for people"
    if n > 1:
        so_far = " so far" if early else ""
        start = f"none of these metrics can stand in for people{so_far}"
    if verdict.code == "worse" or not_better(one) or rules.is_blind(one):
        return start
    return f"{start}, although {study} would probably have shown {gain}"


def _highest(one: Facts, n: int) -> str:
    if n < 2:
        return _called(one)
    of = f"The highest of {n} scores, {_called(one)},"
    return f"{of} is not clearly above {_close(one)}. It" if one.close else of


def _close(one: Facts) -> str:
    """The metrics that it is not clearly above: the highest of them, and how many."""
    first, n = one.close[0], len(one.close) - 1
    return f"{first} or {n} other{'s' if n > 1 else ''}" if n else first


def _held_back(one: Facts, verdict: Verdict) -> str:
    """What the trivial predictor does that is hardest to beat, and counting words."""
    found = [_beside(one, verdict, verdict.against)]
    words = one.gaps.get("length")
    if words is not None and verdict.against != "length" and side_of(words) <= 0:
        found.append(_beside(one, verdict, "length"))
    same = len(found) > 1 and found[0][0] == found[1][0]
    if same:
        return f"{found[0][0]} {found[0][1]} or {found[1][1]}"
    return ", and ".join(f"{does} {than}" for does, than in found)


def _beside(one: Facts, verdict: Verdict, key: str) -> tuple[str, str]:
    """How it stands to one of them, and what that reaches.

    Only what was tested, with p adjusted, is called less or better. Where just the
    interval is on one side of 0, no more is said than that.
    """
    side, named = side_of(one.gaps[key]), _named(one, key)
    if verdict.code == "worse" and key == verdict.against:
        return "agrees with people less than", named
    if side < 0:
        return "agrees with people no better than", named
    if side > 0:
        return "is ahead of", f"{named}, but not clearly{_among(one)}"
    return "is not clearly different from", named


def _among(one: Facts) -> str:
    n = one.family
    return f" when {n} metrics are compared at once" if n > 1 else ""


def _named(one: Facts, key: str) -> str:
    """A sentinel in words, with what it reaches."""
    reached = "" if key == "chance" else f" ({_number(one.floor[key])})"
    return SENTINELS[key] + reached


def called(name: str, value: float | None) -> str:
    """A metric in a sentence: "CTRLEval: coherence (0.24)"."""
    return f"{name} ({_number(value or 0.0)})"


def _called(one: Facts) -> str:
    return called(one.name, one.value)


def _number(value: float) -> str:
    """As in sentences: two digits, and a minus that is one."""
    return f"{value:.2f}".replace("-", "\N{MINUS SIGN}")


def _far(one: Facts) -> bool:
    high = one.ceiling.estimate.high if one.ceiling else None
    return high is not None and high < -rules.FAR


def _distance(one: Facts) -> str:
    """Only what was tested, with p adjusted."""
    if not (one.apart < ALPHA and one.ceiling and value_of(one.ceiling) < 0):
        return ""
    return f": the metric is {'far' if _far(one) else 'clearly'} below"


def _said(one: Facts, code: Code, more: int | None) -> str:
    """What more prompts would decide; "" where nothing is open."""
    if code == "floor" and not rules.is_ahead(one):
        return ""
    than = "" if code not in ("floor", "early") else _named(one, rules.hardest_of(one))
    if more is None:
        many = "more prompts than anybody collects"
        small = f"The difference is so small that it would take {many} to show it."
        return {
            "floor": small,
            "open": small,
            "early": f"It would take {many} to show a gain of {MEDIUM} over {than}.",
        }.get(code, "")
    prompts = f"{_rounded(more):,} more prompt{'s' if more > 1 else ''}"
    real = f"If the observed difference is real, about {prompts} would show"
    return {
        "floor": f"{real} that it is better than {than}.",
        "open": f"{real} it.",
        "early": f"About {prompts} would show a gain of {MEDIUM} over {than}, if there"
        " is one.",
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
