from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Ridge, RidgeCV
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.preprocessing import StandardScaler

from scoring.stats.answer import floor

PROMPTS, EACH = 12, 4
PROMPT = np.repeat(np.arange(PROMPTS), EACH)
SYSTEM = np.tile(np.arange(EACH), PROMPTS)


def made(seed: int = 0, width: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(len(PROMPT), width)) * [1, 10, 100][:width] + 5
    return X, X[:, 0] + rng.normal(size=len(PROMPT))


def r(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.corrcoef(x, y)[0, 1])


def test_folds_hold_whole_prompts_and_there_are_ten_at_most():
    fold = floor.folds(PROMPT)
    assert len(np.unique(fold)) == floor.FOLDS
    assert all(len(set(fold[p == PROMPT])) == 1 for p in range(PROMPTS))


def test_length_reaches_what_counting_words_does_where_longer_is_better():
    X, y = made()
    found = floor.length(X[:, 0], y, PROMPT)
    assert r(found.scores, y) == pytest.approx(r(X[:, 0], y), abs=1e-12)


def test_length_is_turned_where_shorter_is_better():
    X, y = made()
    found = floor.length(-X[:, 0], y, PROMPT)
    assert r(found.scores, y) == pytest.approx(r(X[:, 0], y), abs=1e-12)


def test_the_direction_of_length_comes_from_other_prompts():
    # Within each fold the slope is opposite to that of the other, larger one.
    prompt = np.array([0] * 3 + [1] * 3)
    words = np.array([1.0, 2, 3, 1, 2, 3])
    y = np.array([1.0, 2, 3, 9, 6, 3])
    found = floor.length(words, y, prompt).scores
    assert found.tolist() == [1, 0, -1, -1, 0, 1]


def test_the_ridge_is_the_one_that_sklearn_chooses_by_leaving_one_out():
    for seed in range(5):
        X, y = made(seed)
        X = X / X.std(axis=0)
        theirs = RidgeCV(alphas=floor.PENALTIES).fit(X, y)
        assert floor.ridge(X, y).coefficients == pytest.approx(theirs.coef_, rel=1e-6)


def test_the_ridge_of_one_penalty_is_sklearns(monkeypatch):
    monkeypatch.setattr(floor, "PENALTIES", (3.0,))
    X, y = made()
    theirs = Ridge(alpha=3.0).fit(X, y)
    assert floor.ridge(X, y).coefficients == pytest.approx(theirs.coef_, rel=1e-9)


def test_surface_is_cross_fitted_as_sklearn_does_it_but_for_the_intercepts(
    monkeypatch,
):
    monkeypatch.setattr(floor, "PENALTIES", (1e-9,))
    monkeypatch.setattr(floor, "_clearly_less", lambda errors, others: True)
    X, y = made()
    fold = floor.folds(PROMPT)
    # Fitted by hand on the other folds, with intercept; the intercept taken off.
    wanted = np.empty(len(y))
    # Each feature, its square about the mean, and its logarithm.
    X = np.hstack([X, (X - X.mean(axis=0)) ** 2, np.sign(X) * np.log1p(np.abs(X))])
    X = StandardScaler().fit_transform(X)  # else the solver drops small columns
    for k in np.unique(fold):
        fit = LinearRegression().fit(X[fold != k], y[fold != k])
        wanted[fold == k] = (X[fold == k] - X.mean(axis=0)) @ fit.coef_
    assert floor.surface(made()[0], y, PROMPT).scores == pytest.approx(wanted, abs=1e-6)
    # And close to what cross_val_predict gives, whose intercepts hardly differ here.
    theirs = cross_val_predict(
        LinearRegression(), X, y, groups=PROMPT, cv=GroupKFold(10)
    )
    assert r(wanted, theirs) > 0.95


def test_a_text_never_sees_its_own_score():
    X, y = made()
    other = y.copy()
    other[5] += 100
    same = PROMPT[5] == PROMPT
    for predict in (
        lambda y: floor.surface(X, y, PROMPT).scores[same],
        lambda y: floor.length(X[:, 0], y, PROMPT).scores[same],
        lambda y: floor.others("system", SYSTEM, y).scores[[5]],
        lambda y: floor.others("prompt", PROMPT, y).scores[[5]],
    ):
        assert predict(y) == pytest.approx(predict(other), abs=1e-9)


def test_prompt_alone_is_the_mean_of_the_other_texts():
    _, y = made()
    found = floor.others("prompt", PROMPT, y).scores
    for i in range(len(y)):
        rest = (PROMPT[i] == PROMPT) & (np.arange(len(y)) != i)
        assert found[i] == pytest.approx(y[rest].mean(), abs=1e-12)


def test_such_means_correlate_at_minus_one_within_a_group():
    _, y = made()
    found = floor.others("prompt", PROMPT, y).scores
    assert r(found[PROMPT == 3], y[PROMPT == 3]) == pytest.approx(-1)


