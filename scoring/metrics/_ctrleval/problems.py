"""What may be wrong with lists of texts that people wrote, a sentence for each."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence


def wrong_size(what: str, size: int, least: int, most: int) -> list[str]:
    if least <= size <= most:
        return []
    return [f"{size} {what}, expected {least} to {most}"]


def wrong_texts(what: str, texts: Sequence[str], most: int) -> list[str]:
    problems = []
    for number, text in enumerate(texts, start=1):
        if not text:
            problems.append(f"{what} {number} is empty")
        if len(text) > most:
            problems.append(
                f"{what} {number} has {len(text)} characters, expected {most} at most"
            )
        if any(unicodedata.category(character) == "Cc" for character in text):
            problems.append(f"{what} {number} holds a line break, tab or control sign")
    return problems


def repeated(what: str, texts: Sequence[str]) -> list[str]:
    """Of empty ones it is said elsewhere that they are empty."""
    first: dict[str, int] = {}
    problems = []
    for number, text in enumerate(texts, start=1):
        if text and text in first:
            problems.append(f"{what} {number} is the same as {first[text]}")
        first.setdefault(text, number)
    return problems
