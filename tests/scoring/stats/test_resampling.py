"""Correlations in replicates against scipy on copied samples."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from scoring.stats import _kendall, _replicas
from scoring.stats.correlation import COEFFICIENTS
from scoring.stats.counts import Draws, draw, draw_both
from scoring.stats.resampling import human_varies, sizes, totals, weighted
from tests.scoring.stats import loops

NAN = float("nan")
some = settings(max_examples=40, deadline=None)
each = pytest.mark.parametrize("coefficient", COEFFICIENTS)


@st.composite
def samples(draw_):
    """Few rows with many ties, gaps, constants, and a few counts of each."""
    n = draw_(st.integers(1, 9))
    scores = st.sampled_from([0.0, 1.0, 2.0, 0.1, -7.5, 1e6, NAN])
    x = draw_(arrays(float, (n, 2), elements=scores))
    y = draw_(arrays(float, (n, 2), elements=scores))
    counts = draw_(arrays(np.uint16, (3, n), elements=st.integers(0, 3)))
    return x, y, Draws((counts,), (np.arange(n),))


def rows(n, *, seed=0, gaps=0.0, noise=0.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    x[:, 0] = np.round(x[:, 0])
    x[:, 2] = np.where(rng.random(n) < 0.7, 0, x[:, 2])
    y = rng.integers(1, 6, size=(5, n, 2)).mean(axis=0)
    y += noise * rng.normal(size=y.shape)
    for scores in (x, y):
        scores[rng.random(scores.shape) < gaps] = NAN
    return x, y, rng


@each
@some
@given(sample=samples())
def test_each_replicate_equals_scipy_on_the_copied_sample(coefficient, sample):
    np.testing.assert_allclose(
        weighted(coefficient, *sample), loops.weighted(coefficient, *sample), atol=1e-9
    )


@some
@given(sample=samples())
def test_kendall_by_groups_of_neighbours_equals_scipy(sample):
    """As for many rows, on few: with two groups a side, all cases occur."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_kendall, "FEW_ROWS", 0)
        patch.setattr(_kendall, "GROUPS", 2)
        np.testing.assert_allclose(
            weighted("kendall", *sample),
            loops.weighted("kendall", *sample),
            atol=1e-12,
        )


