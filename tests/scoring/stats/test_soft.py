import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.stats.soft import soft_pairwise_accuracy

GOLDEN = Path(__file__).parents[2] / "golden" / "metric_comparison.json"


def rng(seed=0):
    return np.random.default_rng(seed)


def soft(metric, human, *, seed=0, draws=200, order=None):
    """Of two matrices with a row per system and a column per item."""
    n_systems, n_items = np.shape(metric)
    systems = np.repeat(np.arange(n_systems), n_items)
    items = np.tile(np.arange(n_items), n_systems)
    rows = slice(None) if order is None else order
    return soft_pairwise_accuracy(
        np.ravel(metric)[rows],
        np.ravel(human)[rows],
        items[rows],
        systems[rows],
        rng=rng(seed),
        draws=draws,
    )


@pytest.mark.parametrize("case", range(3))
def test_it_is_near_mt_metrics_eval_where_no_sums_are_tied(case):
    golden = json.loads(GOLDEN.read_text())["soft_pairwise"]["cases"][case]
    found = soft(golden["metric"], golden["human"], draws=40_000)
    assert found.value == pytest.approx(golden["value"], abs=0.005)


def test_it_is_near_the_value_of_all_signs_of_few_items():
    metric, human = rng(1).normal(size=(3, 7)), rng(2).integers(1, 5, (3, 7))
    signs = np.array(list(itertools.product([-1, 1], repeat=7)))

    def p(scores, i, j):
        d = scores[i] - scores[j]
        t, null = d.sum(), signs @ d
        equal = np.isclose(null, t)
        return np.mean((null > t) & ~equal) + np.mean(equal) / 2

    pairs = [(0, 1), (0, 2), (1, 2)]
    exact = 1 - np.mean([abs(p(human, *q) - p(metric, *q)) for q in pairs])
    assert soft(metric, human, draws=20_000).value == pytest.approx(exact, abs=0.01)


def test_a_metric_that_is_the_human_score_has_accuracy_one():
    human = rng().integers(1, 6, (4, 30))
    assert soft(human, human).value == 1
    assert soft(human * 7.0 + 2, human).value == 1


def test_a_metric_turned_around_is_far_off():
    human = rng().normal(size=(4, 30)) + 3 * np.arange(4)[:, np.newaxis]
    assert soft(-human, human).value < 0.05


@settings(max_examples=25, deadline=None)
@given(st.permutations(range(5)), st.integers(0, 100))
def test_the_order_of_the_systems_changes_nothing(order, seed):
    human = rng(seed).integers(1, 4, (5, 9))
    metric = rng(seed + 1).integers(1, 4, (5, 9))  # with ties, and equal systems
    order = list(order)
    assert soft(metric[order], human[order]).value == pytest.approx(
        soft(metric, human).value, abs=1e-12
    )


def test_the_order_of_the_rows_changes_nothing():
    human, metric = rng().normal(size=(4, 12)), rng(1).normal(size=(4, 12))
    assert soft(metric, human, order=rng(2).permutation(48)) == soft(metric, human)


def test_a_pair_uses_the_items_that_both_have():
    human, metric = rng().normal(size=(2, 12)), rng(1).normal(size=(2, 12))
    gap = metric.copy()
    gap[0, 8:] = np.nan
    short = soft(metric[:, :8], human[:, :8], draws=20_000)
    assert soft(gap, human, draws=20_000).value == pytest.approx(short.value, abs=0.02)


def test_a_pair_with_few_items_in_common_is_left_out_and_counted():
    human, metric = rng().normal(size=(3, 12)), rng(1).normal(size=(3, 12))
    metric[0, 4:] = np.nan
    found = soft(metric, human)
    assert (found.n_systems, found.n_pairs, found.n_left_out) == (3, 1, 2)


def test_a_constant_metric_says_that_nothing_is_sure():
    human = rng().normal(size=(2, 30)) + np.array([[9], [0]])
    assert soft(np.ones((2, 30)), human).value == pytest.approx(0.5, abs=0.01)


def test_several_texts_of_a_cell_count_as_their_mean():
    metric, human = rng().normal(size=24), rng(1).normal(size=24)
    items, systems = np.tile(np.arange(6), 4), np.repeat([0, 1], 12)
    found = soft_pairwise_accuracy(metric, human, items, systems, rng=rng(3))
    mean = [s.reshape(2, 2, 6).mean(axis=1) for s in (metric, human)]
    assert found.value == pytest.approx(soft(*mean, seed=3, draws=1000).value)


@pytest.mark.parametrize(
    ("shape", "reason"),
    [
        ((0, 0), "fewer than 2 systems"),
        ((1, 30), "fewer than 2 systems"),
        ((3, 4), "no two systems have 5 items in common"),
    ],
)
def test_too_little_has_a_reason(shape, reason):
    found = soft(rng().normal(size=shape), rng(1).normal(size=shape))
    assert (found.value, found.reason) == (None, reason)


def test_infinite_scores_are_not_left_out_in_silence():
    metric = rng().normal(size=(3, 8))
    metric[1, 2] = -np.inf
    assert soft(metric, metric + 1).reason == "metric scores: some are infinite"
    assert soft(np.ones((3, 8)), metric).reason == "human scores: some are infinite"
