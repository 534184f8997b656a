"""Means of systems over prompts against R's clubSandwich and against paired t."""

import numpy as np
import pytest
import scipy

from scoring.stats import cluster_t

# Of lm(y ~ 0 + factor(s)), vcovCR(cluster = p, type = "CR2"), linear_contrast(test =
# "Satterthwaite") of clubSandwich 0.5.8: 3 to 6 texts a prompt, not of all systems.
PROMPT = np.repeat(np.arange(12), [6, 5, 5, 4, 4, 3, 3, 3, 3, 6, 5, 6])
SYSTEM = np.array(
    [0, 0, 2, 2, 0, 2, 1, 0, 2, 2, 0, 1, 2, 2, 1, 2, 2, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0]
    + [2, 2, 1, 2, 2, 0, 0, 2, 1, 0, 1, 1, 1, 1, 0, 1, 1, 2, 2, 2, 0, 0, 2, 0, 1, 2]
)
SCORE = np.array(
    [3, 4, 5, 4, 4, 3, 3, 5, 2, 5, 4, 1, 2, 5, 3, 1, 4, 4, 5, 1, 1, 5, 1, 3, 1, 2, 3]
    + [3, 3, 1, 1, 1, 1, 4, 3, 4, 2, 4, 4, 2, 3, 5, 5, 5, 2, 4, 5, 4, 5, 4, 4, 2, 5.0]
)


@pytest.fixture
def found() -> cluster_t.Means:
    return cluster_t.means(SCORE, SYSTEM, 3, PROMPT)


def test_means_have_the_intervals_of_clubsandwich(found: cluster_t.Means) -> None:
    expected = [(3.526, 2.937, 4.116), (2.733, 1.601, 3.866), (3.263, 2.455, 4.072)]
    for made, numbers in zip(
        cluster_t.estimates(found, skewed=False), expected, strict=True
    ):
        assert np.round(np.array(made.numbers, float), 3) == pytest.approx(numbers)


def test_differences_have_the_tests_of_clubsandwich(found: cluster_t.Means) -> None:
    tests = cluster_t.differences(found).tests
    p = [tests.p[0, 1], tests.p[0, 2], tests.p[1, 2]]
    assert p == pytest.approx([0.147912637915, 0.320375062051, 0.336905076212])
    low = [tests.low[0, 1], tests.low[0, 2], tests.low[1, 2]]
    assert np.round(low, 3) == pytest.approx([-0.344, -0.302, -1.716])
    assert tests.p[1, 0] == pytest.approx(tests.p[0, 1])
    assert tests.high[1, 0] == pytest.approx(-tests.low[0, 1])


def test_one_text_a_prompt_and_system_is_the_paired_t_test() -> None:
    scores = np.random.default_rng(1).normal(size=(9, 3))
    at = np.indices(scores.shape).reshape(2, -1)
    found = cluster_t.means(scores.ravel(), at[1], 3, at[0])
    tests = cluster_t.differences(found).tests
    paired = scipy.stats.ttest_rel(scores[:, 0], scores[:, 2])
    assert tests.p[0, 2] == pytest.approx(paired.pvalue)
    higher = scipy.stats.ttest_rel(scores[:, 0], scores[:, 2], alternative="greater")
    assert tests.greater[0, 2] == pytest.approx(higher.pvalue)
    ends = tests.low[0, 2], tests.high[0, 2]
    assert ends == pytest.approx(tuple(paired.confidence_interval()))
    alone = scipy.stats.ttest_1samp(scores[:, 1], 0).confidence_interval()
    made = cluster_t.estimates(found, skewed=False)[1]
    assert (made.low, made.high) == pytest.approx(tuple(alone))


def test_a_missing_score_and_a_text_of_no_system_are_left_out(
    found: cluster_t.Means,
) -> None:
    scores = np.append(SCORE, [np.nan, 5.0])
    more = cluster_t.means(
        scores, np.append(SYSTEM, [1, -1]), 3, np.append(PROMPT, [3, 3])
    )
    assert cluster_t.estimates(more) == cluster_t.estimates(found)


@pytest.mark.parametrize(
    ("scores", "prompts", "reason"),
    [
        ([np.nan], [0], cluster_t.NO_SCORE),
        ([1.0, 2, 3, 5], [0, 1, 2, 3], cluster_t.FEW_PROMPTS),
        ([1.0, 2, 3, 5, 6], [0] * 5, cluster_t.FEW_PROMPTS),
        ([4.0] * 20, [*range(20)], cluster_t.ALIKE),
        ([0.1 + 0.2, 0.3, 0.3, 0.3, 0.3], [*range(5)], cluster_t.ALIKE),
    ],
)
def test_no_interval_has_a_reason(
    scores: list[float], prompts: list[int], reason: str
) -> None:
    made = cluster_t.mean(np.array(scores), np.array(prompts))
    assert (made.low, made.high, made.reason) == (None, None, reason)


def test_systems_that_differ_by_the_same_everywhere_are_not_tested() -> None:
    scores, at = np.arange(8.0), np.arange(8)
    found = cluster_t.means(
        np.append(scores, scores + 1), np.repeat([0, 1], 8), 2, np.append(at, at)
    )
    between = cluster_t.differences(found)
    assert np.isnan(between.tests.p).all()
    made = cluster_t.difference(found, between, 1, 0)
    assert (made.value, made.low, made.reason) == (1.0, None, cluster_t.ALIKE)


def test_degrees_of_freedom_fall_with_unequal_clusters() -> None:
    assert cluster_t.degrees(np.array([5, 5, 5, 5])) == pytest.approx(3)
    assert cluster_t.degrees(np.array([50, 5, 5, 5])) < 2
    assert cluster_t.degrees(np.array([5])) == cluster_t.degrees(np.array([5, 0])) == 0


def test_shapes_must_match() -> None:
    with pytest.raises(ValueError, match="one length"):
        cluster_t.means(SCORE, SYSTEM[1:], 3, PROMPT)


def test_a_skewed_mean_has_the_interval_of_halls_transformation() -> None:
    scores = np.array([5, 5, 5, 4, 5, 5, 1, 5, 4, 5.0])
    made = cluster_t.mean(scores, np.arange(10), skewed=True)
    a = scipy.stats.skew(scores, bias=False) / 10**0.5
    for end, tail in ((made.low, 0.025), (made.high, 0.975)):
        t = (scores.mean() - end) / scipy.stats.sem(scores)
        g = t + a * t**2 / 3 + a**2 * t**3 / 27 + a / 6
        assert g == pytest.approx(scipy.stats.t.isf(tail, 9))
