import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from scoring.stats import _swapped
from scoring.stats.groups import correlate
from scoring.stats.permutation import perm_all, perm_both
from scoring.stats.systems import system_level

GOLDEN = Path(__file__).parents[2] / "golden" / "metric_comparison.json"
NAN = float("nan")
SCIPY = {
    "pearson": stats.pearsonr,
    "spearman": stats.spearmanr,
    "kendall": stats.kendalltau,
}
ALL = list(SCIPY)


def rng(seed=0):
    return np.random.default_rng(seed)


def golden():
    """Two metrics, human scores, and the item and system of each text."""
    made = json.loads(GOLDEN.read_text())["permutation"]
    shape = np.shape(made["human"])
    scores = [np.ravel(made[name]) for name in ("metric_1", "metric_2", "human")]
    systems, items = (axis.ravel() for axis in np.indices(shape))
    return scores, items, systems, made


@pytest.mark.parametrize("case", range(9))
def test_it_is_near_mt_metrics_eval_which_swaps_each_text(case):
    scores, items, systems, made = golden()
    expected = made["each_text"]["cases"][case]
    groups = {"none": None, "item": items, "sys": systems}[expected["average_by"]]
    found = perm_both(
        *scores, coefficient=expected["coefficient"], groups=groups, rng=rng()
    )
    assert found.difference == pytest.approx(expected["difference"], abs=1e-12)
    # theirs is one-sided for the second metric, and the null is symmetric
    two_sided = 2 * (1 - expected["p_one_sided"])
    assert found.p == pytest.approx(two_sided, abs=0.025)


@pytest.mark.parametrize("case", range(6))
def test_it_is_near_nlpstats_which_swaps_whole_units(case):
    scores, items, systems, made = golden()
    expected = made["whole_units"]["cases"][case]
    found = perm_both(
        *scores,
        coefficient=expected["coefficient"],
        groups=items if expected["level"] == "input" else None,
        level="systems" if expected["level"] == "system" else "texts",
        design=expected["design"],
        inputs=items,
        systems=systems,
        rng=rng(),
    )
    assert found.difference == pytest.approx(expected["difference"], abs=1e-12)
    assert found.p == pytest.approx(expected["p"], abs=0.035)


@pytest.mark.parametrize("coefficient", ALL)
def test_it_is_near_the_share_of_all_possible_swaps(coefficient):
    z, x1, x2 = rng(5).integers(1, 5, (3, 7)).astype(float)
    first, second = (stats.zscore(x) for x in (x1, x2))

    def delta(swap):
        ours, theirs = np.where(swap, second, first), np.where(swap, first, second)
        return SCIPY[coefficient](ours, z)[0] - SCIPY[coefficient](theirs, z)[0]

    all_deltas = [delta(swap) for swap in itertools.product([False, True], repeat=7)]
    exact = np.mean(np.abs(all_deltas) >= abs(delta([False] * 7)) - 1e-9)
    found = perm_both(x1, x2, z, coefficient=coefficient, rng=rng(), k=4000)
    assert found.p == pytest.approx(exact, abs=0.025)


@pytest.mark.parametrize("coefficient", ALL)
@pytest.mark.parametrize("average", ["macro", "micro"])
def test_the_difference_is_that_of_the_means_over_groups(coefficient, average):
    groups = np.array([1] * 3 + [2] * 5 + [3] * 30 + [4] * 2)
    x1, x2, z = rng().normal(size=(3, 40))
    kept = [g for g in (1, 2, 3, 4) if g < 4 or coefficient == "kendall"]

    def value(x):
        r = [SCIPY[coefficient](x[groups == g], z[groups == g])[0] for g in kept]
        sizes = [np.sum(groups == g) if average == "micro" else 1 for g in kept]
        return np.average(r, weights=sizes)

    options = {"coefficient": coefficient, "groups": groups, "average": average}
    found = perm_both(x1, x2, z, rng=rng(), k=20, **options)
    assert found.difference == pytest.approx(value(x1) - value(x2), abs=1e-12)


@pytest.mark.parametrize("coefficient", ALL)
def test_the_difference_is_that_of_the_table_of_correlations(coefficient):
    x1, x2 = rng().integers(0, 4, (2, 60)) / 3
    z, systems = rng(1).integers(1, 4, 60) / 3, np.arange(60) % 5
    for groups in (None, np.repeat(np.arange(15), 4)):
        options = {"coefficient": coefficient, "groups": groups}
        table = [correlate(x, z, **options).value for x in (x1, x2)]
        found = perm_both(x1, x2, z, rng=rng(), k=9, **options)
        assert found.difference == pytest.approx(table[0] - table[1], abs=1e-12)
    table = [
        system_level(x, z, systems, coefficient=coefficient).value for x in (x1, x2)
    ]
    options = {"coefficient": coefficient, "level": "systems", "systems": systems}
    found = perm_both(x1, x2, z, rng=rng(), k=9, **options)
    assert found.difference == pytest.approx(table[0] - table[1], abs=1e-12)


