import doctest

import numpy as np
import pytest
from scipy import stats

from scoring.stats import correlation
from scoring.stats.correlation import (
    fisher,
    kendall,
    pair_counts,
    partial,
    pearson,
    spearman,
)

ALL = [pearson, spearman, kendall]
NAN = float("nan")


def test_pearson_of_a_case_worked_by_hand():
    # deviations (-1, 0, 1) and (-2, 1, 1): 3 / sqrt(2 * 6)
    assert pearson([1, 2, 3], [1, 4, 4]).value == pytest.approx(3 / 12**0.5)


def test_spearman_gives_equal_scores_the_mean_of_their_ranks():
    # ranks (1, 2, 3) and (1, 2.5, 2.5)
    assert spearman([1, 2, 3], [1, 40, 40]).value == pytest.approx(1.5 / 3**0.5)


def test_kendall_is_tau_b():
    # two pairs in order, one tied in y: 2 / sqrt(3 * 2)
    assert kendall([1, 2, 3], [1, 4, 4]).value == pytest.approx(2 / 6**0.5)


@pytest.mark.parametrize("coefficient", ALL)
def test_the_limits_are_one_and_minus_one(coefficient):
    assert coefficient([0.1, 0.2, 0.3], [2, 4, 6]).value == pytest.approx(1)
    assert coefficient([0.1, 0.2, 0.3], [6, 4, 2]).value == pytest.approx(-1)
    assert abs(coefficient([0.1, 0.2, 0.3], [2, 4, 6]).value) <= 1


@pytest.mark.parametrize("coefficient", ALL)
def test_pairs_with_a_gap_are_left_out_and_not_counted(coefficient):
    x, y = [1, 2, 3, 4, NAN, 6], [1, 3, 2, 4, 9, NAN]
    assert coefficient(x, y) == coefficient(x[:4], y[:4])
    assert coefficient(x, y).n == 4


@pytest.mark.parametrize("coefficient", ALL)
def test_two_pairs_are_too_few(coefficient):
    assert coefficient([1, 2, NAN], [1, 2, 3]) == (
        None,
        "fewer than 3 pairs of scores",
        2,
    )


@pytest.mark.parametrize("coefficient", ALL)
def test_scores_that_are_all_the_same_are_named(coefficient):
    found = coefficient([1, 2, 3], [4, 4, 4], ("metric scores", "human scores"))
    assert found == (None, "human scores: all the same", 3)


@pytest.mark.parametrize("coefficient", ALL)
def test_differences_by_rounding_only_are_no_differences(coefficient):
    assert coefficient([1, 1 + 2e-16, 1], [1, 2, 3]).value is None
    assert coefficient([0, 0, 0], [1, 2, 3]).value is None


@pytest.mark.parametrize("coefficient", ALL)
def test_an_infinite_score_is_named(coefficient):
    assert coefficient([1, 2, float("inf")], [1, 2, 3]) == (
        None,
        "x: some are infinite",
        3,
    )


def test_scores_too_large_to_square_are_none_and_not_nan():
    found = pearson([1e300, -1e300, 2e300], [1, 2, 3])
    assert found.value is None or abs(found.value) <= 1


def test_vectors_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match=r"\(2,\)"):
        pearson([1, 2, 3], [1, 2])


@pytest.mark.parametrize(
    ("coefficient", "oracle"),
    [
        (pearson, stats.pearsonr),
        (spearman, stats.spearmanr),
        (kendall, stats.kendalltau),
    ],
)
def test_it_equals_scipy_on_tied_scores(coefficient, oracle):
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 9, 200), rng.integers(1, 6, 200) / 3
    assert coefficient(x, y).value == pytest.approx(oracle(x, y).statistic, abs=1e-15)


def test_the_examples_in_the_text_hold():
    assert doctest.testmod(correlation).failed == 0


@pytest.mark.parametrize("variant", ["b", "c"])
def test_tau_equals_scipy_in_each_variant(variant):
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 9, 100), rng.integers(1, 6, 100)
    expected = stats.kendalltau(x, y, variant=variant).statistic
    assert kendall(x, y, variant=variant).value == pytest.approx(expected, abs=1e-15)


def test_tau_a_is_the_excess_of_pairs_over_all_pairs():
    # two pairs in order, one tied in y: 2 / 3
    assert kendall([1, 2, 3], [1, 4, 4], variant="a").value == pytest.approx(2 / 3)


@pytest.mark.parametrize("variant", ["a", "b", "c"])
def test_tau_of_a_constant_has_a_reason_in_each_variant(variant):
    assert kendall([1, 1, 1], [1, 2, 3], variant=variant).reason == "x: all the same"


def test_an_unknown_variant_is_refused():
    with pytest.raises(ValueError, match="'d': expected one of a, b, c"):
        kendall([1, 2, 3], [1, 2, 3], variant="d")


