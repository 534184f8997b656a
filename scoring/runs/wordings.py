"""The ways in which other files may write a text of a study."""

from __future__ import annotations

from collections.abc import Iterator

from annotation.models.texts import full_text


def wordings(prefix: str, text: str) -> Iterator[str]:
    """The text as it is, with its prefix, and what a system wrote after it."""
    whole = full_text(prefix, text)
    yield from {text, whole}
    if prefix and whole.startswith(prefix) and whole != prefix:
        yield whole[len(prefix) :]


def is_worded(words: str, prefix: str, text: str) -> bool:
    """Whether a text of the study is meant, with its prefix or without."""
    return spaced(words) in {spaced(wording) for wording in wordings(prefix, text)}


def spaced(text: str) -> str:
    """With single spaces: tools trim them, so they count for nothing."""
    return " ".join(text.split())
