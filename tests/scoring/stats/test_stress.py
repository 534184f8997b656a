"""Effects of what should, and what should not, move a judge."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from statsmodels.stats import proportion

from scoring.stats import cluster_t, stress
from scoring.stats.estimates import Estimate
from scoring.stats.stress import NO_FAMILY, NO_PAIR

UNITS = np.arange(12)
NAN = np.nan


def test_flips_are_shares_with_the_interval_of_wilson() -> None:
    first = np.full(12, 3.0)
    second = np.where(UNITS < 3, 4.0, 3.2)
    found = stress.flips(first, second, UNITS)
    ends = proportion.proportion_confint(3, 12, method="wilson")
    assert found.numbers == pytest.approx((0.25, *ends))


def test_an_expected_rating_flips_where_the_nearest_number_changes() -> None:
    assert stress.verdicts(np.array([2.4, 2.5, 3.49, NAN])).tolist()[:3] == [2, 3, 3]
    found = stress.flips(np.array([2.49, 2.5]), np.array([2.5, 3.4]), np.arange(2))
    assert found.value == 0.5


def test_a_text_without_one_of_its_scores_is_left_out_and_never_0() -> None:
    first, second = np.array([1.0, NAN, 3.0]), np.array([2.0, 2.0, NAN])
    for function in (stress.flips, stress.change, stress.shift, stress.notices):
        assert function(first, second, np.arange(3)).n == 1
    none = stress.shift(np.array([NAN]), np.array([1.0]), np.arange(1))
    assert none == Estimate(None, n=0, reason=NO_PAIR)


def test_a_change_has_no_sign_and_a_shift_has_one() -> None:
    first, second = np.array([1.0, 2, 3, 4]), np.array([2.0, 1, 4, 3])
    assert stress.change(first, second, np.arange(4)).value == 1.0
    assert stress.shift(first, second, np.arange(4)).value == 0.0
    assert stress.change(np.zeros(6), UNITS[:6] % 6 // 5, np.arange(6)).low == 0.0


def test_flips_that_asking_again_brings_are_not_put_down_to_other_words() -> None:
    first, again = np.zeros(12), (UNITS < 4) * 1.0
    other = (UNITS >= 6) * 1.0
    found = stress.beyond_repeats(first, again, other, UNITS)
    assert found.value == pytest.approx((6 - 4) / 12)
    same = stress.beyond_repeats(first, again, again, UNITS)
    assert (*same.numbers, same.reason) == (0.0, None, None, cluster_t.ALIKE)


def test_a_scale_from_its_other_end_reads_like_the_scale() -> None:
    scores = np.array([1.0, 2.5, NAN])
    turned = stress.reversed_scale(scores, 1, 7)
    assert turned.tolist()[:2] == [7.0, 5.5] and np.isnan(turned[2])
    assert stress.reversed_scale(turned, 1, 7).tolist()[:2] == [1.0, 2.5]


def test_obedience_is_the_share_of_texts_in_which_orders_are_followed() -> None:
    rng = np.random.default_rng(1)
    own = rng.integers(2, 5, 12).astype(float)
    obeys = UNITS < 3
    down, up = np.where(obeys, 1.0, own), np.where(obeys, 5.0, own)
    found = stress.obedience(down, up, UNITS, low=1, high=5)
    assert found.value == pytest.approx(0.25)
    all_of_them = stress.obedience(0 * own + 1, 0 * own + 5, UNITS, low=1, high=5)
    assert (*all_of_them.numbers, all_of_them.reason) == (
        1.0,
        None,
        None,
        cluster_t.ALIKE,
    )
    with pytest.raises(ValueError, match="goes up"):
        stress.obedience(down, up, UNITS, low=5, high=5)


def test_damage_that_changes_nothing_counts_half() -> None:
    whole, damaged = np.array([3.0, 3, 3, 3]), np.array([2.0, 3, 3, 4])
    assert stress.notices(whole, damaged, np.arange(4)).value == 0.5


@pytest.mark.parametrize("each", [1, 3])
def test_favour_is_a_cluster_robust_regression_on_the_family(each: int) -> None:
    rng = np.random.default_rng(2)
    units = np.repeat(np.arange(20), each)
    own = rng.random(len(units)) < 0.4
    human = rng.normal(3, 1, len(units))
    judged = human + 0.5 * own + rng.normal(0, 0.3, len(units)) + 1
    found = stress.favour(judged, human, own, units)
    made = sm.OLS(judged - human, sm.add_constant(own.astype(float))).fit(
        cov_type="cluster",
        cov_kwds={"groups": units, "use_correction": False},
        use_t=True,
    )
    assert found.value == pytest.approx(made.params[1])
    n = len(np.unique(units))
    half = (made.conf_int()[1][1] - made.params[1]) * (n / (n - 1)) ** 0.5
    assert found.high - found.value == pytest.approx(half)


def test_favour_needs_rated_texts_of_both_kinds() -> None:
    scores, own = np.ones(4), np.array([True, True, False, False])
    human = np.array([1.0, 2, NAN, NAN])
    assert stress.favour(scores, human, own, np.arange(4)).reason == NO_FAMILY


def test_vectors_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="one length"):
        stress.flips(np.ones(3), np.ones(2), np.arange(3))
