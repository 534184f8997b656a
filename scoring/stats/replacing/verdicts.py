"""The rule by which tests become a sentence, and its words.

The first sentence says what to do, to somebody who does not know what a test is.

A metric may replace a rater if it wins against at least half of the raters, by prompt,
and no trivial predictor does so, by prompt or as published. What says nothing of the
text and passes nevertheless shows that the test asks too little here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from scoring.stats.answer.verdicts import lower
from scoring.stats.replacing.clustered import LEAST_PROMPTS
from scoring.stats.replacing.published import PASSES

Code = Literal["none", "replaces", "trivial", "fails"]

# By epsilon, as the paper has them.
RATERS = {0.2: "an expert", 0.15: "a skilled rater", 0.1: "a crowdworker"}


@dataclass(frozen=True, slots=True)
class Facts:
    """What the rule looks at, of one metric or trivial predictor."""

    name: str  # within a sentence
    n_raters: int
    wins: int  # raters, by prompt
    passes: bool  # by prompt
    published: bool  # as published
    advantage: float  # -1 where there is none
    refused: int = 0  # raters without a test by prompt: no wins
    open: int = 0  # raters it seems to match, but on too few texts to be sure
    asked: bool = False  # over the network, which may cost money


def rater_of(epsilon: float) -> str:
    """Who is replaced: "a crowdworker"."""
    return RATERS.get(round(epsilon, 6), "a rater")


def codes(metrics: Sequence[Facts], trivial: Sequence[Facts]) -> list[Code]:
    """The verdict on each metric."""
    blocked = any(one.passes or one.published for one in trivial)
    return [_code(one, blocked) for one in metrics]


def _code(one: Facts, blocked: bool) -> Code:
    if one.n_raters == 0:
        return "none"
    if not one.passes:
        return "fails"
    return "trivial" if blocked else "replaces"


def lead(facts: Sequence[Facts]) -> int | None:
    """Whom a sentence speaks of: most wins, then the highest advantage."""
    known = [k for k, one in enumerate(facts) if one.n_raters]
    return max(known, key=lambda k: _rank(facts[k]), default=None)


def _rank(one: Facts) -> tuple[float, float]:
    return one.wins / one.n_raters, one.advantage


def words(code: Code) -> str:
    """A short one, for a table."""
    return {
        "none": "No number",
        "replaces": "Yes",
        "trivial": "No: a trivial predictor passes, too",
        "fails": "No",
    }[code]


def sentence(
    aspect: str,
    epsilon: float,
    metrics: Sequence[Facts],
    trivial: Sequence[Facts],
    reason: str = "",
    todo: str = "",
) -> str:
    """What to do, for one aspect, and why.

    Args:
        aspect: Its title.
        epsilon: Which says whom a metric would replace.
        metrics: All of them.
        trivial: Constants and sentinels.
        reason: Why no metric could be compared, for that case.
        todo: What would change that, as a sentence.
    """
    at, about, who = lead(metrics), lower(aspect), rater_of(epsilon)
    if at is None:
        said = f"You cannot tell yet whether a metric may replace {who} for {about}:"
        return f"{said} {reason}. {todo}".rstrip()
    tried = sum(one.n_raters > 0 for one in metrics)
    best, found = metrics[at], codes(metrics, trivial)
    passing = [one for one in trivial if one.passes or one.published]
    if found[at] == "replaces":
        return _yes(best, about, who, found.count("replaces") - 1, tried)
    any_of = best.name if tried == 1 else f"any of the {tried} metrics"
    start = f"Do not let {any_of} replace {who} for {about}"
    if passing:
        easy = passing[lead(passing) or 0].name.rstrip(",")
        return f"{start}: {_too_easy(best, easy, found[at] == 'trivial', tried)}."
    return _no(start, best, tried)


def _yes(best: Facts, about: str, who: str, more: int, tried: int) -> str:
    said = [
        f"You may let {best.name} replace {who} for {about}, on texts like these: it"
        f" comes about as close to the other raters as {_matched(best)}."
    ]
    if more:
        pass_it = "metric passes" if more == 1 else "metrics pass"
        said.append(f"{more} other {pass_it}, too.")
    if tried > 1:
        said.append(
            f"{tried} metrics were tried, and the more you try, the more likely it is"
            " that one passes by luck: the test is not corrected for that."
        )
    if best.asked:
        said.append("It is asked over the network, which may cost money for each text.")
    return " ".join(said)


def _too_easy(best: Facts, easy: str, passes: bool, tried: int) -> str:
    """A trivial predictor passes, which says more of the test than of a metric."""
    if passes:
        which = "it" if tried == 1 else best.name
        return (
            f"{which} passes the test, but so does {easy}, so passing proves nothing"
            " here"
        )
    which = "it does not pass" if tried == 1 else "none passes"
    return f"{which} the test, although {easy} does"


def _no(start: str, best: Facts, tried: int) -> str:
    """Nothing passes: how far the best one got, and whether more texts may help."""
    which = "it" if tried == 1 else f"the best, {best.name},"
    if best.wins:
        found = (
            f"{which} comes about as close to the other raters as {_matched(best)}, but"
            " it has to match at least half of the raters."
        )
    else:
        found = (
            f"{which} has not been shown to come as close to the other raters as"
            f" {_any(best)}."
        )
    reachable = best.wins + best.open >= PASSES * best.n_raters
    yet = " yet" if best.open and reachable else ""
    return " ".join([f"{start}{yet}: {found}", *_open(best), *_refused(best)])


def _matched(one: Facts) -> str:
    """Whom it matches: "6 of 8 raters do"."""
    if one.n_raters == 1:
        return "the one rater tested does"
    if one.wins == one.n_raters:
        return f"each of the {one.n_raters} raters does"
    return f"{one.wins} of {one.n_raters} raters do{'es' * (one.wins == 1)}"


def _any(one: Facts) -> str:
    if one.n_raters == 1:
        return "the one rater tested does"
    return f"any of the {one.n_raters} raters does"


def _open(one: Facts) -> list[str]:
    if not one.open:
        return []
    more = " more" if one.wins else ""
    many = f"{one.open}{more} rater{'s' * (one.open != 1)}"
    return [
        f"It may match {many}, but there are too few texts to be sure: with more rated"
        " texts, the answer may change."
    ]


def _refused(one: Facts) -> list[str]:
    """Why it could not win against some of them."""
    if not one.refused:
        return []
    many = f"{one.refused} rater{'s' * (one.refused != 1)}"
    return [
        f"{many} rated texts of fewer than {LEAST_PROMPTS} prompts: too few to test."
    ]
