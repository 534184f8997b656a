import csv
import doctest
import json
from dataclasses import replace

import krippendorff
import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.stats import _alpha, agreement
from scoring.stats.agreement import (
    LEVELS,
    alpha,
    alpha_difference,
    alpha_interval,
)
from scoring.stats.estimates import Estimate
from scoring.stats.jackknife import ALIKE, ONE_UNIT
from tests.support import shared

SCALE = np.arange(1, 6)
AGREEING = np.array([[3, 0], [0, 3], [3, 0], [0, 3]])

tables = st.lists(
    st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=0, max_size=6
).map(lambda rows: np.array(rows, int).reshape(-1, 3))


def rng(seed=1):
    return np.random.default_rng(seed)


def rated(n, seed=0, raters=5, missing=0.2):
    """Counts of n texts on a scale of five, with gaps."""
    source = rng(seed)
    truth = source.normal(size=(n, 1))
    given = np.clip(np.round(3 + truth + source.normal(size=(n, raters))), 1, 5)
    given[source.random(given.shape) < missing] = np.nan
    return (given[:, :, np.newaxis] == SCALE).sum(axis=1)


def by_the_package(counts, level, values=SCALE):
    """Alpha of the package, NaN where it has none."""
    counts = counts[counts.sum(axis=1) >= 2]
    used = counts.sum(axis=0) > 0
    if used.sum() < 2:
        return np.nan
    return krippendorff.alpha(
        value_counts=counts[:, used],
        value_domain=values[used],
        level_of_measurement=level,
    )


@given(tables)
def test_patterns_are_the_rows_that_differ(counts):
    found = _alpha.patterns(counts)
    rows, times = np.unique(counts, axis=0, return_counts=True)
    assert dict(zip(map(tuple, found.rows), found.times, strict=True)) == dict(
        zip(map(tuple, rows), times, strict=True)
    )
    np.testing.assert_array_equal(found.rows[found.at], counts)


def test_patterns_of_many_columns_do_not_overflow():
    counts = rng().integers(0, 6, size=(300, 101))
    counts[150:] = counts[:150]
    found = _alpha.patterns(counts)
    assert len(found.rows) == 150
    np.testing.assert_array_equal(found.rows[found.at], counts)


@pytest.mark.parametrize("level", LEVELS)
@settings(max_examples=40)
@given(tables, st.data())
def test_a_weighted_alpha_is_that_of_repeated_texts(level, counts, data):
    n = len(counts)
    weights = data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    weights = np.array(weights, int)
    expected = by_the_package(np.repeat(counts, weights, axis=0), level, SCALE[:3])
    found = _alpha.alphas(weights[np.newaxis], counts, SCALE[:3], level)
    np.testing.assert_allclose(found, [expected], atol=1e-12)


@pytest.mark.parametrize("level", LEVELS)
def test_a_replicate_of_one_value_has_no_alpha_whatever_its_squares_round_to(level):
    counts = np.array([[2, 0], [3, 0], [0, 2]])
    weights = np.array([[n, k, 0] for n in range(1, 6) for k in range(6)] + [[1, 1, 1]])
    for high in np.linspace(0.2, 5, 40):
        values = np.array([0.1, high])
        *single, mixed = np.isnan(_alpha.alphas(weights, counts, values, level))
        assert all(single) and not mixed


def limits(value, without):
    """Of the jackknife with Student's t; no more than 1."""
    n = len(without)
    se = np.sqrt((n - 1) / n * ((value - without) ** 2).sum())
    half = scipy.stats.t.isf(0.025, n - 1) * se
    return value - half, min(value + half, 1)


@pytest.mark.parametrize("level", LEVELS)
def test_the_interval_is_that_of_the_jackknife_over_prompts(level):
    counts, prompts = rated(48, missing=0), np.arange(48) // 4
    without = [by_the_package(counts[prompts != u], level) for u in range(12)]
    found = alpha_interval(counts, SCALE, level, rng=rng(), units=prompts)
    expected = limits(by_the_package(counts, level), np.array(without))
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-9)
    assert found.n == 48


def test_single_texts_are_left_out_where_there_are_no_prompts():
    counts = rated(30)
    used = counts[counts.sum(axis=1) >= 2]
    without = [
        by_the_package(np.delete(used, k, axis=0), "ordinal") for k in range(len(used))
    ]
    found = alpha_interval(counts, SCALE, "ordinal", rng=rng())
    expected = limits(by_the_package(used, "ordinal"), np.array(without))
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-9)


def test_texts_of_one_prompt_that_are_alike_widen_the_interval():
    counts = np.repeat(rated(30, missing=0), 10, axis=0)
    alone = alpha_interval(counts, SCALE, "ordinal", rng=rng())
    whole = alpha_interval(
        counts, SCALE, "ordinal", rng=rng(), units=np.arange(300) // 10
    )
    assert whole.high - whole.low > 2 * (alone.high - alone.low)
    assert whole.value == alone.value


def test_a_slab_at_a_time_gives_the_same(monkeypatch):
    counts = rated(30)
    whole = alpha_interval(counts, SCALE, "ordinal", rng=rng())
    monkeypatch.setattr(_alpha, "SLAB", 1)
    parts = alpha_interval(counts, SCALE, "ordinal", rng=rng())
    assert parts.numbers == pytest.approx(whole.numbers, abs=1e-12)
    assert replace(parts, value=0, low=0, high=0) == replace(
        whole, value=0, low=0, high=0
    )


