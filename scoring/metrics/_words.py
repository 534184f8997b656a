"""Words and n-grams, for the metrics that count them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from scoring.metrics._base import Example, Progress, Scores

_WORD = re.compile(r"\w+(?:['’\-]\w+)*")


def words(text: str) -> list[str]:
    """Runs of letters and digits, lower-cased; an apostrophe or hyphen may be inside.

    >>> words("It's a well-known, WELL-KNOWN song.")
    ["it's", 'a', 'well-known', 'well-known', 'song']
    """
    return _WORD.findall(text.lower())


def ngrams(tokens: Sequence[str], n: int) -> list[tuple[str, ...]]:
    """All runs of n tokens, in order.

    >>> ngrams(["a", "b", "c"], 2)
    [('a', 'b'), ('b', 'c')]
    """
    return [tuple(tokens[k : k + n]) for k in range(len(tokens) - n + 1)]


class CountingScorer:
    """A scorer that needs no model: one function of the text, which gives all outputs.

    The function's None becomes NaN with the output's reason.
    """

    def __init__(
        self,
        signature: str,
        count: Callable[[str], dict[str, float | None]],
        reasons: dict[str, str],
    ) -> None:
        self.signature = signature
        self._count = count
        self._reasons = reasons  # by output key

    def __call__(
        self, examples: Sequence[Example], progress: Progress | None = None
    ) -> Scores:
        """Score texts; so fast that progress is told once, at the end."""
        found = [self._count(example.text) for example in examples]
        columns = {key: [one[key] for one in found] for key in self._reasons}
        values = {
            key: np.array([np.nan if v is None else v for v in column], dtype=float)
            for key, column in columns.items()
        }
        reasons = {
            key: [self._reasons[key] if value is None else None for value in column]
            for key, column in columns.items()
        }
        if progress is not None and examples:
            progress(len(examples))
        return Scores(values, reasons)
