"""What the hidden check on a page of pairs catches, and what it costs.

Careless work is exact. Honest work needs a model of honest people, that of
`simulation`: two texts seem apart by a normal difference, whose spread is that of two
answers, and one is called better where they seem apart by `NOTICED` or more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
from django.db.models import Count

from annotation.kinds.pairs import pair_answers
from annotation.models import Aspect, Policy, Study
from annotation.models.comparing import MUCH_FIRST, TIE, points
from annotation.page_kinds.matrix import aspects_of
from annotation.quality.rater_kinds import KINDS, MUCH, NOTICED, Kind

HONEST = ("careful", "noisy")


class PairShape(NamedTuple):
    """What matters of a page: its real pairs, and the aspects that are hurt."""

    pairs: int
    hurts: tuple[str, ...]


class PairPower(NamedTuple):
    """Shares of pages that the policy discards."""

    pages: int
    random: float  # of answers by chance, taking the time that reading takes; exact
    honest: dict[str, float]  # by kind of `HONEST`
    checks: float  # share of all answers that go to hidden checks


def shapes(*, study: Study) -> Counter[PairShape]:
    """Count the drawn pages of pairs that hide a check, by shape."""
    drawn = study.surveys.filter(kind="pair", negative__isnull=False)
    rows = drawn.order_by().annotate(n=Count("items"))
    return Counter(
        PairShape(n - 1, tuple(hurts))
        for n, hurts in rows.values_list("n", "negative__hurts")
        if n > 1
    )


def of_policy(*, study: Study, policy: Policy, found: Counter[PairShape]) -> PairPower:
    """Args: `found`: `shapes` of the study, not empty."""
    aspects, offered = list(study.aspects.all()), points(study)
    n_pages = found.total()

    def averaged(of: dict[PairShape, float]) -> float:
        return sum(found[shape] * share for shape, share in of.items()) / n_pages

    return PairPower(
        pages=n_pages,
        random=averaged({one: _random(one, policy, aspects, offered) for one in found}),
        honest={
            name: averaged(
                {
                    one: _lost(one, policy, aspects, offered, KINDS[name])
                    for one in found
                }
            )
            for name in HONEST
        },
        checks=n_pages / sum(found[shape] * (shape.pairs + 1) for shape in found),
    )


def _random(
    shape: PairShape, policy: Policy, aspects: list[Aspect], offered: Sequence[int]
) -> float:
    compared = len(aspects_of(policy, shape.hurts, aspects))
    each = policy.on == Policy.On.ANY
    if not policy.same_score or policy.same_faster_than is not None:
        return pair_answers.chance_to_catch(offered, aspects=compared, each=each)
    return pair_answers.caught_in_all(
        offered,
        pairs=shape.pairs + 1,
        aspects=len(aspects),
        compared=compared,
        each=each,
    )


def _lost(
    shape: PairShape,
    policy: Policy,
    aspects: list[Aspect],
    offered: Sequence[int],
    kind: Kind,
) -> float:
    """The damaged twin is called better by someone who reads."""
    compared = aspects_of(policy, shape.hurts, aspects)
    answers = [
        chances(offered, apart=kind.drop * (one.key in shape.hurts), noise=kind.noise)
        for one in compared
    ]
    if policy.on == Policy.On.ANY:
        better = [one[len(one) // 2 + 1 :].sum() for one in answers]
        return float(1 - np.prod([1 - share for share in better]))
    total = np.ones(1)
    for one in answers:
        total = np.convolve(total, one)
    return float(total[len(total) // 2 + 1 :].sum())


def chances(offered: Sequence[int], *, apart: float, noise: float) -> np.ndarray:
    """How likely each answer is, from "much better" of the undamaged text on.

    Args:
        offered: The stored answers that there are.
        apart: By how much the undamaged text is better, in points of a 1-5 scale.
        noise: Spread of what someone makes of one text.

    Returns:
        One chance for each number from the lowest to the highest of `offered`; 0 for
        what lies between and is not offered.
    """
    from scipy.stats import norm  # loading it takes long: only for who needs it

    noticed = NOTICED if TIE in offered else 0.0
    bounds = [-MUCH, -noticed, noticed, MUCH] if MUCH_FIRST in offered else None
    bounds = bounds or [-noticed, noticed]
    # Seen from the damaged text: it is better by - apart.
    below = norm.cdf(bounds, loc=-apart, scale=sqrt(2) * noise)
    return np.diff(np.concatenate([[0.0], below, [1.0]]))
