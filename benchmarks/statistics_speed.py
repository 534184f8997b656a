"""How much faster intervals are than a loop that calls scipy on each resample.

python -m benchmarks.statistics_speed

Correlations of 20 metrics with 3 aspects on 1320 texts, 1000 resamples; then alpha, as
in `alpha_speed.py`. One thread, CPU seconds, both in turns in one process: read the
ratios. The loop runs some of the resamples and is scaled up; on those the numbers are
compared, too. It gets the rows of each resample for nothing.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import time
from collections.abc import Callable

import numpy as np
from scipy import stats

from benchmarks.alpha_speed import alpha_part
from scoring.stats.correlation import COEFFICIENTS
from scoring.stats.counts import Draws, draw, draw_both
from scoring.stats.groups import replicates
from scoring.stats.resampling import weighted

PROMPTS, SYSTEMS, METRICS, ASPECTS, RATERS = 330, 4, 20, 3, 5
LOOPED, LOOPED_BY_ITEM, REPEAT = 30, 1, 5
SCIPY = {
    "pearson": stats.pearsonr,
    "spearman": stats.spearmanr,
    "kendall": stats.kendalltau,
}


def correlations_part() -> None:
    """Print the tables of flat correlations and of those by item."""
    x, y, prompts, systems = scores(np.random.default_rng(0))
    rng = np.random.default_rng(1)
    designs = {
        "texts": draw(np.arange(len(x)), rng=rng),
        "prompts": draw(prompts, rng=rng),
        "prompts and systems": draw_both(prompts, systems, rng=rng),
    }
    head("drawn")
    for name, draws in designs.items():
        for coefficient in COEFFICIENTS:
            flat(name, coefficient, x, y, draws)
    flat("texts", "spearman", x, y, designs["texts"], exact=False)
    smooth = y + 0.01 * rng.normal(size=y.shape)
    print()
    head("human scores without ties, drawn")
    for coefficient in COEFFICIENTS[1:]:
        flat("texts", coefficient, x, smooth, designs["texts"])
    print()
    head("by item, drawn")
    for coefficient in COEFFICIENTS:
        by_item(coefficient, x, y, designs["prompts"], prompts)


def scores(rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Metrics, two of them with ties; means of five ratings; prompts and systems."""
    n = PROMPTS * SYSTEMS
    truth = rng.normal(size=(n, 1))
    x = truth + 2 * rng.normal(size=(n, METRICS))
    x[:, 0], x[:, 1] = np.round(x[:, 0]), np.round(8 * x[:, 1])
    given = np.round(3 + truth + rng.normal(size=(RATERS, n, ASPECTS)))
    y = np.clip(given, 1, 5).sum(axis=0) / RATERS
    return x, y, np.repeat(range(PROMPTS), SYSTEMS), np.tile(range(SYSTEMS), PROMPTS)


def head(what: str) -> None:
    print(f"| {what} | coefficient | ours, s | loop, s | ratio | largest difference |")
    print("| --- | --- | --- | --- | --- | --- |")


def flat(
    name: str,
    coefficient: str,
    x: np.ndarray,
    y: np.ndarray,
    draws: Draws,
    *,
    exact: bool = True,
) -> None:
    """One row of the table: all texts are one group."""
    ours = fastest(lambda: weighted(coefficient, x, y, draws, exact=exact))
    found = weighted(coefficient, x, y, draws, exact=exact)
    counts = draws.rows(slice(LOOPED)).astype(int)
    resamples = [np.repeat(np.arange(len(x)), times) for times in counts]
    looped = np.empty((LOOPED, METRICS, ASPECTS))
    start = time.process_time()
    for b, rows in enumerate(resamples):
        for m, a in np.ndindex(METRICS, ASPECTS):
            pair = x[rows, m], y[rows, a]
            looped[b, m, a] = SCIPY[coefficient](*pair).statistic
    loop = (time.process_time() - start) * len(draws) / LOOPED
    if not exact:
        coefficient += ", ranked once"
    row(name, coefficient, ours, loop, np.abs(found[:LOOPED] - looped).max())


def by_item(
    coefficient: str, x: np.ndarray, y: np.ndarray, draws: Draws, prompts: np.ndarray
) -> None:
    """One row of the table: the mean over the prompts drawn."""
    options = {"coefficient": coefficient, "groups": prompts}
    ours = fastest(lambda: replicates(x, y, draws, **options))
    found = replicates(x, y, draws, **options)
    looped = np.empty((LOOPED_BY_ITEM, METRICS, ASPECTS))
    members = [np.flatnonzero(prompts == prompt) for prompt in range(PROMPTS)]
    start = time.process_time()
    for b, m, a in np.ndindex(looped.shape):
        times = draws.counts[0][b]
        values = [
            value_or_nan(coefficient, x[rows, m], y[rows, a])
            for rows in (members[prompt] for prompt in np.flatnonzero(times))
        ]
        kept, weights = np.array(values), times[times > 0]
        defined = ~np.isnan(kept)
        looped[b, m, a] = np.average(kept[defined], weights=weights[defined])
    loop = (time.process_time() - start) * len(draws) / LOOPED_BY_ITEM
    apart = np.abs(found[:LOOPED_BY_ITEM] - looped).max()
    row("prompts", coefficient, ours, loop, apart)


def value_or_nan(coefficient: str, x: np.ndarray, y: np.ndarray) -> float:
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return np.nan
    return SCIPY[coefficient](x, y).statistic


def row(name: str, what: str, ours: float, loop: float, apart: float) -> None:
    ratio = f"{loop / ours:.0f}"
    print(f"| {name} | {what} | {ours:.4f} | {loop:.1f} | {ratio} | {apart:.0e} |")


def fastest(function: Callable[[], object]) -> float:
    """CPU seconds of the fastest of some calls."""
    times = []
    for _ in range(REPEAT):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


if __name__ == "__main__":
    correlations_part()
    print()
    alpha_part()
