"""Verdicts on pairs in both orders, with what was planted into them."""

import numpy as np
import pytest

from scoring.stats.both_orders import compare, turned

RNG = np.random.default_rng


def judged(rng, n, *, bias=0.0, flips=0.0, per_prompt=2):
    """Verdicts by a judge that prefers the first place in a share of cases.

    With the chance `bias` an order is decided by the place; then by a coin with the
    chance `flips`; else by which of the two texts is better.
    """
    better = rng.integers(1, 3, n)
    verdicts = np.stack([better, 3 - better], axis=1).astype(float)
    coin = rng.random((n, 2)) < flips
    verdicts = np.where(coin, rng.integers(1, 3, (n, 2)), verdicts)
    verdicts = np.where(rng.random((n, 2)) < bias, 1, verdicts)
    points = (verdicts == 1).astype(float)
    return verdicts, points, np.arange(n) // per_prompt


def test_a_planted_position_bias_is_found_with_its_interval():
    """A judge that takes the first place in 20 % of cases: P(1st) - P(2nd) = 0.2."""
    inside, values = [], []
    for seed in range(60):
        found = compare(*judged(RNG(seed), 200, bias=0.2))
        values.append(found.bias.value)
        inside.append(found.bias.low <= 0.2 <= found.bias.high)
        assert found.bias.low > 0
    assert np.mean(values) == pytest.approx(0.2, abs=0.01)
    assert np.mean(inside) >= 0.88


def test_a_planted_inconsistency_is_found_with_its_interval():
    """Two independent flips of 15 %: orders differ in 2 * .15 * .85 = 25.5 %."""
    inside = []
    for seed in range(60):
        found = compare(*judged(RNG(seed), 200, flips=0.3))
        inside.append(found.inconsistency.low <= 0.255 <= found.inconsistency.high)
    assert np.mean(inside) >= 0.88


def test_better_texts_are_not_taken_for_a_better_place():
    verdicts = np.tile([1.0, 2.0], (40, 1))
    found = compare(verdicts, np.tile([1.0, 0.0], (40, 1)), np.arange(40))
    assert (found.bias.value, found.inconsistency.value) == (0.0, 0.0)


def test_none_of_forty_is_no_proof_of_none():
    verdicts = np.tile([1.0, 2.0], (40, 1))
    found = compare(verdicts, np.tile([1.0, 0.0], (40, 1)), np.arange(40))
    assert 0.05 < found.inconsistency.high < 0.12


def test_it_is_counted_how_they_differ():
    verdicts = np.array([[1, 1], [1, 1], [2, 2], [0, 1], [2, 0], [0, 0], [2, 1]])
    points = np.select([verdicts == 1, verdicts == 2], [1.0, 0.0], 0.5)
    found = compare(verdicts, points, np.arange(7))
    assert (found.n_first, found.n_second, found.n_half) == (2, 1, 2)
    assert found.inconsistency.value == 5 / 7
    assert found.bias.value == pytest.approx((1 + 1 - 1 + 0.5 - 0.5 + 0 + 0) / 7)


def test_pairs_with_one_verdict_are_left_out():
    verdicts = np.array([[1, np.nan], [1, 2], [2, 1], [1, 2]])
    points = np.where(np.isnan(verdicts), np.nan, verdicts == 1)
    found = compare(verdicts, points, np.arange(4))
    assert (found.bias.n, found.inconsistency.n, found.bias.value) == (3, 3, 0.0)


def test_without_a_pair_there_is_a_reason():
    found = compare(np.empty((0, 2)), np.empty((0, 2)), np.empty(0))
    assert found.bias.reason == found.inconsistency.reason
    assert found.bias.reason == "no pair has a verdict in both orders"


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [(np.full((3, 2), 3), "expected 1"), (np.ones((2, 2)), r"got \(2, 2\)")],
)
def test_wrong_input_is_refused(verdicts, said):
    with pytest.raises(ValueError, match=said):
        compare(verdicts, np.ones(verdicts.shape), np.arange(3))


def test_a_verdict_seen_from_the_other_order():
    seen = turned(np.array([1, 2, 0, np.nan]))
    np.testing.assert_array_equal(seen, [2, 1, 0, np.nan])
