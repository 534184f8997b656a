"""The sentence about the raters of an aspect, by fixed rules.

It says what to do first, to somebody who asks whether one of the raters is too strict:
to keep the ratings, or to report the corrected means, and why.
"""

from __future__ import annotations

from itertools import combinations

from scoring.stats.analyses.results.raters import Rater, System
from scoring.stats.answer.verdicts import lower
from scoring.stats.severity import ordinal

KEEP, REPORT = "Keep all ratings", "Report the corrected means"
NONE_CLEAR = "no rater is clearly stricter or more lenient than the average rater"
EVEN = "each system was rated by strict and lenient raters alike, so none gains by it"
# Points of the scale: a mean that moves by less is the same to one decimal; where the
# raters of one system are not stricter than those of another by that, none gains.
SMALL, NOTHING = 0.05, 0.005
ADVICE = {
    ordinal.NO_RATING: "Ask people to rate these texts, or import who gave which"
    " rating.",
    ordinal.ONE_RATER: "Ask at least one more person to rate the same texts.",
    ordinal.NO_PAIR: "Ask people to rate texts that somebody else has rated, too.",
    ordinal.MANY_POINTS: "Compare the mean ratings of the raters below instead.",
}


def sentence(
    title: str,
    reason: str | None,
    raters: list[Rater],
    systems: list[System],
    lean: float | None = None,
) -> str:
    """What to do, who is furthest from the average rater, and what that changes.

    Args:
        title: Of the aspect.
        reason: Why there is no model; None = there is.
        raters: All of them.
        systems: The best by the corrected score first.
        lean: By how many points the raters of one system are stricter on average than
            those of another, at most; None = not known.
    """
    about = lower(title)
    if reason is not None:
        said = f"You cannot tell yet whether a rater is too strict on {about}:"
        return f"{said} {reason}. {ADVICE.get(reason, '')}".rstrip()
    clear, who = _who(raters)
    keep, report = (f"{do} of {about}" for do in (KEEP, REPORT))
    if len(systems) < 2:
        moved = abs((systems[0]["change"]["value"] if systems else None) or 0.0)
        return _one_mean(keep, who, clear=clear, moved=moved)
    even = lean is not None and lean < NOTHING
    pairs = () if even else combinations(systems, 2)
    swapped = [(one, other) for one, other in pairs if _swaps(one, other)]
    if not clear:
        return f"{keep}: {who}.{_depends(swapped)}"
    if even:
        return f"{keep}: {who}, but {EVEN}."
    if not swapped:
        same = "the order of the systems stays the same if you allow for that"
        return f"{keep}: {who}, but {same}."
    return f"{report}: {who}, and allowing for that {_order(swapped)}"


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
