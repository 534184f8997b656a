from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from scoring.stats.raters import spearman_brown
from scoring.stats.subsets import curve, curve_by_text

NAN = float("nan")


def rng(seed=0):
    return np.random.default_rng(seed)


def scored(n=120, n_scores=6, noise=1.5):
    generator = rng(9)
    quality = generator.normal(size=n)
    scores = quality[:, None] + noise * generator.normal(size=(n, n_scores))
    return scores, quality


def test_all_evaluators_together_are_their_weighted_mean():
    scores, target = scored()
    weights = rng(1).random(scores.shape)
    (found,) = curve(scores, target, rng=rng(), weights=weights, sizes=(6,))
    mean = (weights * scores).sum(axis=1) / weights.sum(axis=1)
    assert found.mean == pytest.approx(stats.pearsonr(mean, target).statistic)
    assert (found.std, found.n_subsets, found.n) == (0, 1, 120)


def test_few_subsets_are_all_taken():
    scores, target = scored()
    found = curve(scores, target, rng=rng(), sizes=(1, 2), repeats=15)
    for k, point in zip((1, 2), found, strict=True):
        values = [
            stats.pearsonr(scores[:, members].mean(axis=1), target).statistic
            for members in combinations(range(6), k)
        ]
        assert point.n_subsets == len(values)
        assert point.mean == pytest.approx(np.mean(values))
        assert point.std == pytest.approx(np.std(values, ddof=1))


def test_many_subsets_are_drawn_and_all_different():
    scores, target = scored(n_scores=8)
    (drawn,) = curve(scores, target, rng=rng(), sizes=(4,), repeats=60)
    (every,) = curve(scores, target, rng=rng(), sizes=(4,), repeats=70)
    assert (drawn.n_subsets, every.n_subsets) == (60, 70)  # of 8 over 4 = 70
    # 60 different ones of 70 are nearer than 60 of many would be
    assert abs(drawn.mean - every.mean) < every.std / 60**0.5


def test_weights_may_be_one_per_evaluator_and_zero_leaves_one_out():
    scores, target = scored(n_scores=3)
    (found,) = curve(scores, target, rng=rng(), weights=np.array([2, 1, 0]), sizes=(3,))
    mean = (2 * scores[:, 0] + scores[:, 1]) / 3
    assert found.mean == pytest.approx(stats.pearsonr(mean, target).statistic)


def test_a_missing_score_leaves_the_mean_to_the_others():
    scores, target = scored(n_scores=2)
    scores[:40, 0] = NAN
    (found,) = curve(scores, target, rng=rng(), sizes=(2,))
    expected = stats.pearsonr(np.nanmean(scores, axis=1), target).statistic
    assert found.mean == pytest.approx(expected) and found.n == 120
    (alone,) = curve(scores, target, rng=rng(), sizes=(1,))
    assert alone.n == 80


def test_a_text_without_weight_is_left_out():
    scores, target = scored(n_scores=2)
    weights = np.ones(scores.shape)
    weights[:20] = 0
    (found,) = curve(scores, target, rng=rng(), weights=weights, sizes=(2,))
    expected = stats.pearsonr(scores[20:].mean(axis=1), target[20:]).statistic
    assert found.mean == pytest.approx(expected) and found.n == 100


def test_more_evaluators_correlate_better_and_differ_less():
    scores, target = scored(400, 16)
    found = curve(scores, target, rng=rng(), sizes=(1, 2, 4, 8))
    assert [p.mean for p in found] == sorted(p.mean for p in found)
    assert [p.std for p in found] == sorted((p.std for p in found), reverse=True)


def test_an_infinite_score_spoils_its_own_subsets_only():
    scores, target = scored(n_scores=3)
    scores[0, 0] = -np.inf
    one, _, three = curve(scores, target, rng=rng())
    assert one.n_subsets == 2
    assert three.mean is None and three.reason == "mean scores: some are infinite"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sizes": (0,)}, "sizes from 1 to 6"),
        ({"sizes": (7,)}, "sizes from 1 to 6"),
        ({"weights": -np.ones(6)}, "0 or more"),
        ({"coefficient": "cosine"}, "pearson, spearman, kendall"),
    ],
)
def test_impossible_curves_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        curve(*scored(), rng=rng(), **options)


