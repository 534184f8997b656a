import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from scoring.stats.drift import by_quality, by_system, histogram, quality_subsets
from scoring.stats.estimates import Estimate
from tests.support import shared

NAN = float("nan")
SCIPY = {
    "pearson": stats.pearsonr,
    "spearman": stats.spearmanr,
    "kendall": stats.kendalltau,
}


def rng(seed=0):
    return np.random.default_rng(seed)


def study(n_prompts=60, n_systems=4, seed=8):
    """Metric, human scores of 21 levels, system and prompt of each text."""
    generator = rng(seed)
    n = n_prompts * n_systems
    prompt, system = np.divmod(np.arange(n), n_systems)
    quality = generator.normal(size=n) + generator.normal(size=n_prompts)[prompt]
    human = np.clip(np.round((quality + 3) * 5), 5, 25) / 5
    metric = quality + generator.normal(size=n)
    return metric, human, np.array(list("abcdefgh"))[system], prompt


@pytest.mark.parametrize("coefficient", list(SCIPY))
def test_each_system_has_its_own_correlation(coefficient):
    metric, human, systems, _ = study()
    found = by_system(
        metric, human, systems, rng=rng(), coefficient=coefficient, draws=50
    )
    assert found.systems == ("a", "b", "c", "d")
    for name, within in zip(found.systems, found.within, strict=True):
        x, y = metric[systems == name], human[systems == name]
        assert within.value.value == pytest.approx(SCIPY[coefficient](x, y).statistic)
        assert within.value.n == 60
        assert within.human_std == pytest.approx(y.std(ddof=1))
        assert within.value.low < within.value.value < within.value.high


def test_the_spread_over_systems_is_that_of_their_correlations():
    metric, human, systems, prompt = study()
    found = by_system(metric, human, systems, rng=rng(), unit=prompt)
    values = [within.value.value for within in found.within]
    assert found.std.value == pytest.approx(np.std(values, ddof=1))
    assert found.std.n == 4 and found.std.low < found.std.high


def test_systems_that_are_all_alike_may_have_no_spread_at_all():
    """Plain percentiles of a standard deviation would never begin at 0."""
    starts = []
    for seed in range(8):
        metric, human, systems, prompt = study(n_systems=8, seed=seed)
        found = by_system(metric, human, systems, rng=rng(), unit=prompt, draws=200)
        starts.append(found.std.low)
    assert np.count_nonzero(starts) <= 1


def test_a_metric_that_fails_on_one_system_drifts_more():
    metric, human, systems, prompt = study(200)
    broken = np.where(systems == "d", rng(1).normal(size=len(metric)), metric)
    steady, drifting = (
        by_system(x, human, systems, rng=rng(), unit=prompt).std
        for x in (metric, broken)
    )
    assert drifting.low > steady.high


def test_the_interval_of_one_system_is_that_of_a_correlation():
    metric, human, systems, prompt = study(300)
    found = by_system(metric, human, systems, rng=rng(), unit=prompt).within[0].value
    z, half = np.arctanh(found.value), 1.96 / np.sqrt(297)
    assert found.low == pytest.approx(np.tanh(z - half), abs=0.03)
    assert found.high == pytest.approx(np.tanh(z + half), abs=0.03)


def test_one_system_has_a_correlation_but_no_spread():
    metric, human, systems, prompt = study(n_systems=1)
    found = by_system(metric, human, systems, rng=rng(), unit=prompt, draws=50)
    assert found.within[0].value.value is not None
    assert found.std == Estimate(None, n=1, reason="fewer than 2 systems")


def test_a_system_without_a_correlation_says_why_and_is_left_out_of_the_spread():
    metric, human, systems, _ = study()
    human[systems == "b"] = 3.0
    metric[systems == "c"] = NAN
    found = by_system(metric, human, systems, rng=rng(), draws=50)
    assert found.within[1].value.reason == "human scores: all the same"
    assert found.within[1].human_std == 0
    assert found.within[2].value.reason == "fewer than 3 pairs of scores"
    assert found.within[2].human_std is None
    values = [found.within[k].value.value for k in (0, 3)]
    assert found.std.value == pytest.approx(np.std(values, ddof=1))


