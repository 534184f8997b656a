"""Numbers as the results of analyses hold them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from scoring.analyses.shared.result import ByCoefficient
from scoring.stats.correlation import CoefficientName

T = TypeVar("T")


def by_coefficient(made: Callable[[CoefficientName], T]) -> ByCoefficient[T]:
    """The same by each coefficient."""
    return {
        "pearson": made("pearson"),
        "spearman": made("spearman"),
        "kendall": made("kendall"),
    }


def plain(thing: Any) -> Any:
    """The same as dictionaries, lists, strings, numbers and None, for JSON.

    What is not finite becomes None: JSON has no word for it.
    """
    if isinstance(thing, dict):
        return {str(key): plain(value) for key, value in thing.items()}
    if isinstance(thing, np.ndarray):
        return plain(thing.tolist())
    if isinstance(thing, (list, tuple)):
        return [plain(value) for value in thing]
    if isinstance(thing, np.generic):
        return plain(thing.item())
    if isinstance(thing, float) and not math.isfinite(thing):
        return None
    return thing
