"""What the best model of a grid has most of."""

import numpy as np
import pytest
from scipy import stats

from scoring.contrib.argent_grid import grid_choice
from scoring.contrib.argent_grid.grid_choice import CRITERIA, Texts

N = 40
RNG = np.random.default_rng(5)
REAL = np.tile([True, False], N // 2)
UNIT = np.repeat(np.arange(N // 2), 2)
SYSTEM = np.array([f"s{k % 5}" for k in range(N)])
STRENGTH = np.array([0.4, 1.0, -1.2, 0.1, np.nan])[np.arange(N) % 5]
HUMAN = np.where(np.arange(N) % 7 == 0, np.nan, RNG.normal(size=N))
SCORES = np.where(np.isnan(HUMAN), 0.3, HUMAN) + RNG.normal(size=N)
TEXTS = Texts([""] * N, REAL, UNIT, UNIT, SYSTEM, STRENGTH, HUMAN)


def measure(name, scores=SCORES, texts=TEXTS):
    return CRITERIA[name].measure(texts, scores)


def test_accuracy_is_the_share_of_pairs_that_are_right():
    expected = 100 * (SCORES[::2] > SCORES[1::2]).mean()
    found = measure("accuracy")
    assert found.value == pytest.approx(expected)
    assert found.low < found.value < found.high <= 100


def test_a_text_without_a_twin_is_in_no_pair():
    alone = TEXTS._replace(pair=np.where(np.arange(N) == 1, -1, UNIT))
    assert measure("accuracy", texts=alone).n == N // 2 - 1


def test_votes_are_compared_with_the_mean_scores_of_systems():
    means = [SCORES[f"s{k}" == SYSTEM].mean() for k in range(4)]
    found = measure("votes")
    assert found.value == pytest.approx(stats.spearmanr(means, STRENGTH[:4]).statistic)
    assert found.n == 4 and found.low is not None


def test_ratings_are_compared_with_the_scores_of_texts():
    rated = np.isfinite(HUMAN)
    found = measure("ratings")
    assert found.value == pytest.approx(
        stats.pearsonr(SCORES[rated], HUMAN[rated]).statistic
    )
    assert found.low < found.value < found.high and found.n == rated.sum()


@pytest.mark.parametrize("name", CRITERIA)
def test_without_scores_there_is_a_reason(name):
    found = measure(name, scores=np.full(N, np.nan))
    assert found.value is None and found.reason


@pytest.mark.parametrize("name", CRITERIA)
def test_the_same_scores_give_the_same_interval(name):
    assert measure(name) == measure(name)


def test_a_half_that_will_do_has_no_problem():
    assert not any(grid_choice.problem(name, TEXTS, "test") for name in CRITERIA)


def test_two_systems_are_too_few_to_rank():
    few = TEXTS._replace(strength=np.where(SYSTEM > "s1", np.nan, STRENGTH))
    assert "texts of 2 systems" in grid_choice.problem("votes", few, "test")
