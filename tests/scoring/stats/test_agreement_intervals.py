import csv
import doctest
import json

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.stats import _alpha, agreement
from scoring.stats.agreement import (
    LEVELS,
    alpha,
    alpha_difference,
    alpha_interval,
    alpha_kalpha,
)
from scoring.stats.counts import draw
from tests import shared

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
def test_drawing_patterns_is_drawing_texts(level):
    counts = rated(80)
    naive = rng(2)
    used = counts[counts.sum(axis=1) >= 2]
    plain = [
        by_the_package(used[naive.integers(0, len(used), len(used))], level)
        for _ in range(600)
    ]
    found = alpha_interval(counts, SCALE, level, rng=rng(), draws=4000)
    # Some three standard errors of the quantiles of 600 draws.
    margin = 0.5 * np.std(plain)
    low, high = np.quantile(plain, [0.025, 0.975])
    assert found.low == pytest.approx(low, abs=margin)
    assert found.high == pytest.approx(high, abs=margin)
    assert found.value == pytest.approx(by_the_package(counts, level), abs=1e-12)
    assert found.n == len(used)


def test_the_number_of_a_pattern_is_that_of_a_multinomial():
    found = _alpha.patterns(np.array([[2, 0]] * 6 + [[1, 1]] * 3 + [[0, 2]]))
    weights = np.concatenate([*_alpha.resampled(found, None, rng=rng(), draws=20_000)])
    share = found.times / 10
    assert (weights.sum(axis=1) == 10).all()
    np.testing.assert_allclose(weights.mean(axis=0), found.times, atol=0.05)
    expected = 10 * (np.diag(share) - np.outer(share, share))
    np.testing.assert_allclose(np.cov(weights.T), expected, atol=0.1)


@pytest.mark.parametrize("level", LEVELS)
def test_prompts_are_drawn_whole(level):
    counts = rated(40, missing=0)
    prompts = np.arange(40) // 4
    weights = draw(prompts, rng=rng(3), draws=50).rows().astype(int)
    expected = [
        by_the_package(np.repeat(counts, row, axis=0), level) for row in weights
    ]
    found = alpha_interval(counts, SCALE, level, rng=rng(3), draws=50, units=prompts)
    assert (found.low, found.high) == pytest.approx(
        tuple(np.quantile(expected, [0.025, 0.975])), abs=1e-12
    )


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
    whole = alpha_interval(counts, SCALE, "ordinal", rng=rng(), draws=50)
    monkeypatch.setattr(_alpha, "SLAB", 1)
    parts = alpha_interval(counts, SCALE, "ordinal", rng=rng(), draws=50)
    assert parts == pytest.approx(whole, abs=1e-12)


def test_the_difference_of_a_set_with_itself_is_zero():
    counts = rated(50)
    found = alpha_difference(counts, counts, SCALE, "ordinal", rng=rng())
    assert found.first == found.second
    assert found.difference[:3] == (0, 0, 0)


def test_both_sides_of_a_difference_share_their_replicates():
    full = rated(40, missing=0)
    kept = full.copy()
    kept[::3] = 0
    found = alpha_difference(
        full, kept, SCALE, "ordinal", rng=rng(5), draws=60, units=np.arange(40)
    )
    weights = draw(np.arange(40), rng=rng(5), draws=60).rows().astype(int)
    a, b = (
        np.array([by_the_package(np.repeat(c, w, axis=0), "ordinal") for w in weights])
        for c in (full, kept)
    )
    for estimate, expected in zip(found, (a, b, a - b), strict=True):
        limits = tuple(np.quantile(expected, [0.025, 0.975]))
        assert (estimate.low, estimate.high) == pytest.approx(limits, abs=1e-12)
    assert found.difference.value == pytest.approx(
        found.first.value - found.second.value
    )


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
    assert found.difference == (None, None, None, "second: no text has two ratings", 2)


