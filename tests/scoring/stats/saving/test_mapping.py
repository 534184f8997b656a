"""Scores on the human scale."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.stats.saving import mapping

N = 200
SCORES = np.random.default_rng(0).normal(size=N)
PROMPTS = np.arange(N) // 2


def expected(scores, ratings, **more):
    rng = np.random.default_rng(1)
    return mapping.expected(scores, ratings, PROMPTS, rng=rng, **more)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("shape", ["isotonic", "linear"])
def test_a_map_finds_its_direction(sign, shape):
    ratings = 3 + SCORES
    found = expected(sign * SCORES, ratings, shape=shape)
    assert np.corrcoef(found, ratings)[0, 1] > 0.99


def test_an_isotonic_map_stays_between_the_ratings_that_were_given():
    ratings = np.clip(np.round(3 + SCORES), 1, 5)
    found = expected(100 * SCORES, ratings)
    assert found.min() >= 1 and found.max() <= 5


def test_a_text_has_no_share_in_its_own_map():
    ratings = 3 + SCORES
    other = ratings.copy()
    other[PROMPTS == 7] += 50
    here, there = expected(SCORES, ratings), expected(SCORES, other)
    assert (here[PROMPTS == 7] == there[PROMPTS == 7]).all()
    assert (here != there).any()


def test_texts_without_a_rating_get_one_and_those_without_a_score_the_mean():
    ratings = np.where(np.arange(N) < 100, 3 + SCORES, np.nan)
    scores = SCORES.copy()
    scores[-1] = np.nan
    found = expected(scores, ratings)
    assert np.isfinite(found).all()
    assert found[-1] == pytest.approx(np.nanmean(ratings), abs=0.1)


def test_few_ratings_give_their_mean():
    ratings = np.full(N, np.nan)
    ratings[:6] = 4
    assert set(np.round(expected(SCORES, ratings), 9)) <= {4.0}


def test_nothing_rated_gives_zeros():
    assert not expected(SCORES, np.full(N, np.nan)).any()
