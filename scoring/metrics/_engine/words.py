"""Words and n-grams, for the metrics that count them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from annotation.sentences import scripts
from scoring.metrics._engine.base import Example, Progress, Scores


def words(text: str) -> list[str]:
    """Runs of letters and digits, lower-cased; an apostrophe or hyphen may be inside.

    In scripts without spaces, each character is one.

    >>> words("It's a well-known, WELL-KNOWN song.")
    ["it's", 'a', 'well-known', 'well-known', 'song']
    """
    return scripts.words(text.lower())


def ngrams(tokens: Sequence[str], n: int) -> list[tuple[str, ...]]:
    """All runs of n tokens, in order.

    >>> ngrams(["a", "b", "c"], 2)
    [('a', 'b'), ('b', 'c')]
    """
    return [tuple(tokens[k : k + n]) for k in range(len(tokens) - n + 1)]


class Grams(NamedTuple):
    """n-grams of many texts. Equal ones have equal numbers, from 0 and without gaps."""

    numbers: np.ndarray  # (n-grams,) int64
    owners: np.ndarray  # (n-grams,) int64: which text each is of


def numbered_ngrams(texts: Sequence[Sequence[str]], longest: int) -> Iterator[Grams]:
    """All n-grams of tokens of all texts, for n = 1 to `longest`; none spans two texts.

    Much faster than tuples, and smaller: an n-gram is the number of that without its
    last token, and the number of that token.
    """
    known: dict[str, int] = {}
    tokens = [known.setdefault(token, len(known)) for text in texts for token in text]
    # Beyond the end is nobody's text, so that no n-gram reaches there.
    ids = np.pad(np.array(tokens, np.int64), (0, longest))
    owners = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    owners = np.pad(owners, (0, longest), constant_values=-1)
    starts, numbers = np.arange(len(tokens)), ids[: len(tokens)]
    for n in range(longest):
        if n:
            within = owners[starts] == owners[starts + n]
            starts, numbers = starts[within], numbers[within]
            longer = numbers * len(known) + ids[starts + n]
            numbers = np.unique(longer, return_inverse=True)[1]
        yield Grams(numbers, owners[starts])


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
        """Score texts; so fast that progress is reported once, at the end."""
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
