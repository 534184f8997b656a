"""The option that says which texts are compared, and what its rule finds in a study."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scoring.stats import grouping
from scoring.stats.data import Data, Filters
from scoring.stats.grouping import AUTO, Choice
from scoring.stats.option import option


@dataclass(frozen=True)
class Grouped(Filters):
    """Which texts and ratings count, and which texts are compared with each other."""

    grouping: str = option(
        AUTO,
        "Compare texts",
        choices=(
            (AUTO, "of the same prompt, if enough are rated (automatic)"),
            ("none", "all with each other"),
            ("item", "of one prompt and sample (by item)"),
            ("system", "of one system (by system)"),
        ),
        help="Coefficients of groups are averaged. A locked plan has its own choice",
    )


def chosen(data: Data, options: Grouped, y: np.ndarray) -> Choice:
    """What was asked for, or else what the rule finds.

    Args:
        data: With filters applied.
        options: Of the analysis.
        y: Human scores of its texts, (n, A), NaN = none.
    """
    texts = data.texts
    columns = {"prompt": texts.prompt, "slot": texts.slot, "system": texts.system}
    return grouping.choose(options.grouping, y, **columns)
