"""Words change places: two in five of those that carry meaning.

Words with the same ending change with each other first, so that the grammar mostly
holds while the sense is lost. Only words in small letters move, so no capital gives it
away.
"""

from __future__ import annotations

import math
import re

import numpy as np

from annotation.perturbations import _text
from annotation.sentences import MARKS

TITLE = "words exchanged"
HURTS = ("coherence", "consistency")

SHARE_OF_PAIRS = 0.2  # of the words that may move

# Not "it's", "so-called" or "&quot;": these do not fit elsewhere.
_WORD = re.compile(rf"(?<![\w&'’{MARKS}-])(?:[^\W\d_][{MARKS}]*)+(?![\w'’{MARKS}-])")
_ENDING = re.compile(r"(?:ing|ed|ly|s)$")
# Words that hold a sentence together. Swapped, they would give noise, not nonsense.
_GLUE = frozenset(
    "about above after again against also although always another anything because"
    " been before being below between both could does doing down during each either"
    " else even ever every everything from have having here hers herself himself into"
    " itself just less many might more most much must myself neither never nothing"
    " once only other ours over rather same shall should since some something still"
    " such than that their theirs them themselves then there these they this those"
    " though through till under unless until upon very well were what when where"
    " whether which while whom whose will with within without would your yours".split()
)


def apply(text: str, rng: np.random.Generator) -> str | None:
    small = [m for m in _WORD.finditer(text) if m[0] == m[0].lower()]
    telling = [m for m in small if len(m[0]) > 3 and m[0] not in _GLUE]
    for words in (telling, small):
        pairs = _pairs(words, rng)
        if pairs:
            n_pairs = math.ceil(SHARE_OF_PAIRS * len(words))
            return _text.changed(text, _text.exchanged(text, pairs[:n_pairs]))
    return None


def _pairs(
    words: list[re.Match[str]], rng: np.random.Generator
) -> list[tuple[_text.Place, _text.Place]]:
    """Pairs of different words, in random order; alike in ending where possible."""
    mixed = [words[i] for i in rng.permutation(len(words))]
    mixed.sort(key=lambda m: _ending(m[0]))
    pairs = [
        (one.span(), other.span())
        for one, other in zip(mixed[::2], mixed[1::2], strict=False)
        if one[0] != other[0]
    ]
    return [pairs[i] for i in rng.permutation(len(pairs))]


def _ending(word: str) -> str:
    found = _ENDING.search(word)
    return found[0] if found else ""
