"""Ranks that the tests of all differences allow."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.stats.saving import ranking
from scoring.stats.saving.correcting import Estimates

OF = ranking.pairs(3)


def found(values, p) -> Estimates:
    gap = np.array([values[one] - values[other] for one, other in OF])
    return Estimates(gap, gap, gap, gap, np.array(p), [""] * 3)


@pytest.mark.parametrize(
    ("higher", "wanted"), [(True, [(1, 1), (2, 3), (2, 3)]), (False, [(3, 3), (1, 2)])]
)
def test_only_significant_differences_order_systems(higher, wanted):
    made = found([5, 3, 2.9], [0.001, 0.001, 0.6])
    ranks = ranking.ranges(made, OF, 3, higher_is_better=higher)
    assert ranks[: len(wanted)] == wanted


def test_a_system_without_a_test_has_no_rank():
    made = found([5, 3, 1], [0.001, np.nan, np.nan])
    assert ranking.ranges(made, OF, 3, higher_is_better=True)[2] is None
