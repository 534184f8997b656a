from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

from scoring.stats.replacing import certainty
from scoring.stats.replacing.closeness import Marks

VALUES = np.arange(1.0, 6.0)
ratings = st.lists(st.sampled_from(VALUES.tolist()), min_size=1, max_size=30)


def test_the_variance_is_that_of_each_texts_ratings():
    text = np.array([0, 0, 1, 1, 1, 2])
    value = np.array([2.0, 4, 3, 3, 3, 5])
    found = certainty.variances(Marks(text, np.arange(6), value), 4)
    assert found[:2].tolist() == [1.0, 0.0] and np.isnan(found[2:]).all()


def test_texts_are_cut_at_the_terciles():
    found = certainty.thirds(np.r_[np.arange(9.0), np.nan])
    assert found.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, -1]


def test_texts_of_one_variance_stay_together():
    found = certainty.thirds(np.array([0.0] * 8 + [1, 2]))
    assert found.tolist() == [0] * 8 + [2, 2]


def test_nothing_rated_has_no_thirds():
    assert certainty.thirds(np.full(3, np.nan)).tolist() == [-1, -1, -1]


@given(ratings, ratings)
def test_the_distance_is_scipys(first, second):
    counts = [[one.count(v) for v in VALUES] for one in (first, second)]
    found = certainty.jensen_shannon(np.array(first), np.array(second), VALUES)
    assert found == pytest.approx(jensenshannon(*counts, base=2), abs=1e-7)


def test_the_distance_goes_from_0_to_1():
    ones, fives = np.full(3, 1.0), np.full(9, 5.0)
    assert certainty.jensen_shannon(ones, np.full(7, 1.0), VALUES) == 0
    assert certainty.jensen_shannon(ones, fives, VALUES) == pytest.approx(1)
    assert certainty.jensen_shannon(np.array([np.nan]), fives, VALUES) is None
