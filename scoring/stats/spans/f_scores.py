"""F of a metric with people, and of people with each other, with intervals.

A metric is compared with each person in turn, never with the union of what people
marked: a union has more marks than any person makes. One person with another is the
ceiling: no metric can be expected to agree more with a person than people do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from scoring.stats import shares
from scoring.stats.counts import Draws
from scoring.stats.estimates import Estimate
from scoring.stats.jackknife import Jackknifed, LeaveOut, jackknifed
from scoring.stats.spans import characters, matching
from scoring.stats.spans.marks import Mark, Marks
from scoring.stats.spans.pages import Pages, Predicted

# Counts of one text, (4,), that are added over texts and that `scores` takes.
Measure = Callable[[Marks, Marks], np.ndarray]
NO_PREDICTED = "the metric has read none of the texts that people have read"
NO_PAIR = "no text was read by two people"
PARTS = ("precision", "recall", "f")


def mpp(predicted: Marks, reference: Marks) -> np.ndarray:
    """Counts of `matching.mpp`, (4,)."""
    return matching.mpp(predicted, reference).counts


def wmt25(predicted: Marks, reference: Marks) -> np.ndarray:
    """Counts of `characters.wmt25`, (4,)."""
    return characters.wmt25(predicted, reference)


@dataclass(frozen=True, slots=True)
class Compared:
    """Counts of texts that two judges have read, by pair of judges."""

    counts: np.ndarray  # (k, 4)
    text: np.ndarray  # (k,) row of the texts
    pair: np.ndarray  # (k,) 0, ..., G - 1: which two judges
    # (k,) row of the text whose marks stand in for a judge's; None = their own.
    donor: np.ndarray | None = None

    @property
    def n_texts(self) -> int:
        """Texts behind it."""
        return len(np.unique(self.text))

    @property
    def n_pairs(self) -> int:
        """Pairs of judges that share a text."""
        return int(self.pair.max(initial=-1)) + 1

    @property
    def texts_of_pair(self) -> float:
        """Texts that a pair shares, the median of all pairs; 0 without pairs."""
        return float(np.median(np.bincount(self.pair))) if len(self.pair) else 0.0

    def of_texts(self, mask: np.ndarray) -> Compared:
        """Those of some texts alone, by a mask of all texts, (n,)."""
        rows = mask[self.text]
        _, pair = np.unique(self.pair[rows], return_inverse=True)
        donor = None if self.donor is None else self.donor[rows]
        return Compared(self.counts[rows], self.text[rows], pair.reshape(-1), donor)

    def together(self) -> Compared:
        """All pairs as one: F of the sums over pairs and texts."""
        return replace(self, pair=np.zeros_like(self.pair))


def with_people(predicted: Predicted, pages: Pages, measure: Measure) -> Compared:
    """Compare a metric with each person, on the texts that both have read.

    Args:
        predicted: The metric's marks of each text, (n,); None = it has not read it.
        pages: What people marked.
        measure: `mpp` or `wmt25`.
    """
    rows, marks = _shared(predicted, pages)
    counts = [measure(*pair) for pair in marks]
    _, person = np.unique(pages.rater[rows], return_inverse=True)
    return Compared(_stacked(counts), pages.text[rows], person.reshape(-1))


def by_name(
    predicted: Predicted, pages: Pages, name: Callable[[Mark], str]
) -> dict[str, Compared]:
    """Split the credits of `mpp` by category or severity of the mark that has them.

    Partners are those of all marks together and need not be called alike: recall of
    "major" is how much of the major errors was marked at all. All people are taken
    together, as one person has few marks of one kind.

    Args:
        predicted: As in `with_people`.
        pages: As in `with_people`.
        name: What a mark is sorted by.

    Returns:
        For each name that occurs, the counts of all texts that both have read.
    """
    rows, marks = _shared(predicted, pages)
    names = sorted({name(mark) for pair in marks for part in pair for mark in part})
    counts = np.zeros((len(names), len(rows), 4))
    for row, pair in enumerate(marks):
        credits = matching.mpp(*pair)
        for side, part in enumerate(pair):
            for mark, credit in zip(part, credits[side], strict=True):
                at = names.index(name(mark))
                counts[at, row, 2 * side : 2 * side + 2] += credit, 1
    text, together = pages.text[rows], np.zeros(len(rows), np.int64)
    return {key: Compared(counts[k], text, together) for k, key in enumerate(names)}


def between_people(pages: Pages, n_texts: int, measure: Measure) -> Compared:
    """Compare each two people, on the texts that both have read.

    F is the same in either direction: precision of one is recall of the other.
    """
    counts, text, names = [], [], []
    for row, readers in enumerate(pages.by_text(n_texts)):
        by_rater = readers[np.argsort(pages.rater[readers], kind="stable")]
        for i, j in combinations(by_rater.tolist(), 2):
            counts.append(measure(pages.marks[i], pages.marks[j]))
            text.append(row)
            names.append((int(pages.rater[i]), int(pages.rater[j])))
    number = {name: k for k, name in enumerate(sorted(set(names)))}
    pair = np.array([number[name] for name in names], np.int64)
    return Compared(_stacked(counts), np.array(text, np.int64), pair)


def mean_scores(compared: Compared, left: LeaveOut) -> list[Jackknifed]:
    """Means over pairs of judges, of precision, recall and F, with their replicates.

    P, R and F of a pair are micro-averaged over the texts that both have read
    (`matching.scores`); the mean gives each pair the same weight. It is 1 for a pair
    that marks nothing at all, so take pairs that share few texts `together`. A
    replicate lacks the texts of one prompt, the pairs that share no other, and what
    these texts gave to others: else a guess would seem surer than it is.

    Args:
        compared: Counts by text and pair.
        left: Replicates of all texts, (n,).

    Returns:
        Precision, recall and F in [0, 1], each of shape (); NaN where there is none.
    """
    value = _means(compared, np.ones((1, len(compared.text))))[0]
    draws = left.draws.only(compared.text)
    if compared.donor is not None:
        donors = left.draws.only(compared.donor)
        draws = Draws((*draws.counts, *donors.counts), (*draws.at, *donors.at))
    slabs = draws.slabs(columns=len(PARTS))
    without = np.concatenate(
        [np.empty((0, len(PARTS))), *(_means(compared, draws.rows(s)) for s in slabs)]
    )
    return [
        jackknifed(value[part], without[:, part], left, "natural")
        for part in range(len(PARTS))
    ]


def estimate(of: Jackknifed, compared: Compared, reason: str) -> Estimate:
    """One of the `mean_scores` with its interval.

    Args:
        of: The score.
        compared: What it is made of.
        reason: Why it is None, where it is: `NO_PREDICTED` or `NO_PAIR`.

    Returns:
        n = texts. Limits as in `shares.estimate`.
    """
    return shares.estimate(of, n=compared.n_texts, reason=reason)


def _means(compared: Compared, weights: np.ndarray) -> np.ndarray:
    """Mean scores of each replicate, (B, 3); NaN = no pair shares a text."""
    if not len(compared.pair):
        return np.full((len(weights), len(PARTS)), np.nan)
    order = np.argsort(compared.pair, kind="stable")
    _, starts = np.unique(compared.pair[order], return_index=True)
    weights = weights[:, order]

    def summed(column: np.ndarray) -> np.ndarray:
        """Over the texts of each pair, (B, G)."""
        return np.add.reduceat(weights * column, starts, axis=1)

    sums = np.stack([summed(each) for each in compared.counts[order].T], axis=-1)
    shared = summed(np.ones(len(order))) > 0
    scores = matching.scores(sums)
    scores[~shared] = 0
    n = shared.sum(axis=1)[:, np.newaxis]
    return np.divide(
        scores.sum(axis=1), n, out=np.full((len(weights), 3), np.nan), where=n > 0
    )


def _shared(
    predicted: Predicted, pages: Pages
) -> tuple[list[int], list[tuple[Marks, Marks]]]:
    """Pages of texts that the metric has read, with the marks of both."""
    pairs = [
        (row, (marks, pages.marks[row]))
        for row, text in enumerate(pages.text.tolist())
        if (marks := predicted[text]) is not None
    ]
    return [row for row, _ in pairs], [marks for _, marks in pairs]


def _stacked(counts: list[np.ndarray]) -> np.ndarray:
    return np.array(counts, np.float64).reshape(-1, 4)
