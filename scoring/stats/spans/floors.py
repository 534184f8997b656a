"""What a guess reaches: marks at random places, and marks of other texts.

A metric is worth something where its F is above both. Both keep what is easily known,
how many marks there are and how long they are; the second also keeps where in a text
they usually stand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from scoring.stats.spans.f_scores import Compared, Measure, with_people
from scoring.stats.spans.marks import Mark, Marks
from scoring.stats.spans.pages import Pages, Predicted, Texts


class Guess(NamedTuple):
    """Marks of each text, (n,), and where they come from."""

    marks: Predicted
    donor: np.ndarray | None = None  # (n,) row of the other text; None = its own


def moved(predicted: Predicted, texts: Texts, *, rng: np.random.Generator) -> Guess:
    """The metric's marks, each at a random place of the same side of the same text.

    Start ~ uniform over 0, ..., L - length, independently, so moved marks may overlap.
    A mark longer than its text, which should not be, takes all of it.

    Args:
        predicted: Marks of each text, (n,).
        texts: Of the same rows.
        rng: Where the places come from.

    Returns:
        As `predicted`: as many marks, as long, None where that has None.
    """

    def place(mark: Mark, row: int) -> Mark:
        limit = int(texts.sides[mark.side][row])
        size = min(mark.length, limit)
        start = int(rng.integers(limit - size + 1))
        return mark._replace(start=start, end=start + size)

    placed = [
        None if marks is None else tuple(place(mark, row) for mark in marks)
        for row, marks in enumerate(predicted)
    ]
    return Guess(placed)


def from_other_texts(
    predicted: Predicted, pages: Pages, texts: Texts, *, rng: np.random.Generator
) -> Guess:
    """What a person marked in another text of the same system, at the same places.

    One page is drawn at random of all those of other prompts for the same system; its
    offsets are stretched to the length of the text and rounded: start * L / L_other.

    Args:
        predicted: Which texts are to have marks: those where it is not None, (n,).
        pages: What people marked.
        texts: Of the same rows.
        rng: Where the pages come from.

    Returns:
        None also where the system has no page of another prompt.
    """
    system, prompt = texts.system[pages.text], texts.prompt[pages.text]
    drawn: list[Marks | None] = []
    donor = np.arange(len(texts))
    for row, marks in enumerate(predicted):
        same = (system == texts.system[row]) & (prompt != texts.prompt[row])
        rows = np.flatnonzero(same)
        if marks is None or not len(rows):
            drawn.append(None)
        else:
            k = int(rng.choice(rows))
            donor[row] = pages.text[k]
            drawn.append(_stretched(pages.marks[k], int(pages.text[k]), row, texts))
    return Guess(drawn, donor)


def compared(
    draw: Callable[[], Guess], pages: Pages, measure: Measure, *, times: int
) -> Compared:
    """Compare a guess with each person, over random draws.

    Args:
        draw: Gives one guess; it has always read the same texts.
        pages: What people marked.
        measure: As in `f_scores.with_people`.
        times: How often it is drawn, 1 or more.

    Returns:
        Mean counts of the draws; where marks come from other texts all counts, as a
        replicate lacks those that its prompt gave to others.
    """
    guesses = [draw() for _ in range(times)]
    drawn = [with_people(guess.marks, pages, measure) for guess in guesses]
    first = drawn[0]
    if guesses[0].donor is None:
        return replace(first, counts=np.mean([draws.counts for draws in drawn], axis=0))
    donors = [guess.donor[first.text] for guess in guesses if guess.donor is not None]
    return Compared(
        np.concatenate([draws.counts for draws in drawn]),
        np.tile(first.text, times),
        np.tile(first.pair, times),
        np.concatenate(donors),
    )


def _stretched(marks: Marks, other: int, row: int, texts: Texts) -> Marks:
    placed = []
    for mark in marks:
        lengths = texts.sides[mark.side]
        factor = lengths[row] / max(1, lengths[other])
        start, end = (round(offset * factor) for offset in (mark.start, mark.end))
        if mark.length:  # a stretch stays one, however short the text is
            end = max(end, min(start + 1, int(lengths[row])))
            start = min(start, end - 1)
        placed.append(mark._replace(start=max(start, 0), end=end))
    return tuple(placed)
