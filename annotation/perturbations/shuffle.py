"""Sentences in another order: none follows the one that it followed before."""

from __future__ import annotations

import numpy as np

from annotation.perturbations import _text

TITLE = "sentences in another order"
HURTS = ("coherence",)
WHOLE_SENTENCES = True


def apply(text: str, rng: np.random.Generator) -> str | None:
    found, gaps = _text.split(text)
    n = _text.n_finished(found)
    if n < 2:
        return None
    moved = [found[i] for i in _scattered(n, rng)]
    return _text.changed(text, _text.join(moved + found[n:], gaps))


def _scattered(n: int, rng: np.random.Generator) -> list[int]:
    """An order in which no i + 1 stands right behind i, and 0 does not come first."""
    while True:  # about one order in three is usable
        order = rng.permutation(n)
        if order[0] != 0 and not (np.diff(order) == 1).any():
            return order.tolist()
