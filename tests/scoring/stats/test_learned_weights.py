"""Weights of evaluators, learned from the ratings of other prompts."""

import numpy as np
import pytest
from scipy import stats

from scoring.stats import learned_weights, weighting
from scoring.stats.learned_weights import cross_fitted

NAN = np.nan
PROMPTS, EACH, E = 30, 8, 12


def rng(seed=0):
    return np.random.default_rng(seed)


def made(useful=3, noise=1.0, seed=1):
    """Ratings that follow the first evaluators; all have the same weight."""
    generator = rng(seed)
    n = PROMPTS * EACH
    s = generator.normal(size=(n, E))
    human = s[:, :useful].mean(axis=1) + noise * generator.normal(size=n)
    return s, np.ones_like(s), human, np.repeat(np.arange(PROMPTS), EACH)


def r(found, human):
    return stats.pearsonr(found, human).statistic


def test_where_few_evaluators_matter_they_beat_the_paper_s_weights():
    s, w, human, prompt = made(noise=0.5)
    found = cross_fitted(s, w, human, prompt, rng=rng())
    paper = weighting.combined(s, w, "weighted")
    assert r(found.scores, human) > r(paper, human) + 0.1
    assert max(found.strengths) < np.inf


def test_where_all_matter_alike_they_stay_close_to_the_paper_s():
    s, w, human, prompt = made(useful=E, noise=0.5)
    found = cross_fitted(s, w, human, prompt, rng=rng())
    paper = weighting.combined(s, w, "weighted")
    assert r(found.scores, paper) > 0.95


def test_folds_that_learn_nothing_give_the_paper_s_score(monkeypatch):
    """Their means must not tell against the ratings that they left out."""
    monkeypatch.setattr(learned_weights, "STRENGTHS", (np.inf,))
    s, _, human, prompt = made()
    human += np.random.default_rng(8).normal(size=PROMPTS)[prompt]
    w = rng(3).random(s.shape)
    paper = weighting.combined(s, w, "weighted")
    found = cross_fitted(s, w, human, prompt, rng=rng())
    assert r(found.scores, paper) == pytest.approx(1)


def test_a_paper_s_score_that_ratings_contradict_is_not_turned_round(monkeypatch):
    monkeypatch.setattr(learned_weights, "STRENGTHS", (np.inf,))
    s, w, human, prompt = made(useful=E)
    found = cross_fitted(s, w, -human, prompt, rng=rng())
    assert r(found.scores, weighting.combined(s, w, "weighted")) == pytest.approx(1)


def test_ratings_without_any_signal_are_not_predicted():
    s, w, _, prompt = made()
    human = rng(7).normal(size=len(s))
    found = cross_fitted(s, w, human, prompt, rng=rng())
    assert abs(r(found.scores, human)) < 0.2


def test_a_text_is_never_scored_with_weights_from_its_own_prompt():
    s, w, human, prompt = made()
    usual = cross_fitted(s, w, human, prompt, rng=rng()).scores
    changed = human.copy()
    changed[prompt == 4] = -50.0
    found = cross_fitted(s, w, changed, prompt, rng=rng()).scores
    np.testing.assert_array_equal(found[prompt == 4], usual[prompt == 4])
    assert (found[prompt != 4] != usual[prompt != 4]).mean() > 0.8


def test_texts_without_ratings_are_scored_and_change_nothing():
    s, w, human, prompt = made()
    human[prompt > 25] = NAN
    found = cross_fitted(s, w, human, prompt, rng=rng()).scores
    assert np.isfinite(found).all()


def test_the_strongest_shrinkage_is_least_squares_on_the_paper_s_score():
    s, w, human, _ = made()
    paper = weighting.combined(s, rng(3).random(w.shape), "weighted")
    fit = learned_weights._fit(s, paper, human, np.inf)
    line = stats.linregress(paper, human)
    assert fit(s, paper) == pytest.approx(line.intercept + line.slope * paper)


def test_a_shrinkage_is_the_ridge_regression_of_the_rest():
    s, w, human, _ = made()
    paper = weighting.combined(s, w, "weighted")
    line = stats.linregress(paper, human)
    rest = human - line.intercept - line.slope * paper
    x = s - s.mean(axis=0)
    top = np.linalg.eigvalsh(x.T @ x).max()
    d = np.linalg.solve(x.T @ x + 0.1 * top * np.eye(E), x.T @ rest)
    fit = learned_weights._fit(s, paper, human, 0.1)
    assert fit.d == pytest.approx(d)
    assert fit(s, paper).mean() == pytest.approx(human.mean())


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda s, h: (s[:, :1], h), "fewer than two evaluators"),
        (lambda s, h: (np.where(s > 1, NAN, s), h), "differ from text to text"),
        (lambda s, h: (np.where(s > 1, np.inf, s), h), "an infinite score"),
        (lambda s, h: (s, np.full_like(h, NAN)), "0 rated prompts"),
        (lambda s, h: (s, np.full_like(h, 3.0)), "all ratings are the same"),
        (lambda s, h: (np.full_like(s, NAN), h), "fewer than two evaluators"),
    ],
)
def test_where_nothing_can_be_learned_it_says_why(change, reason):
    s, w, human, prompt = made()
    s, human = change(s, human)
    found = cross_fitted(s, np.ones_like(s), human, prompt, rng=rng())
    assert np.isnan(found.scores).all() and reason in found.reason


def test_a_text_without_evaluators_has_no_score():
    s, w, human, prompt = made()
    s[3] = NAN
    found = cross_fitted(s, w, human, prompt, rng=rng())
    assert np.flatnonzero(np.isnan(found.scores)).tolist() == [3]


def test_a_seed_gives_the_same_folds():
    s, w, human, prompt = made()
    one, same = (cross_fitted(s, w, human, prompt, rng=rng(2)) for _ in range(2))
    np.testing.assert_array_equal(one.scores, same.scores)
    assert len(one.strengths) == learned_weights.FOLDS
