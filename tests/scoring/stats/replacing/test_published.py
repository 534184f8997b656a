"""The test as published, on the published data."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from scoring.stats.replacing import published, scales
from scoring.stats.replacing.closeness import Compared, Marks, compare
from tests.support import shared

DISTANCE = {"summeval", "10k_prompts", "cebab_stars", "lesion"}
EPSILON = {
    **dict.fromkeys(("wax", "cebab_aspects", "cebab_stars"), 0.1),
    **dict.fromkeys(("framing", "lesion", "10k_prompts"), 0.15),
    **dict.fromkeys(("lgbteen", "mtbench", "summeval"), 0.2),
}


@cache
def people(name: str) -> tuple[Marks, list[str], dict]:
    """Ratings, names of the texts, and a number for each answer that has none."""
    path = shared.path(f"data/alttest/{name}/human_annotations.json")
    given = json.loads(path.read_text())
    texts = sorted({text for answers in given.values() for text in answers})
    at = {text: k for k, text in enumerate(texts)}
    answers = {v for rated in given.values() for v in rated.values()}
    numbered = name in DISTANCE
    codes = {v: float(v) if numbered else float(k) for k, v in enumerate(answers)}
    rows = [
        (at[text], rater, codes[value])
        for rater, rated in enumerate(given.values())
        for text, value in rated.items()
    ]
    text, rater, value = (np.array(column) for column in zip(*rows, strict=True))
    return Marks(text, rater, value), texts, codes


def judge(name: str, which: str) -> np.ndarray:
    marks, texts, codes = people(name)
    path = shared.path(f"data/alttest/{name}/llm_annotations.json")
    given = json.loads(path.read_text())[which]

    def number(value: object) -> float:
        if value is None:
            return np.nan
        return float(value) if name in DISTANCE else codes.get(value, -1.0)

    return np.array([number(given.get(text)) for text in texts])


def reached(name: str, scores: np.ndarray) -> tuple[float, float]:
    """Winning rate and advantage probability."""
    marks, _, _ = people(name)
    compared = compare(marks, scores, "rmse" if name in DISTANCE else "equal")
    raters = [compared.of(rater) for rater in range(marks.rater.max() + 1)]
    raters = [one for one in raters if len(one.d) >= published.LEAST_TEXTS]
    p = np.array([published.t_test(one.d, EPSILON[name]) for one in raters])
    rate = published.outcome(p).winning_rate
    return rate, float(np.mean([one.metric.mean() for one in raters]))


def test_all_52_printed_results_are_reached_exactly():
    lines = shared.path("golden/alttest/published.txt").read_text().split("\n")
    printed = [line.split() for line in lines if line.strip()]
    assert len(printed) == 52
    found = [
        (name, which, *(f"{x:.2f}" for x in reached(name, judge(name, which))))
        for name, which, *_ in printed
    ]
    assert found == [tuple(line) for line in printed]


def test_always_answering_4_wins_against_most_raters_of_10k_prompts():
    marks, texts, _ = people("10k_prompts")
    usual = scales.constants(marks.value, len(texts))["mode"]
    assert usual[0] == 4
    assert round(reached("10k_prompts", usual)[0], 2) == 0.77


@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=2, max_size=60))
def test_p_is_that_of_scipy(d):
    d = np.array(d)
    if np.ptp(d) == 0:
        return
    theirs = scipy.stats.ttest_1samp(d, 0.1, alternative="less").pvalue
    assert published.t_test(d, 0.1) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize(("d", "p"), [(0.0, 0.0), (-1.0, 0.0), (1.0, 1.0)])
def test_without_variance_the_mean_alone_decides(d, p):
    assert published.t_test(np.full(40, d), 0.2) == p


def test_one_text_is_no_test():
    assert np.isnan(published.t_test(np.ones(1), 0.1))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_rejections_are_those_of_scipys_adjusted_p(p):
    theirs = false_discovery_control(p, method="by") <= 0.05
    adjusted = false_discovery_control(p, method="by")
    if np.abs(adjusted - 0.05).min() > 1e-9:  # at the border rounding decides
        assert (published.benjamini_yekutieli(np.array(p)) == theirs).all()


def test_a_rater_who_was_refused_counts_as_no_win():
    found = published.outcome(np.array([1e-6, np.nan]))
    assert found.rejected.tolist() == [True, False]
    assert (found.winning_rate, found.passes) == (0.5, True)


def test_without_raters_there_is_no_winning_rate():
    found = published.outcome(np.empty(0))
    assert (found.winning_rate, found.passes) == (None, False)


def test_rows_of_one_rater_are_taken_alone():
    columns = np.array([0, 1]), np.array([0, 1])
    both = Compared(*columns, np.array([True, False]), np.array([False, True]))
    assert both.of(1).d.tolist() == [1.0]
