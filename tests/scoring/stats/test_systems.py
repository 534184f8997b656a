"""Correlations of systems' means against plain loops with scipy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from scoring.stats.correlation import COEFFICIENTS, pearson
from scoring.stats.counts import draw, draw_both
from scoring.stats.groups import system_level, system_replicates
from tests.scoring.stats import loops

NAN = float("nan")
each = pytest.mark.parametrize("coefficient", COEFFICIENTS)


def table(prompts=8, systems=5, *, gaps=0.15):
    rng = np.random.default_rng(0)
    n = prompts * systems
    x, y = rng.integers(0, 3, (n, 2)) * 1.0, rng.integers(1, 4, (n, 2)) * 1.0
    return loops.crossed(x, y, prompts, systems, rng=rng, gaps=gaps)


@each
def test_it_correlates_the_means_of_the_rows_that_have_both(coefficient):
    x, y, _, systems = table()
    found = system_level(x[:, 0], y[:, 0], systems, coefficient=coefficient)
    expected = loops.system_level(coefficient, x[:, 0], y[:, 0], systems)
    assert found == (pytest.approx(expected, abs=1e-12), None, 5)


@each
@pytest.mark.parametrize("gaps", [0, 0.15])
def test_each_replicate_of_prompts_equals_a_loop(coefficient, gaps):
    x, y, prompts, systems = table(gaps=gaps)
    draws = draw(prompts, rng=np.random.default_rng(1), draws=6)
    found = system_replicates(x, y, systems, draws, coefficient=coefficient)
    for b, m, a in np.ndindex(found.shape):
        expected = loops.system_level(
            coefficient, x[:, m], y[:, a], systems, draws.rows()[b]
        )
        assert found[b, m, a] == pytest.approx(expected, abs=1e-12)


@each
def test_a_system_counts_as_often_as_it_was_drawn(coefficient):
    x, y, prompts, systems = table(gaps=0)
    draws = draw(systems, rng=np.random.default_rng(2), draws=6)
    found = system_replicates(x, y, systems, draws, coefficient=coefficient)
    mean_x, mean_y = (s.reshape(8, 5, 2).mean(axis=0) for s in (x, y))
    for b, m, a in np.ndindex(found.shape):
        pair = np.round(mean_x[:, m], 12), np.round(mean_y[:, a], 12)
        expected = loops.correlation(coefficient, *pair, draws.counts[0][b])
        assert found[b, m, a] == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_both_drawn_together_weight_means_of_the_prompts_drawn():
    x, y, prompts, systems = table(gaps=0)
    draws = draw_both(prompts, systems, rng=np.random.default_rng(3), draws=4)
    found = system_replicates(x, y, systems, draws, coefficient="pearson")
    for b in range(4):
        of_prompt, of_system = draws.counts[0][b], draws.counts[1][b]
        means = [
            np.average(s[:, 0].reshape(8, 5), axis=0, weights=of_prompt) for s in (x, y)
        ]
        expected = loops.correlation("pearson", *means, of_system)
        assert found[b, 0, 0] == pytest.approx(expected, abs=1e-12)


def test_the_metrics_mean_may_be_over_texts_that_nobody_rated():
    x = np.array([1.0, 5, 2, 9, 4, 4])
    y = np.array([1.0, NAN, 3, NAN, 2, NAN])
    systems = np.repeat(["a", "b", "c"], 2)
    rated = system_level(x, y, systems, coefficient="pearson")
    everything = system_level(x, y, systems, coefficient="pearson", common_only=False)
    assert rated == pearson([1, 2, 4], [1, 3, 2])
    assert everything == pearson([3, 5.5, 4], [1, 3, 2])
    once = draw(np.zeros(6), rng=np.random.default_rng(0), draws=1)
    for common_only, expected in ((True, rated), (False, everything)):
        found = system_replicates(
            x, y, systems, once, coefficient="pearson", common_only=common_only
        )
        assert found[0, 0, 0] == pytest.approx(expected.value)


@each
def test_means_that_differ_by_rounding_are_ties(coefficient):
    x = np.array([0.1, 0.2, 0.3, 0.3, 0.1, 0.2, 1, 1, 1])  # 0.2 added in two orders
    y = np.array([1.0, 1, 1, 2, 2, 2, 3, 3, 3])
    systems = np.repeat([0, 1, 2], 3)
    expected = loops.correlation(
        coefficient, np.array([0.2, 0.2, 1]), np.array([1.0, 2, 3])
    )
    found = system_level(x, y, systems, coefficient=coefficient)
    assert found.value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("x", "reason"),
    [
        ([1, 2, NAN, NAN], "fewer than 3 pairs of scores"),
        ([2, 2, 2, 2], "metric scores: all the same"),
        ([2, 1, float("inf"), 2], "metric scores: some are infinite"),
    ],
)
@each
def test_what_does_not_exist_has_a_reason(coefficient, x, reason):
    x, y = np.array(x, float), np.array([1.0, 3, 2, 4])
    found = system_level(x, y, np.arange(4), coefficient=coefficient)
    assert found[:2] == (None, reason)
    draws = draw(np.zeros(4), rng=np.random.default_rng(0), draws=2)
    made = system_replicates(x, y, np.arange(4), draws, coefficient=coefficient)
    assert np.isnan(made).all()


@each
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_whatever_the_scores_there_is_a_value_or_a_reason(coefficient, data):
    n = data.draw(st.integers(0, 8))
    scores = st.sampled_from([0.0, 1.0, 2.5, NAN, float("inf"), 1e300, -1e-300])
    x, y = (data.draw(arrays(float, n, elements=scores)) for _ in "xy")
    prompts, systems = (
        data.draw(arrays(int, n, elements=st.integers(0, 3))) for _ in "ps"
    )
    for common_only in (True, False):
        options = {"coefficient": coefficient, "common_only": common_only}
        found = system_level(x, y, systems, **options)
        assert (found.value is None) == (found.reason is not None)
        assert found.value is None or -1 <= found.value <= 1
        rng = np.random.default_rng(0)
        for draws in (draw(prompts, rng=rng, draws=3), draw(systems, rng=rng, draws=3)):
            made = system_replicates(x, y, systems, draws, **options)
            assert not (np.abs(made) > 1).any()


def test_an_unknown_coefficient_and_a_missing_system_are_refused():
    x = np.arange(4.0)
    with pytest.raises(ValueError, match="'tau': expected one of"):
        system_level(x, x, x, coefficient="tau")
    with pytest.raises(ValueError, match="system of each of 4 rows, got 3"):
        system_level(x, x, x[:3], coefficient="pearson")
