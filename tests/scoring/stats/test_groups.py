"""Correlations within groups against plain loops with scipy."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from scoring.stats import _grouped
from scoring.stats.correlation import COEFFICIENTS, pearson
from scoring.stats.counts import draw, draw_both, estimate
from scoring.stats.groups import GroupedCoefficient, correlate, replicates
from tests.scoring.stats import loops

NAN = float("nan")
each = pytest.mark.parametrize("coefficient", COEFFICIENTS)
policy = pytest.mark.parametrize("undefined", ["drop", "zero"])
average = pytest.mark.parametrize("average", ["macro", "micro"])


def table(prompts=6, systems=4, *, seed=0, gaps=0.1):
    """Scores with ties and gaps, the prompt and the system of each row."""
    rng = np.random.default_rng(seed)
    n = prompts * systems
    x = rng.integers(0, 4, (n, 2)) * 1.0
    x[:, 1] += rng.normal(size=n)
    y = rng.integers(1, 4, (n, 2)) * 1.0
    x[:systems, 0] = 2
    return loops.crossed(x, y, prompts, systems, rng=rng, gaps=gaps)


@each
@policy
@average
@pytest.mark.parametrize("by", ["item", "system"])
def test_the_average_equals_a_loop_with_scipy(coefficient, undefined, average, by):
    for seed in range(5):
        x, y, prompts, systems = table(seed=seed)
        groups = prompts if by == "item" else systems
        options = {"undefined": undefined, "average": average}
        found = correlate(
            x[:, 0], y[:, 0], coefficient=coefficient, groups=groups, **options
        )
        expected = loops.grouped(coefficient, x[:, 0], y[:, 0], groups, **options)
        assert found.value == pytest.approx(expected, abs=1e-12)


@each
@policy
@pytest.mark.parametrize("unit", ["prompts", "systems", "both", "rows"])
def test_each_replicate_equals_a_loop(coefficient, undefined, unit):
    for average, by in product(("macro", "micro"), ("item", "system")):
        check_replicates(coefficient, undefined, average, by, unit)


def check_replicates(coefficient, undefined, average, by, unit) -> None:
    x, y, prompts, systems = table(seed=7)
    groups = prompts if by == "item" else systems
    options = {"undefined": undefined, "average": average}
    rng = np.random.default_rng(8)
    draws = {
        "prompts": lambda: draw(prompts, rng=rng, draws=3),
        "systems": lambda: draw(systems, rng=rng, draws=3),
        "both": lambda: draw_both(prompts, systems, rng=rng, draws=3),
        "rows": lambda: draw(np.arange(len(x)), rng=rng, draws=3),
    }[unit]()
    found = replicates(x, y, draws, coefficient=coefficient, groups=groups, **options)
    for b, m, a in np.ndindex(found.shape):
        times = occurrences(draws, b, groups)
        expected = loops.grouped(
            coefficient, x[:, m], y[:, a], groups, times, **options
        )
        assert found[b, m, a] == pytest.approx(expected, abs=1e-12, nan_ok=True)


def occurrences(draws, replicate, groups):
    """How often the group of each row, and the row within its group, was drawn."""
    of_group, of_row = np.ones((2, len(groups)))
    for counts, at in zip(draws.counts, draws.at, strict=True):
        whole = all(len(set(at[groups == group])) == 1 for group in groups)
        (of_group if whole else of_row)[:] *= counts[replicate][at]
    return of_group, of_row


@each
def test_without_groups_it_is_the_plain_coefficient(coefficient):
    x, y, prompts, _ = table()
    found = correlate(x[:, 1], y[:, 0], coefficient=coefficient)
    both = ~(np.isnan(x[:, 1]) | np.isnan(y[:, 0]))
    expected = loops.correlation(coefficient, x[:, 1], y[:, 0])
    assert found == GroupedCoefficient(
        pytest.approx(expected), None, both.sum(), 1, 0, 0, 0
    )
    draws = draw(prompts, rng=np.random.default_rng(1), draws=3)
    np.testing.assert_allclose(
        replicates(x, y, draws, coefficient=coefficient),
        loops.weighted(coefficient, x, y, draws),
        atol=1e-12,
    )


def test_groups_without_a_value_are_told_apart():
    groups = np.repeat(["fine", "metric", "human", "small", "both"], 3)
    x = [1, 2, 4, 5, 5, 5, 1, 2, 3, 1, 2, NAN, 7, 7, 7]
    y = [1, 3, 2, 1, 2, 3, 4, 4, 4, 1, 2, 3, 8, 8, 8]
    found = correlate(np.array(x), np.array(y), coefficient="pearson", groups=groups)
    value = pearson([1, 2, 4], [1, 3, 2]).value
    assert found == GroupedCoefficient(pytest.approx(value), None, 3, 1, 1, 2, 1)


def test_zero_is_a_penalty_for_the_metric_alone():
    groups = np.repeat([0, 1, 2], 3)
    x = np.array([1.0, 2, 3, 5, 5, 5, 1, 2, 3])
    y = np.array([1.0, 2, 3, 1, 2, 3, 4, 4, 4])
    options = {"coefficient": "spearman", "groups": groups}
    assert correlate(x, y, **options).value == pytest.approx(1)
    assert correlate(x, y, undefined="zero", **options).value == pytest.approx(0.5)


def test_micro_weights_groups_by_their_pairs():
    groups = np.array([0, 0, 0, 1, 1, 1, 1])
    x = np.array([1.0, 2, 3, 1, 2, 3, 4])
    y = np.array([1.0, 2, 3, 4, 3, 2, 1])
    options = {"coefficient": "kendall", "groups": groups}
    assert correlate(x, y, **options).value == pytest.approx(0)
    assert correlate(x, y, average="micro", **options).value == pytest.approx(-1 / 7)


def test_two_texts_are_enough_for_kendall_only():
    groups, x, y = np.array([0, 0]), np.array([1.0, 2]), np.array([3.0, 5])
    assert correlate(x, y, coefficient="kendall", groups=groups).value == 1
    found = correlate(x, y, coefficient="pearson", groups=groups)
    assert found[:2] == (None, "no group has 3 pairs of scores")


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([1, 1, 1, 2, 2, 2], [1, 2, 3, 1, 2, 3], "M: all the same in every group"),
        ([1, 2, 3, 1, 2, 3], [1, 1, 1, 2, 2, 2], "H: all the same in every group"),
        ([1, 2, 3, 2, 2, 2], [1, 1, 1, 1, 2, 3], "in every group one side is all "),
        ([1, 2, 3, 1, 2, np.inf], [1, 2, 3, 1, 2, 3], "M: some are infinite"),
        ([1, 2, 3, 1, 2, 3], [1, 2, 3, -np.inf, 2, 3], "H: some are infinite"),
    ],
)
def test_no_value_at_all_has_a_reason(x, y, reason):
    found = correlate(
        np.array(x), np.array(y), coefficient="pearson",
        groups=np.repeat([0, 1], 3), names=("M", "H"),
    )  # fmt: skip
    assert found.value is None
    assert found.reason.startswith(reason)


def test_an_infinite_score_leaves_replicates_without_a_value():
    x, y = np.random.default_rng(0).normal(size=(2, 12))
    x[5] = np.inf
    groups = np.repeat([0, 1, 2], 4)
    made = draw(groups, rng=np.random.default_rng(1), draws=5)
    options = {"coefficient": "pearson", "groups": groups}
    assert np.isnan(replicates(x, y, made, **options)).all()


@each
def test_large_groups_equal_small_ones(coefficient, monkeypatch):
    x, y, prompts, _ = table(gaps=0)
    options = {"coefficient": coefficient, "groups": prompts}
    small = correlate(x[:, 1], y[:, 0], **options)
    monkeypatch.setattr(_grouped, "FEW_ROWS", 1)
    large = correlate(x[:, 1], y[:, 0], **options)
    assert large._replace(value=0) == small._replace(value=0)
    assert large.value == pytest.approx(small.value, abs=1e-15)


@each
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_whatever_the_scores_there_is_a_value_or_a_reason(coefficient, data):
    n = data.draw(st.integers(0, 8))
    scores = st.sampled_from([0.0, 1.0, 2.5, NAN, float("inf"), 1e300, -1e-300])
    x, y = (data.draw(arrays(float, n, elements=scores)) for _ in "xy")
    prompts, systems = (
        data.draw(arrays(int, n, elements=st.integers(0, 2))) for _ in "ps"
    )
    for groups in (None, prompts, systems):
        found = correlate(x, y, coefficient=coefficient, groups=groups)
        assert (found.value is None) == (found.reason is not None)
        assert found.value is None or -1 <= found.value <= 1
        if n:
            draws = draw(prompts, rng=np.random.default_rng(0), draws=4)
            made = replicates(x, y, draws, coefficient=coefficient, groups=groups)
            made = made[:, 0, 0]
            assert not (np.abs(made) > 1).any()
            shown = estimate(
                found.value, made, n=found.n, n_units=draws.n_units, reason=found.reason
            )
            assert not any(v is not None and v != v for v in shown.numbers)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"coefficient": "tau"}, "'tau': expected one of"),
        ({"undefined": "skip"}, "'skip': expected one of drop, zero"),
        ({"average": "mean"}, "'mean': expected one of macro, micro"),
        ({"groups": np.zeros(4)}, "group of each of 3 rows, got 4"),
    ],
)
def test_what_is_unknown_or_does_not_fit_is_refused(change, words):
    given_ = {"coefficient": "pearson", "groups": np.zeros(3)} | change
    with pytest.raises(ValueError, match=words):
        correlate(np.arange(3), np.arange(3), **given_)
