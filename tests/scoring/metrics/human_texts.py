"""Stories by a person, as many as a test of a training needs."""

from __future__ import annotations

import numpy as np

OPENINGS = ("The ferry left at seven.", "The old house stood by the harbour.")
SENTENCES = (
    "A woman came in from the sun.",
    "He said that it was good.",
    "All the gulls were on the white island.",
    "They had never been so far from the house.",
    "She was not on the ferry this morning.",
    "The film had a terrible story.",
    "It is great to be by the sea.",
    "The captain can read old maps.",
)


def stories(n: int, *, seed: int = 0, sentences: int = 5) -> list[str]:
    """Different ones, of so many sentences in alphabetical order."""
    rng = np.random.default_rng(seed)
    found = []
    for k in range(n):
        chosen = sorted(rng.choice(SENTENCES, sentences - 1, replace=False).tolist())
        found.append(" ".join([OPENINGS[k % 2], *chosen, f"Then it was {k} again."]))
    return found
