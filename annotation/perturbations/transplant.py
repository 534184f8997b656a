"""What follows the prefix was written for another one; nothing else is wrong with it.

So it is only damage behind a prefix, or beside a source, that the text does not come
from: `negatives` takes care that it is.
"""

from __future__ import annotations

import numpy as np

TITLE = "written for another prompt"
HURTS = ("consistency",)
FROM_ELSEWHERE = True


def apply(text: str, rng: np.random.Generator) -> str | None:
    return text if text.strip(" .,;:!?") else None
