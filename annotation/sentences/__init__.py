"""The one sentence splitter, and where a text's prefix ends. Pure: the same on every
machine."""

from annotation.sentences.prefixes import respelled
from annotation.sentences.splitting import FILE, NAME, name, split
from annotation.sentences.words import MARKS, UNSPACED, is_unspaced, within_word

__all__ = [
    "FILE",
    "MARKS",
    "NAME",
    "UNSPACED",
    "is_unspaced",
    "name",
    "respelled",
    "split",
    "within_word",
]
