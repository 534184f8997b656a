"""Words in another order: every second run of four words is shuffled in place.

Words stay near their place, and the first of a sentence keeps it, so that neither a
capital nor a full stop is found where none belongs.
"""

from __future__ import annotations

import re

import numpy as np

from annotation.perturbations import _text
from annotation.sentences import MARKS

TITLE = "words in another order"
HURTS = ("coherence", "fluency")

RUN = 4  # words

# Letters and digits, joined as in "it's", "o'clock", "1.5" and "so-called"; the marks
# around them stay, and so does "&quot;", which is a mark too.
_LETTERS = rf"[^\W_][{MARKS}]*"
_WORD = re.compile(
    rf"(?<![\w&#{MARKS}])((?:{_LETTERS})+(?:[-'’./@](?:{_LETTERS})+)*)(?![\w;{MARKS}])"
)
_STOP = re.compile(r"[,;:!?.…()\"“”—،؛؟।]")


def apply(text: str, rng: np.random.Generator) -> str | None:
    runs = [run for clause in _clauses(text) for run in _runs(clause)]
    if not runs:
        return None
    start = int(rng.integers(2)) if len(runs) > 1 else 0
    new: dict[_text.Place, str] = {}
    for run in runs[start::2]:
        words = [text[slice(*place)] for place in run]
        mixed = _mixed(words, rng)
        new.update(zip(run, mixed, strict=True))
    return _text.changed(text, _text.replaced(text, new))


def _clauses(text: str) -> list[list[_text.Place]]:
    """Places of the words that may move, between two stops and behind a first word."""
    clauses: list[list[_text.Place]] = []
    for sentence in _text.spans(text):
        words = [m.span(1) for m in _WORD.finditer(text, *sentence)]
        clauses.append([])
        for before, word in zip(words, words[1:], strict=False):
            if _STOP.search(text, before[1], word[0]):
                clauses.append([])
            clauses[-1].append(word)
    return clauses


def _runs(clause: list[_text.Place]) -> list[list[_text.Place]]:
    runs = [clause[i : i + RUN] for i in range(0, len(clause), RUN)]
    return [run for run in runs if len(run) > 2]


def _mixed(words: list[str], rng: np.random.Generator) -> list[str]:
    """None stands where it stood, where that can be."""
    for _ in range(20):
        mixed = [words[i] for i in rng.permutation(len(words))]
        if all(one != other for one, other in zip(words, mixed, strict=True)):
            return mixed
    return words[1:] + words[:1]
