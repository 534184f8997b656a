"""What a word is in scripts unlike the Latin one. Pure."""

from __future__ import annotations

import re

# Vowels, accents and joiners that belong to the letter before them. Python's \w has no
# such marks, so without them a word of Hindi would fall into pieces.
MARKS = (
    "\u0300-\u036f"  # Latin
    "\u064b-\u065f\u0670"  # Arabic
    "\u0900-\u0903\u093a-\u093c\u093e-\u094f\u0951-\u0957\u0962\u0963"  # Devanagari
    "\u200c\u200d"
)
# Kana and Chinese characters: no space stands between their words.
UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_UNSPACED = re.compile(f"[{UNSPACED}]")


def is_unspaced(character: str) -> bool:
    return _UNSPACED.match(character) is not None


def within_word(before: str, behind: str) -> bool:
    """Whether a word goes on between the end of one text and the start of another.

    Never after a character of a script without spaces, where nobody can tell.

    >>> within_word("The car", "toon"), within_word("猫が", "好き")
    (True, False)
    """
    ends, begins = before[-1:], behind[:1]
    return ends.isalnum() and begins.isalnum() and not is_unspaced(ends)
