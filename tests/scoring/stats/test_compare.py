import doctest
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from scoring.stats import compare
from scoring.stats.compare import (
    adjust,
    benjamini_hochberg,
    clusters,
    compare_all,
    holm,
    williams,
    williams_of,
)

GOLDEN = Path(__file__).parents[2] / "golden" / "metric_comparison.json"
NAN = float("nan")


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("case", range(2))
def test_williams_equals_the_psych_package_of_r(case):
    golden = json.loads(GOLDEN.read_text())["williams"]["cases"][case]
    p = golden.pop("p")
    assert williams(**golden).p == pytest.approx(p, abs=1e-6)


def test_williams_is_positive_where_the_first_metric_is_better():
    better, worse = williams(0.7, 0.4, 0.3, 50), williams(0.4, 0.7, 0.3, 50)
    assert better.statistic == -worse.statistic > 0
    assert better.p == worse.p < 0.05
    assert better.df == 47


def test_williams_of_equal_correlations_is_no_difference():
    assert williams(0.5, 0.5, 0.2, 30)[:2] == (0, 1)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ((0.5, 0.4, 0.3, 3), "fewer than 4 texts with all three scores"),
        ((0.5, 0.5, 1.0, 30), "the two metrics are the same up to their scale"),
        ((0.9, 0.9, -0.9, 30), "the correlations are not of the same texts"),
        ((0.6, -0.6, -0.28, 9), None),
        ((1.0, -1.0, -1.0, 9), "the correlations are too perfect to test"),
    ],
)
def test_williams_says_why_there_is_no_test(given, reason):
    found = williams(*given)
    assert found.reason == reason
    assert (found.p is None) == (reason is not None)


def test_what_is_no_correlation_is_refused():
    with pytest.raises(ValueError, match="1.2"):
        williams(1.2, 0, 0, 9)


def test_williams_uses_the_texts_that_have_all_three_scores():
    x1, x2, z = rng().normal(size=(3, 20))
    gap = x1.copy()
    gap[0] = NAN
    assert williams_of(gap, x2, z) == williams_of(x1[1:], x2[1:], z[1:])
    r12, r13, r23 = (np.corrcoef(pair)[0, 1] for pair in ((x1, z), (x2, z), (x1, x2)))
    assert williams_of(x1, x2, z).p == pytest.approx(williams(r12, r13, r23, 20).p)


@pytest.mark.parametrize(
    ("x1", "reason"),
    [
        ([4, 4, 4, 4, 4], "first metric: all the same"),
        ([1, 2, NAN, NAN, NAN], "fewer than 3 pairs of scores"),
        ([1, 2, 4, NAN, NAN], "fewer than 4 texts with all three scores"),
        ([2, 4, 3, 9, 7], "the two metrics are the same up to their scale"),
    ],
)
def test_williams_names_the_scores_at_fault(x1, reason):
    found = williams_of(x1, [1, 2, 1.5, 4.5, 3.5], [1, 2, 2, 3, 1])
    assert (found.p, found.reason) == (None, reason)


def test_williams_keeps_its_level_where_its_assumptions_hold():
    z, x1, x2 = stats.zscore(
        [
            (z, z + first, z + second)
            for z, first, second in rng(4).normal(size=(3000, 3, 60))
        ],
        axis=2,
    ).swapaxes(0, 1)
    pairs = ((x1, z), (x2, z), (x1, x2))
    r = np.array([(a * b).mean(axis=1) for a, b in pairs])
    p = np.array([williams(*three, 60).p for three in r.T])
    assert 0.04 < np.mean(p < 0.05) < 0.06


scores = st.sampled_from([0.0, 1, 2, 2, 5, 1e9, NAN, np.inf])


@given(st.lists(st.tuples(scores, scores, scores), max_size=9))
@settings(max_examples=60, deadline=None)
def test_williams_gives_any_scores_a_p_or_a_reason(rows):
    found = williams_of(*(np.array(rows).T if rows else np.zeros((3, 0))))
    assert (found.p is None) == (found.reason is not None)
    assert found.p is None or 0 <= found.p <= 1


