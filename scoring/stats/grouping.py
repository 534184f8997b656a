"""Which texts a correlation compares, where nobody has chosen: a rule, and its numbers.

Among all texts, a metric that only knows which prompts are hard, or which system wrote
a text, correlates with people; among texts of one system, one that knows the prompts
still does. Perrella et al. (2024), "Guardians of the Machine Translation
Meta-Evaluation: Sentinel Metrics Fall In!", show both, and recommend to compare texts
of one prompt. The rule does so wherever enough prompts have texts to compare. It never
looks at what a metric scores, so nobody can gain by it.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from scoring.stats.data import NONE

Grouping = Literal["none", "item", "system"]
AUTO = "auto"
# Pearson's and Spearman's coefficients take three texts (`_grouped.least_rows`).
LEAST_TEXTS = 3
# From here on comparing within groups errs less than comparing all texts, and intervals
# hold the truth in about nine cases of ten, with metrics
# that know texts, prompts or systems: benchmarks/grouping.md.
LEAST_PROMPTS = 10
LEAST_OF_SYSTEM = 10
LEAST_SYSTEMS = 2
# Not simulated: with less the groups that count may be unlike the others.
SHARE = 0.5


class Choice(NamedTuple):
    """What texts are compared within."""

    grouping: Grouping
    why: str  # one sentence; "" where someone has chosen


class Told(NamedTuple):
    """How many prompts, or systems, have texts to compare."""

    n: int
    of: int  # that have any rated text

    def enough(self, least: int) -> bool:
        """Whether these are as many as `least`, and half of all."""
        return self.n >= least and self.n >= SHARE * self.of


def choose(
    asked: str,
    y: np.ndarray,
    *,
    prompt: np.ndarray,
    slot: np.ndarray,
    system: np.ndarray,
) -> Choice:
    """What someone asked for, or else what the rule finds.

    By prompt ("item") where at least 10 prompts, and half of those with a rated text,
    have a slot with three rated texts that people did not rate all the same. Else by
    system where at least two systems, and half of them, have 10 rated texts, not all
    rated the same. Else "none". Of several rated aspects, the one that has too few such
    prompts (or systems) counts, or else the one with the smallest share of them, so
    that a study has one grouping for all of them.

    Args:
        asked: "auto", or a grouping, which is given back as it is.
        y: Human scores, shape (n, A). NaN = not rated.
        prompt: Of each text, (n,).
        slot: Its prompt and sample number, (n,): what "item" compares within.
        system: (n,); negative (`data.NONE`) = unknown.

    Raises:
        ValueError: If `asked` is unknown.
    """
    if asked in ("none", "item", "system"):
        return Choice(asked, "")  # type: ignore[arg-type]
    if asked != AUTO:
        raise ValueError(f"{asked!r}: expected auto, none, item or system")
    rated = [column for column in y.T if np.isfinite(column).any()]
    if not rated:
        return Choice("none", "")  # nobody has chosen, and nothing is compared yet
    known = [np.where(system == NONE, np.nan, column) for column in rated]
    prompts = _fewest(
        [_told(one, slot, prompt, LEAST_TEXTS) for one in rated], LEAST_PROMPTS
    )
    systems = _fewest(
        [_told(one, system, system, LEAST_OF_SYSTEM) for one in known], LEAST_SYSTEMS
    )
    some = "on every aspect, " if len(rated) > 1 else ""
    if prompts.enough(LEAST_PROMPTS):
        return Choice("item", _by_prompt(prompts, some))
    if systems.enough(LEAST_SYSTEMS):
        return Choice("system", _by_system(prompts, systems))
    return Choice("none", _flat(prompts, systems))


def _told(y: np.ndarray, groups: np.ndarray, units: np.ndarray, least: int) -> Told:
    """Units with a group of so many rated texts that people told apart."""
    rows = np.flatnonzero(np.isfinite(y))
    if not len(rows):
        return Told(0, 0)
    y = y[rows]
    _, at = np.unique(groups[rows], return_inverse=True)
    units, of = np.unique(units[rows], return_inverse=True)
    low, high = np.full(at.max() + 1, np.inf), np.full(at.max() + 1, -np.inf)
    np.minimum.at(low, at, y)
    np.maximum.at(high, at, y)
    telling = (np.bincount(at) >= least) & (low < high)
    return Told(len(np.unique(of[telling[at]])), len(units))


def _fewest(found: list[Told], least: int) -> Told:
    """Of the aspects the one that decides.

    By share alone, an aspect with 30 of 40 prompts would hide one with 10 of 10.
    """
    return min(found, key=lambda one: (one.enough(least), _share(one)))


def _share(one: Told) -> tuple[float, int]:
    return one.n / max(one.of, 1), one.n


# Words --------------------------------------------------------------------------------


def _by_prompt(prompts: Told, some: str) -> str:
    return (
        "Texts of one prompt are compared with each other, so that a metric gains"
        f" nothing from knowing which prompts are hard: {some}{_prompts(prompts)}"
        f" (at least {LEAST_PROMPTS} are needed, and at least half of all)."
    )


def _by_system(prompts: Told, systems: Told) -> str:
    return (
        "Texts of one system are compared with each other, so that a metric gains"
        f" nothing from knowing which system wrote a text: {_too_few(prompts)},"
        f" but {_systems(systems)}."
    )


def _flat(prompts: Told, systems: Told) -> str:
    found = (
        f"and {_systems(systems)} (at least two are needed, and at least half of all)"
    )
    if systems.of < LEAST_SYSTEMS:
        found = "and fewer than two known systems have rated texts"
    return (
        "All texts are compared with each other, so a metric may gain from knowing"
        f" which prompts are hard: {_too_few(prompts)}, {found}."
    )


def _too_few(prompts: Told) -> str:
    return (
        f"{_prompts(prompts)} (to compare within prompts, at least"
        f" {LEAST_PROMPTS} are needed, and at least half of all)"
    )


def _prompts(one: Told) -> str:
    return (
        f"{one.n:,} of {one.of:,} {_named(one, 'prompt')} {LEAST_TEXTS} or more rated"
        " texts whose human scores are not all equal"
    )


def _systems(one: Told) -> str:
    return (
        f"{one.n:,} of {one.of:,} {_named(one, 'system')} {LEAST_OF_SYSTEM} or more"
        " such texts"
    )


def _named(one: Told, word: str) -> str:
    return f"{word if one.of == 1 else word + 's'} {'has' if one.n == 1 else 'have'}"