@each
@pytest.mark.parametrize("gaps", [0, 0.1])
@pytest.mark.parametrize("noise", [0, 1])  # without, y has few levels
@pytest.mark.parametrize("n", [30, 150, 400])
def test_many_rows_drawn_by_prompt_equal_scipy(coefficient, n, gaps, noise):
    x, y, rng = rows(n, gaps=gaps, noise=noise)
    draws = draw(np.arange(n) // 3, rng=rng, draws=3)
    np.testing.assert_allclose(
        weighted(coefficient, x, y, draws),
        loops.weighted(coefficient, x, y, draws),
        atol=1e-13,
    )


@each
def test_prompts_and_systems_drawn_together_equal_scipy(coefficient):
    x, y, rng = rows(60, gaps=0.05)
    draws = draw_both(np.arange(60) // 6, np.arange(60) % 6, rng=rng, draws=5)
    np.testing.assert_allclose(
        weighted(coefficient, x, y, draws),
        loops.weighted(coefficient, x, y, draws),
        atol=1e-13,
    )


@each
def test_slabs_of_replicates_change_nothing(coefficient, monkeypatch):
    x, y, rng = rows(50)
    draws = draw(np.arange(50), rng=rng, draws=40)
    whole = weighted(coefficient, x, y, draws)
    monkeypatch.setattr(_kendall, "SLAB", 1)
    monkeypatch.setattr(_replicas, "CACHED", 1)
    monkeypatch.setattr("scoring.stats.resampling.SLAB", 60)
    monkeypatch.setattr(
        "scoring.stats._spearman.slabs", lambda d: _replicas.slabs(d, 1)
    )
    np.testing.assert_allclose(weighted(coefficient, x, y, draws), whole, atol=1e-14)


@each
def test_totals_too_large_for_float32_stay_exact(coefficient, monkeypatch):
    x, y, rng = rows(80)
    draws = draw(np.arange(80), rng=rng, draws=5)
    small = weighted(coefficient, x, y, draws)
    monkeypatch.setattr(_replicas, "EXACT", 0)
    np.testing.assert_allclose(weighted(coefficient, x, y, draws), small, atol=1e-15)


@each
def test_many_copies_are_counted_without_rounding(coefficient):
    x, y, _ = rows(6, noise=1)
    draws = Draws((np.array([[900, 1, 1, 2500, 3, 700]], np.uint16),), (np.arange(6),))
    np.testing.assert_allclose(
        weighted(coefficient, x, y, draws),
        loops.weighted(coefficient, x, y, draws),
        atol=1e-13,
    )


@each
def test_neighbours_far_from_the_mean_keep_their_digits(coefficient):
    x = np.array([1e8, 1e8 + 1, 1e8 + 3, -1e8])
    draws = Draws((np.array([[1, 2, 1, 0]], np.uint16),), (np.arange(4),))
    y = np.array([1.0, 3, 2, 5])
    expected = loops.weighted(coefficient, x[:, None], y[:, None], draws)
    np.testing.assert_allclose(weighted(coefficient, x, y, draws), expected, atol=1e-6)


@each
def test_a_constant_or_infinite_metric_has_no_value_and_spoils_no_other(coefficient):
    x, y, rng = rows(20)
    draws = draw(np.arange(20), rng=rng, draws=4)
    odd = np.column_stack([x, np.full(20, 3.0), x[:, 1], np.full(20, NAN)])
    odd[3, 4] = np.inf
    found = weighted(coefficient, odd, y, draws)
    assert np.isnan(found[:, 3:]).all()
    np.testing.assert_allclose(found[:, :3], weighted(coefficient, x, y, draws))


@each
def test_scores_too_large_to_square_keep_their_value(coefficient):
    x, y, rng = rows(20)
    draws = draw(np.arange(20), rng=rng, draws=4)
    np.testing.assert_allclose(
        weighted(coefficient, x * 1e300, y, draws), weighted(coefficient, x, y, draws)
    )


def test_ranking_once_is_close_to_ranking_each_replicate():
    x, y, rng = rows(400)
    draws = draw(np.arange(400), rng=rng, draws=50)
    exact = weighted("spearman", x, y, draws)
    once = weighted("spearman", x, y, draws, exact=False)
    assert 0 < np.abs(exact - once).max() < 0.02


@each
def test_no_rows_and_no_replicates_give_no_values(coefficient):
    empty = Draws((np.zeros((4, 0), np.uint16),), (np.zeros(0, int),))
    none = np.zeros((0, 2))
    assert np.isnan(weighted(coefficient, none, none, empty)).all()
    x, y, rng = rows(9)
    draws = draw(np.arange(9), rng=rng, draws=0)
    assert weighted(coefficient, x, y, draws).shape == (0, 3, 2)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"coefficient": "tau"}, "'tau': expected one of pearson, spearman, kendall"),
        ({"y": np.zeros(4)}, r"\(5, 1\) and \(4, 1\)"),
        ({"draws": Draws((np.ones((1, 4)),), (np.arange(4),))}, "of 5 rows, got 4"),
    ],
)
def test_what_does_not_fit_is_refused(change, words):
    draws = Draws((np.ones((1, 5)),), (np.arange(5),))
    given_ = {"coefficient": "pearson", "x": np.zeros(5), "y": np.zeros(5)}
    with pytest.raises(ValueError, match=words):
        weighted(**({**given_, "draws": draws} | change))


def test_totals_add_up_rows_as_often_as_they_are_drawn():
    rng = np.random.default_rng(6)
    values = rng.normal(size=(12, 3))
    for draws in (
        draw(np.arange(12) // 4, rng=rng, draws=5).only(np.arange(7)),
        draw_both(np.arange(12) // 4, np.arange(12) % 4, rng=rng, draws=5).only(
            np.arange(7)
        ),
    ):
        np.testing.assert_allclose(totals(draws, values[:7]), draws.rows() @ values[:7])


def test_sizes_count_the_drawn_rows_that_have_both_scores():
    x, y = np.array([[1.0], [NAN], [3.0]]), np.array([[1.0], [2.0], [NAN]])
    draws = Draws((np.array([[2, 5, 7]]),), (np.arange(3),))
    assert sizes(x, y, draws).tolist() == [[[2.0]]]


def test_human_scores_vary_where_two_drawn_ones_differ():
    x, y = np.array([[1.0], [2.0], [NAN]]), np.array([[1.0], [2.0], [3.0]])
    counts = np.array([[2, 1, 0], [3, 0, 9], [1, 0, 1]])
    draws = Draws((counts,), (np.arange(3),))
    assert human_varies(x, y, draws, least=2)[:, 0, 0].tolist() == [True, False, False]