FAMILIES = [
    [0.03],
    [0.01, 0.04, 0.03, 0.005],
    [0.5, 0.5, 0.02, 0.02, 1.0],
    [0.0, 0.2, 0.9, 0.9, 0.9, 0.9, 0.9, 0.01],
    list(rng(3).uniform(0, 0.2, 30)),
]


@pytest.mark.parametrize("p", FAMILIES)
def test_holm_equals_statsmodels(p):
    expected = multipletests(p, method="holm")[1]
    assert holm(np.array(p)) == pytest.approx(expected)


@pytest.mark.parametrize("p", FAMILIES)
def test_benjamini_hochberg_equals_scipy(p):
    expected = stats.false_discovery_control(p)
    assert benjamini_hochberg(np.array(p)) == pytest.approx(expected)


@given(st.lists(st.floats(0, 1), max_size=9))
@settings(max_examples=30, deadline=None)
def test_an_adjusted_p_is_never_smaller(p):
    p = np.array(p)
    assert (holm(p) >= benjamini_hochberg(p)).all()
    assert (benjamini_hochberg(p) >= p).all()
    assert (holm(p) <= 1).all()


def test_what_was_not_tested_is_no_part_of_the_family():
    found = holm(np.array([[0.01, NAN], [0.04, 0.02]]))
    expected = [[0.03, NAN], [0.04, 0.04]]
    assert found == pytest.approx(np.array(expected), nan_ok=True)
    assert len(holm(np.array([]))) == 0


def test_each_pair_of_a_matrix_counts_once():
    p = np.array([[NAN, 0.01, 0.03], [0.01, NAN, NAN], [0.03, NAN, NAN]])
    adjusted, size = adjust(p)
    assert size == 2
    assert adjusted[0, 1] == adjusted[1, 0] == pytest.approx(0.02)
    assert adjusted[0, 2] == pytest.approx(0.03)
    assert np.isnan(adjusted[1, 2])
    assert adjust(p, "none")[0][0, 1] == 0.01


def test_an_unknown_correction_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="holm"):
        adjust(np.ones((2, 2)), "bonferoni")


@pytest.mark.parametrize("case", range(4))
def test_clusters_equal_those_of_mt_metrics_eval(case):
    golden = json.loads(GOLDEN.read_text())["clusters"]["cases"][case]
    p = np.array(golden["p"]) + np.array(golden["p"]).T
    np.fill_diagonal(p, NAN)
    order = rng(case).permutation(len(p))
    values = np.linspace(0.9, 0.1, len(p))[order]
    ranks = clusters(values, p[np.ix_(order, order)])
    assert ranks == tuple(np.array(golden["ranks"])[order])


def test_a_rank_opens_only_below_the_level():
    p = np.array([[NAN, 0.05], [0.05, NAN]])
    assert clusters([0.9, 0.1], p) == (1, 1)
    assert clusters([0.1, 0.9], p - 1e-9) == (2, 1)


def test_a_metric_without_a_value_has_no_rank():
    assert clusters([0.5, NAN, 0.4], np.full((3, 3), NAN)) == (1, None, 1)
    assert clusters([], np.zeros((0, 0))) == ()


def compared(values, p, **options):
    matrix = np.full((3, 3), NAN)
    matrix[np.triu_indices(3, 1)] = p
    matrix = np.where(np.isnan(matrix), matrix.T, matrix)
    return compare_all(np.array(values), matrix, **options)


def test_only_a_metric_that_beats_all_others_is_the_best():
    assert compared([0.2, 0.9, 0.1], [0.01, 0.8, 0.01]).best == 1
    assert compared([0.2, 0.9, 0.1], [0.01, 0.8, 0.2]).best is None
    assert compared([NAN, 0.9, NAN], [NAN, NAN, NAN]).best is None
    assert compared([NAN, NAN, NAN], [NAN, NAN, NAN]).best is None


def test_a_comparison_tells_its_family():
    found = compared([0.2, 0.9, 0.1], [0.02, 0.8, 0.03])
    assert found.family == 3
    assert found.ranks == (1, 1, 1)  # 0.06 after Holm
    assert compared([0.2, 0.9, 0.1], [0.02, 0.8, 0.03], correction="none").ranks == (
        2,
        1,
        2,
    )


def test_the_examples_in_the_text_hold():
    assert doctest.testmod(compare).failed == 0
