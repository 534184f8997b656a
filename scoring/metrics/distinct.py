"""Distinct-n within one text: how varied its words are.

distinct-n = number of different n-grams / number of n-grams, in (0, 1], after Li et al.
(2016), who divide by the number of words instead. Words are lower-cased and punctuation
is removed; in scripts without spaces, each character is a word. NaN for a text with
fewer than n words. Short texts get higher values. Neither high nor low is good in
itself: what counts is how close the value is to that of human text.
"""

from __future__ import annotations

from scoring.metrics._engine.base import Metric, Output
from scoring.metrics._engine.words import CountingScorer, ngrams, words

SIZES = (1, 2, 3, 4)


class Distinct(Metric):
    """Variety: the share of different n-grams in the text."""

    title = "Distinct-n"
    short = "Distinct-n"
    source = "Li et al. (2016)"
    link = "https://aclanthology.org/N16-1014"
    version = 2  # 2: words of other scripts

    @property
    def outputs(self) -> tuple[Output, ...]:
        return outputs()

    def load(self, device: str = "cpu") -> CountingScorer:
        reasons = {f"distinct_{n}": f"fewer than {n} words" for n in SIZES}
        return CountingScorer(self.signature(), distinct_of_text, reasons)


def outputs() -> tuple[Output, ...]:
    """The outputs for a text and for a system have the same names."""
    return tuple(
        Output(f"distinct_{n}", f"Distinct-{n}", "share of n-grams, (0, 1]", None)
        for n in SIZES
    )


def distinct_of_text(text: str) -> dict[str, float | None]:
    """Distinct-1 to distinct-4 of one text; None where the text has no n-gram.

    >>> distinct_of_text("no no no, never")
    {'distinct_1': 0.5, 'distinct_2': 0.6666666666666666, 'distinct_3': 1.0,
     'distinct_4': 1.0}
    """
    tokens = words(text)
    found: dict[str, float | None] = {}
    for n in SIZES:
        grams = ngrams(tokens, n)
        found[f"distinct_{n}"] = len(set(grams)) / len(grams) if grams else None
    return found