def test_an_interval_over_the_union_of_texts_needs_as_many_rows_on_both_sides():
    with pytest.raises(ValueError, match="one number of rows"):
        alpha_difference(AGREEING, AGREEING[:2], SCALE[:2], "nominal", rng=rng())
    with pytest.raises(ValueError, match="one number of rows"):
        alpha_interval(AGREEING, SCALE[:2], "nominal", rng=rng(), units=np.arange(3))


def pairs_drawn_one_by_one(counts, level, draws):
    """The KALPHA bootstrap with each pair of ratings in a list of its own."""
    source = rng(9)
    texts = [np.repeat(SCALE, row) for row in counts if row.sum() >= 2]
    pairs = [(a, b) for t in texts for i, a in enumerate(t) for b in t[i + 1 :]]
    n = sum(len(t) for t in texts)
    middle = dict(
        zip(
            SCALE,
            np.cumsum(counts.sum(axis=0)) - counts.sum(axis=0) / 2,
            strict=True,
        )
    )

    def apart(a, b):
        return (middle[a] - middle[b]) ** 2 if level == "ordinal" else (a - b) ** 2

    everyone = np.concatenate(texts)
    expected = sum(apart(a, b) for a in everyone for b in everyone) / (n - 1)
    cost = np.array([2 * apart(a, b) for a, b in pairs])
    found = np.ones(draws)
    for text in texts:
        m = len(text)
        picks = source.integers(0, len(pairs), size=(draws, m * (m - 1) // 2))
        found -= cost[picks].sum(axis=1) / (m - 1) / expected
    return np.maximum(found, -1)


@pytest.mark.parametrize("level", ["ordinal", "interval"])
def test_the_kalpha_interval_is_that_of_pairs_drawn_one_by_one(level):
    counts = rated(30)
    counts = counts[counts.sum(axis=1) >= 2]
    expected = pairs_drawn_one_by_one(counts, level, 3000)
    found = alpha_kalpha(counts, SCALE, level, rng=rng(), draws=3000)
    low, high = np.quantile(expected, [0.025, 0.975])
    assert found.low == pytest.approx(low, abs=0.02)
    assert found.high == pytest.approx(high, abs=0.02)


def test_the_kalpha_interval_is_far_too_narrow():
    counts = rated(100)
    honest = alpha_interval(counts, SCALE, "ordinal", rng=rng())
    kalpha = alpha_kalpha(counts, SCALE, "ordinal", rng=rng())
    assert kalpha.high - kalpha.low < 0.7 * (honest.high - honest.low)
    assert kalpha.value == honest.value


def test_perfect_agreement_has_an_interval_of_no_width():
    counts = np.repeat(AGREEING, 5, axis=0)
    for interval in (alpha_interval, alpha_kalpha):
        found = interval(counts, SCALE[:2], "ordinal", rng=rng())
        assert found[:3] == pytest.approx((1, 1, 1), abs=1e-12)


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        (np.empty((0, 2), int), "no text has two ratings"),
        (np.array([[1, 0], [0, 1]]), "no text has two ratings"),
        (np.array([[2, 0], [3, 0]]), "all ratings are the same"),
    ],
)
def test_no_alpha_is_none_with_the_reason(counts, reason):
    for interval in (alpha_interval, alpha_kalpha):
        found = interval(counts, SCALE[:2], "ordinal", rng=rng(), draws=20)
        assert found[:4] == (None, None, None, reason)


def test_one_text_has_an_alpha_and_no_interval():
    found = alpha_interval(np.array([[1, 1]]), SCALE[:2], "nominal", rng=rng())
    assert found == (0, None, None, "only one unit to draw from", 1)


def test_two_texts_too_often_give_one_value_only():
    found = alpha_interval(np.array([[2, 0], [0, 2]]), SCALE[:2], "nominal", rng=rng())
    assert found.value == 1
    assert found.reason == "more than 5 % of the resamples have no value"


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
        alpha_interval(first, SCALE[:3], level, rng=rng(), draws=20),
        alpha_kalpha(first, SCALE[:3], level, rng=rng(), draws=20),
        *alpha_difference(first[:n], second[:n], SCALE[:3], level, rng=rng(), draws=20),
    ]:
        assert not any(np.isnan(x) for x in found[:3] if x is not None)
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
