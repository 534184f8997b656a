"""How many prompts, raters and ratings a study needs, from what ratings vary by."""

from annotation.sizing.planning import (
    FEW,
    ONE_PROMPT,
    PART,
    Answer,
    Known,
    Sizes,
    answer,
    known,
    people,
    sizes,
)
from annotation.sizing.words import (
    basis,
    cheapest,
    money,
    n_of,
    raters_in_words,
    sentence,
)

__all__ = [
    "FEW",
    "ONE_PROMPT",
    "PART",
    "Answer",
    "Known",
    "Sizes",
    "answer",
    "basis",
    "cheapest",
    "known",
    "money",
    "n_of",
    "people",
    "raters_in_words",
    "sentence",
    "sizes",
]
