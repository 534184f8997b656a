"""Agreement prompt by prompt, against scipy and brute force."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from scoring.stats.answer.contributions import (
    Target,
    across_prompts,
    alone,
    contrasts,
    within_prompts,
)
from tests.scoring.stats.loops import longer_tailed

RNG = np.random.default_rng(7)
PROMPT = np.repeat(np.arange(12), 5)
HUMAN = RNG.normal(size=60)
COLUMNS = HUMAN[:, None] * [1.0, 0.3] + RNG.normal(size=(60, 2))
ALL = Target(np.arange(60), HUMAN, COLUMNS)
FORMS = {"pearson": "pearsonr", "spearman": "spearmanr", "kendall": "kendalltau"}


@pytest.mark.parametrize("coefficient", FORMS)
def test_by_prompt_it_is_the_mean_of_scipys_coefficients(coefficient):
    of = within_prompts([ALL], PROMPT, coefficient)
    test = getattr(scipy.stats, FORMS[coefficient])
    wanted = [
        np.mean([test(x[p == PROMPT], HUMAN[p == PROMPT])[0] for p in range(12)])
        for x in COLUMNS.T
    ]
    assert of.values == pytest.approx(wanted, abs=1e-12)


def test_a_difference_is_tested_as_the_prompts_differences():
    of = within_prompts([ALL], PROMPT, "pearson")
    found = contrasts(of, np.array([[1.0, -1.0]]))[0]
    r = np.array(
        [
            [np.corrcoef(x[p == PROMPT], HUMAN[p == PROMPT])[0, 1] for x in COLUMNS.T]
            for p in range(12)
        ]
    )
    wanted = longer_tailed(r[:, 0] - r[:, 1])
    assert (found.greater, found.less) == pytest.approx(wanted, abs=1e-12)


def test_a_column_that_ties_a_prompt_counts_as_0_there():
    tied = COLUMNS.copy()
    tied[PROMPT == 3, 0] = 1.0
    of = within_prompts([Target(np.arange(60), HUMAN, tied)], PROMPT, "pearson")
    whole = within_prompts([ALL], PROMPT, "pearson")
    lost = np.corrcoef(COLUMNS[PROMPT == 3, 0], HUMAN[PROMPT == 3])[0, 1] / 12
    assert of.values[0] == pytest.approx(whole.values[0] - lost, abs=1e-12)
    assert of.n_prompts == 12


def test_a_prompt_that_people_tie_is_left_out_for_all_columns():
    human = np.where(PROMPT == 3, 2.0, HUMAN)
    of = within_prompts([Target(np.arange(60), human, COLUMNS)], PROMPT, "pearson")
    assert of.n_prompts == 11 and of.n_texts == 55


def test_of_two_texts_tau_is_the_order_and_a_tie_is_0():
    prompt, human = np.repeat(np.arange(10), 2), np.tile([0.0, 1.0], 10)
    score = human.copy()
    score[:4] = [1, 0, 0, 0]  # one pair the other way round, one tied
    target = Target(np.arange(20), human, score[:, None])
    assert within_prompts([target], prompt, "kendall").values[0] == pytest.approx(0.7)


def test_several_targets_are_averaged_within_each_prompt():
    other = Target(np.arange(60), HUMAN[::-1].copy(), COLUMNS)
    both = within_prompts([ALL, other], PROMPT, "pearson").values
    each = [within_prompts([t], PROMPT, "pearson").values for t in (ALL, other)]
    assert both == pytest.approx(np.mean(each, axis=0), abs=1e-12)


def test_across_prompts_the_jackknife_leaves_out_whole_prompts():
    groups = np.zeros(60, int)
    rng = np.random.default_rng(1)
    of = across_prompts([ALL], PROMPT, groups, "pearson", rng)
    r = np.corrcoef(COLUMNS[:, 0], HUMAN)[0, 1]
    without = [
        np.corrcoef(COLUMNS[p != PROMPT, 0], HUMAN[p != PROMPT])[0, 1]
        for p in range(12)
    ]
    assert of.values[0] == pytest.approx(r, abs=1e-12)
    assert of.of.deviation[:, 0] == pytest.approx(r - np.array(without), abs=1e-9)


def test_across_prompts_a_constant_column_counts_as_0():
    columns = np.column_stack([COLUMNS[:, 0], np.ones(60)])
    target = Target(np.arange(60), HUMAN, columns)
    rng = np.random.default_rng(1)
    of = across_prompts([target], PROMPT, np.zeros(60, int), "pearson", rng)
    assert of.values[1] == 0 and of.values[0] == pytest.approx(
        np.corrcoef(COLUMNS[:, 0], HUMAN)[0, 1]
    )


def test_with_fewer_than_ten_prompts_there_is_no_test():
    few = PROMPT < 9
    target = Target(np.flatnonzero(few), HUMAN[few], COLUMNS[few])
    found = alone(within_prompts([target], PROMPT, "pearson"), 0)
    assert np.isnan(found.greater) and np.isnan(found.low)
