"""Can metrics be held against people at all? Rules about the question itself.

In this order; the first that holds ends it:

    none    nobody rated, or people gave all texts the same
    few     fewer than 10 prompts tell good from bad
    hardly  one rater surely agrees with the others less than .20
    system  knowing the system beats one rater: texts are compared within systems, and
            the rules from `few` on are applied once more

Else the question is open to verdicts. It is marked as unclear where agreement may be 0,
or nobody rated a text twice: then no metric is held against one rater.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from scoring.stats.answer import floor
from scoring.stats.answer.ceiling import Pick
from scoring.stats.answer.contributions import Contrast, Target, alone, contrasts
from scoring.stats.answer.evidence import Measure, targets
from scoring.stats.answer.margins import ALPHA, HARDLY, MAX_RATERS, MIN_PROMPTS
from scoring.stats.raters import single_reliability, spearman_brown

State = Literal["none", "few", "hardly", "open"]


@dataclass(frozen=True, slots=True)
class Question:
    """What holds for every metric of one aspect."""

    state: State
    measure: Measure  # how metrics are then compared
    picks: tuple[Pick, ...]  # none: metrics are compared with the mean of all people
    n_prompts: int  # that tell good from bad
    rated: bool = True  # whether anybody rated anything
    rater: float = math.nan  # r of one rater with the mean of the others
    agreement: Contrast | None = None  # the same, tested
    unclear: bool = True  # agreement may be 0, or cannot be known
    within_systems: bool = False  # since knowing the system beats one rater
    system: float = math.nan  # what knowing the system reached, and one rater there
    system_rater: float = math.nan
    rater_beats: bool | None = None  # one rater beats every guess; None = no rater
    raters: tuple[int, int] | None = None  # ratings a text that might mend it


def examine(
    measure: Measure,
    picks: Sequence[Pick],
    human: np.ndarray,
    guesses: dict[str, np.ndarray],
    system: np.ndarray,
    *,
    n_rest: float,
) -> Question:
    """Apply the rules to one aspect.

    Args:
        measure: How texts are compared, unless systems decide.
        picks: Ratings that are left out in turn, with the mean of the others.
        human: Mean ratings, (n,), higher is better, NaN = none.
        guesses: Free ones, name -> (n,), without gaps where a text is rated.
        system: Of each text, (n,) int; negative = unknown.
        n_rest: Ratings in the mean of the others.
    """
    question, gap = _once(measure, picks, human, guesses, system, n_rest)
    if question.state != "open" or gap is None or not gap.greater < ALPHA:
        return question
    inside = replace(
        measure,
        groups=np.maximum(system, 0),
        coefficient="pearson"
        if measure.coefficient == "pairs"
        else measure.coefficient,
    )
    there = system >= 0
    kept = [_only(pick, there) for pick in question.picks]
    again, _ = _once(
        inside, kept, np.where(there, human, np.nan), guesses, None, n_rest
    )
    return replace(
        again,
        within_systems=True,
        system=question.rater + gap.value,
        system_rater=question.rater,
    )


def _once(
    measure: Measure,
    picks: Sequence[Pick],
    human: np.ndarray,
    guesses: dict[str, np.ndarray],
    system: np.ndarray | None,
    n_rest: float,
) -> tuple[Question, Contrast | None]:
    """The rules but the last, and what knowing the system gains over one rater."""
    rated = np.isfinite(human)
    if not rated.any() or np.ptp(human[rated]) == 0:
        return Question("none", measure, (), 0, rated=bool(rated.any())), None
    columns = np.column_stack([np.zeros(len(human)), *guesses.values()])
    of_all = measure.agreement(targets((), human, np.zeros((len(human), 1))))
    n_prompts = of_all.n_prompts
    if n_prompts < MIN_PROMPTS:
        return Question("few", measure, (), n_prompts), None
    sides = _with_system(targets(picks, human, columns), measure, system)
    of = measure.agreement(sides)
    if not picks or of.n_prompts < MIN_PROMPTS:
        return Question("open", measure, (), n_prompts), None
    agreement = alone(of, 0)
    units = np.eye(len(of.values))
    over = contrasts(of, np.vstack([units[0] - units[1:], units[-1] - units[0]]))
    hardly = alone(of, 0, null=HARDLY).less < ALPHA
    n_guesses = 1 + len(guesses)
    beats = [one.greater for one in over[:n_guesses]]
    question = Question(
        "hardly" if hardly else "open",
        measure,
        tuple(picks),
        of.n_prompts,
        rater=float(of.values[0]),
        agreement=agreement,
        unclear=not agreement.low > 0,
        rater_beats=bool(max(beats) < ALPHA / 2),
        raters=_raters_needed(agreement, n_rest) if hardly else None,
    )
    return question, over[-1] if len(units) > 1 + n_guesses else None


def _with_system(
    sides: list[Target], measure: Measure, system: np.ndarray | None
) -> list[Target]:
    """With what knowing the system would say, learned without the rater left out."""
    if system is None:
        return sides
    found = []
    for side in sides:
        of_text, prompt = system[side.text], measure.prompt[side.text]
        guess = floor.elsewhere(side.human, of_text, prompt)
        if np.isnan(guess).any():
            return sides
        found.append(side._replace(columns=np.column_stack([side.columns, guess])))
    return found


def _only(pick: Pick, kept: np.ndarray) -> Pick:
    rows = kept[pick.text]
    return Pick(pick.text[rows], pick.rating[rows], pick.rest[rows])


def _raters_needed(agreement: Contrast, n_rest: float) -> tuple[int, int] | None:
    """Ratings a text with which one rater would agree with the others by `HARDLY`.

    With p the reliability of one rating, r = sqrt(p R(p, N - 1)) by Spearman-Brown, at
    most sqrt(p). From the limits of r; None where the lower one is not above 0, or
    where more than `MAX_RATERS` would be needed.
    """
    if not agreement.low > 0:
        return None
    ends = []
    for r in (agreement.high, agreement.low):
        p = single_reliability(r, n_rest)
        enough = [
            n
            for n in range(2, MAX_RATERS + 1)
            if math.sqrt(p * spearman_brown(p, n - 1)) >= HARDLY
        ]
        if not enough:
            return None
        ends.append(enough[0])
    return ends[0], ends[1]