@pytest.mark.parametrize("levels", [2, 6, 1000])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 40, 150])
def test_pairs_of_texts_are_counted_as_one_by_one(n, levels):
    rng = np.random.default_rng(n)
    x, y = rng.integers(0, levels, n), rng.integers(0, 7, n)
    signs = [
        (np.sign(x[i] - x[j]), np.sign(y[i] - y[j])) for i in range(n) for j in range(i)
    ]
    found = pair_counts(x, y)
    assert found.concordant == sum(a * b > 0 for a, b in signs)
    assert found.discordant == sum(a * b < 0 for a, b in signs)
    assert found.human_ties == sum(a != 0 and b == 0 for a, b in signs)
    assert found.metric_ties == sum(a == 0 and b != 0 for a, b in signs)
    assert found.both_ties == sum(a == 0 and b == 0 for a, b in signs)


def test_a_text_with_a_gap_is_in_no_pair():
    assert sum(pair_counts([1, 2, NAN], [3, 1, 2])) == 1


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_fishers_interval_of_pearson_equals_scipy(level):
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(2, 30))
    found = fisher(pearson(x, y).value, 30, "pearson", level)
    expected = stats.pearsonr(x, y).confidence_interval(level)
    assert found == pytest.approx((expected.low, expected.high), abs=1e-12)


@pytest.mark.parametrize(
    ("coefficient", "error"),
    [("spearman", ((1 + 0.25 / 2) / 47) ** 0.5), ("kendall", (0.437 / 46) ** 0.5)],
)
def test_the_intervals_of_rank_correlations_are_those_of_bonett_and_wright(
    coefficient, error
):
    low, high = fisher(0.5, 50, coefficient)
    assert np.arctanh(high) - np.arctanh(low) == pytest.approx(2 * 1.959964 * error)
    assert np.arctanh(high) + np.arctanh(low) == pytest.approx(2 * np.arctanh(0.5))


@pytest.mark.parametrize(
    ("value", "n", "coefficient"),
    [(0.5, 3, "pearson"), (0.5, 4, "kendall"), (1.0, 50, "pearson")],
)
def test_there_is_no_interval_of_too_few_pairs_or_of_a_perfect_value(
    value, n, coefficient
):
    assert fisher(value, n, coefficient) is None


def test_the_partial_correlation_is_that_of_the_residuals():
    rng = np.random.default_rng(5)
    z = rng.normal(size=60)
    x, y = z + rng.normal(size=60), z + rng.normal(size=60)
    rest_x, rest_y = (s - np.polyval(np.polyfit(z, s, 1), z) for s in (x, y))
    expected = stats.pearsonr(rest_x, rest_y).statistic
    assert partial(x, y, z, "pearson").value == pytest.approx(expected, abs=1e-12)
    ranked = (stats.rankdata(s) for s in (x, y, z))
    assert partial(x, y, z, "spearman").value == pytest.approx(
        partial(*ranked, "pearson").value, abs=1e-12
    )


def test_the_partial_correlation_uses_texts_that_have_all_three():
    x, y, z = [1, 2, 3, 5, NAN, 4], [2, 1, 4, 5, 6, 6], [1, 3, 2, 2, 5, NAN]
    found = partial(x, y, z, "pearson")
    assert found == partial(x[:4], y[:4], z[:4], "pearson")
    assert found.n == 4


@pytest.mark.parametrize(
    ("x", "z", "reason"),
    [
        ([1, 2, 3, 4], [2, 4, 6, 8], "x: fixed by z"),
        ([1, 1, 1, 1], [2, 1, 3, 4], "x: all the same"),
        ([1, 3, 2, 4], [2, 2, 2, 2], "z: all the same"),
        ([1, 3, 2, NAN], [2, 1, 3, 4], "fewer than 4 texts have all three"),
    ],
)
def test_a_partial_correlation_that_does_not_exist_has_a_reason(x, z, reason):
    assert partial(x, [1, 3, 3, 2], z, "pearson")[:2] == (None, reason)


@pytest.mark.parametrize("call", [fisher, partial])
def test_an_unknown_coefficient_is_refused(call):
    with pytest.raises(ValueError, match="'tau': expected one of pearson"):
        call(*([1, 2, 3],) * 3, "tau") if call is partial else call(0.5, 9, "tau")


class TestTailShare:
    def test_of_a_normal_distribution_it_is_small(self):
        normal = np.random.default_rng(0).normal(size=100_000)
        assert correlation.tail_share(normal) == pytest.approx(0.085, abs=0.005)

    def test_one_text_may_have_nearly_all(self):
        values = np.r_[np.random.default_rng(0).normal(size=199), 1e6]
        assert correlation.tail_share(values) > 0.99
        assert correlation.tail_share(values * 1e300) > 0.99

    @pytest.mark.parametrize(
        "values", [np.arange(99.0), np.ones(200), np.full(200, np.nan), np.empty(0)]
    )
    def test_of_few_or_equal_scores_there_is_none(self, values):
        assert correlation.tail_share(values) is None
