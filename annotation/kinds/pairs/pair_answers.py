"""What answers on pairs tell about care, in the unit of the study's ratings.

A page of pairs hides one of a text and its damaged twin. An answer on it is a number
from - w / 2, the undamaged text is (much) better, to w / 2, with w the width of the
study's scale; 0 is "no difference". It stands where pages of ratings have the
difference of the damaged text from the others, so the same rules hold: a page is
discarded where the mean over the compared aspects is above 0, the damaged twin better.

Answers by chance have the mean 0 whatever someone prefers to press: which text is on
the left changes from pair to pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotation.careless.odds import Seen
from annotation.models.comparing import TIE


@dataclass(frozen=True)
class PairAnswers:
    """The answers that a study offers on pairs."""

    points: tuple[int, ...]  # as stored
    width: float  # of the study's scale, in the common unit

    def signed(self, answers: np.ndarray) -> np.ndarray:
        """Stored answers, any shape, from - width / 2 to width / 2; NaN stays."""
        most = max(self.points) - TIE
        return np.asarray((answers - TIE) * (self.width / 2 / most))

    @property
    def variance(self) -> float:
        """Of a random answer."""
        return float((self.signed(np.array(self.points)) ** 2).mean())

    def see(
        self,
        *,
        own: np.ndarray,
        check: np.ndarray | None,
        others: np.ndarray,
        unit: float,
    ) -> Seen:
        """One page, for `odds.over`. NaN is "cannot say".

        Args:
            own: The worker's answers on the real pairs, signed, (pairs, aspects).
            check: Theirs on the damaged twin, on the compared aspects, (compared,).
            others: Those of others on the real pairs, (people, pairs, aspects).
            unit: The variance by which sums over answers are told, `Scales.unit`.
        """
        difference, v = None, 1.0
        if check is not None:
            difference, v = float(check.mean()), self.variance / len(check)
        others = others[~np.isnan(others).any(axis=(1, 2))] if others.size else others
        if len(others) < 2:
            return Seen(difference, v, None)
        weight, known = np.sqrt(unit / self.variance), ~np.isnan(own)
        x = np.where(known, own, 0.0) * weight
        each = np.where(known, others, 0.0) * weight
        y, k = each.mean(axis=0), len(each)
        shared, squares = float((y * y).sum()), float((each * each).sum())
        return Seen(
            difference=difference,
            v=v,
            spread=None,
            own=float((x * y).sum()),
            shared=shared,
            others=k,
            alike=(k * k * shared - squares) / (k * (k - 1)),
            each=squares / k,
        )


def chance_to_catch(offered: Sequence[int], *, aspects: int, each: bool) -> float:
    """How likely answers by chance find the damaged twin better. Exact.

    By counting all answers on one aspect, or, for sums over several, by convolution.

    Args:
        offered: The stored answers that there are.
        aspects: How many are compared.
        each: Whether one of them is enough: 1 - (1 - c) ** aspects.

    >>> chance_to_catch((2, 4), aspects=1, each=False)
    0.5
    >>> round(chance_to_catch((2, 3, 4), aspects=2, each=False), 4)
    0.3333
    """
    if each:
        alone = chance_to_catch(offered, aspects=1, each=False)
        return float(1 - (1 - alone) ** aspects)
    one = np.bincount(np.array(offered) - min(offered)) / len(offered)
    total = np.ones(1)
    for _ in range(aspects):
        total = np.convolve(total, one)
    middle = len(total) // 2  # answers are as far to one side as to the other
    return float(total[middle + 1 :].sum())


def chance_of_same(offered: Sequence[int], *, pairs: int, aspects: int) -> float:
    """How likely answers by chance are one and the same everywhere. Exact."""
    n = pairs * aspects
    return float(len(offered)) ** (1 - n) if n > 1 else 0.0


def caught_in_all(
    offered: Sequence[int], *, pairs: int, aspects: int, compared: int, each: bool
) -> float:
    """How likely either of the two discards a page that was answered by chance.

    Not the sum: all answers may be the same and call the damaged twin better, as when
    it stands on the left and the left one is always taken. Half of the equal answers
    other than "no difference" are found by the first rule, too.
    """
    rule = chance_to_catch(offered, aspects=compared, each=each)
    same = chance_of_same(offered, pairs=pairs, aspects=aspects)
    sided = sum(value != TIE for value in offered) / len(offered)
    return rule + same * (1 - sided / 2)
