"""The text breaks off in the middle of a sentence, at most a third before its end.

Where it can, behind a word that calls for another one ("of the"), so that nobody takes
it for an end. On a page where other texts break off too, it is no damage:
`negatives` leaves it out there.
"""

from __future__ import annotations

import math
import re

import numpy as np

from annotation.perturbations import _text
from annotation.sentences import MARKS, UNSPACED, is_unspaced

TITLE = "broken off early"
HURTS = ("coherence", "fluency")
BREAKS_OFF = True

UNSPACED_WORDS = 4  # characters of two words, in scripts without spaces
KEPT = 0.66  # of the text, at least

# Between the two words there is nothing but a space; in some scripts not even that.
_GAP = re.compile(rf"(?<=[\w{MARKS}]) (?=[^\W\d_])|(?<=[{UNSPACED}])(?=[{UNSPACED}])")
_CALLING = re.compile(
    r"\b(?:a|an|and|as|at|because|but|by|for|from|her|his|if|in|into|is|my|of|on|or|our"
    r"|so|that|the|their|to|very|was|were|when|which|while|who|with|your)\Z",
    re.IGNORECASE,
)
_LONGEST_CALLING = len("because")


def apply(text: str, rng: np.random.Generator) -> str | None:
    kept = math.ceil(KEPT * len(text))
    cuts = [
        gap.start()
        for start, end in _text.spans(text)
        # Behind a word or two it could still be a title or a slip.
        for gap in _GAP.finditer(text, max(kept, _third_word(text, start, end)), end)
    ]
    if not cuts:
        return None
    calling = [cut for cut in cuts if _calls(text, cut)]
    return text[: rng.choice(calling or cuts)]


def _third_word(text: str, start: int, end: int) -> int:
    """Where the third word of a sentence begins; its end if it has none."""
    if is_unspaced(text[start : start + 1]):
        return min(start + UNSPACED_WORDS, end)
    for _ in range(2):
        start = text.find(" ", start, end) + 1
        if not start:
            return end
    return start


def _calls(text: str, cut: int) -> bool:
    """Whether the word before the cut calls for another one.

    Only the characters that it may have are looked at: searched from the start of the
    text for each cut, a long text without a full stop took minutes.
    """
    start = max(0, cut - _LONGEST_CALLING)
    return _CALLING.search(text, start, cut) is not None
