"""Words in a wrong form: two in five of the words that have another. English only.

"I like books" may become "I like booked". Order, marks and capitals stay.
"""

from __future__ import annotations

import math

import numpy as np

from annotation.perturbations import _inflection, _text

TITLE = "words in a wrong form"
HURTS = ("fluency",)
ENGLISH = True

SHARE = 0.4  # of the words that have another form
MIN_WORDS = 2  # a single one could pass for a slip


def apply(text: str, rng: np.random.Generator) -> str | None:
    tokens = _inflection.tokenized(text)
    forms = _inflection.inflectable(tokens.words)
    if len(forms) < MIN_WORDS:
        return None
    n = max(MIN_WORDS, math.ceil(SHARE * len(forms)))
    chosen = sorted(rng.choice(list(forms), n, replace=False).tolist())
    new = {i: str(rng.choice(forms[i])) for i in chosen}
    return _text.changed(text, tokens.with_words(new).text)
