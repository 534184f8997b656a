"""People and things change places: the harbour waited for Emily on the gull.

Names change with names, things with things, one with one and many with many. Each
mention changes on its own, so that it is not simply another story. English only, apart
from names.
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from annotation.perturbations import _text

TITLE = "names and things exchanged"
HURTS = ("coherence",)
ENGLISH = True

MIN_PAIRS = 2  # a single one could pass for a slip

_NAME = re.compile(r"(?<![\w'’&])[A-Z][a-z’']*[a-z](?: [A-Z][a-z]+)*(?!\w)")
# Small words that a name is often taken for, where a sentence begins inside quotes.
_NO_NAME = frozenset(
    "After All And Another As At Before But By Even Every For From He Her Here His How"
    " If In It Its My No Not Now On Once One Or Our She So Some That The Their Then"
    " There These They This Those To We What When Where Which While Who Why With Yes"
    " You Your".split()
)
# A small word between "the" or its kin and one that cannot continue with the same
# thing: so neither "the old" nor half of "the coffee cup" moves.
_THING = re.compile(
    r"(?<![\w'’])(?:the|this|that|my|your|his|her|its|our|their|every|each|a|no"
    r"|The|This|My|Your|His|Her|Its|Our|Their|Every|Each|A) "
    r"([a-z]{3,})"
    r"(?=[,.;:!?)\"”]|\s(?:and|or|of|in|on|at|to|by|for|with|from|into|near|over|under"
    r"|was|were|is|are|had|has|have|did|does|do|could|would|will|can|that|which|who"
    r"|when|while|as|until|but|before|after|came|went|said|took|made|got|saw|left|I"
    r"|he|she|it|we|they|you|\w+ed)\b)"
)
# These follow "the" and are no thing of their own.
_NO_THING = frozenset(
    "same other first second third last next best worst most least rest way lot bit"
    " few one two three whole only very own such more less many".split()
)


def apply(text: str, rng: np.random.Generator) -> str | None:
    pairs = [
        pair
        for kind in (_names(text), *_things(text))
        for pair in _pairs(text, kind, rng)
    ]
    if len(pairs) < MIN_PAIRS:
        return None
    return _text.changed(text, _text.exchanged(text, pairs))


def _names(text: str) -> list[_text.Place]:
    """Capital words inside sentences, and the same ones where a sentence begins."""
    starts = {start for start, _ in _text.spans(text)}
    matches = [m for m in _NAME.finditer(text) if m[0] not in _NO_NAME]
    sure = {m[0] for m in matches if m.start() not in starts}
    return [m.span() for m in matches if m[0] in sure]


def _things(text: str) -> tuple[list[_text.Place], list[_text.Place]]:
    """One thing, and many."""
    found = [m for m in _THING.finditer(text) if m[1] not in _NO_THING]
    one = [m.span(1) for m in found if not _is_many(m[1])]
    many = [m.span(1) for m in found if _is_many(m[1])]
    return one, many


def _is_many(word: str) -> bool:
    return word.endswith("s") and not word.endswith(("ss", "us", "is"))


def _pairs(
    text: str, places: list[_text.Place], rng: np.random.Generator
) -> list[tuple[_text.Place, _text.Place]]:
    """Mentions of different names or things, as many as can be paired."""
    left = [places[i] for i in rng.permutation(len(places))]
    words = {place: text[slice(*place)] for place in left}
    n = Counter(words.values())
    pairs = []
    while len(left) > 1:
        # The one mentioned most finds no partner if it has to wait.
        most = max(n.values())
        one = next(place for place in left if n[words[place]] == most)
        other = next((p for p in left if words[p] != words[one]), None)
        if other is None:
            break
        for place in (one, other):
            left.remove(place)
            n[words[place]] -= 1
        pairs.append((one, other))
    return pairs
