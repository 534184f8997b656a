"""The sentence about the raters of an aspect, by fixed rules.

It says what to do first, to somebody who asks whether one of the raters is too strict:
to keep the ratings, or to report the corrected means, and why.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import NamedTuple

from scoring.analyses.raters.result import Rater, System
from scoring.stats.answer.sentences import lower
from scoring.stats.severity import ordinal
from scoring.stats.severity.detecting import Detectable

KEEP, REPORT = "Keep all ratings", "Report the corrected means"
KEEP_OTHERS = "Keep all other ratings"
NONE_CLEAR = "no rater is clearly stricter or more lenient than the average rater"
EVEN = "strict and lenient raters rated every system alike, so no system gains"
# Points of the scale: a mean that moves by less is the same to one decimal; where the
# raters of one system are not stricter than those of another by that, none gains.
SMALL, NOTHING = 0.05, 0.005
SHARE = 0.25  # of the scale: a rater that far from the others must be seen
# The model draws raters to their mean, so it needs more than a t test of differences
# (benchmarks/raters.md).
DRAWN = 1.35
ADVICE = {
    ordinal.NO_RATING: "Ask people to rate these texts, or import who gave which"
    " rating.",
    ordinal.ONE_RATER: "Ask at least one more person to rate the same texts.",
    ordinal.NO_PAIR: "Ask people to rate texts that somebody else has rated, too.",
    ordinal.MANY_POINTS: "Compare the mean ratings of the raters below instead.",
}


class Power(NamedTuple):
    """What these ratings would probably show, and what they should."""

    seen: Detectable
    wanted: float  # points of the scale

    @property
    def lacks(self) -> bool:
        return DRAWN * self.seen.points > self.wanted

    @property
    def needed(self) -> int:
        """Ratings by each rater."""
        return self.seen.needed(self.wanted / DRAWN)


def sentence(
    title: str,
    reason: str | None,
    raters: list[Rater],
    systems: list[System],
    lean: float | None = None,
    power: Power | None = None,
) -> str:
    """What to do, who is furthest from the average rater, and what that changes.

    Args:
        title: Of the aspect.
        reason: Why there is no model; None = there is.
        raters: All of them.
        systems: The best by the corrected score first.
        lean: By how many points the raters of one system are stricter on average than
            those of another, at most; None = not known.
        power: Whether a rater who is too strict would be seen; None = it would.
    """
    about = lower(title)
    constant = [one for one in raters if one["habit"] == "constant"]
    before = f"{_constant(constant, about)} " if constant else ""
    if reason is not None:
        said = f"You cannot tell yet whether a rater is too strict on {about}:"
        advice = next((do for why, do in ADVICE.items() if reason.endswith(why)), "")
        return f"{before}{said} {reason}. {advice}".rstrip()
    others = [one for one in raters if one["habit"] != "constant"]
    keep = KEEP_OTHERS if constant else KEEP
    said = _advice(about, others, systems, lean, power, keep)
    return f"{before}{said}{_ends(raters)}"


def _advice(
    about: str,
    raters: list[Rater],
    systems: list[System],
    lean: float | None,
    power: Power | None,
    keeping: str,
) -> str:
    """Where there is a model."""
    clear, who = _who(raters)
    keep, report = (f"{do} of {about}" for do in (keeping, REPORT))
    even = lean is not None and lean < NOTHING
    pairs = () if even or len(systems) < 2 else combinations(systems, 2)
    swapped = [(one, other) for one, other in pairs if _swaps(one, other)]
    if not clear and power is not None and power.lacks:
        return f"{_too_few(about, power)}{_depends(swapped)}"
    if len(systems) < 2:
        moved = abs((systems[0]["change"]["value"] if systems else None) or 0.0)
        return _one_mean(keep, who, clear=clear, moved=moved)
    if not clear:
        return f"{keep}: {who}.{_depends(swapped)}"
    if even:
        return f"{keep}: {who}, but {EVEN}."
    if not swapped:
        same = "the order of the systems stays the same if you allow for that"
        return f"{keep}: {who}, but {same}."
    return f"{report}: {who}, and allowing for that {_order(swapped)}"


def _constant(raters: list[Rater], about: str) -> str:
    """Who tells no text from another."""
    first = raters[0]
    if len(raters) == 1:
        answer = f"{first['mean']['value'] or 0:g}"
        return (
            f"Discard the ratings of {about} by {first['rater']}: all {first['n']:,}"
            f" are {answer}, whatever the text."
        )
    return (
        f"Discard the ratings of {about} by {len(raters):,} raters, such as"
        f" {first['rater']}: each gave one answer to all texts."
    )


def _ends(raters: list[Rater]) -> str:
    """Who uses the ends of the scale alone; nothing where nobody does."""
    who = [one["rater"] for one in raters if one["habit"] == "ends"]
    if not who:
        return ""
    only = "only the lowest and the highest point, never one between"
    if len(who) == 1:
        return f" {who[0]} gives {only}: ask how {who[0]} reads the scale."
    return f" {len(who):,} raters, such as {who[0]}, give {only}: ask how they read it."


def _too_few(about: str, power: Power) -> str:
    said = f"The ratings are too few to tell whether a rater is too strict on {about}"
    if not math.isfinite(power.seen.points):
        return f"{said}: ask each rater for more texts that others rate, too."
    return (
        f"{said}: they would probably miss one who is {points(power.wanted)} stricter."
        f" Ask each rater for about {_rounded(power.needed):,}"
        f" ratings instead of {power.seen.n:,}."
    )


def _rounded(n: int) -> int:
    """Up to two digits: more would be false precision."""
    step = 10 ** max(0, len(str(n)) - 2)
    return math.ceil(n / step) * step


def _one_mean(keep: str, who: str, *, clear: bool, moved: float) -> str:
    """Without another system to compare with."""
    if not clear:
        return f"{keep}: {who}."
    by = f"and allowing for that would move the mean by {points(moved)}"
    if moved < SMALL:
        return f"{keep}: {who}, {by} only."
    other = "if you compare it with a mean by other raters"
    return f"{keep}: {who}, {by}, which matters only {other}."


def _depends(swapped: list[tuple[System, System]]) -> str:
    """Where nobody is clearly different, and yet the order is not sure."""
    if not swapped:
        return ""
    small = "depends on small differences between raters, so do not call either"
    if len(swapped) == 1:
        one, other = (system["system"] for system in swapped[0])
        return f" The order of {one} and {other} {small} better."
    many = f"{len(swapped)} pairs of systems"
    return f" The order within {many} {small} system of such a pair better."


def _who(raters: list[Rater]) -> tuple[bool, str]:
    """Whether anybody is clearly different, and who most."""
    clear = [one for one in raters if _is_clear(one)]
    if not clear:
        return False, NONE_CLEAR
    most = max(clear, key=lambda one: abs(one["severity"]["value"] or 0.0))
    value = most["severity"]["value"] or 0.0
    far = f"{points(abs(value))} {'stricter' if value > 0 else 'more lenient'}"
    if len(clear) == 1:
        return True, f"{most['rater']} is {far} than the average rater"
    return True, (
        f"{len(clear)} of {len(raters)} raters are clearly stricter or more lenient"
        f" than the average rater, {most['rater']} the most ({far})"
    )


def _is_clear(one: Rater) -> bool:
    """Whether the interval leaves out 0."""
    low, high = one["severity"]["low"], one["severity"]["high"]
    return low is not None and high is not None and (low > 0 or high < 0)


def points(value: float) -> str:
    """0.6 points, and 0.04 points where one decimal would say nothing."""
    return f"{value:.1f} points" if value >= 0.095 else f"{value:.2f} points"


def _order(swapped: list[tuple[System, System]]) -> str:
    """Which systems change places, and whether they can be told apart at all."""
    close = sum(_overlap(one, other) for one, other in swapped)
    if len(swapped) == 1:
        one, other = swapped[0]
        said = f"puts {one['system']}{_ahead(one, other)} ahead of {other['system']}."
        if not close:
            return said
        return f"{said} Do not call either better: the two are too close to tell apart."
    said = f"changes the order of {len(swapped)} pairs of systems."
    if not close:
        return said
    which = "In each pair" if close == len(swapped) else f"In {close} of them"
    return f"{said} {which} the two are too close to call either better."


def _overlap(one: System, other: System) -> bool:
    """Whether the intervals of two corrected means share a point."""
    ends = [
        (system["corrected"]["low"], system["corrected"]["high"])
        for system in (one, other)
    ]
    (low, high), (low_2, high_2) = ends
    if low is None or high is None or low_2 is None or high_2 is None:
        return True
    return low <= high_2 and low_2 <= high


def _ahead(one: System, other: System) -> str:
    """How far: an order that turns by a hair says little."""
    values = one["corrected"]["value"], other["corrected"]["value"]
    if values[0] is None or values[1] is None:
        return ""
    return f" {points(abs(values[0] - values[1]))}"


def _swaps(one: System, other: System) -> bool:
    """Whether the first, which is the better one corrected, was clearly behind."""
    ranks = one["rank"], other["rank"]
    if ranks[0] is None or ranks[1] is None:
        return False
    return ranks[0] > ranks[1]
