"""Damage to texts, as Pimentel, Meister & Cotterell (2023) do it in section 6.2.

Unlike `annotation.perturbations`, nobody may fail to see these: all of a text changes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from annotation import sentences

ARTICLES = frozenset({"a", "an", "the"})
# The English list of NLTK (Bird, Loper & Klein 2009), 179 words: its data cannot be
# counted on to be there. "don" and "t" are of tokenizers that cut "don't".
STOPWORDS = frozenset(
    """
    i me my myself we our ours ourselves you you're you've you'll you'd your yours
    yourself yourselves he him his himself she she's her hers herself it it's its itself
    they them their theirs themselves what which who whom this that that'll these those
    am is are was were be been being have has had having do does did doing a an the and
    but if or because as until while of at by for with about against between into
    through during before after above below to from up down in out on off over under
    again further then once here there when where why how all any both each few more
    most other some such no nor not only own same so than too very s t can will just don
    don't should should've now d ll m o re ve y ain aren aren't couldn couldn't didn
    didn't doesn doesn't hadn hadn't hasn hasn't haven haven't isn isn't ma mightn
    mightn't mustn mustn't needn needn't shan shan't shouldn shouldn't wasn wasn't weren
    weren't won won't wouldn wouldn't
    """.split()
)
# A word, and the blanks behind it: a word that goes takes them along.
_WORD = re.compile(r"(\w+(?:['’\-]\w+)*)([^\S\n]*)")
_MARK = re.compile(r"[^\w\s]")

Edit = Callable[[Sequence[str], np.random.Generator], list[str]]


def third(texts: Sequence[str], rng: np.random.Generator) -> list[str]:
    """The first third of each text's words."""
    return [_first_third(text) for text in texts]


def without_articles(texts: Sequence[str], rng: np.random.Generator) -> list[str]:
    return [_without(text, ARTICLES) for text in texts]


def without_stopwords(texts: Sequence[str], rng: np.random.Generator) -> list[str]:
    return [_without(text, STOPWORDS) for text in texts]


def swapped(texts: Sequence[str], rng: np.random.Generator) -> list[str]:
    """First halves, by sentences, shuffled among all texts.

    Of an odd number of sentences the first half is the shorter one.
    """
    pairs = [_halves(text) for text in texts]
    order = rng.permutation(len(pairs))
    return [
        " ".join(filter(None, (pairs[other][0], second)))
        for other, (_, second) in zip(order, pairs, strict=True)
    ]


def shuffled(texts: Sequence[str], rng: np.random.Generator) -> list[str]:
    """The words of each text, as white space cuts them, in random order."""
    return [_shuffled(text.split(), rng) for text in texts]


# In the order of the paper's figure 4: key -> title and edit.
EDITS: dict[str, tuple[str, Edit]] = {
    "third": ("Cut to a third", third),
    "no-articles": ("Without articles", without_articles),
    "no-stopwords": ("Without stopwords", without_stopwords),
    "swapped": ("First halves swapped", swapped),
    "shuffled": ("Words shuffled", shuffled),
}


def shares(text: str) -> tuple[float, float] | None:
    """Shares of stopwords and of punctuation marks among a text's tokens.

    Tokens are words and single marks; None where there are none.
    """
    words = [match[1] for match in _WORD.finditer(text)]
    marks = len(_MARK.findall(_WORD.sub("", text)))
    n = len(words) + marks
    if not n:
        return None
    return sum(_plain(word) in STOPWORDS for word in words) / n, marks / n


def _plain(word: str) -> str:
    return word.lower().replace("’", "'")


def _without(text: str, gone: frozenset[str]) -> str:
    kept = _WORD.sub(lambda found: "" if _plain(found[1]) in gone else found[0], text)
    return kept.strip()


def _first_third(text: str) -> str:
    words = list(re.finditer(r"\S+", text))
    return text[: words[(len(words) - 1) // 3].end()] if words else text


def _shuffled(words: list[str], rng: np.random.Generator) -> str:
    # An array of words would have room for the longest in each place.
    return " ".join(words[place] for place in rng.permutation(len(words)))


def _halves(text: str) -> tuple[str, str]:
    """Both halves of a text with their white space as it was."""
    found = sentences.split(text)
    at = 0
    for sentence in found[: len(found) // 2]:
        at = text.index(sentence, at) + len(sentence)
    return text[:at].strip(), text[at:].strip()
