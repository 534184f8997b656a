"""What the marks in a text add up to. Pure.

The penalty of a text is the sum of the weights of its marks, in the unit of the
weights, from 0, the best, without an upper end; a mark of a category that counts alone
gives the text the weight of that category, whatever else is marked (Freitag et al.
2021). Per 100 words it is

    100 * penalty / max(1, words of the text).
"""

from __future__ import annotations

from collections.abc import Sequence

from annotation.kinds.edits.words import words
from annotation.kinds.spans.marks import Mark
from annotation.kinds.spans.scheme import Scheme


def penalty(marks: Sequence[Mark], scheme: Scheme) -> float:
    """Add up the weights of the marks in a text.

    >>> from annotation.kinds.spans.scheme import MQM
    >>> penalty([Mark(0, 1, "style", "major"), Mark(2, 3, "style", "minor")], MQM)
    6.0
    """
    alone = [scheme.alone(mark.category) for mark in marks]
    whole = [weight for weight in alone if weight is not None]
    if whole:
        return float(max(whole))
    return float(sum(scheme.weight(mark.category, mark.severity) for mark in marks))


def per_100_words(penalty: float, text: str) -> float:
    return 100 * penalty / max(1, len(words(text)))
