"""The search for the lowest point, on functions that one can see through."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.stats.severity import _search


def test_it_ends_at_the_lowest_point():
    def of(at: np.ndarray) -> tuple[float, np.ndarray]:
        away = at - np.array([1.0, -2.0])
        return float(away @ away), 2 * away

    found = _search.lowest(of, np.zeros(2))
    assert found.converged
    assert found.at == pytest.approx([1, -2], abs=1e-6)


def test_where_no_slope_is_known_the_search_has_not_converged():
    found = _search.lowest(lambda at: (1.0, np.full(2, np.nan)), np.zeros(2))
    assert not found.converged
