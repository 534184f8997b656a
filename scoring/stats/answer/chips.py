"""What may be claimed of a metric: the first chip whose tests hold.

    worse    some guess agrees more: some g_k - m > 0, p < .05 / number of guesses
    better   beats every guess, and m - o > 0 at .025
    like     beats every guess, and m - KEEPS o > 0 at .05
    below    beats every guess, and o - m > 0 at .025
    beats    each m - g_k > 0 at .025: the largest p counts (Berger 1982)
    little   g_best + LITTLE o - m > 0 at .05
    unclear  none of these

m is the metric's coefficient, o that of one rater, g_k that of a guess, on the same
texts and targets. All p are one-sided, adjusted by Holm over a family of metrics. Where
agreement itself is unclear, only `worse`, `beats` and `unclear` are possible.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np

from scoring.stats.answer.evidence import Evidence
from scoring.stats.answer.margins import ALPHA, MIN_PROMPTS
from scoring.stats.answer.question import Question
from scoring.stats.compare import holm

Claim = Literal["worse", "better", "like", "below", "beats", "little"]
CLAIMS: tuple[Claim, ...] = get_args(Claim)
Chip = Literal["none", "few", "hardly", Claim, "unclear"]
CHIPS: tuple[Chip, ...] = ("none", "few", "hardly", *CLAIMS, "unclear")
# Those of a metric that tells more than a guess.
USEFUL: frozenset[Chip] = frozenset({"better", "like", "below", "beats"})
WITHOUT_RATER: tuple[Claim, ...] = ("worse", "beats")

TITLES: dict[Chip, str] = {
    "none": "No number",
    "few": "Too few texts",
    "hardly": "People hardly agree",
    "worse": "Worse than a simple guess",
    "better": "Better than one rater",
    "like": "Like one rater",
    "below": "Below one rater",
    "beats": "Better than a simple guess",
    "little": "Adds little to a simple guess",
    "unclear": "Not clear yet",
}


class Adjusted(NamedTuple):
    """Of one metric: p of each claim, adjusted, so that .05 decides; NaN = no test."""

    worse: float
    better: float
    like: float
    below: float
    beats: float
    little: float


def raw(evidence: Evidence) -> Adjusted:
    """The p of each claim of one metric alone, doubled where it is tested at .025."""
    none = math.nan
    if not evidence.beats:
        return Adjusted(none, none, none, none, none, none)
    tests = evidence.beats.values()
    worse = len(evidence.beats) * min(c.less for c in tests)
    beats = 2 * max(c.greater for c in tests)
    if evidence.rater_gap is None or evidence.keeps is None:
        return Adjusted(worse, none, none, none, beats, none)
    return Adjusted(
        worse,
        max(beats, 2 * evidence.rater_gap.greater),
        max(beats, evidence.keeps.greater),
        max(beats, 2 * evidence.rater_gap.less),
        beats,
        evidence.little[evidence.hardest].greater,
    )


def adjust(
    evidence: Sequence[Evidence], planned: Sequence[bool], n_ever: int
) -> list[Adjusted]:
    """Correct each claim for the number of metrics, in families by time.

    Metrics that were chosen before anybody saw a number form a family of their own; all
    others are held to everything that was ever computed: the best of ten useless
    metrics, chosen afterwards, is "significant" in 22 % of studies.

    Args:
        evidence: Of M metrics.
        planned: Whether each was chosen in time, (M,).
        n_ever: Metrics that were ever computed for this question. Those that are gone
            count as tests that found nothing.
    """
    p = np.minimum(np.array([raw(e) for e in evidence]).reshape(-1, len(CLAIMS)), 1)
    first = np.array(planned, bool)
    found = np.empty_like(p)
    for k in range(len(CLAIMS)):
        gone = max(0, n_ever - len(p))
        found[:, k] = holm(np.concatenate([p[:, k], np.ones(gone)]))[: len(p)]
        found[first, k] = holm(p[first, k])
    return [Adjusted(*row) for row in found.tolist()]


def chip_of(question: Question, evidence: Evidence, p: Adjusted) -> Chip:
    """The first that holds."""
    if math.isnan(evidence.metric) or question.state == "none":
        return "none"
    if question.state != "open":
        return question.state
    if evidence.n_prompts < MIN_PROMPTS:
        return "few"
    for claim in WITHOUT_RATER if question.unclear else CLAIMS:
        if getattr(p, claim) < ALPHA:
            return claim
    return "unclear"
