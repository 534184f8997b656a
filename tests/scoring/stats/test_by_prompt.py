"""Correlations over prompts, against scipy with one prompt after another left out."""

from collections.abc import Callable

import numpy as np
import pytest
import scipy

from scoring.stats import by_prompt, jackknife
from scoring.stats.jackknife import Jackknifed
from tests.scoring.stats.loops import longer_tailed

SCIPY: dict[str, Callable[..., tuple[float, float]]] = {
    "pearson": scipy.stats.pearsonr,
    "spearman": scipy.stats.spearmanr,
    "kendall": scipy.stats.kendalltau,
}
EACH = pytest.mark.parametrize("coefficient", [*SCIPY])


def study(n_prompts: int = 12, seed: int = 0) -> tuple[np.ndarray, ...]:
    """Two metrics, one with ties and a gap, ratings, and prompts of 3 to 6 texts."""
    rng = np.random.default_rng(seed)
    prompts = np.repeat(np.arange(n_prompts), rng.integers(3, 7, n_prompts))
    y = rng.integers(1, 6, len(prompts)).astype(float)
    first = np.flatnonzero(np.diff(prompts, prepend=-1))
    y[first], y[first + 1] = 1, 5  # no prompt is constant
    x = np.stack([y + rng.normal(0, 2, len(y)), np.round(y + rng.normal(0, 2, len(y)))])
    x[1, 4] = np.nan
    return x.T, y, prompts


def r(coefficient: str, x: np.ndarray, y: np.ndarray) -> float:
    there = np.isfinite(x)
    return float(SCIPY[coefficient](x[there], y[there])[0])


def by_hand(value: float, without: np.ndarray, *, z: bool) -> tuple[float, float]:
    """Limits of the jackknife with as many degrees as units less one."""
    turn = np.arctanh if z else np.array
    n = len(without)
    moved = turn(value) - turn(without)
    half = scipy.stats.t.isf(0.025, n - 1) * np.sqrt((n - 1) / n * (moved**2).sum())
    ends = turn(value) - half, turn(value) + half
    return (np.tanh(ends[0]), np.tanh(ends[1])) if z else ends


@EACH
def test_all_texts_without_each_prompt(coefficient: str) -> None:
    x, y, prompts = study()
    left = jackknife.leave_out(prompts, rng=np.random.default_rng(1))
    found = by_prompt.of_texts(x, y, left, coefficient=coefficient)
    for m, column in enumerate(x.T):
        value = r(coefficient, column, y)
        without = [
            r(coefficient, column[prompts != u], y[prompts != u]) for u in range(12)
        ]
        assert found.value[m, 0] == pytest.approx(value)
        assert found.value[m, 0] - found.deviation[:, m, 0] == pytest.approx(without)
    even = np.tile(np.arange(12), 5)[: len(y)]
    sizes = np.bincount(even)
    left = jackknife.leave_out(even, rng=np.random.default_rng(1))
    made = jackknife.tested(by_prompt.of_texts(x, y, left, coefficient=coefficient))
    value = r(coefficient, x[:, 0], y)
    without = np.array(
        [r(coefficient, x[even != u, 0], y[even != u]) for u in range(12)]
    )
    low, high = by_hand(value, without, z=True)
    assert np.ptp(sizes) <= 1  # so that degrees of freedom are nearly eleven
    assert (made.low[0, 0], made.high[0, 0]) == pytest.approx((low, high), abs=2e-3)


@EACH
@pytest.mark.parametrize("average", ["macro", "micro"])
def test_the_mean_of_prompts_without_each(coefficient: str, average: str) -> None:
    x, y, prompts = study(45)
    found = by_prompt.mean_of_groups(
        x, y, prompts, coefficient=coefficient, average=average
    ).at(0, 0)
    of = [prompts == u for u in range(45)]
    each = np.array([r(coefficient, x[rows, 0], y[rows]) for rows in of])
    weight = np.array([rows.sum() if average == "micro" else 1 for rows in of])
    assert float(found.value) == pytest.approx(np.average(each, weights=weight))
    without = [
        np.average(np.delete(each, k), weights=np.delete(weight, k))
        for k in range(len(each))
    ]
    moved = found.deviation[found.deviation != 0]
    assert found.value - moved == pytest.approx(without)


