"""Why there is no interval."""

from __future__ import annotations

import numpy as np

from scoring.stats.saving.forms import Forms

LEAST_TEXTS = 10
# With 1 to 5 errors of 50, an interval from their variance held the truth in 60 to 90 %
# (benchmarks/saved.md).
LEAST_ERRORS, RARE = 10, 0.25
SMALL = 1e-15
# Of the estimate itself: that of n independent ratings divided by sqrt(n). In 10,000
# trials with real ratings at the end of their scale, intervals with more than that miss
# the mean more often than they should.
MOST_SKEWNESS = 0.35
FEW = f"fewer than {LEAST_TEXTS} texts are rated"
CONSTANT = "all ratings are equal"
NEARLY = "nearly all ratings are equal"
DIFFERS = "the metric differs from people on"  # so many of so many texts
NOT_DRAWN = (
    "Report the means of people alone: EvalApp did not choose the rated texts at"
    " random, so they may differ from the others (before it opens, you can set a study"
    " to collect ratings for only a random part of its texts)"
)


def lacking(n: int, n_drawn: int) -> str:
    """What to do with a draw that lacks ratings: those that came may be easier ones."""
    return (
        f"Wait until all {n_drawn:,} texts that were chosen at random have a rating"
        f" ({n:,} {'has' if n == 1 else 'have'} none yet): only all of them together"
        " represent the other texts"
    )


def of_ratings(found: Forms, rows: np.ndarray, influence: np.ndarray) -> list[str]:
    """Why ratings of people bear no interval of contrasts (C, S), "" = they do.

    The skewness of systems is added up without its sign: of two systems with nearly
    constant ratings the difference is hardly skewed, and yet not to be trusted.
    """
    n_lacking = ((rows != 0) & (found.n < LEAST_TEXTS)).sum(axis=1)
    variance = ((influence @ rows.T) ** 2).sum(axis=0)
    cubes = np.abs(rows) ** 3 @ np.abs(cubed(influence).sum(axis=0))
    skewness = cubes / np.maximum(variance, SMALL) ** 1.5
    return [
        FEW if n else nearly_constant(v, g)
        for n, v, g in zip(n_lacking.tolist(), variance, skewness, strict=True)
    ]


def of_errors(found: Forms, row: np.ndarray) -> str:
    """Why the errors of the metric bear no interval of a contrast (S,)."""
    cells = found.judged.cells if found.judged else []
    used = [cell for cell in cells if row[cell.system]]
    n, wrong = sum(c.n for c in used), sum(c.above + c.below for c in used)
    return (
        f"{DIFFERS} {wrong:,} of {n:,} rated texts, which are"
        " too few to tell how far it is off on the others"
    )


def rarely_errs(found: Forms, row: np.ndarray) -> bool:
    """Whether the metric differs from people so seldom that its errors are not normal.

    Of one system of the contrast (S,) at least: on fewer than 10 of its rated texts,
    and on less than a quarter of them.
    """
    wrong, n = np.zeros((2, len(row)))
    for cell in found.judged.cells if found.judged else []:
        wrong[cell.system] += cell.above + cell.below
        n[cell.system] += cell.n
    few = (wrong < LEAST_ERRORS) & (wrong < RARE * n)
    return bool(few[row != 0].any())


def cubed(values: np.ndarray) -> np.ndarray:
    """Third powers: numpy's own of a whole number takes ten times as long."""
    return values * values * values


def nearly_constant(variance: float, skewness: float) -> str:
    """Why ratings that hardly differ, or nearly all are equal, have no interval."""
    if not variance > SMALL:
        return CONSTANT
    return NEARLY if np.abs(skewness) > MOST_SKEWNESS else ""
