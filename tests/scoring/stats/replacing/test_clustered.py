from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import scipy.linalg
import scipy.stats

from scoring.stats.estimates import Estimate
from scoring.stats.replacing import clustered, published
from tests import golden

CR2 = Path(golden.__file__).parent / "cr2.json"


def drawn(seed: int, sizes: list[int]) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    prompt = np.repeat(np.arange(len(sizes)), sizes)
    return rng.choice([-1.0, 0.0, 1.0], size=len(prompt)), rng.permutation(prompt)


def p_of(d: np.ndarray, prompt: np.ndarray, epsilon: float = 0.1) -> float:
    return float(clustered.test(clustered.sums(d, prompt), epsilon).p)


def method_of(d: np.ndarray, prompt: np.ndarray) -> str:
    found = clustered.test(clustered.sums(d, prompt), 0.1)
    return clustered.METHODS[int(found.method)]


def by_matrices(d: np.ndarray, prompt: np.ndarray) -> tuple[float, float]:
    """CR2 and Satterthwaite's degrees of freedom, as their definitions have them."""
    n = len(d)
    X = np.ones((n, 1))
    bread = np.linalg.inv(X.T @ X)
    H = X @ bread @ X.T
    residual = (np.eye(n) - H) @ d
    variance, vectors = 0.0, []
    for one in np.unique(prompt):
        at = np.flatnonzero(prompt == one)
        inside = np.eye(len(at)) - H[np.ix_(at, at)]
        A = np.linalg.inv(scipy.linalg.sqrtm(inside).real)
        half = bread @ X[at].T @ A
        variance += float((half @ residual[at])[0] ** 2)
        vectors.append((half @ (np.eye(n) - H)[at])[0])
    P = np.array(vectors) @ np.array(vectors).T
    return variance**0.5, float(np.trace(P) ** 2 / (P**2).sum())


@pytest.mark.parametrize(
    "sizes", [[1] * 12, [3] * 10, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [40, *[2] * 12]]
)
@pytest.mark.parametrize("seed", range(3))
def test_the_closed_form_is_what_matrices_give(sizes, seed):
    d, prompt = drawn(seed, sizes)
    found = clustered.robust(clustered.sums(d, prompt))
    se, degrees = by_matrices(d, prompt)
    assert float(found.se) == pytest.approx(se, rel=1e-10)
    assert found.degrees == pytest.approx(degrees, rel=1e-10)


def test_the_closed_form_is_what_clubsandwich_gives():
    for case in json.loads(CR2.read_text()):
        given = clustered.sums(np.array(case["d"]), np.array(case["prompt"]))
        found = clustered.robust(given)
        assert float(found.se) == pytest.approx(case["se"], rel=1e-10)
        assert float(found.t(0.1)) == pytest.approx(case["t"], rel=1e-10)
        assert found.degrees == pytest.approx(case["degrees"], rel=1e-10)


@pytest.mark.parametrize("n", [10, 30, 200])
@pytest.mark.parametrize("epsilon", [0.1, 0.15, 0.2])
def test_prompts_of_one_text_give_the_published_p(n, epsilon):
    d, prompt = drawn(n, [1] * n)
    p = p_of(d, prompt, epsilon)
    assert p == pytest.approx(published.t_test(d, epsilon), abs=1e-12)


def test_many_ties_are_tested_with_skewness_taken_out():
    d, prompt = np.zeros(400), np.repeat(np.arange(100), 4)
    d[::16] = 1.0  # in 25 prompts
    assert method_of(d, prompt) == "CR2, skewness"
    found = clustered.robust(clustered.sums(d, prompt))
    assert float(found.skewness) > 0
    plain = scipy.stats.t.cdf(found.t(0.1), found.degrees)
    assert p_of(d, prompt) > plain


def test_a_skewness_below_zero_changes_nothing():
    t = np.array([-2.0, 0.0, 1.0])
    assert clustered.transformed(t, np.array(-0.4)).tolist() == t.tolist()


def test_halls_transformation_rises_everywhere():
    t = np.linspace(-30, 30, 2001)
    for a in (0.1, 0.5, 2.0):
        assert (np.diff(clustered.transformed(t, np.array(a))) > 0).all()


