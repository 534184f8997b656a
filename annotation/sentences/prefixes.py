"""Texts that repeat their prefix in another spelling. Pure."""

from __future__ import annotations

from annotation.sentences.words import is_unspaced


def respelled(prefix: str, text: str) -> str:
    """A text that begins with its prefix but for case or white space: with the prefix.

    Models often write the prompt again in their own spelling. Without this, such a text
    would get its prefix a second time. The prefix must end where a word of the text
    does: "the cartoon" does not begin with "The car". Any other text is returned as is.

    >>> respelled("Once upon", "once  upon a time")
    'Once upon a time'
    """
    words = prefix.split()
    if not words or text.startswith(prefix):
        return text
    rest = text.lstrip()
    for k, word in enumerate(words):
        behind = rest.lstrip()
        if k and behind == rest:
            return text  # within a word
        head, rest = behind[: len(word)], behind[len(word) :]
        if head.casefold() != word.casefold():
            return text
    if rest[:1].isalnum() and not is_unspaced(words[-1][-1]):
        return text
    return prefix + (rest.lstrip() if prefix[-1].isspace() else rest)