def test_an_unknown_coefficient_is_named():
    metric, human, systems, _ = study()
    with pytest.raises(ValueError, match="pearson, spearman, kendall"):
        by_system(metric, human, systems, rng=rng(), coefficient="cosine")
    with pytest.raises(ValueError, match="pearson, spearman, kendall"):
        by_quality(
            metric,
            human,
            quality_subsets(human, rng=rng()),
            rng=rng(),
            coefficient="cosine",
        )


def test_subsets_of_960_texts_have_the_sizes_of_their_chances():
    chosen = quality_subsets(rng().normal(size=960), rng=rng(), repeats=200)
    assert chosen.shape == (200, 4, 960)
    assert chosen.sum(axis=2).mean(axis=0) == pytest.approx([500, 560, 560, 500], abs=5)


def test_a_text_is_as_likely_in_a_subset_as_its_quarter_is_near():
    human = np.arange(8.0)
    share = quality_subsets(human, rng=rng(), repeats=4000).mean(axis=0)
    quarter = np.arange(8) // 2
    expected = 1 / (np.abs(np.arange(4)[:, None] - quarter) + 1)
    assert share == pytest.approx(expected, abs=0.04)


def test_quarters_are_equal_however_many_scores_are_tied():
    """All tied: each text is in each quarter by lot, a quarter of the time."""
    share = quality_subsets(np.ones(8), rng=rng(), repeats=4000).mean(axis=0)
    assert share[0] == pytest.approx(np.full(8, 25 / 48), abs=0.04)
    assert share[1] == pytest.approx(np.full(8, 7 / 12), abs=0.04)


def test_the_same_seed_draws_the_same_subsets():
    human = study()[1]
    one, again = (quality_subsets(human, rng=rng(5)) for _ in range(2))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, quality_subsets(human, rng=rng(6)))


def test_more_repeats_keep_the_first():
    human = study()[1]
    few, many = (quality_subsets(human, rng=rng(), repeats=k) for k in (1, 5))
    assert np.array_equal(few[0], many[0])


def test_a_text_without_a_human_score_is_in_no_subset():
    human = np.array([1, NAN, 2, 3, 4, NAN])
    chosen = quality_subsets(human, rng=rng(), repeats=50)
    assert not chosen[:, :, [1, 5]].any() and chosen[:, :, [0, 2, 3, 4]].any()


def test_no_draw_is_refused():
    with pytest.raises(ValueError, match="repeats"):
        quality_subsets(np.arange(9.0), rng=rng(), repeats=0)


@pytest.mark.parametrize("coefficient", list(SCIPY))
def test_quality_drift_is_the_correlation_in_each_draw(coefficient):
    metric, human, _, prompt = study()
    subsets = quality_subsets(human, rng=rng(), repeats=3)
    found = by_quality(
        metric,
        human,
        subsets,
        rng=rng(),
        coefficient=coefficient,
        unit=prompt,
        draws=50,
    )
    for j, subset in enumerate(found.subsets):
        values = [
            SCIPY[coefficient](metric[one[j]], human[one[j]]).statistic
            for one in subsets
        ]
        assert subset.mean == pytest.approx(np.mean(values))
        assert subset.std == pytest.approx(np.std(values, ddof=1))
        assert subset.first.value == pytest.approx(values[0])
        assert subset.size == pytest.approx(subsets[:, j].sum(axis=1).mean())
        spreads = [human[one[j]].std(ddof=1) for one in subsets]
        assert subset.human_std == pytest.approx(np.mean(spreads))
    means = [subset.mean for subset in found.subsets]
    assert found.stability.value == pytest.approx(np.std(means, ddof=1))
    assert found.stability.n == 240 and found.stability.low < found.stability.high


def test_a_metric_that_knows_only_bad_texts_is_less_stable():
    metric, human, _, prompt = study(300)
    noise = np.median(metric) + rng(1).normal(size=len(metric))
    half = np.where(human > np.median(human), noise, metric)
    subsets = quality_subsets(human, rng=rng(), repeats=5)
    steady, drifting = (
        by_quality(x, human, subsets, rng=rng(), unit=prompt, draws=100)
        for x in (metric, half)
    )
    assert drifting.stability.low > steady.stability.high
    assert drifting.subsets[0].mean > drifting.subsets[3].mean + 0.1


