import csv
import doctest
import json

import numpy as np
import pytest
from scipy import stats

from scoring.stats import correlation
from scoring.stats.correlation import kendall, pearson, spearman
from tests import shared

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


@pytest.mark.parametrize("coefficient", ALL)
def test_it_equals_the_published_values_of_hanna(coefficient):
    """At system level: 10 systems, each score the mean over 96 prompts."""
    scores, published = hanna()
    for metric in list(published)[:12]:
        for aspect in ("Coherence", "Relevance"):
            found = coefficient(scores[metric], scores[aspect])
            expected = published[metric][f"{aspect}_system_{coefficient.__name__}"]
            assert abs(found.value) == pytest.approx(float(expected), abs=1e-12)
            assert found.n == 10


def hanna():
    folder = shared.path("data/hanna")
    with (folder / "hanna_metric_scores.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["Model"] != "Human"]
    columns = [name for name in rows[0] if name != "Model"]
    scores = {
        name: np.array([np.nanmean(json.loads(row[name])) for row in rows])
        for name in columns
    }
    with (folder / "rankings" / "system.csv").open() as file:
        published = {row["Model"]: row for row in csv.DictReader(file)}
    return scores, published
