"""A sentence is repeated in place of what followed it, as by a generator that is stuck.

In place of, not on top of: the text stays about as long as it was.
"""

from __future__ import annotations

import numpy as np

from annotation.perturbations import _text

TITLE = "sentences repeated"
HURTS = ("coherence",)
WHOLE_SENTENCES = True


def apply(text: str, rng: np.random.Generator) -> str | None:
    found, gaps = _text.split(text)
    n = _text.n_finished(found)
    if n < 2:
        return None
    n_repeats = max(1, n // 3)
    said = int(rng.integers(n - n_repeats))
    found[said + 1 : said + 1 + n_repeats] = [found[said]] * n_repeats
    return _text.changed(text, _text.join(found, gaps))
