from __future__ import annotations

import numpy as np
import pytest

from scoring.stats.copying import held


def test_points_of_a_short_scale_stay_themselves():
    found = held._banded(np.array([1.0, 3.4, 5.0, np.nan]), (1, 5))
    assert found.tolist() == [0, 2, 4, held.NO_ANSWER]


@pytest.mark.parametrize(
    ("value", "band"), [(0, 0), (9, 0), (10, 1), (85, 8), (100, 9)]
)
def test_points_of_a_slider_count_in_bands(value, band):
    assert held._banded(np.array([float(value)]), (0, 100)).tolist() == [band]


def test_a_scale_has_as_many_points_or_bands():
    assert held._points((1, 5)) == 5
    assert held._points((0, 100)) == held.BANDS
