"""Every sentence that can be turned into its opposite is reversed. English only.

Praise becomes blame, so the text misses its attribute; what cannot be negated stays and
contradicts what was.
"""

from __future__ import annotations

import re

import numpy as np

from annotation.perturbations import _text

TITLE = "statements reversed"
HURTS = ("coherence", "attribute-relevance")
ENGLISH = True

_SHORT = {"can": "can't", "will": "won't"} | {
    word: f"{word}n't"
    for word in "is are was were has have had would could should".split()
}
_LONG = {short: word for word, short in _SHORT.items()} | {
    "don't": "do",
    "doesn't": "does",
    "didn't": "did",
    "cannot": "can",
}
_OPPOSITE = {
    "always": "never",
    "everything": "nothing",
    "everybody": "nobody",
    "everyone": "no one",
    "everywhere": "nowhere",
}
_OPPOSITE |= {word: opposite for opposite, word in _OPPOSITE.items()}

_ALREADY_SHORT = re.compile(
    rf"\b({'|'.join(_LONG)})\b".replace("'", "['’]"), re.IGNORECASE
)
_ALREADY_LONG = re.compile(
    r"\b(is|are|was|were|am|has|have|had|do|does|did|will|would|can|could|should|must"
    r"|may|might|'s|’s|'m|’m|'re|’re) not\b"
)
_PAIRED = re.compile(rf"\b({'|'.join(_OPPOSITE)})\b", re.IGNORECASE)
# Small letters only: "Was it" and other questions would not survive it.
_PLAIN = re.compile(
    r"\b(is|are|was|were|will|would|can|could|should|must|might"
    # "had" and its kin can be negated where they help another verb.
    r"|(?:has|have|had)(?= (?:been|\w+ed|\w+en|gone|done|made|had|become|left)\b))\b"
)
_JOINED = re.compile(r"\b([Ii]t|[Hh]e|[Ss]he|[Tt]hat|[Tt]here)(['’]s)\b|\b(I)(['’]m)\b")


def apply(text: str, rng: np.random.Generator) -> str | None:
    found, gaps = _text.split(text)
    short = bool(rng.integers(2))  # one voice within a text: "was not" or "wasn't"
    turned = [_opposite(sentence, short) for sentence in found]
    return _text.changed(text, _text.join(turned, gaps))


def _opposite(sentence: str, short: bool) -> str:
    """The sentence without its negation, or with one; as it was where neither works."""
    for pattern, new in (
        (_ALREADY_LONG, lambda m: m[1]),
        (_ALREADY_SHORT, lambda m: _like(m[0], _LONG[m[0].lower().replace("’", "'")])),
        (_PAIRED, lambda m: _like(m[0], _OPPOSITE[m[0].lower()])),
        (_JOINED, lambda m: f"{m[0]} not"),
        (_PLAIN, lambda m: _SHORT[m[0]] if short and m[0] in _SHORT else _not(m[0])),
    ):
        turned, n = pattern.subn(new, sentence, count=1)
        if n:
            return turned
    return sentence


def _not(word: str) -> str:
    return "cannot" if word == "can" else f"{word} not"


def _like(model: str, word: str) -> str:
    return word.capitalize() if model[0].isupper() else word
