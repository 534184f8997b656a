"""Means and spreads over seeds, with gaps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats.seeds import spread

VALUES = st.lists(st.floats(-1e6, 1e6) | st.just(float("nan")), max_size=6)


@given(VALUES)
def test_it_is_numpys_of_what_is_there(values: list[float]) -> None:
    found, there = spread(np.array(values)), [v for v in values if v == v]
    assert found.n == len(there)
    mean = np.mean(there) if there else np.nan
    std = np.std(there, ddof=1) if len(there) > 1 else np.nan
    assert float(found.mean) == pytest.approx(mean, nan_ok=True, abs=1e-6)
    assert float(found.std) == pytest.approx(std, nan_ok=True, abs=1e-6)


def test_one_seed_is_its_own_mean_to_the_last_digit() -> None:
    values = np.random.default_rng(0).normal(size=(50, 1))
    assert (spread(values).mean == values[:, 0]).all()


def test_without_seeds_there_is_nothing() -> None:
    found = spread(np.empty((2, 3, 0)))
    assert found.mean.shape == (2, 3)
    assert np.isnan(found.mean).all() and not found.n.any()
