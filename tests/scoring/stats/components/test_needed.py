from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t
from statsmodels.stats.power import TTestPower

from scoring.stats.components.designs import Design
from scoring.stats.components.needed import (
    Goal,
    designs,
    detectable,
    power,
    prompts_needed,
    raters_needed,
)

LIKE = Design(prompts=1, raters=1)
KNOWN = {"text": 0.3, "residual": 0.6}


@pytest.mark.parametrize("prompts", [6, 20, 200])
@pytest.mark.parametrize("difference", [0.1, 0.3, 0.8])
def test_the_power_is_that_of_a_t_test(prompts, difference):
    expected = TTestPower().power(difference / 1.1, prompts, 0.05)
    assert power(1.21, prompts, Goal(difference)) == pytest.approx(expected, abs=1e-8)


def test_of_several_systems_one_pair_is_planned_as_the_first_of_all_by_holm():
    expected = TTestPower().power(0.3 / 1.1, 100, 0.05 / 10)  # five systems: ten pairs
    found = power(1.21, 100, Goal(0.3, systems=5))
    assert found == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize(("prompts", "margin"), [(10, 0.9), (25, 0.6), (100, 0.25)])
def test_the_power_for_equivalence_is_that_of_two_tests(prompts, margin):
    rng = np.random.default_rng(7)
    n = 40_000
    mean = rng.normal(0, 1 / prompts**0.5, n)
    error = np.sqrt(rng.chisquare(prompts - 1, n) / (prompts - 1) / prompts)
    shown = np.abs(mean) + t.isf(0.05, prompts - 1) * error < margin
    found = power(1.0, prompts, Goal(margin, equivalence=True))
    assert found == pytest.approx(shown.mean(), abs=0.008)


def test_the_prompts_are_the_fewest_that_reach_the_power():
    goal = Goal(0.3)
    n = prompts_needed(KNOWN, LIKE, goal)
    variance = 2 * 0.9
    assert power(variance, n, goal) >= 0.8 > power(variance, n - 1, goal)


def test_equivalence_within_a_margin_takes_more_than_a_difference_of_its_size():
    equal = prompts_needed(KNOWN, LIKE, Goal(0.3, equivalence=True))
    assert equal > prompts_needed(KNOWN, LIKE, Goal(0.3))


def test_no_study_is_large_enough_for_a_tiny_difference():
    assert prompts_needed(KNOWN, LIKE, Goal(0.0005)) is None


def test_never_fewer_than_six_prompts():
    assert prompts_needed({"residual": 0.0}, LIKE, Goal(1.0)) == 6


def test_more_raters_do_where_texts_hardly_differ():
    noisy = {"text": 0.0, "residual": 1.0}
    goal = Goal(0.4)
    needed = raters_needed(noisy, Design(prompts=20, raters=1), goal)
    assert power(2 / needed, 20, goal) >= 0.8 > power(2 / (needed - 1), 20, goal)


def test_no_number_of_raters_does_where_texts_differ_too_much():
    design = Design(prompts=20, raters=1)
    assert raters_needed({"text": 1.0, "residual": 0.1}, design, Goal(0.4)) is None


def test_the_smallest_difference_is_the_one_that_reaches_the_power():
    found = detectable(1.8, 40, Goal(1.0))
    assert power(1.8, 40, Goal(found)) == pytest.approx(0.8, abs=1e-4)
    assert detectable(1.8, 1, Goal(1.0)) is None


def test_one_rater_of_each_text_is_the_cheapest():
    found = designs(KNOWN, Goal(0.3), systems=4, like=LIKE, price=0.1)
    assert [one.design.raters for one in found] == [1, 2, 3, 5]
    assert found[0].cost == pytest.approx(found[0].ratings * 0.1)
    assert found[0].ratings == 4 * found[0].design.prompts


def test_texts_that_cost_money_are_worth_several_raters():
    found = designs(
        KNOWN, Goal(0.3), systems=4, like=LIKE, price=0.1, price_of_text=5.0
    )
    assert found[0].design.raters == 5


def test_designs_of_more_prompts_than_there_are_are_left_out():
    every = designs(KNOWN, Goal(0.3), systems=4, like=LIKE)
    most = every[0].design.prompts - 1
    found = designs(KNOWN, Goal(0.3), systems=4, like=LIKE, most_prompts=most)
    assert [one.design.raters for one in found] == [2, 3, 5]


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        (Goal(0), "a difference above 0, got 0"),
        (Goal(1, power=1.0), "power between 0 and 1, got 1.0"),
        (Goal(1, power=0.01), "a power above alpha"),
    ],
)
def test_a_goal_that_cannot_be_is_refused(goal, words):
    with pytest.raises(ValueError, match=words):
        power(1.0, 10, goal)
