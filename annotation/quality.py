"""Quality control: is a page rated with care? The hidden negative tells.

"We discard the submissions if the annotator assigns a higher rating to the negative
sample than other texts" (Ke et al. 2022, section 4.1) has three readings, the rules of
`Policy.Rule`. For text t and the compared aspects A, let

    m(t) = mean over a in A of the rating of t on a,

turned round where a low rating is a good one. With n the negative and T the real texts
of the page, a page is discarded when

    above_all    m(n) > max of m(t) over T      (the literal reading, the default)
    above_mean   m(n) > mean of m(t) over T
    above_any    m(n) > min of m(t) over T

always strictly: a tie is no evidence. So on several aspects the means are compared; one
aspect on which the negative did well is not enough.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

import numpy as np

from annotation.models import Aspect, Negative, Policy, Seat, Study, Verdict

COMPARED_WITH = {
    Policy.Rule.ABOVE_ALL: "the best",
    Policy.Rule.ABOVE_MEAN: "the mean",
    Policy.Rule.ABOVE_ANY: "the worst",
}


# Rules on arrays ----------------------------------------------------------------------


def is_above(rule: str, real: np.ndarray, negative: np.ndarray) -> np.ndarray:
    """Say which pages the rule discards.

    Args:
        rule: One of `Policy.Rule`.
        real: Ratings of the real texts, higher is better, shape (..., texts, aspects).
        negative: Ratings of the negative on the same aspects, shape (..., aspects).

    Returns:
        True where the negative stands above, shape (...).
    """
    # Sums instead of means: whole numbers, so that a tie is a tie.
    texts, own = real.sum(axis=-1), negative.sum(axis=-1)
    if rule == Policy.Rule.ABOVE_ALL:
        return own > texts.max(axis=-1)
    if rule == Policy.Rule.ABOVE_MEAN:
        return own * texts.shape[-1] > texts.sum(axis=-1)
    if rule == Policy.Rule.ABOVE_ANY:
        return own > texts.min(axis=-1)
    raise ValueError(f"{rule}: expected one of {', '.join(Policy.Rule.values)}.")


def chance_to_catch(rule: str, *, texts: int, aspects: int, steps: int) -> float:
    """How likely the rule discards a page rated uniformly at random. Exact.

    Args:
        rule: One of `Policy.Rule`.
        texts: Real texts on the page.
        aspects: Aspects compared.
        steps: Points of the scale.
    """
    one = np.full(steps, 1 / steps)
    total = _sum_of(one, aspects)  # chance of each sum over the aspects, from 0 up
    up_to = np.cumsum(total)
    below = up_to - total
    if rule == Policy.Rule.ABOVE_ALL:
        return float(total @ below**texts)
    if rule == Policy.Rule.ABOVE_ANY:
        return float(1 - total @ (1 - below) ** texts)
    if rule == Policy.Rule.ABOVE_MEAN:
        others = np.concatenate([[0], np.cumsum(_sum_of(total, texts))])
        return float(total @ others[np.arange(len(total)) * texts])
    raise ValueError(f"{rule}: expected one of {', '.join(Policy.Rule.values)}.")


def _sum_of(chances: np.ndarray, n: int) -> np.ndarray:
    """Distribution of the sum of n independent draws from 0, 1, 2, ..."""
    found = np.ones(1)
    for _ in range(n):
        found = np.convolve(found, chances)
    return found


# One submission -----------------------------------------------------------------------


class Compared(NamedTuple):
    """The ratings of a page that its policy looks at, turned so that high is good."""

    aspects: list[Aspect]
    positions: list[int]  # of the real texts on the page
    real: np.ndarray  # (texts, aspects)
    negative: np.ndarray  # (aspects,)


def judge(*, seat: Seat, policy: Policy, now: datetime) -> Verdict:
    """Append a verdict on the seat's complete page. Changes nothing else.

    A page without a negative, or without a real text, is valid: nothing speaks
    against it.
    """
    negative = Negative.objects.filter(survey=seat.survey_id).first()
    found = _compared(seat, policy, negative) if negative else None
    if found is None or not found.positions:
        return _write(seat, policy, now, valid=True)
    above = bool(is_above(policy.rule, found.real, found.negative))
    return _write(
        seat,
        policy,
        now,
        valid=not above,
        reason=reason(policy.rule, found) if above else "",
        numbers=_numbers(policy, found),
    )


def aspects_of(
    policy: Policy, negative: Negative, aspects: list[Aspect]
) -> list[Aspect]:
    """The aspects that the policy compares; all if none of those it names exists."""
    keys = {
        Policy.On.HURT: negative.hurts,
        Policy.On.CHOSEN: policy.chosen,
        Policy.On.MEAN: [],
    }[Policy.On(policy.on)]
    return [aspect for aspect in aspects if aspect.key in keys] or aspects


def reason(rule: str, found: Compared) -> str:
    """Why a page is discarded, in a sentence with the numbers behind it."""
    means = found.real.mean(axis=1)
    limit = {
        Policy.Rule.ABOVE_ALL: means.max(),
        Policy.Rule.ABOVE_MEAN: means.mean(),
        Policy.Rule.ABOVE_ANY: means.min(),
    }[Policy.Rule(rule)]
    texts = "1 real text" if len(means) == 1 else f"{len(means)} real texts"
    return (
        f"The damaged text got {found.negative.mean():.3g}, above"
        f" {COMPARED_WITH[Policy.Rule(rule)]} of {texts} with {limit:.3g},"
        f" on {_named(found.aspects)}."
    )


def _compared(seat: Seat, policy: Policy, negative: Negative) -> Compared:
    study = Study.objects.get(surveys=seat.survey_id)
    aspects = aspects_of(policy, negative, list(study.aspects.all()))
    column = {aspect.pk: number for number, aspect in enumerate(aspects)}
    row = {item: number for number, item in enumerate(seat.order)}
    ratings = np.zeros((len(row), len(aspects)), dtype=np.int64)
    of_negative = np.zeros(len(row), dtype=bool)
    for item, aspect, value, negative_id in seat.annotations.filter(
        aspect__in=aspects
    ).values_list("item_id", "aspect_id", "value", "negative_id"):
        ratings[row[item], column[aspect]] = value
        of_negative[row[item]] = negative_id is not None
    turned = np.array([not aspect.higher_is_better for aspect in aspects])
    ratings[:, turned] = study.scale_min + study.scale_max - ratings[:, turned]
    return Compared(
        aspects=aspects,
        positions=(np.flatnonzero(~of_negative) + 1).tolist(),
        real=ratings[~of_negative],
        negative=ratings[of_negative][0],
    )


def _numbers(policy: Policy, found: Compared) -> dict:
    """What was compared, so that the verdict can be checked by hand."""
    return {
        "rule": policy.rule,
        "aspects": [aspect.key for aspect in found.aspects],
        "negative": found.negative.tolist(),
        "texts": dict(zip(map(str, found.positions), found.real.tolist(), strict=True)),
    }


def _named(aspects: list[Aspect]) -> str:
    titles = [
        aspect.title if aspect.higher_is_better else f"{aspect.title} (turned round)"
        for aspect in aspects
    ]
    if len(titles) == 1:
        return titles[0][:120]
    if len(titles) > 3:
        return f"the mean of {len(titles)} aspects"
    return f"the mean of {', '.join(titles[:-1])} and {titles[-1]}"[:150]


def _write(seat: Seat, policy: Policy, now: datetime, **said) -> Verdict:
    return Verdict.objects.create(seat=seat, policy=policy, judged_at=now, **said)
