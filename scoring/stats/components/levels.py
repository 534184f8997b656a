"""What ratings differ by: effects, and the level of each that a rating has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

SYSTEM = "system"
PROMPT = "prompt"
SYSTEM_PROMPT = "system x prompt"
TEXT = "text"
RATER = "rater"
RATER_SYSTEM = "rater x system"
RATER_PROMPT = "rater x prompt"
RESIDUAL = "residual"
EFFECTS = (
    *(SYSTEM, PROMPT, SYSTEM_PROMPT, TEXT),
    *(RATER, RATER_SYSTEM, RATER_PROMPT, RESIDUAL),
)
# Where two effects divide the ratings in the same way, the one that comes first stays.
# A rater of one system only counts as its rater: that never cancels in a difference.
_KEPT_FIRST = (
    *(SYSTEM, PROMPT, TEXT, RATER_SYSTEM, RATER),
    *(RATER_PROMPT, SYSTEM_PROMPT),
)
UNNAMED = "who gave which rating is not known"


class Rated(NamedTuple):
    """Single ratings of texts on one aspect."""

    value: np.ndarray  # (n,) float64
    system: np.ndarray  # (n,) of any kind, as the rest
    prompt: np.ndarray  # (n,)
    text: np.ndarray  # (n,) lies within one system and prompt
    rater: np.ndarray | None = None  # (n,); None where nobody knows

    def only(self, kept: np.ndarray) -> Rated:
        """Some of the ratings, as a mask or as indices; an index may come twice."""
        rater = None if self.rater is None else self.rater[kept]
        rest = (self.value[kept], self.system[kept], self.prompt[kept])
        return Rated(*rest, self.text[kept], rater)


class Levels(NamedTuple):
    """The effects that some ratings can tell apart, and why not the others."""

    of: dict[str, np.ndarray]  # by effect without the residual, (n,) int64 from 0
    left_out: dict[str, str]  # by effect, the reason


def numbered(*facets: np.ndarray) -> np.ndarray:
    """Number the combinations of facets that occur, (n,) int64 from 0."""
    found = np.zeros(len(facets[0]), np.int64)
    for facet in facets:
        at = np.unique(facet, return_inverse=True)[1].reshape(-1)
        found = found * (int(at.max(initial=0)) + 1) + at
        found = np.unique(found, return_inverse=True)[1].reshape(-1)
    return found


def crossed(
    facets: Mapping[str, np.ndarray], effects: Mapping[str, Sequence[str]]
) -> dict[str, np.ndarray]:
    """The levels of any effects: by name, the facets that each consists of.

    What is nested names the facet that it lies within: items in sections are
    ("section", "item").
    """
    return {name: numbered(*(facets[f] for f in of)) for name, of in effects.items()}


def levels(rated: Rated) -> Levels:
    """Find the effects that these ratings can tell apart.

    An effect needs more than one level and fewer levels than ratings. Effects that
    divide the ratings in the same way cannot be told apart: with one text for each
    prompt and system, "text" stands for "system x prompt", too.
    """
    found = _all(rated)
    n, left_out = len(rated.value), {}
    if rated.rater is None:
        left_out = dict.fromkeys((RATER, RATER_SYSTEM, RATER_PROMPT), UNNAMED)
    for name in list(found):
        sizes = int(found[name].max(initial=-1)) + 1
        if sizes < 2:
            left_out[name] = "there is only one"
        elif sizes == n:
            left_out[name] = f"cannot be told apart from the {RESIDUAL}"
        if name in left_out:
            del found[name]
    for name in reversed(_KEPT_FIRST):
        if name in found and (same := _twin(name, found)):
            left_out[name] = f"the same as {same} here"
            del found[name]
    return Levels({name: found[name] for name in EFFECTS if name in found}, left_out)


def _all(rated: Rated) -> dict[str, np.ndarray]:
    system, prompt = rated.system, rated.prompt
    found = {
        SYSTEM: numbered(system),
        PROMPT: numbered(prompt),
        SYSTEM_PROMPT: numbered(system, prompt),
        TEXT: numbered(system, prompt, rated.text),
    }
    if rated.rater is not None:
        found[RATER] = numbered(rated.rater)
        found[RATER_SYSTEM] = numbered(rated.rater, system)
        found[RATER_PROMPT] = numbered(rated.rater, prompt)
    return found


def _twin(name: str, found: Mapping[str, np.ndarray]) -> str:
    """An effect that comes first and divides the ratings in the same way, or none."""
    own = found[name]
    for other in _KEPT_FIRST[: _KEPT_FIRST.index(name)]:
        if other in found:
            both = int(numbered(own, found[other]).max()) + 1
            if both == int(own.max()) + 1 == int(found[other].max()) + 1:
                return other
    return ""
