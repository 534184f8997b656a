"""The one register of what is drawn from which seed.

Whatever is drawn by chance for a study has a spawn key of its own, so that nothing
drawn for one purpose shifts what is drawn for another. Changed, the same seed would
draw other numbers: a key is never changed, and never given to a second purpose.
"""

from __future__ import annotations

from enum import IntEnum, unique

import numpy as np


@unique
class OfStudy(IntEnum):
    """What the first number of a spawn key of a study's seed stands for."""

    PAGES = 0  # then the number of the first survey, where there are surveys already
    SURVEYS = 1  # then the number of the survey
    NEGATIVES = 2  # then the number of the survey
    # Then a number from the system's name, then 0; none: what systems share.
    SYSTEM_SCORES = 3
    PROBES = 4  # then 0
    MORE_PAIRS = 5  # then the number of the first survey
    JUDGED_PAIRS = 6  # then 0 for which pairs are drawn, and 1 for intervals
    STRESS = 7  # then 0: which texts the stress lab takes, and what it does to them
    ANCHORS = 8  # then the number of the set
    PROMPT_ORDER = 9  # then two numbers from what the prompt says
    PART = 10  # then the number of the first stratum: which texts people rate
    ERRORS = 11  # then a number from the text: what simulated workers may find in it


@unique
class OfSurvey(IntEnum):
    """The same of a survey's seed, which is a child of the study's."""

    PLACES = 3


def rng(seed: int, *key: int) -> np.random.Generator:
    """Chance for one purpose: the same numbers on every machine."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def child(seed: int, *key: int) -> int:
    """A seed for one purpose, which is kept in a row."""
    state = np.random.SeedSequence(seed, spawn_key=key).generate_state(1, np.uint64)
    return int(state[0] >> np.uint64(1))  # fits a signed column
