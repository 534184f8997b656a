"""How far people agree: Krippendorff's alpha of each aspect, with its interval."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scoring.stats import agreement
from scoring.stats.analyses._cells import of_estimate
from scoring.stats.data import Data, Filters

TITLE = "Agreement"
NEEDS = frozenset({"ratings"})
LEVELS: tuple[agreement.Level, ...] = ("ordinal", "interval", "nominal")


@dataclass(frozen=True)
class Options(Filters):
    """Which ratings, and at which level of measurement."""

    level: agreement.Level = field(
        default="ordinal",
        metadata={"choices": LEVELS, "label": "Level of measurement"},
    )


def compute(data: Data, options: Options, rng: np.random.Generator) -> dict[str, Any]:
    """Alpha of each aspect."""
    data = options.apply(data)
    rows = []
    for place, aspect in enumerate(data.aspects):
        counts, values = data.counts(place)
        found = agreement.alpha_interval(counts, values, options.level, rng=rng)
        rows.append({"aspect": aspect.title, "alpha": of_estimate(found)})
    return {"level": options.level, "rows": rows}