def test_where_few_prompts_decide_prompts_are_counted():
    d, prompt = np.zeros(60), np.arange(60)
    d[:2] = 1.0
    assert method_of(d, prompt) == "exact"
    # Two of 60 prompts on which the rater is closer.
    assert p_of(d, prompt) == pytest.approx(scipy.stats.binom.cdf(2, 60, 0.1))


@pytest.mark.parametrize(
    ("d", "p"), [(0.0, 0.9**30), (-1.0, 0.45**30), (1.0, 1.0), (0.1, 1.0)]
)
def test_p_is_defined_where_all_prompts_are_alike(d, p):
    assert p_of(np.full(60, d), np.repeat(np.arange(30), 2)) == pytest.approx(p)


def test_fewer_than_five_prompts_are_refused():
    d, prompt = drawn(0, [10] * 4)
    assert np.isnan(p_of(d, prompt))
    assert method_of(d, prompt) == "none"


def test_columns_of_other_lengths_are_refused():
    with pytest.raises(ValueError, match="two vectors of one length"):
        clustered.sums(np.zeros(3), np.zeros(4))


def errors(ties: float, prompts: int, seed: int) -> tuple[float, float]:
    """Of the published test and of ours, in 2,000 studies at the border."""
    rng, n, m = np.random.default_rng(seed), 2000, 4
    above = scipy.stats.norm.isf((1 - ties + 0.1) / 2)
    below = scipy.stats.norm.ppf((1 - ties - 0.1) / 2)
    z = rng.normal(size=(n, prompts, 1)) + rng.normal(size=(n, prompts, m))
    z /= 2**0.5
    d = (z > above) * 1.0 - (z < below)
    given = clustered.Sums(
        np.full(prompts, m),
        d.sum(axis=2),
        (d != 0).any(axis=2).sum(axis=1),
        (d == 0).mean(axis=(1, 2)),
    )
    ours = clustered.test(given, 0.1).p
    flat = d.reshape(n, -1)
    t = (flat.mean(1) - 0.1) / (flat.std(1, ddof=1) / flat.shape[1] ** 0.5)
    theirs = scipy.stats.t.cdf(t, flat.shape[1] - 1)
    return float((theirs <= 0.05).mean()), float((ours <= 0.05).mean())


@pytest.mark.parametrize(("ties", "prompts"), [(0.3, 20), (0.7, 60), (0.8, 60)])
def test_shared_prompts_break_the_published_test_and_not_ours(ties, prompts):
    theirs, ours = errors(ties, prompts, seed=4)
    # Two standard errors of a share of 0.05 are 0.01.
    assert theirs > 0.09
    assert 0.01 < ours < 0.065


class TestMeanOfRaters:
    def test_every_rater_counts_once(self):
        won, rater = np.array([1, 1, 1, 0.0]), np.array([0, 0, 0, 1])
        found = clustered.mean_of_raters(won, rater, np.arange(4))
        assert found.value == 0.5
        assert found.reason == clustered.FEW_UNITS

    def test_one_rater_with_prompts_of_one_text_has_the_usual_interval(self):
        won = np.r_[np.ones(20), np.zeros(20)]
        found = clustered.mean_of_raters(won, np.zeros(40), np.arange(40))
        se = won.std(ddof=1) / 40**0.5
        half = scipy.stats.t.isf(0.025, 39) * se
        assert found.high == pytest.approx(0.5 + half)
        assert found.low == pytest.approx(0.5 - half)

    def test_texts_that_share_prompts_make_it_wider(self):
        won = np.tile(np.r_[np.ones(20), np.zeros(20)], (4, 1)).T.ravel()
        alone = clustered.mean_of_raters(won, np.zeros(160), np.arange(160))
        together = clustered.mean_of_raters(won, np.zeros(160), np.arange(160) // 4)
        assert together.high - together.low > 1.5 * (alone.high - alone.low)

    def test_prompts_that_are_all_alike_have_no_interval(self):
        """Of 6 prompts that all went one way, a seventh may go the other."""
        for won in (np.ones(12), np.tile([1.0, 0.0], 6), np.full(12, 0.1)):
            found = clustered.mean_of_raters(won, np.zeros(12), np.arange(12) // 2)
            assert found.value == pytest.approx(won.mean())
            assert found == Estimate(found.value, n=12, reason=clustered.ALIKE)

    def test_nobody_has_no_mean(self):
        nothing = np.empty(0)
        found = clustered.mean_of_raters(nothing, nothing, nothing)
        assert found.value is None and found.reason
