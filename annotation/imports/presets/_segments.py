"""Segments of documents: which one a text is, not by its words. Pure.

Short lines stand in many documents ("Vielen Dank."): known by their words alone they
were one text that a rater had rated twice, and the means were not the published ones.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Any

LONGEST_KEY = 64  # characters of an ID


def key_of(*parts: Any) -> str:
    """An ID out of those of the document, the segment and the system."""
    key = "-".join(text for part in parts if (text := _text(part)))
    if len(key) <= LONGEST_KEY:
        return key
    digest = hashlib.sha256(key.encode()).hexdigest()[:16]
    return f"{key[: LONGEST_KEY - 17]}-{digest}"


def _text(part: Any) -> str:
    return "" if part is None else str(part).strip()


class Samples:
    """How often a system has had this source so far: the number of the text."""

    def __init__(self) -> None:
        self._n: Counter[int] = Counter()

    def number(self, *of: Any) -> int:
        """From 1; `of` is the system and the source, of which a hash is kept."""
        key = hash(tuple(map(_text, of)))
        self._n[key] += 1
        return self._n[key]
