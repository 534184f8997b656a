"""Match with partial overlap and partial credit (mpp): F of one judge's marks.

Perrella, Morales Agostinho and Zaragoza (2026), "Span-Level Machine Translation
Meta-Evaluation", arXiv 2603.19921: each mark has one partner at most, the partners are
chosen so that the F of the text is as high as it can be, and a pair counts by how much
of each mark the other one covers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from scoring.stats.spans.marks import Mark, overlap

# Ways to match a text that are held at once. Up to here the best is found for certain;
# a text with so many overlapping marks that there are more keeps the best of them.
MOST_WAYS = 1_000
TIE = 1e-12  # F that differ by less are equal


class Credits(NamedTuple):
    """What each mark of one text is worth, in [0, 1]."""

    predicted: np.ndarray  # (p,) share of it that its partner covers
    reference: np.ndarray  # (r,) likewise

    @property
    def counts(self) -> np.ndarray:
        """Sums that are added over texts: credit and number of either side, (4,)."""
        return np.array(
            [
                self.predicted.sum(),
                len(self.predicted),
                self.reference.sum(),
                len(self.reference),
            ]
        )


class Pair(NamedTuple):
    """Two marks that could be partners."""

    predicted: int
    reference: int
    precision: float  # credit of the predicted mark, (0, 1]
    recall: float  # credit of the other one


class Way(NamedTuple):
    """A matching of a few of the marks, and the credit that it has on either side."""

    precision: float
    recall: float
    pairs: tuple[Pair, ...]


def mpp(
    predicted: Sequence[Mark], reference: Sequence[Mark], *, penalty: float = 0.0
) -> Credits:
    """Match the marks of one text so that its F is highest.

    With o the characters that a pair shares, its predicted mark has the credit
    o / length, and so has its reference mark; all others have 0. Of all one-to-one
    matchings the one is taken that maximises F = 2 P R / (P + R), where P and R are the
    mean credits; of equal ones that with the higher P + R, then P. A point, where
    something is missing, has the credit 1 with a point at the very place, and with
    nothing else.

    Args:
        predicted: Of a metric, or of a person who is compared with another.
        reference: Of a person.
        penalty: What a pair of unlike severities loses, in [0, 1]; 0 ignores severity,
            as the paper recommends.

    Returns:
        The credits, in the order of the marks.

    Raises:
        ValueError: If the penalty is not in [0, 1].

    >>> mpp([Mark(0, 4)], [Mark(2, 4), Mark(0, 1)])
    Credits(predicted=array([0.5]), reference=array([1., 0.]))
    """
    if not 0 <= penalty <= 1:
        raise ValueError(f"penalty {penalty}: expected a number in [0, 1]")
    candidates = _candidates(predicted, reference, penalty)
    ways = [Way(0.0, 0.0, ())]
    sizes = (len(predicted), len(reference))
    for component in _components(candidates):
        ways = _undominated(
            [
                Way(a.precision + b.precision, a.recall + b.recall, a.pairs + b.pairs)
                for a in ways
                for b in _ways(component, sizes)
            ],
            sizes,
        )
    credits = Credits(np.zeros(len(predicted)), np.zeros(len(reference)))
    for pair in _best(ways, sizes).pairs:
        credits.predicted[pair.predicted] = pair.precision
        credits.reference[pair.reference] = pair.recall
    return credits


def scores(counts: np.ndarray) -> np.ndarray:
    """Precision, recall and F from sums of counts.

    P = c_0 / c_1, R = c_2 / c_3, F = 2 P R / (P + R). Sums over texts give the micro
    average. A judge that marks nothing has P = 1, and R = 1 where there is nothing to
    be marked, so F = 1 where both mark nothing; F = 0 where P and R are 0.

    Args:
        counts: As of `Credits.counts`, (..., 4).

    Returns:
        (..., 3), in [0, 1].
    """
    credit, n = counts[..., [0, 2]], counts[..., [1, 3]]
    shares = np.divide(credit, n, out=np.ones(credit.shape), where=n > 0)
    total = shares.sum(axis=-1)
    twice = 2 * shares.prod(axis=-1)
    f = np.divide(twice, total, out=np.zeros(total.shape), where=total > 0)
    return np.concatenate([shares, f[..., np.newaxis]], axis=-1)


# The best matching --------------------------------------------------------------------


def _candidates(
    predicted: Sequence[Mark], reference: Sequence[Mark], penalty: float
) -> list[Pair]:
    pairs = []
    for i, mark in enumerate(predicted):
        for j, other in enumerate(reference):
            precision, recall = _credit(mark, other)
            if precision and mark.severity != other.severity:
                precision, recall = precision * (1 - penalty), recall * (1 - penalty)
            if precision:
                pairs.append(Pair(i, j, precision, recall))
    return pairs


def _credit(mark: Mark, other: Mark) -> tuple[float, float]:
    shared = overlap(mark, other)
    if shared:
        return shared / mark.length, shared / other.length
    same = mark.side == other.side and mark.start == mark.end == other.start
    return (1.0, 1.0) if same and other.length == 0 else (0.0, 0.0)


def _components(pairs: list[Pair]) -> list[list[Pair]]:
    """Pairs that share no mark with those of another list, even through others."""
    components: list[tuple[set[int], set[int], list[Pair]]] = []
    for pair in pairs:
        rows, columns, members = {pair.predicted}, {pair.reference}, [pair]
        apart = []
        for component in components:
            if component[0] & rows or component[1] & columns:
                rows |= component[0]
                columns |= component[1]
                members = component[2] + members
            else:
                apart.append(component)
        components = [*apart, (rows, columns, members)]
    return [members for _, _, members in components]


def _ways(pairs: list[Pair], sizes: tuple[int, int]) -> list[Way]:
    """Matchings of one component that no other beats on both sides.

    One predicted mark after the other; of matchings that use the same reference marks,
    as far as later marks could use them, those that are beaten are dropped.
    """
    by_mark: dict[int, list[Pair]] = {}
    for pair in pairs:
        by_mark.setdefault(pair.predicted, []).append(pair)
    marks = sorted(by_mark, key=lambda i: min(pair.reference for pair in by_mark[i]))
    ways: dict[frozenset[int], list[Way]] = {frozenset(): [Way(0.0, 0.0, ())]}
    for position, mark in enumerate(marks):
        later = {pair.reference for i in marks[position + 1 :] for pair in by_mark[i]}
        longer: dict[frozenset[int], list[Way]] = {}
        for used, group in ways.items():
            longer.setdefault(used & later, []).extend(group)
            for pair in by_mark[mark]:
                if pair.reference not in used:
                    now = frozenset(used | {pair.reference}) & later
                    longer.setdefault(now, []).extend(_with(pair, group))
        ways = _fewest(longer, sizes)
    return _undominated([way for group in ways.values() for way in group], sizes)


def _with(pair: Pair, ways: list[Way]) -> list[Way]:
    return [
        Way(
            way.precision + pair.precision, way.recall + pair.recall, (*way.pairs, pair)
        )
        for way in ways
    ]


def _fewest(
    ways: dict[frozenset[int], list[Way]], sizes: tuple[int, int]
) -> dict[frozenset[int], list[Way]]:
    """Without what is beaten; of too many, the best."""
    ways = {used: _undominated(group, sizes) for used, group in ways.items()}
    if sum(map(len, ways.values())) <= MOST_WAYS:
        return ways
    order = sorted(
        ((used, way) for used, group in ways.items() for way in group),
        key=lambda entry: _mean_credit(entry[1], sizes),
    )
    fewer: dict[frozenset[int], list[Way]] = {}
    for used, way in order[-MOST_WAYS:]:
        fewer.setdefault(used, []).append(way)
    return fewer


def _undominated(ways: list[Way], sizes: tuple[int, int]) -> list[Way]:
    """Without those that another one equals or beats on both sides."""
    if len(ways) == 1:
        return ways
    best = []
    highest = -1.0
    for way in sorted(ways, key=lambda way: (-way.precision, -way.recall)):
        if way.recall > highest:
            highest = way.recall
            best.append(way)
    if len(best) > MOST_WAYS:
        best = sorted(best, key=lambda way: _mean_credit(way, sizes))[-MOST_WAYS:]
    return best


def _mean_credit(way: Way, sizes: tuple[int, int]) -> float:
    return way.precision / sizes[0] + way.recall / sizes[1]


def _best(ways: list[Way], sizes: tuple[int, int]) -> Way:
    if len(ways) == 1:
        return ways[0]
    counts = [[way.precision, sizes[0], way.recall, sizes[1]] for way in ways]
    shares = scores(np.array(counts, np.float64))
    highest = shares[:, 2].max() - TIE
    tied = [k for k in range(len(ways)) if shares[k, 2] >= highest]
    return ways[max(tied, key=lambda k: (shares[k, 0] + shares[k, 1], shares[k, 0]))]