def test_one_draw_has_no_spread_over_draws():
    metric, human, _, _ = study()
    subsets = quality_subsets(human, rng=rng(), repeats=1)
    found = by_quality(metric, human, subsets, rng=rng(), draws=50)
    assert found.subsets[0].std is None
    assert found.subsets[0].mean == found.subsets[0].first.value


def test_a_constant_metric_has_no_quality_drift():
    _, human, _, _ = study()
    subsets = quality_subsets(human, rng=rng(), repeats=2)
    found = by_quality(np.ones(240), human, subsets, rng=rng(), draws=50)
    assert {one.reason for one in found.subsets} == {"metric scores: all the same"}
    assert found.stability.reason == "fewer than 2 subsets with a correlation"


def test_the_histogram_counts_each_subset_over_the_same_bins():
    human = np.array([1, 2, 3, 4, 5, NAN, 5])
    subsets = np.array([[1, 1, 0, 0, 0, 1, 0], [0, 0, 0, 1, 1, 0, 1]], bool)
    found = histogram(human, subsets)
    assert found.edges == pytest.approx([1, 1.8, 2.6, 3.4, 4.2, 5])
    assert found.counts.tolist() == [[1, 1, 0, 0, 0], [0, 0, 0, 1, 2]]


score = st.sampled_from([NAN, 0.0, 1.0, 1.0, 2.5, 1e6, np.inf])
text = st.tuples(score, score, st.integers(0, 2), st.integers(0, 3))


@settings(max_examples=40, deadline=None)
@given(st.lists(text, max_size=14), st.sampled_from(list(SCIPY)))
def test_any_texts_give_numbers_or_reasons(rows, coefficient):
    metric = np.array([row[0] for row in rows], float)
    human = np.array([row[1] for row in rows], float)
    systems = np.array([row[2] for row in rows], int)
    prompt = np.array([row[3] for row in rows], int)
    options = {"coefficient": coefficient, "unit": prompt, "draws": 10}
    model = by_system(metric, human, systems, rng=rng(), **options)
    subsets = quality_subsets(human, rng=rng(), repeats=2)
    quality = by_quality(metric, human, subsets, rng=rng(), **options)
    estimates = [within.value for within in model.within]
    for one in (*estimates, model.std, quality.stability):
        assert np.isfinite([x for x in one.numbers if x is not None]).all()
        assert (one.low is None) == (one.reason is not None)
    for subset in quality.subsets:
        assert (subset.mean is None) == (subset.reason is not None)
        numbers = [subset.mean, subset.std, subset.size, subset.human_std]
        assert np.isfinite([x for x in numbers if x is not None]).all()
    assert histogram(human, subsets[0]).counts.shape == (4, 5)


def test_the_sentiment_texts_of_the_paper_drift_by_system():
    """360 texts of 4 systems, human means of 5 ratings: 90 each, coherence."""
    lines = shared.path("data/ctrleval/data_senti.txt").read_text().splitlines()
    rows = [line.split("\t") for line in lines]
    human = np.array([float(row[3]) for row in rows])
    length = np.array([len(row[2].split()) for row in rows])
    prompt = np.array([row[0] + row[1] for row in rows])
    found = by_system(length, human, np.arange(360) % 4, rng=rng(), unit=prompt)
    for k, within in enumerate(found.within):
        assert within.value.n == 90
        expected = stats.pearsonr(length[k::4], human[k::4]).statistic
        assert within.value.value == pytest.approx(expected)
    sizes = quality_subsets(human, rng=rng()).sum(axis=2).mean(axis=0)
    assert sizes == pytest.approx([187.5, 210, 210, 187.5], abs=8)


def test_scores_that_differ_by_rounding_are_in_one_bin():
    human = np.array([0.1 + 0.2, 0.3, 0.3, 0.6 / 2])
    found = histogram(human, np.ones((4, 4), bool))
    assert found.counts.max(axis=1).tolist() == [4, 4, 4, 4]