def test_means_of_systems_that_differ_by_rounding_are_tied():
    systems = np.repeat([1, 2, 3], 3)
    x1 = np.array([0.1, 0.2, 0.3, 0.3, 0.2, 0.1, 1, 2, 3])
    x2, z = rng().normal(size=9), np.arange(9.0)
    options = {"coefficient": "kendall", "level": "systems", "systems": systems}
    found = perm_both(x1, x2, z, rng=rng(), k=9, **options)
    means = [x.reshape(3, 3).mean(axis=1) for x in (x2, z)]
    first = stats.kendalltau([1, 1, 2], [1, 2, 3]).statistic
    assert found.difference == pytest.approx(first - stats.kendalltau(*means).statistic)


@pytest.mark.parametrize("scale", [1e-250, 1e200])
def test_the_size_of_the_scores_changes_nothing(scale):
    x1, x2, z = rng().normal(size=(3, 12))
    small = perm_both(x1 * scale, x2, z, rng=rng(), k=50)
    assert small[:2] == pytest.approx(perm_both(x1, x2, z, rng=rng(), k=50)[:2])


@pytest.mark.parametrize("coefficient", ALL)
@pytest.mark.parametrize("grouped", [False, True])
def test_a_metric_and_itself_have_p_of_one(coefficient, grouped):
    x, z = rng().normal(size=(2, 20))
    groups = np.repeat(np.arange(5), 4) if grouped else None
    for other in (x, 3 * x + 2):  # the unit of a metric does not matter
        found = perm_both(
            x, other, z, coefficient=coefficient, groups=groups, rng=rng()
        )
        assert found.p == 1
        assert found.difference == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("coefficient", ALL)
def test_all_pairs_are_the_pairs_one_by_one(coefficient):
    z = rng().integers(1, 5, 24).astype(float)
    x = rng(1).normal(size=(24, 4)) + 0.5 * z[:, np.newaxis]
    x[5, 3] = NAN  # this column goes another way than the others
    for groups in (None, np.repeat(np.arange(6), 4), np.arange(24) % 5):
        options = {"coefficient": coefficient, "groups": groups, "k": 200}
        found = perm_all(x, z, rng=rng(7), **options)
        for i, j in itertools.combinations(range(4), 2):
            one = perm_both(x[:, i], x[:, j], z, rng=rng(7), **options)
            assert found.difference[i, j] == pytest.approx(one.difference, abs=1e-10)
            assert found.difference[j, i] == pytest.approx(-one.difference, abs=1e-10)
            assert found.p[i, j] == found.p[j, i] == pytest.approx(one.p)
        assert np.isnan(np.diag(found.p)).all()


@pytest.mark.parametrize("undefined", ["drop", "zero"])
def test_the_quick_way_treats_constant_metrics_as_the_slow_way(undefined):
    z = np.tile([1.0, 2, 3, 4], 6)
    x = rng(3).normal(size=(24, 3))
    x[:8, 0] = 5.0  # two groups in which the first metric is constant
    options = {"groups": np.repeat(np.arange(6), 4), "undefined": undefined, "k": 100}
    found = perm_all(x, z, rng=rng(7), **options)
    one = perm_both(x[:, 0], x[:, 1], z, rng=rng(7), **options)
    assert found.p[0, 1] == pytest.approx(one.p)
    r = [stats.pearsonr(x[i : i + 4, 0], z[:4])[0] for i in range(8, 24, 4)]
    other = [stats.pearsonr(x[i : i + 4, 1], z[:4])[0] for i in range(0, 24, 4)]
    mean = np.mean(r) if undefined == "drop" else np.sum(r) / 6
    assert one.difference == pytest.approx(mean - np.mean(other))


def test_a_constant_metric_has_no_row_in_the_table_of_all_pairs():
    z, x = rng().normal(size=12), rng(1).normal(size=(12, 3))
    x[:, 1] = 4
    found = perm_all(x, z, rng=rng())
    assert np.isnan(found.p[1]).all()
    assert found.p[0, 2] > 0


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"x1": np.ones(8)}, "first metric: all the same"),
        ({"x1": np.append(np.ones(7), np.inf)}, "first metric: some are infinite"),
        ({"z": np.append(-np.inf, np.arange(7))}, "human scores: some are infinite"),
        ({"x2": np.ones(8)}, "second metric: all the same"),
        ({"z": np.ones(8)}, "human scores: all the same"),
        (
            {"x1": np.full(8, NAN)},
            "fewer than 3 texts with all three scores",
        ),
        (
            {"groups": np.repeat(np.arange(4), 2)},
            "no group has enough texts with different human scores",
        ),
        (
            {"x1": np.repeat([1.0, 2], 4), "groups": np.repeat([1, 2], 4)},
            "a metric is the same within each group",
        ),
        (
            {"design": "systems", "systems": np.zeros(8)},
            "only one unit to swap",
        ),
        (
            # the second system has no score of the first metric
            {
                "x1": [1.0, 2, 3, 4, NAN, NAN, NAN, NAN],
                "design": "systems",
                "systems": np.repeat([1, 2], 4),
            },
            "only one unit to swap",
        ),
        (
            {"level": "systems", "systems": np.repeat([1, 2], 4)},
            "no group has enough texts with different human scores",
        ),
    ],
)
def test_what_cannot_be_tested_has_a_reason(change, reason):
    x1, x2, z = rng().normal(size=(3, 8))
    found = perm_both(**{"x1": x1, "x2": x2, "z": z, "rng": rng(), "k": 20} | change)
    assert (found.p, found.reason) == (None, reason)


