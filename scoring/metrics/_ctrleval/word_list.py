"""Inverse word frequencies for a model that brings no table of its own.

The bundled list says in how many of N English sentences each word occurs. A token
occurs in the sentences of all words that it is part of:

    f_t = min(N, sum of f_w over words w with t among their tokens)
    IWF(t) = log(1 + N) / f_t                                  (Ke et al. 2022, eq. 7)

Words of one sentence that share a token count it twice, so f_t is too large for pieces
of words, never for whole words. The list leaves out rare words. A token of none of its
words is rarer than all of them and gets the largest weight that the list gives; special
tokens get 0.
"""

from __future__ import annotations

import functools
import gzip

import numpy as np

from scoring.metrics._ctrleval import iwf
from scoring.metrics._engine import models
from scoring.metrics._engine.backbones import Backbone

FILE = models.BUNDLED / "words.txt.gz"
LISTED = "words:"  # how it begins in a signature
NOTE = (
    "The model brings no word frequencies: they come from the bundled list of English"
    " words. For texts in another language, make a table with `python -m"
    " scoring.metrics iwf`, or choose the weighting “plain mean”."
)


def content() -> str:
    """For the signature."""
    return LISTED + models.hash_of(FILE)


def frequencies(backbone: Backbone) -> np.ndarray:
    """IWF of each token of a model, float64, (vocabulary,), [0, inf)."""
    n, words = _read()
    # As they stand in a sentence: behind a space, marks also right behind a letter.
    spaced = [f" {word}" for word in words]
    marks = {word: f"a{word}" for word in words if not word[0].isalnum()}
    ids = backbone.ids([*spaced, *marks.values(), "a"], end=False)
    found = np.zeros(backbone.vocabulary, np.int64)
    for (word, count), text in zip(words.items(), spaced, strict=True):
        tokens = set(ids[text])
        if word in marks:
            tokens |= set(ids[marks[word]]) - set(ids["a"])
        for token in tokens:
            found[token] += count
    found[found == 0] = min(words.values())
    found[list(backbone.special)] = 0
    return iwf.frequencies(np.minimum(found, n), n)


@functools.cache
def _read() -> tuple[int, dict[str, int]]:
    """The number of sentences, and those with each word."""
    with gzip.open(FILE, "rt", encoding="utf-8") as file:
        n = int(file.readline())
        rows = (line.rstrip("\n").rpartition("\t") for line in file)
        return n, {word: int(count) for word, _, count in rows}
