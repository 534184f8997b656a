import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from scoring.stats import shares
from scoring.stats.inversion import own_degrees
from scoring.stats.jackknife import Jackknifed, jackknifed, leave_out


def of_prompts(right, of) -> Jackknifed:
    """The share of the sums over prompts."""
    right, of = np.asarray(right, float), np.asarray(of, float)
    n = len(right)
    left = leave_out(np.arange(n), rng=np.random.default_rng(1))
    weights = left.draws.rows()
    without = (weights @ right) / (weights @ of)
    return jackknifed(right.sum() / of.sum(), without, left, "natural")


def drawn(p, n=12, seed=0) -> Jackknifed:
    rng = np.random.default_rng(seed)
    of = rng.integers(2, 9, n)
    return of_prompts(rng.binomial(of, p), of)


def test_the_interval_is_that_of_log_odds():
    """Symmetric deviations, so that no tail is stretched."""
    right, of = [2, 3, 5, 6, 3, 5], [8] * 6
    share = shares.estimate(of_prompts(right, of), n=6)
    value = 0.5
    odds = [(24 - r) / (40 - 24 + r) for r in right]
    deviation = -np.log(odds)
    se = np.sqrt(5 / 6 * (deviation**2).sum())
    df = min(5.0, own_degrees(deviation))
    z = stats.t.isf(0.025, df) * se
    assert share.value == value
    assert share.high == pytest.approx(1 / (1 + np.exp(-z)), rel=1e-6)
    assert share.low == pytest.approx(1 - share.high)


@given(st.floats(0.03, 0.97), st.integers(0, 99))
def test_limits_lie_about_the_share_and_within_0_and_1(p, seed):
    share = shares.estimate(drawn(p, seed=seed), n=12)
    if share.reason is None:
        assert 0 < share.low < share.value < share.high < 1


def test_few_prompts_that_move_it_give_no_interval():
    share = shares.estimate(of_prompts([1, 2, 1, 0, 0, 0], [2, 3, 3, 0, 0, 0]), n=6)
    assert (share.low, share.reason) == (None, shares.FEW_PROMPTS)


@pytest.mark.parametrize("right", [[0] * 8, [*range(2, 10)], [1] + [0] * 7])
def test_at_the_end_there_is_no_interval(right):
    share = shares.estimate(of_prompts(right, range(2, 10)), n=8)
    assert share.low is None and share.reason


@given(st.floats(0.1, 0.9), st.floats(0.1, 0.9), st.integers(0, 99))
def test_p_is_small_where_the_interval_leaves_out_0(p, q, seed):
    first, second = drawn(p, seed=seed), drawn(q, seed=seed + 1)
    apart, p_value, why = shares.difference(first, second, n=12)
    if why is None:
        assert apart.low <= apart.value <= apart.high
        assert (p_value < 0.05) == (not apart.low <= 0 <= apart.high)
        back, same, _ = shares.difference(second, first, n=12)
        assert back.low == pytest.approx(-apart.high)
        assert same == pytest.approx(p_value, rel=1e-4)


def test_the_same_share_twice_is_no_difference():
    apart, p, _ = shares.difference(drawn(0.4), drawn(0.4), n=12)
    assert (apart.value, p) == (0, 1)
    assert apart.low <= 0 <= apart.high


def test_a_share_without_an_interval_has_no_difference():
    apart, p, why = shares.difference(drawn(0.4), of_prompts([0] * 12, [5] * 12), n=12)
    assert apart.value is not None
    assert (apart.low, p, why) == (None, None, apart.reason) and why


def test_own_degrees_are_few_where_a_unit_decides():
    rng = np.random.default_rng(1)
    normal = rng.normal(size=400)
    assert own_degrees(normal) == pytest.approx(400, rel=0.2)
    assert own_degrees(np.array([9.0, *[0.1] * 30])) < 3
    assert own_degrees(np.ones(5)) == np.inf
