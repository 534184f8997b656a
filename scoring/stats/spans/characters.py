"""F over characters, as the WMT25 shared task scored marked errors (subtask 2)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scoring.stats.spans.marks import SIDES, Mark

HALF = 0.5  # credit of a character that both mark with unlike severities


def wmt25(
    predicted: Sequence[Mark], reference: Sequence[Mark], *, credit: float = HALF
) -> np.ndarray:
    """Characters that two judges mark alike, of one text.

    Each mark counts on each of its characters, so one that two marks cover counts
    twice. With p_s and r_s the marks of severity s on a character,
    tp = sum_s min(p_s, r_s) + credit * min(sum_s max(0, p_s - r_s), sum_s max(0, r_s -
    p_s)), as `scoring_esa.py` of the shared task has it. Points cover no character and
    count for nothing. Severities are compared as they are: where "critical" shall be
    "major", call it so before.

    Args:
        predicted: Of a metric, or of a person who is compared with another.
        reference: Of a person.
        credit: For characters that are marked with unlike severities, in [0, 1].

    Returns:
        Counts for `matching.scores`, (4,): tp, characters predicted, tp, characters
        of the reference.

    >>> wmt25([Mark(0, 4, severity="minor")], [Mark(2, 6, severity="major")])
    array([1., 4., 1., 4.])
    """
    total = np.zeros(4)
    severities = sorted({mark.severity for mark in (*predicted, *reference)})
    for side in SIDES:
        ours, theirs = (
            [m for m in marks if m.side == side] for marks in (predicted, reference)
        )
        length = max((mark.end for mark in (*ours, *theirs)), default=0)
        p, r = (_cover(marks, severities, length) for marks in (ours, theirs))
        alike = np.minimum(p, r)
        rest = np.minimum((p - alike).sum(axis=0), (r - alike).sum(axis=0))
        right = alike.sum() + credit * rest.sum()
        total += [right, p.sum(), right, r.sum()]
    return total


def _cover(marks: Sequence[Mark], severities: list[str], length: int) -> np.ndarray:
    """How many marks of each severity cover each character, (severities, length)."""
    steps = np.zeros((len(severities), length + 1), np.int64)
    for mark in marks:
        row = severities.index(mark.severity)
        steps[row, mark.start] += 1
        steps[row, mark.end] -= 1
    return np.cumsum(steps, axis=1)[:, :length]
