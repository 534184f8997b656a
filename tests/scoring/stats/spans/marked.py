"""Marks that tests are about: made up, drawn by hypothesis, and with golden numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from scoring.stats.spans.marks import Mark, Marks
from scoring.stats.spans.pages import Pages, Texts

FILE = Path(__file__).resolve().parents[3] / "golden" / "spans.json"
GOLDEN: dict[str, Any] = json.loads(FILE.read_text())
LENGTH = 12  # of texts that marks are drawn for


def golden(rows: list[list[Any]]) -> Marks:
    return tuple(
        Mark(start, end, "", severity, side) for start, end, severity, side in rows
    )


@st.composite
def one_mark(draw: st.DrawFn, sides: str = "text source", points: bool = True) -> Mark:
    start = draw(st.integers(0, LENGTH - 1))
    end = draw(st.integers(start if points else start + 1, LENGTH))
    return Mark(
        start,
        end,
        draw(st.sampled_from("xy")),
        draw(st.sampled_from(["minor", "major"])),
        draw(st.sampled_from(sides.split())),
    )


def some_marks(most: int = 4, **options: Any) -> st.SearchStrategy[Marks]:
    return st.lists(one_mark(**options), max_size=most).map(tuple)


def texts(n: int, per_prompt: int = 1, length: int = LENGTH) -> Texts:
    """Of two systems in turn; the source can be marked, too."""
    rows = np.arange(n)
    lengths = np.full(n, length)
    return Texts(lengths, rows // per_prompt, rows % 2, lengths)


def pages(*rows: tuple[int, int, Marks]) -> Pages:
    """Of text, rater and marks."""
    text, rater, marks = zip(*rows, strict=True) if rows else ((), (), ())
    return Pages(np.array(text, int), np.array(rater, int), tuple(marks))


def people(n: int, raters: int = 3, seed: int = 0, length: int = 60) -> Pages:
    """Who all find the same errors, each with a border moved and some left out."""
    rng = np.random.default_rng(seed)
    rows = []
    for text in range(n):
        errors = rng.integers(0, length - 12, size=rng.integers(0, 4))
        for rater in range(raters):
            marks = tuple(
                Mark(int(start), int(start) + 8 + int(rng.integers(4)), "x", "minor")
                for start in errors
                if rng.random() < 0.8
            )
            rows.append((text, rater, marks))
    return pages(*rows)
