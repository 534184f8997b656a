"""Whether a trained metric learned anything that texts held out of it would show."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

SURE = 1.645  # standard errors: one-sided, 5 %


def no_better(figures: Mapping[str, Any]) -> bool:
    """Whether its figures on held-out examples may as well be luck.

    By the AUC where there is one: under chance its standard error with n examples, half
    of each class, is sqrt((n + 1) / (3 n^2)) (Mann and Whitney 1947). Else by
    the accuracy against that of the largest class, or by the rank correlation, whose
    standard error is 1 / sqrt(n - 1). Unknown figures say nothing.
    """
    n = _number(figures, "n")
    if n is None or n < 2:
        return False
    if (auc := _number(figures, "auc")) is not None:
        return auc - 0.5 <= SURE * math.sqrt((n + 1) / (3 * n * n))
    accuracy, largest = _number(figures, "accuracy"), _number(figures, "majority")
    if accuracy is not None and largest is not None:
        return accuracy - largest <= SURE * math.sqrt(largest * (1 - largest) / n)
    if (rho := _number(figures, "spearman")) is not None:
        return rho <= SURE / math.sqrt(n - 1)
    return False


def _number(figures: Mapping[str, Any], key: str) -> float | None:
    value = figures.get(key)
    return float(value) if isinstance(value, (int, float)) else None
