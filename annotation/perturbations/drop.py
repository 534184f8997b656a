"""A third of the sentences, in a row, is missing. The last one stays."""

from __future__ import annotations

import numpy as np

from annotation.perturbations import _text

TITLE = "sentences left out"
HURTS = ("coherence",)
WHOLE_SENTENCES = True


def apply(text: str, rng: np.random.Generator) -> str | None:
    found, gaps = _text.split(text)
    n = len(found)
    if n < 2:
        return None
    n_dropped = max(1, n // 3)
    start = int(rng.integers(n - n_dropped))
    del found[start : start + n_dropped]
    # Each leaves with the gap behind it: one gap stays where two sentences now meet.
    del gaps[start + 1 : start + n_dropped + 1]
    return _text.changed(text, _text.join(found, gaps))
