"""The numbers at a glance: agreement, correlations, and the mean of each system.

Point values alone. The other analyses have their intervals, and take the same human
scores and the same coefficients.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scoring.analyses.overview.result import (
    Agreement,
    Correlation,
    Mean,
    Result,
    System,
)
from scoring.analyses.shared.grouping import Grouped, Within, within
from scoring.stats import agreement, correlation
from scoring.stats.data import Data, Output

TITLE = "At a glance"
VERSION = 6
PLACE = 0
GROUP = ""
NEEDS = frozenset({"ratings", "scores"})
Options = Grouped
# The usual one for a rating scale first.
LEVELS: tuple[agreement.Level, ...] = ("ordinal", "interval", "nominal")
ONLY_MEANS = "only means were uploaded"


def compute(data: Data, options: Grouped, rng: np.random.Generator) -> Result:
    """All tables of the page. Nothing is drawn by chance."""
    data = options.apply(data)
    alphas = [row for k in range(len(data.aspects)) for row in _agreement(data, k)]
    means, _ = data.human_means()
    compared, how = within(data, options)
    return {
        "aspects": [aspect.title for aspect in data.aspects],
        "rated": bool(np.isfinite(means).any()),
        "only_means": bool(alphas)
        and all(row["reason"] == ONLY_MEANS for row in alphas),
        "agreement": alphas,
        **how.about(),
        "correlations": _correlations(compared, how),
        "systems": _systems(data, means),
    }


def _agreement(data: Data, k: int) -> Iterator[Agreement]:
    counts, values = data.counts(k)
    only_means = not counts.any() and bool((data.means.aspect == k).any())
    share = agreement.equal_share(counts)
    for level in LEVELS:
        alpha = agreement.alpha(counts, values, level)
        yield {
            "aspect": data.aspects[k].key,
            "title": data.aspects[k].title,
            "level": level,
            "own": level == data.aspects[k].level,
            "alpha": alpha.value,
            "reason": ONLY_MEANS if only_means else alpha.reason,
            "n_texts": alpha.n_units,
            "n_ratings": alpha.n_ratings,
            "equal_share": share,
        }


def _correlations(data: Data, how: Within) -> list[Correlation]:
    """Each output with each aspect, matching pairs first and the baselines last."""
    x, y = data.metric_scores(), data.human_scores()
    rated = np.isfinite(y).any()
    rows = [
        _correlation(data, output, k, (x[:, place], y[:, k]), how)
        for place, output in enumerate(data.outputs)
        # Lengths that nobody asked for say nothing where nobody has rated.
        if rated or output.signature_id is not None
        for k in range(len(data.aspects))
    ]
    return sorted(rows, key=lambda row: (row["baseline"], not row["matching"]))


def _correlation(
    data: Data,
    output: Output,
    k: int,
    scores: tuple[np.ndarray, np.ndarray],
    how: Within,
) -> Correlation:
    found = {name: how.correlate(name, *scores) for name in correlation.COEFFICIENTS}
    reasons = [output.reason, *(one.reason for one in found.values())]
    aspect = data.aspects[k]
    return {
        "metric": output.metric,
        "signature": output.signature,
        "signature_id": output.signature_id,
        "metric_aspect": output.key,
        "label": output.label,
        "variant": output.variant,
        "human_aspect": aspect.key,
        "title": aspect.title,
        "position": k,
        "n": found["pearson"].n,
        "n_rated": int(np.isfinite(scores[1]).sum()),
        "grouping": how.grouping,
        "compared": how.compared,
        "pearson": found["pearson"].value,
        "spearman": found["spearman"].value,
        "kendall": found["kendall"].value,
        "reason": next(filter(None, reasons), None),
        "matching": output.measures == aspect.key,
        "oriented": output.higher_is_better is not None,
        "baseline": output.baseline,
    }


def _systems(data: Data, means: np.ndarray) -> list[System]:
    rows: list[System] = []
    for place, system in enumerate(data.systems):
        values = means[data.texts.system == place]
        rated = int(np.isfinite(values).any(axis=1).sum())
        columns = [_mean(column) for column in values.T]
        rows.append({"system": system.name, "n_texts": rated, "means": columns})
    return rows


def _mean(values: np.ndarray) -> Mean:
    values = values[np.isfinite(values)]
    if not len(values):
        return {"value": None, "reason": "no rated text"}
    return {"value": float(values.mean()), "reason": ""}