def test_scores_and_target_must_match():
    with pytest.raises(ValueError, match=r"\(5, 2\) and \(4,\)"):
        curve(np.ones((5, 2)), np.ones(4), rng=rng())


def test_raters_are_drawn_anew_for_each_text():
    """In the first column the best rating of each text: by column they would differ."""
    scores, target = scored(300, 4)
    ordered = np.sort(scores, axis=1)
    one, _, _, four = curve_by_text(ordered, target, rng=rng())
    (fixed,) = curve(ordered, target, rng=rng(), sizes=(1,))
    (shuffled,) = curve(scores, target, rng=rng(), sizes=(1,))
    assert one.mean == pytest.approx(shuffled.mean, abs=0.02)
    assert fixed.mean > one.mean + 0.05
    assert (four.std, four.n_subsets) == (0, 1)


def test_means_of_more_raters_follow_spearman_and_brown():
    """The squared correlation with the truth is the reliability of the mean."""
    scores, target = scored(4000, 5, noise=1)
    one, *_, five = curve_by_text(scores, target, rng=rng(), repeats=5)
    assert five.mean**2 == pytest.approx(spearman_brown(one.mean**2, 5), abs=0.02)


@pytest.mark.parametrize("way", [curve, curve_by_text])
def test_ratings_in_tenths_have_the_ties_of_whole_ratings(way):
    ratings = rng().integers(1, 6, (50, 5)).astype(float)
    target = rng(1).integers(1, 4, 50)
    whole, tenths = (
        way(scores, target, rng=rng(), coefficient="kendall", repeats=3)
        for scores in (ratings, ratings / 10)
    )
    assert [p.mean for p in tenths] == pytest.approx([p.mean for p in whole])


@pytest.mark.parametrize("way", [curve, curve_by_text])
def test_one_draw_of_several_has_no_spread(way):
    scores, target = scored(n=40, n_scores=3)
    points = way(scores, target, rng=rng(), repeats=1)
    assert [point.std for point in points] == [None, None, 0.0]


def test_a_text_with_too_few_raters_is_left_out_of_larger_means():
    scores, target = scored(50, 3)
    scores[:10, 1] = NAN
    scores[:5, 2] = NAN
    found = curve_by_text(scores, target, rng=rng(), repeats=4)
    assert [point.n for point in found] == [50, 45, 40]
    expected = stats.pearsonr(scores[10:].mean(axis=1), target[10:]).statistic
    assert found[2].mean == pytest.approx(expected)


cell = st.sampled_from([NAN, 0.0, 1.0, 2.0, 2.0, -np.inf])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(cell, cell, cell, cell), max_size=7),
    st.sampled_from(["pearson", "spearman", "kendall"]),
)
def test_any_scores_give_numbers_or_reasons(rows, coefficient):
    table = np.array(rows, float).reshape(-1, 4)
    for one in (curve, curve_by_text):
        found = one(
            table[:, 1:], table[:, 0], rng=rng(), repeats=3, coefficient=coefficient
        )
        assert [point.k for point in found] == [1, 2, 3]
        for point in found:
            assert (point.mean is None) == (point.reason is not None)
            assert np.isfinite([x for x in point[1:3] if x is not None]).all()


def test_the_best_of_k_is_the_largest_that_was_drawn():
    scores, target = scored(60, 3)
    *_, three = curve_by_text(scores, target, rng=rng(), best=True)
    assert three.mean == pytest.approx(
        stats.pearsonr(scores.max(axis=1), target).statistic
    )
    one = curve_by_text(scores, target, rng=rng(), best=True)[0]
    assert one == curve_by_text(scores, target, rng=rng())[0]