def test_many_undefined_replicates_leave_no_p():
    # swapped whole, one metric's only two different scores meet: often constant
    x1, x2 = np.array([1.0, 1, 1, 2]), np.array([2.0, 1, 1, 1])
    found = perm_both(x1, x2, np.array([1.0, 2, 4, 3]), rng=rng())
    assert found.reason == "more than 5 % of the resamples have no value"
    assert found.difference is not None
    assert 0 < found.k < 950


@pytest.mark.parametrize("column", [0, 2])
def test_infinite_scores_leave_their_metric_without_a_test(column):
    scores = rng().normal(size=(20, 3))
    x, z = scores[:, :2].copy(), scores.sum(axis=1)
    (x[:, 0] if column == 0 else z)[4] = -np.inf
    found = perm_all(x, z, rng=rng(), k=20)
    assert np.isnan(found.p).all()
    assert np.isnan(found.difference).all()


def test_few_units_cannot_give_a_small_p():
    z = np.arange(16.0)
    x1, x2 = z + rng(1).normal(size=16), rng(2).normal(size=16)
    options = {"design": "systems", "systems": np.repeat(np.arange(4), 4)}
    found = perm_both(x1, x2, z, rng=rng(), k=500, **options)
    assert found.smallest_p == 1 / 8
    assert found.p > 0.08
    every = perm_all(np.column_stack([x1, x2]), z, rng=rng(), k=500, **options)
    assert every.smallest_p == 1 / 8
    assert perm_both(x1, x2, z, rng=rng(), k=500).smallest_p == 1 / 501


def test_large_and_small_groups_have_the_same_tau(monkeypatch):
    x1, x2, z = rng().integers(0, 5, (3, 20)).astype(float)
    options = {"coefficient": "kendall", "k": 60}
    by_pairs = perm_both(x1, x2, z, rng=rng(), **options)
    monkeypatch.setattr(_swapped, "SMALL_GROUP", 2)
    by_scipy = perm_both(x1, x2, z, rng=rng(), **options)
    assert by_scipy.p == by_pairs.p
    assert by_scipy.difference == pytest.approx(by_pairs.difference, abs=1e-12)


def test_the_claim_is_about_outputs_or_about_systems():
    x1, x2, z = rng().normal(size=(3, 12))
    named = {"systems": np.arange(12) // 3, "inputs": np.arange(12) % 3}
    said = [
        perm_both(x1, x2, z, design=design, rng=rng(), k=9, **named).population
        for design in ("both", "inputs", "systems")
    ]
    assert said == ["new outputs of these systems"] * 2 + ["new systems"]


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"coefficient": "person"}, "pearson"),
        ({"design": "rows"}, "inputs"),
        ({"design": "inputs"}, "needs the inputs"),
        ({"level": "systems"}, "needs the systems"),
        ({"undefined": "nan"}, "drop"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused(options, match):
    with pytest.raises(ValueError, match=match):
        perm_both(*rng().normal(size=(3, 9)), rng=rng(), **options)


def test_it_keeps_its_level_for_two_metrics_that_are_equally_good():
    draws = rng(4).normal(size=(300, 3, 30))
    p = [perm_both(x + z, y + z, z, rng=rng(1), k=99).p for x, y, z in draws]
    assert 0.02 < np.mean(np.array(p) <= 0.05) < 0.085


scores = st.sampled_from([0.0, 1, 1, 2, 5, NAN])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(scores, scores, scores, st.integers(0, 2)), max_size=12),
    st.sampled_from(ALL),
    st.booleans(),
    st.sampled_from(["drop", "zero"]),
)
def test_any_scores_give_a_p_or_a_reason(rows, coefficient, grouped, undefined):
    x1, x2, z, group = np.array(rows).T if rows else np.zeros((4, 0))
    groups = group if grouped else None
    options = {"coefficient": coefficient, "groups": groups, "undefined": undefined}
    found = perm_both(x1, x2, z, rng=rng(), k=40, **options)
    assert (found.p is None) == (found.reason is not None)
    assert found.p is None or 0 < found.p <= 1
    both = perm_all(np.column_stack([x1, x2]), z, rng=rng(), k=40, **options)
    expected = NAN if found.p is None else found.p
    assert both.p[0, 1] == pytest.approx(expected, nan_ok=True)