def test_a_mean_of_prompts_has_a_longer_tail_where_they_are_skewed() -> None:
    x, y, prompts = study(15)
    found = by_prompt.mean_of_groups(x[:, 0], y, prompts, coefficient="pearson")
    of = [prompts == u for u in range(15)]
    each = np.array([r("pearson", x[rows, 0], y[rows]) for rows in of])
    z = np.arctanh(each.mean())
    moved = z - np.arctanh([np.delete(each, u).mean() for u in range(15)])
    se = np.sqrt(14 / 15 * (moved**2).sum())
    a = (moved**3).mean() / (moved**2).mean() ** 1.5
    a *= (15 * 14) ** 0.5 / 13 / 15**0.5
    k, t = 0.4 * abs(a), scipy.stats.t.isf(0.025, 14)
    longer = (np.exp(k * t) - 1) / k
    down, up = (longer, t) if a < 0 else (t, longer)
    made = jackknife.tested(found.at(0, 0))
    ends = float(made.low), float(made.high)
    assert ends == pytest.approx((np.tanh(z - down * se), np.tanh(z + up * se)))


def test_a_difference_of_means_is_the_paired_t_test_with_a_longer_tail() -> None:
    x, y, prompts = study(14)
    x[:, 1] = np.nan_to_num(x[:, 1], nan=3.0)
    found = by_prompt.mean_of_groups(x, y, prompts, coefficient="kendall").at(
        slice(None), 0
    )
    each = [
        [r("kendall", x[prompts == u, m], y[prompts == u]) for u in range(14)]
        for m in (0, 1)
    ]
    defined = np.nan_to_num(each)  # 0 where only the metric is constant
    weighted = defined[0] - 0.85 * defined[1]
    made = jackknife.tested(jackknife.contrast((1, found.at(0)), (-0.85, found.at(1))))
    ends = float(made.greater), float(made.less)
    assert ends == pytest.approx(longer_tailed(weighted))
    p = jackknife.all_pairs(found)
    two_sided = 2 * min(longer_tailed(defined[0] - defined[1]))
    assert p[0, 1] == p[1, 0] == pytest.approx(two_sided)
    assert two_sided >= scipy.stats.ttest_rel(*defined).pvalue


def test_a_prompt_in_which_only_the_metric_is_constant_counts_as_0() -> None:
    y = np.tile([1.0, 2, 4], 12)
    x = y.copy()
    x[:9] = 3
    y[-3:] = 5
    prompts = np.repeat(np.arange(12), 3)
    zero = by_prompt.mean_of_groups(x, y, prompts, coefficient="pearson")
    assert zero.value[0, 0] == pytest.approx(8 / 11)
    assert zero.n_units[0, 0] == 11
    drop = by_prompt.mean_of_groups(
        x, y, prompts, coefficient="pearson", undefined="drop"
    )
    assert drop.value[0, 0] == pytest.approx(1)
    assert drop.n_units[0, 0] == 8
    assert by_prompt.telling(y, prompts)[0] == 11


def test_prompts_tell_where_enough_rated_texts_differ() -> None:
    y = np.array([1, 2, np.nan, 3, 3, 3, 1, 2, 3, np.nan, np.nan, np.nan])
    prompts = np.repeat(np.arange(4), 3)
    assert by_prompt.telling(y, prompts).tolist() == [1]
    assert by_prompt.telling(y, prompts, least=2).tolist() == [2]


@EACH
def test_pooled_within_prompts_without_each(coefficient: str) -> None:
    x, y, prompts = study()
    x, y, prompts = (part[np.isfinite(x).all(axis=1)] for part in (x, y, prompts))

    def pooled(kept: np.ndarray) -> float:
        top, left, right = 0.0, 0.0, 0.0
        for u in np.unique(prompts[kept]):
            one, other = x[prompts == u, 1], y[prompts == u]
            if coefficient == "kendall":
                i, j = np.triu_indices(len(one), 1)
                a, b = np.sign(one[i] - one[j]), np.sign(other[i] - other[j])
            else:
                if coefficient == "spearman":
                    one, other = scipy.stats.rankdata(one), scipy.stats.rankdata(other)
                a, b = one - one.mean(), other - other.mean()
            top, left, right = top + a @ b, left + a @ a, right + b @ b
        return float(top / np.sqrt(left * right))

    found = by_prompt.pooled_within(x, y, prompts, coefficient=coefficient)
    assert found.value[1, 0] == pytest.approx(pooled(prompts >= 0))
    without = [pooled(prompts != u) for u in range(12)]
    assert found.value[1, 0] - found.deviation[:, 1, 0] == pytest.approx(without)


