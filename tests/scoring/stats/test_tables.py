"""Rank correlations of replicates from tables of levels, beside those from rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from scoring.stats import _kendall, _spearman, _tables
from scoring.stats._replicas import Levels
from scoring.stats.counts import Draws, draw, draw_both

COEFFICIENTS = {"kendall": _kendall.kendall, "spearman": _spearman.spearman}
N = 900


@pytest.fixture
def columns():
    """A rating, and the mean of three others, in texts of 60 prompts."""
    rng = np.random.default_rng(5)
    truth = rng.normal(3, 1, N)
    near = np.clip(np.rint(truth + rng.normal(0, 1, (4, N)).round()), 1, 5)
    return near[0], near[1:].mean(axis=0), rng.integers(0, 60, N)


def by_row(name: str, x: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_tables, "fits", lambda *_: False)
        return COEFFICIENTS[name](x[:, np.newaxis], y[:, np.newaxis], draws)[:, 0, 0]


@pytest.mark.parametrize("name", COEFFICIENTS)
@pytest.mark.parametrize("slab", [10, _tables.SLAB])
def test_from_tables_as_from_rows(columns, name, slab, monkeypatch):
    x, y, prompts = columns
    draws = draw(prompts, rng=np.random.default_rng(1), draws=50)
    assert _tables.fits(Levels(x), Levels(y), draws)
    monkeypatch.setattr(_tables, "SLAB", slab)
    found = COEFFICIENTS[name](x[:, np.newaxis], y[:, np.newaxis], draws)[:, 0, 0]
    np.testing.assert_allclose(found, by_row(name, x, y, draws), rtol=0, atol=1e-14)


@pytest.mark.parametrize(
    ("name", "of_scipy"),
    [("kendall", scipy.stats.kendalltau), ("spearman", scipy.stats.spearmanr)],
)
def test_as_scipy_of_the_sample(columns, name, of_scipy):
    x, y, prompts = columns
    draws = draw(prompts, rng=np.random.default_rng(2), draws=3)
    found = COEFFICIENTS[name](x[:, np.newaxis], y[:, np.newaxis], draws)[:, 0, 0]
    for value, w in zip(found, draws.rows().astype(int), strict=True):
        sample = np.repeat(np.arange(N), w)
        assert value == pytest.approx(of_scipy(x[sample], y[sample])[0], abs=1e-12)


def test_a_replicate_with_one_level_has_no_value():
    table = np.array([[[2.0, 0.0], [3.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]]])
    np.testing.assert_array_equal(_tables.kendall(table), [np.nan, 1.0])
    np.testing.assert_array_equal(_tables.spearman(table), [np.nan, 1.0])


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_columns_with_many_levels_go_by_row_beside_those_with_few(columns, name):
    x, y, prompts = columns
    noise = np.random.default_rng(7).normal(0, 1, N)
    draws = draw(prompts, rng=np.random.default_rng(3), draws=20)
    both = np.stack([x, noise], axis=1)
    found = COEFFICIENTS[name](both, y[:, np.newaxis], draws)[:, :, 0]
    for column, values in enumerate(both.T):
        expected = by_row(name, values, y, draws)
        np.testing.assert_allclose(found[:, column], expected, rtol=0, atol=1e-14)


def test_two_designs_at_once_have_no_table(columns):
    x, y, prompts = columns
    draws = draw_both(prompts, np.arange(N) % 5, rng=np.random.default_rng(4), draws=3)
    assert not _tables.fits(Levels(x), Levels(y), draws)


def test_more_groups_of_a_long_column_find_the_same(columns, monkeypatch):
    rng = np.random.default_rng(8)
    x, y = rng.normal(0, 1, (2, 2_500, 1)).round(2)
    draws = draw(np.arange(len(x)), rng=rng, draws=4)
    found = _kendall.kendall(x, y, draws)
    monkeypatch.setattr(_kendall, "isqrt", lambda n: 0)
    np.testing.assert_array_equal(found, _kendall.kendall(x, y, draws))
