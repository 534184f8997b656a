from __future__ import annotations

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

from scoring.stats.answer import floor
from scoring.stats.replacing import scales

PROMPT = np.repeat(np.arange(12), 4)


def made(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    human = rng.integers(1, 6, size=len(PROMPT)).astype(float)
    return np.round(human * 20 + rng.normal(size=len(PROMPT)) * 30, -1), human


@pytest.mark.parametrize(
    ("scores", "unit", "fits"),
    [
        ([1, 3.5, 5, np.nan], "", True),
        ([1, 5.1], "", False),
        ([1, 7], "expected rating, [1, 5]", True),
        ([0.2, 0.9], "probability, [0, 1]", False),
        ([np.nan], "", False),
    ],
)
def test_scores_on_the_scale_of_the_question_need_no_map(scores, unit, fits):
    assert scales.is_on_scale(np.array(scores, float), unit, (1, 5)) is fits


@pytest.mark.parametrize(
    ("unit", "fits"),
    [
        ("F1, [0, 1]", False),
        ("share of words, [0, 1)", False),
        ("words, [0, inf)", False),
        ("score, [0, 100]", True),
        ("score, [0,100] (mean of 3)", True),
        ("score, [1, 5], as points [0, 100]", True),
        ("mean of (3, 4) [raters]", False),
        ("points (of 1,000)", True),
        ("points [", True),
    ],
)
def test_the_range_that_a_unit_names_decides_whatever_the_values(unit, fits):
    assert scales.is_on_scale(np.array([0.2, 0.9]), unit, (0, 100)) is fits


def test_the_map_is_sklearns_isotonic_regression_on_other_prompts():
    scores, human = made()
    fold = floor.folds(PROMPT)
    expected = np.full(len(PROMPT), np.nan)
    for k in np.unique(fold):
        learn, use = fold != k, fold == k
        fit = IsotonicRegression(out_of_bounds="clip").fit(scores[learn], human[learn])
        expected[use] = fit.predict(scores[use])
    assert scales.mapped(scores, human, PROMPT) == pytest.approx(expected)


def test_no_text_of_a_prompt_moves_where_that_prompt_is_mapped_to():
    scores, human = made()
    other = human.copy()
    fold = floor.folds(PROMPT)
    other[fold == 0] = 5.0
    here = fold == 0
    first, second = (scales.mapped(scores, y, PROMPT) for y in (human, other))
    assert first[here].tolist() == second[here].tolist()
    assert first[~here].tolist() != second[~here].tolist()


def test_what_has_no_score_or_rating_is_mapped_to_nothing():
    scores, human = made()
    scores[0], human[1] = np.nan, np.nan
    found = scales.mapped(scores, human, PROMPT)
    assert np.isnan(found).tolist() == [True, True, *[False] * (len(PROMPT) - 2)]


def test_one_prompt_has_nobody_to_learn_from():
    scores, human = made()
    assert np.isnan(scales.mapped(scores, human, np.zeros(len(PROMPT)))).all()


def test_scores_become_the_nearest_point_and_halves_the_lower_one():
    points = np.array([1.0, 2, 3, 5])
    given = np.array([-4, 1.5, 1.6, 4.0, 4.1, 9, np.nan])
    found = scales.to_points(given, points)
    assert found[:-1].tolist() == [1, 1, 2, 3, 5, 5] and np.isnan(found[-1])


def test_the_constants_are_the_mean_and_the_most_frequent_rating():
    found = scales.constants(np.array([4.0, 4, 1, 5]), 2)
    assert found["mean"].tolist() == [3.5, 3.5]
    assert found["mode"].tolist() == [4, 4]