def test_the_difference_of_a_set_with_itself_is_zero():
    counts = rated(50)
    found = alpha_difference(counts, counts, SCALE, "ordinal", rng=rng())
    assert found.first == found.second
    assert (*found.difference.numbers, found.difference.reason) == (
        0,
        None,
        None,
        ALIKE,
    )


def test_both_sides_of_a_difference_lack_the_same_units():
    full = rated(40, missing=0)
    kept = full.copy()
    kept[::3] = 0
    found = alpha_difference(
        full, kept, SCALE, "ordinal", rng=rng(5), units=np.arange(40)
    )
    apart = [
        by_the_package(np.delete(full, k, axis=0), "ordinal")
        - by_the_package(np.delete(kept, k, axis=0), "ordinal")
        for k in range(40)
    ]
    value = found.first.value - found.second.value
    assert found.difference.value == pytest.approx(value)
    # Of the texts that the fewer ratings rest on are 26: so many degrees, less one.
    moved = np.sqrt(39 / 40 * ((value - np.array(apart)) ** 2).sum())
    half = scipy.stats.t.isf(0.025, 25) * moved
    assert found.difference.high - value == pytest.approx(half)


def test_a_text_with_one_rating_left_counts_on_the_other_side_only():
    first = np.array([[2, 0], [0, 2], [1, 1], [1, 0]])
    second = np.array([[2, 0], [0, 1], [0, 2], [1, 0]])
    found = alpha_difference(first, second, SCALE[:2], "nominal", rng=rng())
    assert (found.first.n, found.second.n, found.difference.n) == (3, 2, 3)
    assert found.second.value == alpha(second, SCALE[:2], "nominal").value


def test_a_difference_to_nothing_says_which_side_is_missing():
    counts = np.array([[2, 0], [0, 2]])
    found = alpha_difference(counts, counts * 0, SCALE[:2], "nominal", rng=rng())
    assert found.first.value == 1
    assert found.difference == Estimate(
        None, n=2, reason="second: no text has two ratings"
    )


def test_an_interval_over_the_union_of_texts_needs_as_many_rows_on_both_sides():
    with pytest.raises(ValueError, match="one number of rows"):
        alpha_difference(AGREEING, AGREEING[:2], SCALE[:2], "nominal", rng=rng())
    with pytest.raises(ValueError, match="one number of rows"):
        alpha_interval(AGREEING, SCALE[:2], "nominal", rng=rng(), units=np.arange(3))


def test_perfect_agreement_has_a_reason_for_no_interval():
    counts = np.repeat(AGREEING, 5, axis=0)
    found = alpha_interval(counts, SCALE[:2], "ordinal", rng=rng())
    assert (*found.numbers, found.reason) == (pytest.approx(1), None, None, ALIKE)


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        (np.empty((0, 2), int), "no text has two ratings"),
        (np.array([[1, 0], [0, 1]]), "no text has two ratings"),
        (np.array([[2, 0], [3, 0]]), "all ratings are the same"),
    ],
)
def test_no_alpha_is_none_with_the_reason(counts, reason):
    found = alpha_interval(counts, SCALE[:2], "ordinal", rng=rng())
    assert (*found.numbers, found.reason) == (None, None, None, reason)


def test_one_text_has_an_alpha_and_no_interval():
    found = alpha_interval(np.array([[1, 1]]), SCALE[:2], "nominal", rng=rng())
    assert found == Estimate(0, n=1, reason="an interval needs 10 prompts")


def test_alpha_that_rests_on_one_text_has_no_interval():
    counts = np.array([[2, 0]] * 11 + [[0, 2]])
    found = alpha_interval(counts, SCALE[:2], "nominal", rng=rng())
    assert found.value == pytest.approx(1)
    assert found.reason == ONE_UNIT


def test_values_without_a_ratio_are_none_with_the_reason():
    found = alpha(np.array([[1, 1], [2, 0]]), np.array([-1, 1]), "ratio")
    assert found.value is None
    assert found.reason == "the ratings differ, but not at this level of measurement"


@pytest.mark.parametrize("level", LEVELS)
@settings(max_examples=25)
@given(tables, tables)
def test_there_is_a_number_or_a_reason(level, first, second):
    n = min(len(first), len(second))
    for found in [
        alpha_interval(first, SCALE[:3], level, rng=rng()),
        *alpha_difference(first[:n], second[:n], SCALE[:3], level, rng=rng()),
    ]:
        assert not any(np.isnan(x) for x in found.numbers if x is not None)
        assert (found.value is None or found.low is None) == (found.reason is not None)
        assert found.low is None or found.low <= found.high


@pytest.mark.parametrize(
    ("aspect", "expected"),
    [("RE", 165), ("CH", -54), ("EM", 117), ("SU", 15), ("EG", 167), ("CX", 266)],
)
def test_it_equals_the_known_values_of_hanna(aspect, expected):
    path = shared.path("data/hanna/hanna_metric_scores_llm.csv")
    rows = [*csv.DictReader(path.open(encoding="utf-8"))]
    given = np.array(
        [
            [x for row in rows for x in json.loads(row[f"Human {i} {aspect}"])]
            for i in (1, 2, 3)
        ]
    )
    counts = (given.T[:, :, np.newaxis] == SCALE).sum(axis=1)
    found = alpha_interval(counts, SCALE, "ordinal", rng=rng())
    assert found.value == pytest.approx(expected / 1000, abs=0.0005)
    assert found.low < found.value < found.high


def test_the_examples_in_the_text_hold():
    assert doctest.testmod(agreement) == (0, 1)
