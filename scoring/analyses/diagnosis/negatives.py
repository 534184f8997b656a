"""What people and metrics make of negatives, beside the texts they were made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scoring.stats import damage
from scoring.stats.data import NONE, Data


class Seen(NamedTuple):
    """Differences in what people gave, damaged minus undamaged, higher = better."""

    points: np.ndarray  # of each negative, mean over its pages and the aspects it hurts
    sds: np.ndarray  # the same in standard deviations of human scores
    page: np.ndarray  # (pages,) of each rater's page alone
    page_of: np.ndarray  # (pages,) int: row of negatives


@dataclass(frozen=True, slots=True)
class Kept:
    """Negatives whose source is among the texts."""

    data: Data
    rows: np.ndarray  # (m,) of data.negatives
    source: np.ndarray  # (m,) row of data.texts
    kind: np.ndarray  # (m,) str
    prompt: np.ndarray  # (m,) of the source

    @property
    def kinds(self) -> list[str]:
        return sorted(set(self.kind.tolist()))

    def scores(self, place: int) -> np.ndarray:
        """Of one output, (m,), as the metric gave them."""
        found = self.data.negative_scores
        if not found.size:
            return np.full(len(self.rows), np.nan)
        return np.asarray(found[self.rows, place])

    def hurts(self, kind: str) -> list[str]:
        """Titles of the aspects that a perturbation should lower, in their order."""
        some = self.data.negatives.hurts[self.rows[self.kind == kind]]
        keys = {key for words in some.tolist() for key in words.split()}
        return [aspect.title for aspect in self.data.aspects if aspect.key in keys]


def kept(data: Data) -> Kept:
    """The negatives whose text is in the data."""
    rows = np.flatnonzero(data.negatives.source != NONE)
    source = data.negatives.source[rows]
    kind = data.negatives.perturbation[rows]
    return Kept(data, rows, source, kind, data.texts.prompt[source])


def seen_by_people(negatives: Kept, *, valid_only: bool) -> Seen:
    """Compare each rating of a negative with what others gave its source.

    Args:
        negatives: With the ratings of all pages, valid or discarded.
        valid_only: Leave ratings on discarded pages out, of negatives and of sources.
    """
    data, m, every = negatives.data, len(negatives.rows), not valid_only
    given, rated, n_aspects = data.negative_ratings, data.ratings, len(data.aspects)
    place = np.full(len(data.negatives), NONE)
    place[negatives.rows] = np.arange(m)
    use = (place[given.negative] != NONE) & _hurt(data) & (given.valid | every)
    of, aspect = place[given.negative[use]], given.aspect[use]
    counts = rated.valid | every
    signs = np.array([1 if one.higher_is_better else -1 for one in data.aspects] or [1])
    points = signs[aspect] * damage.above_others(
        negatives.source[of] * n_aspects + aspect,
        given.rater[use],
        given.value[use],
        of_unit=(rated.text * n_aspects + rated.aspect)[counts],
        of_rater=rated.rater[counts],
        of_value=rated.value[counts],
    )
    sds = points / _spreads(data, valid_only)[aspect]
    pairs = np.stack([of, given.page[use]], axis=1)
    pages, at = np.unique(pairs, axis=0, return_inverse=True)
    at = at.reshape(-1)
    page, page_of = _means(points, at, len(pages)), pages[:, 0]
    page_sds = _means(sds, at, len(pages))
    return Seen(_means(page, page_of, m), _means(page_sds, page_of, m), page, page_of)


def _hurt(data: Data) -> np.ndarray:
    """(k,) bool: whether each rating is on an aspect that the damage should lower."""
    keys = [aspect.key for aspect in data.aspects]
    table = np.array(
        [[key in words.split() for key in keys] for words in data.negatives.hurts], bool
    ).reshape(len(data.negatives), len(keys))
    return table[data.negative_ratings.negative, data.negative_ratings.aspect]


def _spreads(data: Data, valid_only: bool) -> np.ndarray:
    """SD of the human scores of texts on each aspect, NaN = none."""
    human = data.human_scores(with_discarded=not valid_only)
    found = [damage.spread(column) for column in human.T]
    return np.array([np.nan if one is None else one for one in found], np.float64)


def _means(values: np.ndarray, at: np.ndarray, size: int) -> np.ndarray:
    """Mean of the values in each place, NaN where there is none."""
    known = ~np.isnan(values)
    total = np.bincount(at[known], values[known], size)
    n = np.bincount(at[known], minlength=size)
    return np.divide(total, n, out=np.full(size, np.nan), where=n > 0)
