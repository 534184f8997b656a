"""Who comes closer to the other raters of each text: the metric, or the rater?"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

Closeness = Literal["rmse", "equal"]
# Distances that differ by rounding only are ties.
ROUNDING = 1e-9
KINDS = ("rmse", "equal")


class Marks(NamedTuple):
    """All ratings of one question: one of a rater and text at most."""

    text: np.ndarray  # (k,) int, row of the text, 0, ..., n - 1
    rater: np.ndarray  # (k,) int, 0, ..., R - 1
    value: np.ndarray  # (k,) float


class Compared(NamedTuple):
    """A metric and a rater beside the same other raters, one row for each rating.

    Only of texts with a score and a rating by someone else.
    """

    text: np.ndarray  # (m,) int
    rater: np.ndarray  # (m,) int
    metric: np.ndarray  # (m,) bool: the metric is at least as close as the rater
    person: np.ndarray  # (m,) bool: the rater is at least as close as the metric

    @property
    def d(self) -> np.ndarray:
        """1 = the rater is closer, -1 = the metric is, 0 = neither; (m,) float."""
        return self.person.astype(np.float64) - self.metric

    def only(self, kept: np.ndarray) -> Compared:
        """Some of the rows, (m,) bool."""
        return Compared(*(column[kept] for column in self))

    def of(self, rater: int) -> Compared:
        return self.only(self.rater == rater)


def compare(marks: Marks, scores: np.ndarray, closeness: Closeness) -> Compared:
    """Hold a metric against each rater in turn, text by text.

    S(x, i, j) is how close x comes to the raters of text i without rater j: minus the
    root mean squared distance ("rmse"), or the share of equal ratings ("equal").
    W^f = 1[S(f) >= S(h_j)] and W^h = 1[S(h_j) >= S(f)] (Calderon, Reichart and Dror
    2025, arXiv 2501.10970, section 3).

    Args:
        marks: The ratings.
        scores: Of the metric on the scale of the ratings, (n,), NaN = none.
        closeness: "rmse" or "equal". For "equal" the scores must be on the points of
            the scale already: 3.4 equals no rating.

    Returns:
        Closeness that differs by rounding only (1e-9) is a tie: both are true.

    Raises:
        ValueError: If there is no such closeness.
    """
    if closeness not in KINDS:
        expected = " or ".join(map(repr, KINDS))
        raise ValueError(f"closeness {closeness!r}: expected {expected}")
    n_others = np.bincount(marks.text, minlength=len(scores))[marks.text] - 1
    given = scores[marks.text]
    use = (n_others > 0) & ~np.isnan(given)
    near = _near if closeness == "rmse" else _equal
    metric, person = (
        near(marks, of, len(scores))[use] / n_others[use] for of in (given, marks.value)
    )
    if closeness == "rmse":
        metric, person = -np.sqrt(metric), -np.sqrt(person)
    apart = metric - person
    return Compared(
        marks.text[use],
        marks.rater[use],
        apart >= -ROUNDING,
        apart <= ROUNDING,
    )


def _near(marks: Marks, given: np.ndarray, n: int) -> np.ndarray:
    """Sum over the others of (x - h)^2, from sums over the whole text, (k,)."""
    text, value = marks.text, marks.value
    # Around the middle of all ratings, so that no digits are lost.
    middle = float(np.round(value.mean())) if len(value) else 0.0
    h, x = value - middle, given - middle
    m = np.bincount(text, minlength=n)[text] - 1
    total = np.bincount(text, h, minlength=n)[text] - h
    squares = np.bincount(text, h**2, minlength=n)[text] - h**2
    found: np.ndarray = np.maximum(m * x**2 - 2 * x * total + squares, 0.0)
    return found


def _equal(marks: Marks, given: np.ndarray, n: int) -> np.ndarray:
    """How many of the others gave exactly x, (k,)."""
    values = np.unique(marks.value)
    own = np.searchsorted(values, marks.value)
    count = np.bincount(marks.text * len(values) + own, minlength=n * len(values))
    at = np.minimum(np.searchsorted(values, given), len(values) - 1)
    known = values[at] == given
    found = np.where(known, count[marks.text * len(values) + at], 0)
    # The rating of the rater who is left out is among them.
    return found - (known & (at == own))