def test_pooled_pearson_is_that_of_residuals_of_prompts() -> None:
    x, y, prompts = study()
    dummies = np.eye(12)[prompts]
    rest = [
        s - dummies @ np.linalg.lstsq(dummies, s, rcond=None)[0] for s in (x[:, 0], y)
    ]
    found = by_prompt.pooled_within(x[:, 0], y, prompts, coefficient="pearson")
    assert found.value[0, 0] == pytest.approx(np.corrcoef(*rest)[0, 1])


def test_large_prompts_have_the_same_pooled_tau() -> None:
    rng = np.random.default_rng(5)
    prompts = np.repeat([0, 1], 70)
    x, y = rng.integers(0, 9, 140), rng.integers(0, 5, 140)
    found = by_prompt.pooled_within(x, y, prompts, coefficient="kendall").value[0, 0]
    sums = np.zeros(3)
    for u in (0, 1):
        i, j = np.triu_indices(70, 1)
        a, b = (np.sign(s[prompts == u][i] - s[prompts == u][j]) for s in (x, y))
        sums += a @ b, a @ a, b @ b
    assert found == pytest.approx(sums[0] / np.sqrt(sums[1] * sums[2]))


def test_a_unit_must_hold_whole_groups() -> None:
    x, y, prompts = study()
    with pytest.raises(ValueError, match="whole groups"):
        by_prompt.mean_of_groups(
            x, y, prompts, np.arange(len(y)), coefficient="pearson"
        )
    two = by_prompt.mean_of_groups(x, y, prompts, prompts // 2, coefficient="pearson")
    assert two.n_units[0, 0] == 6


def moved(
    value: float, deviation: list[float], form: jackknife.Form = "fisher"
) -> Jackknifed:
    n = len(deviation)
    factor = np.full(n, (n - 1) / n)
    return Jackknifed(
        np.array(value), np.array(deviation), factor, np.array(n - 1), np.array(n), form
    )


@pytest.mark.parametrize(
    ("of", "reason"),
    [
        (moved(0.5, [0.1, -0.1]), "an interval needs 10 prompts"),
        (moved(0.5, [0.0] * 10), jackknife.ALIKE),
        (moved(0.5, [np.nan, *[0.1] * 9]), jackknife.ONE_UNIT),
        (moved(1.0, [0.0] * 10), jackknife.PERFECT),
    ],
)
def test_no_interval_has_a_reason(of: Jackknifed, reason: str) -> None:
    made = jackknife.estimate(of, n=20)
    assert (made.value, made.low, made.high) == (of.value, None, None)
    assert made.reason == reason


def test_many_units_are_left_out_in_groups() -> None:
    units = np.arange(1000)
    left = jackknife.leave_out(units, rng=np.random.default_rng(2))
    assert len(left.draws) == 100
    assert left.draws.rows().sum(axis=0).tolist() == [99.0] * 1000
    values = np.random.default_rng(3).normal(size=1000)
    of = [values[row > 0].mean() for row in left.draws.rows()]
    made = jackknife.jackknifed(values.mean(), np.array(of), left, "natural")
    assert made.n_units == 1000
    spread = np.sqrt((made.factor * made.deviation**2).sum())
    assert spread == pytest.approx(scipy.stats.sem(values), rel=0.2)


def test_new_ones_of_two_kinds_add_their_variances() -> None:
    values = np.random.default_rng(3).normal(size=(11, 12))
    at = np.indices(values.shape).reshape(2, -1)
    left = jackknife.leave_out_both(*at, rng=np.random.default_rng(2))
    of = [(values.ravel() * row).sum() / row.sum() for row in left.draws.rows()]
    made = jackknife.jackknifed(values.mean(), np.array(of), left, "natural")
    wanted = sum(scipy.stats.sem(values.mean(axis=k), ddof=1) ** 2 for k in (0, 1))
    assert (made.factor * made.deviation**2).sum() == pytest.approx(wanted)
    assert float(made.df) == pytest.approx(10)


def test_contrasts_need_the_same_replicates() -> None:
    with pytest.raises(ValueError, match="same replicates"):
        jackknife.contrast((1, moved(0.5, [0.1] * 10)), (-1, moved(0.5, [0.1] * 9)))
