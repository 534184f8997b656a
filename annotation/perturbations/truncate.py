"""The text breaks off in the middle of a sentence, at most a third before its end.

Where it can, behind a word that calls for another one ("of the"), so that nobody takes
it for an end. On a page where other texts break off too, it is no damage:
`negatives` leaves it out there.
"""

from __future__ import annotations

import re

import numpy as np

from annotation.perturbations import _text

HURTS = ("coherence", "fluency")
BREAKS_OFF = True

KEPT = 0.66  # of the text, at least

# Between the two words there is nothing but a space.
_GAP = re.compile(r"(?<=\w) (?=[^\W\d_])")
_CALLING = re.compile(
    r"\b(?:a|an|and|as|at|because|but|by|for|from|her|his|if|in|into|is|my|of|on|or|our"
    r"|so|that|the|their|to|very|was|were|when|which|while|who|with|your)\Z",
    re.IGNORECASE,
)


def apply(text: str, rng: np.random.Generator) -> str | None:
    cuts = [
        gap.start()
        for start, end in _text.spans(text)
        for gap in _GAP.finditer(text, start, end)
        # Behind a word or two it could still be a title or a slip.
        if gap.start() >= KEPT * len(text) and text.count(" ", start, gap.start()) > 1
    ]
    if not cuts:
        return None
    calling = [cut for cut in cuts if _CALLING.search(text, 0, cut)]
    return text[: rng.choice(calling or cuts)]
