"""How many words of a text were changed. Pure; the page's words.js counts the same.

Words are what white space separates; of Chinese and Japanese writing, each character is
one. The number of changed words is the edit distance of Levenshtein (1966) over words:

    the fewest insertions, deletions and replacements that turn one text into the other.

Without the moves of TER, so that a page can count while someone types: a run of words
that was moved counts as often as it has words. So it is never smaller than the edits
behind HTER, where upper and lower case are not told apart either.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

# Written out, as Python and JavaScript do not mean quite the same by \s.
SPACE = r" \t\n\v\f\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
SINGLE = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
WORD = re.compile(f"[{SINGLE}]|[^{SPACE}{SINGLE}]+")
# Pairs of words that are compared, 5000 by 5000: a fraction of a second. Where two
# texts differ over a longer stretch, all of the stretch counts as changed.
MOST = 25_000_000


def words(text: str) -> list[str]:
    """The words of a text.

    >>> words("so  it\\ngoes. 你好")
    ['so', 'it', 'goes.', '你', '好']
    """
    return WORD.findall(text)


def changed(before: str, after: str) -> int:
    """How many words must change to turn one text into the other, from 0.

    >>> changed("She have two brother .", "She has two brothers .")
    2
    """
    old, new = _middles(words(before), words(after))
    if not (old and new) or len(old) * len(new) > MOST:
        return max(len(old), len(new))
    return _distance(old, new)


def _middles(old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    """Without the words that both begin with, and then those that both end with."""
    start, most = 0, min(len(old), len(new))
    while start < most and old[start] == new[start]:
        start += 1
    end = 0
    while end < most - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return old[start : len(old) - end], new[start : len(new) - end]


def _distance(old: Sequence[str], new: Sequence[str]) -> int:
    """Row by row: row[j] is the distance of the words so far from j of the new ones."""
    number = {word: n for n, word in enumerate(dict.fromkeys((*old, *new)))}
    codes = np.array([number[word] for word in new], np.int64)
    places = np.arange(len(new) + 1)
    row = places.copy()
    for word in old:
        best = row + 1
        best[1:] = np.minimum(best[1:], row[:-1] + (codes != number[word]))
        # One insertion more for each place to the right.
        row = np.minimum.accumulate(best - places) + places
    return int(row[-1])
