"""Which texts a correlation compares, where nobody has chosen: a rule, and its numbers.

Among all texts, a metric that only knows which prompts are hard, or which system wrote
a text, correlates with people; among texts of one system, one that knows the prompts
still does. Perrella et al. (2024), "Guardians of the Machine Translation
Meta-Evaluation: Sentinel Metrics Fall In!", show both, and recommend to compare texts
of one prompt. The rule does so wherever enough prompts have texts to compare. It never
looks at what a metric scores, so nobody can gain by it.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

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
    """What texts are compared within, in words too. No words where nothing is rated."""

    grouping: Grouping
    why: str = ""  # which texts are compared; and why, where the rule chose it
    compared: str = ""  # "12 texts of a prompt"


class Told(NamedTuple):
    """How many prompts, or systems, have texts to compare."""

    n: int
    of: int  # that have any rated text

    def enough(self, least: int) -> bool:
        """Whether these are as many as `least`, and half of all."""
        return self.n >= least and self.n >= SHARE * self.of


def choose(
    asked: str, y: np.ndarray, *, prompt: np.ndarray, system: np.ndarray
) -> Choice:
    """What someone asked for, or else what the rule finds.

    By prompt ("item") where at least 10 prompts, and half of those with a rated text,
    have three rated texts that people did not rate all the same. Else by system where
    at least two systems, and half of them, have 10 rated texts, not all rated the same.
    Else "none". Of several rated aspects, the one that has too few such prompts (or
    systems) counts, or else the one with the smallest share of them, so that a study
    has one grouping for all of them. Which sample of its system a text is has no part
    in it: the first text of one system has nothing to do with the first of another.

    Args:
        asked: "auto", or a grouping, which is given back as it is.
        y: Human scores, shape (n, A). NaN = not rated.
        prompt: Of each text, (n,): what "item" compares within.
        system: (n,); negative (`data.NONE`) = unknown.

    Raises:
        ValueError: If `asked` is unknown.
    """
    if asked not in (AUTO, *get_args(Grouping)):
        raise ValueError(f"{asked!r}: expected auto, none, item or system")
    rated = [column for column in y.T if np.isfinite(column).any()]
    if not rated:  # nothing is compared yet
        return Choice("none" if asked == AUTO else asked)  # type: ignore[arg-type]
    grouping, reasons = (asked, "") if asked != AUTO else _rule(rated, prompt, system)
    rows = np.isfinite(y).any(axis=1)
    if grouping == "system":
        rows &= system != NONE
    units = {"item": prompt, "system": system}.get(grouping)
    compared = _texts_compared(grouping, rows, units)
    return Choice(grouping, _said(grouping, compared, reasons), compared)  # type: ignore[arg-type]


def _rule(
    rated: list[np.ndarray], prompt: np.ndarray, system: np.ndarray
) -> tuple[Grouping, str]:
    """The grouping that is found for these aspects, (n,) each, and why."""
    known = [np.where(system == NONE, np.nan, column) for column in rated]
    prompts = _fewest([_told(one, prompt, LEAST_TEXTS) for one in rated], LEAST_PROMPTS)
    systems = _fewest(
        [_told(one, system, LEAST_OF_SYSTEM) for one in known], LEAST_SYSTEMS
    )
    if prompts.enough(LEAST_PROMPTS):
        some = "On every aspect, " if len(rated) > 1 else ""
        return "item", f"{some}{_prompts(prompts)} {NEEDED}."
    if systems.enough(LEAST_SYSTEMS):
        return "system", f"Only {_prompts(prompts)} {NEEDED}. {_systems(systems)}."
    return "none", f"Only {_prompts(prompts)} {NEEDED}. {_too_few(systems)}."


def _told(y: np.ndarray, units: np.ndarray, least: int) -> Told:
    """Units with so many rated texts that people told apart."""
    rows = np.flatnonzero(np.isfinite(y))
    if not len(rows):
        return Told(0, 0)
    y = y[rows]
    _, at = np.unique(units[rows], return_inverse=True)
    low, high = np.full(at.max() + 1, np.inf), np.full(at.max() + 1, -np.inf)
    np.minimum.at(low, at, y)
    np.maximum.at(high, at, y)
    telling = (np.bincount(at) >= least) & (low < high)
    return Told(int(telling.sum()), len(telling))


def _fewest(found: list[Told], least: int) -> Told:
    """Of the aspects the one that decides.

    By share alone, an aspect with 30 of 40 prompts would hide one with 10 of 10.
    """
    return min(found, key=lambda one: (one.enough(least), _share(one)))


def _share(one: Told) -> tuple[float, int]:
    return one.n / max(one.of, 1), one.n


def one_label(groups: np.ndarray, label: np.ndarray) -> bool:
    """Whether labels differ between groups and never within one.

    Then comparing within groups cannot show whether a metric tells labels apart.

    Args:
        groups: Of each text, (n,).
        label: (n,) str; "" = none. A text without one counts for nothing.
    """
    has = label != ""
    _, at = np.unique(groups[has], return_inverse=True)
    names, of = np.unique(label[has], return_inverse=True)
    pairs = np.unique(np.stack([at.reshape(-1), of.reshape(-1)]), axis=1)
    return len(names) > 1 and pairs.shape[1] == len(np.unique(at))


# Words --------------------------------------------------------------------------------

NEEDED = f"(at least {LEAST_PROMPTS} are needed, and at least half of all)"
UNITS = {"item": "prompt", "system": "system"}
GAIN = {
    "none": "so a metric may gain from knowing which prompts are hard",
    "item": "so that a metric gains nothing from knowing which prompts are hard",
    "system": "so that a metric gains nothing from knowing which system wrote a text",
}


def _texts_compared(grouping: str, rows: np.ndarray, units: np.ndarray | None) -> str:
    """As "12 texts of a prompt", or "2 to 12 texts of a prompt, 4.5 on average"."""
    if units is None:
        return f"all {int(rows.sum()):,} rated texts"
    _, sizes = np.unique(units[rows], return_counts=True)
    least, most = (int(sizes.min()), int(sizes.max())) if len(sizes) else (0, 0)
    of = f"of a {UNITS[grouping]}"
    if least == most:
        return f"{most:,} {'text' if most == 1 else 'texts'} {of}"
    return f"{least:,} to {most:,} texts {of}, {sizes.mean():.1f} on average"


def _said(grouping: str, compared: str, reasons: str) -> str:
    """Which texts are compared, and why, where the rule chose it."""
    said = f"{compared[0].upper()}{compared[1:]} are compared with each other"
    if grouping in UNITS:
        said = f"Texts of one {UNITS[grouping]} are compared with each other"
        said += f" ({compared})"
    if not reasons:
        return f"{said}."
    return f"{said}, {GAIN[grouping]}. {reasons}"


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


def _too_few(systems: Told) -> str:
    if systems.of < LEAST_SYSTEMS:
        return "Fewer than two known systems have rated texts"
    return f"{_systems(systems)} (at least two are needed, and at least half of all)"


def _named(one: Told, word: str) -> str:
    return f"{word if one.of == 1 else word + 's'} {'has' if one.n == 1 else 'have'}"
