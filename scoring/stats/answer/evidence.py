"""How a metric stands to one rater and to simple guesses: the numbers behind a chip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from scoring.stats._columns import alike
from scoring.stats.answer.ceiling import Pick
from scoring.stats.answer.contributions import (
    Agreement,
    Contrast,
    Target,
    across_prompts,
    contrasts,
    within_prompts,
)
from scoring.stats.answer.margins import KEEPS, LITTLE

CHANCE = "chance"


@dataclass(frozen=True, slots=True)
class Measure:
    """How columns are compared with people."""

    coefficient: str  # "pearson", "spearman" or "kendall"
    prompt: np.ndarray  # (n,) int from 0
    groups: np.ndarray | None = None  # (n,) int from 0; None = by prompt

    seed: int = 0  # for groups of prompts, the same for all columns

    def agreement(self, targets: Sequence[Target]) -> Agreement:
        if self.groups is None:
            return within_prompts(targets, self.prompt, self.coefficient)
        rng = np.random.default_rng(self.seed)
        return across_prompts(targets, self.prompt, self.groups, self.coefficient, rng)


@dataclass(frozen=True, slots=True)
class Evidence:
    """One metric, one rater and each guess, on the texts that the metric has scored."""

    metric: float  # r; NaN = none
    rater: float  # r of one rater; NaN = nobody rated twice
    guesses: dict[str, float]
    n_prompts: int  # that tell good from bad
    n_texts: int
    beats: dict[str, Contrast] = field(default_factory=dict)  # m - g_k
    rater_gap: Contrast | None = None  # m - o
    keeps: Contrast | None = None  # m - KEEPS o
    little: dict[str, Contrast] = field(default_factory=dict)  # g_k + LITTLE o - m

    @property
    def hardest(self) -> str:
        """The guess that agrees most with people."""
        return max(self.guesses, key=lambda name: self.guesses[name])


def targets(
    picks: Sequence[Pick], human: np.ndarray, columns: np.ndarray
) -> list[Target]:
    """Columns beside each rating that is left out; else beside the mean of people.

    Args:
        picks: Of a panel; none where nobody rated a text twice.
        human: Mean ratings, (n,), NaN = none.
        columns: (n, C), NaN = the text is left out for all columns.

    Returns:
        With picks, the rating that is left out is the first column.
    """
    there = ~np.isnan(columns).any(axis=1)
    if not picks:
        text = np.flatnonzero(there & ~np.isnan(human))
        return [Target(text, human[text], columns[text])]
    found = []
    for pick in picks:
        rows = np.flatnonzero(there[pick.text])
        text = pick.text[rows]
        beside = np.column_stack([pick.rating[rows], columns[text]])
        found.append(Target(text, pick.rest[rows], beside))
    return found


def gather(
    measure: Measure,
    picks: Sequence[Pick],
    human: np.ndarray,
    metrics: np.ndarray,
    guesses: dict[str, np.ndarray],
) -> list[Evidence]:
    """Hold each metric against one rater and each guess.

    Args:
        measure: How.
        picks: As in `targets`.
        human: As in `targets`.
        metrics: (n, M), higher is better, NaN = none.
        guesses: Name -> (n,), without gaps where a text is rated. `CHANCE`, which is 0
            everywhere, is always one.
    """
    beside = {**guesses, CHANCE: np.zeros(len(human))}
    found: dict[int, Evidence] = {}
    for places, mask in alike(metrics):
        columns = np.column_stack([*beside.values(), metrics[:, places]])
        columns[~mask] = np.nan
        of = measure.agreement(targets(picks, human, columns))
        sides = _Sides(of, bool(picks), list(beside))
        found.update({int(k): sides.of_metric(at) for at, k in enumerate(places)})
    return [found[k] for k in range(metrics.shape[1])]


@dataclass(frozen=True, slots=True)
class _Sides:
    """Columns of an agreement: one rater if any, the guesses, metrics."""

    of: Agreement
    rated: bool
    guesses: list[str]

    def of_metric(self, at: int) -> Evidence:
        units = np.eye(len(self.of.values))
        first, n_guesses = int(self.rated), len(self.guesses)
        m, g = units[first + n_guesses + at], units[first : first + n_guesses]
        reached = dict(zip(self.guesses, (self.of.values @ g.T).tolist(), strict=True))
        alone = Evidence(
            float(self.of.values @ m),
            np.nan,
            reached,
            self.of.n_prompts,
            self.of.n_texts,
        )
        if self.of.n_prompts < 2 or np.isnan(alone.metric):
            return alone
        o = units[0]
        weights = [m - g]
        if self.rated:
            weights += [g + LITTLE * o - m, np.stack([m - o, m - KEEPS * o])]
        found = contrasts(self.of, np.vstack(weights))
        beats = dict(zip(self.guesses, found, strict=False))
        if not self.rated:
            return replace(alone, beats=beats)
        return replace(
            alone,
            rater=float(self.of.values[0]),
            beats=beats,
            rater_gap=found[-2],
            keeps=found[-1],
            little=dict(zip(self.guesses, found[n_guesses:], strict=False)),
        )
