import doctest

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from scoring.stats import kappa
from scoring.stats.kappa import WEIGHTS, cohen_kappa, fleiss_kappa, gwet_ac

SCALE = np.arange(1, 6)
NAN = np.nan
# Four raters, twelve texts: the example of Krippendorff (2011) and Gwet (2014).
RATED = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
)

two_raters = st.lists(
    st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=2, max_size=12
).map(lambda pairs: np.array(pairs, float).T)


def counted(ratings):
    return (np.asarray(ratings).T[:, :, np.newaxis] == SCALE).sum(axis=1)


@pytest.mark.parametrize("weights", WEIGHTS)
@given(two_raters)
def test_cohens_kappa_is_that_of_scikit_learn(weights, raters):
    found = cohen_kappa(*raters, weights)
    if found.value is None:
        assert len(np.unique(raters)) == 1
        assert found.reason == "all ratings are the same"
        return
    labels = np.arange(raters.min(), raters.max() + 1)
    kind = None if weights == "identity" else weights
    expected = cohen_kappa_score(*raters, labels=labels, weights=kind)
    assert found.value == pytest.approx(expected, abs=1e-12)


def test_cohens_kappa_leaves_texts_of_one_rating_out():
    whole = cohen_kappa(RATED[1, 1:10], RATED[3, 1:10], "linear")
    assert cohen_kappa(RATED[1, :11], RATED[3, :11], "linear").n == 10
    gaps = cohen_kappa([NAN, *RATED[1, 1:10]], [2, *RATED[3, 1:10]], "linear")
    assert gaps == whole


@given(st.lists(st.lists(st.integers(1, 5), min_size=4, max_size=4), min_size=1))
def test_fleiss_kappa_is_that_of_statsmodels(texts):
    counts = counted(np.array(texts).T)
    found = fleiss_kappa(counts)
    if found.value is None:
        assert len(np.unique(texts)) == 1
    else:
        expected = statsmodels_fleiss(counts[:, counts.sum(axis=0) > 0])
        assert found.value == pytest.approx(expected, abs=1e-12)


def test_the_published_values_of_ratings_with_gaps():
    counts = counted(RATED)
    assert fleiss_kappa(counts).value == pytest.approx(0.76117, abs=5e-6)
    assert gwet_ac(counts, SCALE).value == pytest.approx(0.77544, abs=5e-6)
    assert gwet_ac(counts, SCALE).n == 11


@pytest.mark.parametrize("weights", WEIGHTS)
def test_gwets_ac_pair_by_pair(weights):
    ratings = np.random.default_rng(0).integers(1, 6, size=(4, 20))
    w = kappa.weights_between(SCALE, weights)
    pairs = [
        w[a - 1, b - 1]
        for text in ratings.T
        for i, a in enumerate(text)
        for b in text[i + 1 :]
    ]
    share = np.array([(ratings == value).mean() for value in SCALE])
    by_chance = w.sum() / 20 * (share * (1 - share)).sum()
    expected = (np.mean(pairs) - by_chance) / (1 - by_chance)
    found = gwet_ac(counted(ratings), SCALE, weights)
    assert found.value == pytest.approx(expected, abs=1e-12)


def test_skewed_ratings_have_a_low_kappa_and_a_high_ac():
    first, second = [1] * 48 + [1, 2], [1] * 48 + [2, 1]
    assert cohen_kappa(first, second).value < 0
    assert gwet_ac(counted([first, second])[:, :2], SCALE[:2]).value > 0.95


@pytest.mark.parametrize("function", [fleiss_kappa, lambda c: gwet_ac(c, SCALE)])
def test_no_text_with_two_ratings_is_none_with_the_reason(function):
    for counts in (np.empty((0, 5), int), np.eye(5, dtype=int)):
        assert function(counts) == (None, "no text has two ratings", 0)


def test_edges_of_each():
    nothing = np.array([NAN, 1]), np.array([1, NAN])
    assert cohen_kappa(*nothing) == (None, "no text has two ratings", 0)
    same = np.array([[2, 0], [2, 0]])
    assert fleiss_kappa(same) == (None, "all ratings are the same", 2)
    assert gwet_ac(same, SCALE[:2]) == (1, None, 2)
    assert gwet_ac(same[:, :1], SCALE[:1]).reason == "the scale has one point only"


def test_what_does_not_fit_is_named():
    with pytest.raises(ValueError, match="identity, linear, quadratic"):
        cohen_kappa([1, 2], [1, 2], "cubic")
    with pytest.raises(ValueError, match=r"\(2,\), \(3,\)"):
        cohen_kappa([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match=r"\(1, 2\)"):
        gwet_ac(np.array([[1, 1]]), np.array([1]))


def test_the_examples_in_the_text_hold():
    assert doctest.testmod(kappa) == (0, 1)
