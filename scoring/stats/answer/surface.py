"""Surface features of a text, for a predictor that understands nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from unicodedata import category

import numpy as np

from annotation.sentences import scripts

NAMES = (
    "characters",
    "words",
    "sentences",
    "different words",  # share, the type-token ratio
    "punctuation",  # share of characters, as are the next two
    "digits",
    "capitals",
    "repeated 4-grams",  # share
)
GRAM = 4
ENDS = frozenset(".!?…。！？")  # a set: "" ends nothing
AFTER_END = "\"'”’»)]}"


def features(text: str) -> tuple[float, ...]:
    """The numbers of `NAMES`, in their order; shares of an empty text are 0.

    Words are what white space separates, and in scripts without spaces each character.
    A sentence ends with a word that ends with one of .!? and their like: quick, and
    close enough for a predictor that is to be beaten.

    >>> features("A cat. A dog!")
    (13.0, 4.0, 2.0, 0.75, 0.15384615384615385, 0.0, 0.15384615384615385, 0.0)
    """
    words = scripts.pieces(text)
    kinds: Counter[str] = Counter()
    for character, n in Counter(text).items():
        kinds[_kind(character)] += n
    ended = sum(word.rstrip(AFTER_END)[-1:] in ENDS for word in words)
    grams = list(zip(*(words[k:] for k in range(GRAM)), strict=False))
    shares = (kinds[kind] / max(1, len(text)) for kind in ("P", "N", "Lu"))
    return (
        float(len(text)),
        float(len(words)),
        float(ended),
        len({word.lower() for word in words}) / max(1, len(words)),
        *shares,
        1 - len(set(grams)) / len(grams) if grams else 0.0,
    )


def table(texts: Iterable[str]) -> np.ndarray:
    """The features of many texts, (n, len(NAMES))."""
    found = [features(text) for text in texts]
    return np.array(found, np.float64).reshape(-1, len(NAMES))


def _kind(character: str) -> str:
    found = category(character)
    return found if found == "Lu" else found[0]
