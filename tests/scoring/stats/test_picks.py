from __future__ import annotations

import numpy as np

from scoring.stats._picks import SPLITS, at_random
from scoring.stats._ratings import ratings


def test_the_first_rating_of_each_text_in_a_random_order():
    rng = np.random.default_rng(4)
    unit, rater = rng.integers(0, 40, 300), rng.integers(0, 90, 300)
    known = ratings(unit, rater, rng.integers(1, 6, 300))
    again = np.random.default_rng(9)
    rows = np.flatnonzero(np.bincount(known.unit)[known.unit] >= 2)
    found = at_random(known, np.random.default_rng(9))
    assert len(found) == SPLITS
    for picked in found:
        mixed = again.permutation(rows)
        expected = mixed[np.unique(known.unit[mixed], return_index=True)[1]]
        np.testing.assert_array_equal(picked, expected)
