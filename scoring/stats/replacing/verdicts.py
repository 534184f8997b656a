"""The rule by which chips and tests become a sentence, and its words.

A metric may replace a rater if it is claimed to be like one or better, and the
alternative annotator test says so, too, against at least half of three or more named
raters: with two it only tells to which of two people the metric is closer. It may not
where it is claimed to be below one rater, or to add little to a guess. In all
other cases a study cannot tell. The test alone cannot decide: where raters differ by
more than texts do, always giving the same answer passes it, and a perfect metric fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from scoring.stats.answer.chips import Chip
from scoring.stats.answer.sentences import ORDER, lower

Code = Literal["none", "yes", "no", "open"]

LEAST_RATERS = 3
# By epsilon, as the paper has them.
RATERS = {0.2: "an expert", 0.15: "a skilled rater", 0.1: "a crowdworker"}
YES: frozenset[Chip] = frozenset({"better", "like"})
NO: dict[Chip, str] = {
    "worse": "a simple guess agrees with people more",
    "below": "it agrees with people less than one rater does",
    "little": "it adds little to a simple guess",
}
WORDS: dict[Code, str] = {
    "none": "No number",
    "yes": "Yes",
    "no": "No",
    "open": "This study cannot tell",
}


@dataclass(frozen=True, slots=True)
class Facts:
    """What the rule looks at, of one metric."""

    name: str  # within a sentence
    chip: Chip
    agreement: float  # the metric's coefficient with people; -1 where there is none
    n_raters: int  # that were tested
    named: bool  # raters are people, not ratings drawn at random
    wins: int  # raters, by prompt
    passes: bool  # by prompt
    advantage: float  # -1 where there is none
    asked: bool = False  # over the network, which may cost money


def rater_of(epsilon: float) -> str:
    """Who is replaced: "a crowdworker"."""
    return RATERS.get(round(epsilon, 6), "a rater")


def code_of(facts: Facts) -> Code:
    """The verdict on a metric."""
    if facts.chip == "none":
        return "none"
    if facts.chip in NO:
        return "no"
    tested = facts.passes and facts.named and facts.n_raters >= LEAST_RATERS
    return "yes" if facts.chip in YES and tested else "open"


def lead(facts: Sequence[Facts]) -> int | None:
    """Whom a sentence speaks of: one with a yes, then as the answer has it."""
    known = [k for k, one in enumerate(facts) if code_of(one) != "none"]
    return max(known, key=lambda k: _rank(facts[k]), default=None)


def _rank(facts: Facts) -> tuple[bool, int, float, float]:
    claimed = -ORDER.index(facts.chip)
    return code_of(facts) == "yes", claimed, facts.agreement, facts.advantage


def sentence(
    aspect: str, epsilon: float, metrics: Sequence[Facts], reason: str = ""
) -> str:
    """What to do, for one aspect.

    Args:
        aspect: Its title.
        epsilon: Which says whom a metric would replace.
        metrics: All of them.
        reason: Why no metric could be compared, for that case.
    """
    at, about, who = lead(metrics), lower(aspect), rater_of(epsilon)
    if at is None:
        why = f": {reason}" if reason else ""
        return (
            f"You cannot tell yet whether a metric may replace {who} for {about}{why}."
        )
    facts = metrics[at]
    return {
        "yes": f"You may let {facts.name} replace {who} for {about}, on texts like"
        " these.",
        "no": f"Do not let {facts.name} replace {who} for {about}:"
        f" {NO.get(facts.chip)}.",
        "open": f"This study cannot tell whether {facts.name} may replace {who} for"
        f" {about}.",
        "none": "",
    }[code_of(facts)]


def why(facts: Facts, answer: str) -> str:
    """What stands behind the verdict, in one sentence.

    Args:
        facts: Of the metric that the sentence speaks of.
        answer: What the answer says of it.
    """
    if facts.chip in YES and code_of(facts) == "open":
        if not facts.named or facts.n_raters < LEAST_RATERS:
            return (
                f"The alternative annotator test needs at least {LEAST_RATERS} named"
                f" raters, and {facts.n_raters if facts.named else 'none'} could be"
                " tested."
            )
        return (
            f"The metric matches {facts.wins} of {facts.n_raters} raters, and it must"
            " match at least half."
        )
    if facts.asked and code_of(facts) == "yes":
        return f"{answer} It is asked over the network, which may cost money."
    return answer
