"""Texts that people have rated must not be learned from.

A document that shares 13 words in a row with one of them is left out, whether it is
the source of the rated text, a copy of it, or only quotes the same line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.bundled import texts

N = 13  # as in the reports on GPT-3 and Llama, who look for leaks so

Grams = frozenset[tuple[str, ...]]


def rated(data: Path) -> Iterator[str]:
    """All texts that people have rated, their references included."""
    senti = data / "ctrleval" / "data_senti.txt"
    for line in senti.read_text(encoding="utf-8").splitlines():
        yield line.split("\t")[2]
    content = json.loads((data / "openmeva_mans" / "mans_roc.json").read_bytes())
    yield from _strings(content)


def grams(collection: Iterable[str], n: int = N) -> Grams:
    """All runs of n words."""
    return frozenset(one for text in collection for one in _runs(text, n))


def touches(text: str, known: Grams, n: int = N) -> bool:
    """Whether the text has a run of n words that is known."""
    return not known.isdisjoint(_runs(text, n))


def _runs(text: str, n: int) -> Iterable[tuple[str, ...]]:
    found = texts.words(text)
    return zip(*(found[k:] for k in range(n)), strict=False)


def _strings(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, dict):
        for value in content.values():
            yield from _strings(value)
    elif isinstance(content, list):
        for value in content:
            yield from _strings(value)
