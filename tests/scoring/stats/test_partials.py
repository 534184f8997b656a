from __future__ import annotations

import numpy as np
import pytest

from scoring.stats.correlation import COEFFICIENTS, partial
from scoring.stats.counts import draw
from scoring.stats.partials import partial_replicates


@pytest.fixture
def scores():
    """Three metrics, two aspects and a length that all share something, with gaps."""
    rng = np.random.default_rng(0)
    z = rng.normal(size=30)
    x = z[:, np.newaxis] + rng.normal(size=(30, 3))
    y = np.round(x[:, :2] + rng.normal(size=(30, 2)))
    x[::7, 1] = np.nan
    y[3, 0] = z[5] = np.nan
    return x, y, z


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_a_replicate_is_the_partial_correlation_of_its_rows(scores, coefficient):
    x, y, z = scores
    draws = draw(np.arange(30) // 2, rng=np.random.default_rng(1), draws=6)
    found = partial_replicates(x, y, z, draws, coefficient=coefficient)
    for b, counts in enumerate(draws.rows().astype(int)):
        rows = np.repeat(np.arange(30), counts)
        for m, a in np.ndindex(3, 2):
            alone = partial(x[rows, m], y[rows, a], z[rows], coefficient)
            assert found[b, m, a] == pytest.approx(alone.value, abs=1e-9)


def test_it_equals_the_correlation_of_what_a_regression_on_length_leaves(scores):
    x, y, z = scores
    known = ~np.isnan(np.column_stack([x[:, 0], y[:, 0], z])).any(axis=1)
    left = [
        side[known] - np.polyval(np.polyfit(z[known], side[known], 1), z[known])
        for side in (x[:, 0], y[:, 0])
    ]
    once = draw(np.zeros(30), rng=np.random.default_rng(0), draws=1)
    found = partial_replicates(x[:, 0], y[:, 0], z, once, coefficient="pearson")
    assert found[0, 0, 0] == pytest.approx(np.corrcoef(*left)[0, 1], abs=1e-12)


def test_what_length_alone_fixes_has_no_value(scores):
    _, y, z = scores
    draws = draw(np.arange(30), rng=np.random.default_rng(1), draws=3)
    found = partial_replicates(2 * z, y, z, draws, coefficient="pearson")
    assert np.isnan(found).all()


def test_with_three_texts_there_is_no_value():
    three = np.array([1.0, 2.0, 4.0])
    draws = draw(np.zeros(3), rng=np.random.default_rng(1), draws=2)
    found = partial_replicates(
        three, three[::-1], np.array([1.0, 3.0, 2.0]), draws, coefficient="pearson"
    )
    assert np.isnan(found).all()