def test_a_text_without_others_gets_what_says_nothing():
    y = np.array([1.0, 3, 5, 7, 2])
    group = np.array([0, 0, 1, 1, 2])
    found = floor.others("prompt", group, y)
    assert found.scores.tolist() == [3, 1, 7, 5, 4]


def test_unknown_systems_are_no_group():
    y = np.array([1.0, 3, 5, 7, 2, 4])
    group = np.array([0, 0, 1, 1, -1, -1])
    assert floor.others("system", group, y).scores[4:].tolist() == [4, 4]


@pytest.mark.parametrize(
    ("group", "reason"),
    [
        ([0, 0, 0, 0], "there are fewer than two prompts"),
        ([0, 1, 2, 3], "most texts share their prompt with no other rated text"),
    ],
)
def test_there_may_be_nothing_to_know_of_a_prompt(group, reason):
    found = floor.others("prompt", np.array(group), np.arange(4.0))
    assert found.reason == reason
    assert np.isnan(found.scores).all()


def test_texts_without_a_human_score_are_left_out():
    X, y = made()
    y[:7] = np.nan
    for found in (
        floor.length(X[:, 0], y, PROMPT),
        floor.surface(X, y, PROMPT),
        floor.others("prompt", PROMPT, y),
    ):
        assert np.isnan(found.scores).tolist() == np.isnan(y).tolist()


def test_one_prompt_has_nothing_to_learn_from():
    X, y = made()
    one = np.zeros(len(y), int)
    assert floor.length(X[:, 0], y, one).reason == floor.ONE_PROMPT
    assert floor.surface(X, y, one).reason == floor.ONE_PROMPT


def test_constant_features_give_no_sentinel():
    X, y = made()
    assert floor.length(np.ones(len(y)), y, PROMPT).reason == "the same for all texts"
    assert floor.surface(np.ones_like(X), y, PROMPT).reason
    X[:, 1] = 7  # one of them is no harm
    assert floor.surface(X, y, PROMPT).reason is None


def test_nothing_rated_is_no_error():
    X, y = made()
    nothing = np.full(len(y), np.nan)
    assert floor.length(X[:, 0], nothing, PROMPT).reason
    assert floor.surface(X, nothing, PROMPT).reason
    assert floor.others("prompt", PROMPT, nothing).reason


def test_features_of_noise_reach_nothing():
    """Below 0, as what is left out counts against them; with intercepts far below."""
    found, with_intercepts = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(len(PROMPT), 3)), rng.normal(size=len(PROMPT))
        found.append(r(floor.surface(X, y, PROMPT).scores, y))
        fit = cross_val_predict(RidgeCV(alphas=floor.PENALTIES), X, y)
        with_intercepts.append(r(fit, y))
    assert np.mean(with_intercepts) < np.mean(found) < 0


def test_surface_knows_that_people_may_like_texts_of_middle_length():
    rng = np.random.default_rng(3)
    size = rng.normal(size=len(PROMPT))
    y = -((size - size.mean()) ** 2)
    found = floor.surface(np.column_stack([6 * size, size]), y, PROMPT).scores
    assert np.corrcoef(found, y)[0, 1] > 0.95


@pytest.mark.parametrize(("of_others", "used"), [(0.0, False), (2.0, True)])
def test_features_other_than_length_are_used_where_they_clearly_help(of_others, used):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(len(PROMPT), 6))
    y = X[:, floor.WORDS] + of_others * X[:, 4] + rng.normal(size=len(PROMPT))
    found = floor.surface(X, y, PROMPT).scores
    of_words = floor.surface(X[:, [floor.WORDS] * 2], y, PROMPT).scores
    assert (found == pytest.approx(of_words, abs=1e-6)) is not used
    assert (r(found, X[:, 4]) > 0.5) is used


def test_where_all_texts_are_equally_long_surface_uses_the_other_features():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(len(PROMPT), 3))
    X[:, floor.WORDS] = 7
    found = floor.surface(X, X[:, 2], PROMPT).scores
    assert r(found, X[:, 2]) > 0.95


def test_a_system_is_known_from_its_texts_of_other_prompts_only():
    human = np.array([1.0, 5, 2, 4, 3, 3])
    system, prompt = np.array([0, 1, 0, 1, 0, 1]), np.array([0, 0, 1, 1, 2, 2])
    found = floor.elsewhere(human, system, prompt)
    assert found.tolist() == [2.5, 3.5, 2.0, 4.0, 1.5, 4.5]


def test_where_a_system_wrote_nothing_else_the_mean_of_the_others_is_said():
    human = np.array([1.0, 2, 5])
    system, prompt = np.array([0, 0, 1]), np.array([0, 1, 1])
    assert floor.elsewhere(human, system, prompt).tolist() == [2.0, 1.0, 1.5]
