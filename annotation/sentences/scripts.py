"""Words of texts in any script. Pure.

Chinese, Japanese, Thai, Lao, Khmer and Burmese put no space between words. Where a word
ends is then for a dictionary to say, so each character counts as a word: the usual way
of metrics (sacrebleu's `zh` and `char`), with nothing to install. A character is a
letter with the vowels and tone marks that stand on it (a grapheme cluster of Unicode,
UAX #29). Elsewhere marks belong to the letter before them, so that neither a vowel sign
of Hindi nor an accent cuts a word.
"""

from __future__ import annotations

import functools
import re
from typing import Any

# Pieces of patterns for the package regex, whose classes know the scripts of Unicode.
_SINGLE = (
    r"[[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
    r"\u30fc\uff70]--[\p{P}\p{S}\p{Nd}\p{M}]]"
)
_CHARACTER = rf"(?={_SINGLE})\X"
_LETTER = rf"[[\p{{L}}\p{{N}}_]--{_SINGLE}][\p{{M}}\u200c\u200d]*+"
_RUN = rf"(?:{_LETTER})++"
_OTHER = r"[^\s\p{L}\p{N}]*+"  # punctuation, symbols, stray marks
_ASCII_WORD = re.compile(r"\w+(?:['\-]\w+)*", re.ASCII)


@functools.cache
def _compiled(pattern: str) -> Any:
    # Imported at the first text that needs it: most are plain ASCII.
    import regex

    return regex.compile(pattern, regex.VERSION1)


def words(text: str) -> list[str]:
    """Runs of letters and digits; an apostrophe or hyphen may be inside.

    >>> words("It's well-known: हिन्दी, 猫が2匹.")
    ["It's", 'well-known', 'हिन्दी', '猫', 'が', '2', '匹']
    """
    if text.isascii():
        return _ASCII_WORD.findall(text)
    found: list[str] = _compiled(rf"{_CHARACTER}|{_RUN}(?:['’\-]{_RUN})*+").findall(
        text
    )
    return found


def bare_words(text: str) -> list[str]:
    """The same, but cut at apostrophes and hyphens, too."""
    found: list[str] = _compiled(rf"{_CHARACTER}|{_RUN}").findall(text)
    return found


def pieces(text: str) -> list[str]:
    """What white space separates; of scripts without spaces, each character.

    Punctuation stays with the word beside it.

    >>> pieces("So it goes. 「猫」は3匹。")
    ['So', 'it', 'goes.', '「猫」', 'は', '3', '匹。']
    """
    if not has_unspaced(text):
        return text.split()
    pattern = rf"{_OTHER}{_CHARACTER}{_OTHER}|[^\s{_SINGLE}]++"
    found: list[str] = _compiled(pattern).findall(text)
    return found


def apart(text: str) -> str:
    """The text with spaces around each character of a script without spaces.

    Other texts are returned as they are.

    >>> apart("猫が2匹。"), apart("So it goes.")
    ('猫 が 2 匹 。', 'So it goes.')
    """
    if not has_unspaced(text):
        return text
    spaced: str = _compiled(_CHARACTER).sub(r" \g<0> ", text)
    return " ".join(spaced.split())


def has_unspaced(text: str) -> bool:
    """Whether a text has a letter of a script without spaces."""
    return not text.isascii() and _compiled(_SINGLE).search(text) is not None


def script(text: str) -> str:
    """The script without spaces of most letters: "han", "kana", "other"; or "".

    Japanese is written in Chinese characters, too: it is told by its kana, of which a
    Chinese text has next to none.
    """
    if text.isascii():
        return ""
    single = _compiled(_SINGLE).findall(text)
    if not single or 2 * len(single) < len(_compiled(r"\p{L}").findall(text)):
        return ""
    kana = len(_compiled(r"[\p{Hiragana}\p{Katakana}]").findall(text))
    if 10 * kana >= len(single):
        return "kana"
    han = len(_compiled(r"\p{Han}").findall(text))
    return "han" if 2 * han >= len(single) else "other"
