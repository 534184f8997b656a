"""The ordinal model against R's clmm, and where there is no model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from scoring.stats.severity import _laplace, _rows, ordinal
from tests.scoring.stats.severity import golden

NEAR = 1e-3


def fitted(*columns: Any) -> ordinal.Fit:
    found = ordinal.fit(*columns)
    assert isinstance(found, ordinal.Fit), found
    return found


def refused(*columns: Any) -> str:
    found = ordinal.fit(*columns)
    assert isinstance(found, ordinal.NoFit)
    return found.reason


def simulated(
    texts: int = 60, raters: int = 6, each: int = 3, systems: int = 2, seed: int = 0
) -> golden.Columns:
    """Ratings from 1 to 5 by raters of unlike severity."""
    rng = np.random.default_rng(seed)
    text = np.repeat(np.arange(texts), each)
    rater = np.argsort(rng.random((texts, raters)), axis=1)[:, :each].ravel()
    system = text % systems
    good = rng.normal(size=texts)[text] + system - np.linspace(-1, 1, raters)[rater]
    latent = good + rng.logistic(size=len(text))
    value = 1 + (latent[:, np.newaxis] > [-1.5, -0.5, 0.5, 1.5]).sum(axis=1)
    return text, rater, value, system


def holds_to_clmm(found: ordinal.Fit, theirs: dict) -> None:
    n = len(theirs["se"])
    assert found.thresholds == pytest.approx(theirs["thresholds"], abs=NEAR)
    assert list(found.systems[1:]) == pytest.approx(theirs["beta"] or [], abs=NEAR)
    assert found.errors[:n] == pytest.approx(theirs["se"], abs=NEAR)
    assert found.text_sd == pytest.approx(theirs["sd_text"][0], abs=NEAR)
    assert found.rater_sd == pytest.approx(theirs["sd_rater"][0], abs=NEAR)
    likelihood = theirs["log_likelihood"][0]
    assert found.log_likelihood == pytest.approx(likelihood, abs=NEAR)
    assert found.rater_names.tolist() == theirs["raters"]
    assert found.raters == pytest.approx(theirs["modes"], abs=NEAR)
    variances = np.diagonal(found.rater_covariance)
    assert variances == pytest.approx(theirs["variances"], abs=NEAR)


def test_made_up_ratings_give_what_clmm_gives():
    holds_to_clmm(fitted(*golden.made_up()), golden.FOUND["made_up"]["clmm"])


def test_responses_in_dialogues_give_what_clmm_gives():
    holds_to_clmm(fitted(*golden.usr()), golden.FOUND["shared"]["usr"]["clmm"])


@pytest.mark.parametrize("name", ["10k_prompts", "cebab_stars"])
def test_ratings_without_systems_give_what_clmm_gives(name):
    columns = golden.alttest(name)
    holds_to_clmm(fitted(*columns), golden.FOUND["shared"][name]["clmm"])


@pytest.mark.parametrize("spread", [None, 0.3])
def test_the_slope_is_that_of_the_likelihood(spread):
    text, rater, value, system = simulated(texts=20)
    of = _rows.rows(text, rater, value - 1, system[::3])
    cuts = np.array([-1.4, -0.3, 0.5, 1.6])
    at = _rows.pack(_rows.Parameters(cuts, np.array([0.0, 0.6]), 0.9, 0.7, spread))

    def mode(at: np.ndarray) -> _laplace.Mode:
        made = _rows.unpack(at, of)
        found = _laplace.mode(made, of, np.zeros(_laplace.size(made, of)))
        assert found is not None
        return found

    steps = 1e-5 * np.eye(len(at))
    expected = [
        (_laplace.value(mode(at + step)) - _laplace.value(mode(at - step))) / 2e-5
        for step in steps
    ]
    by = _laplace.derivatives(_rows.unpack(at, of), mode(at), of)
    assert _rows.chain(at, of).T @ by == pytest.approx(expected, abs=1e-5)


def test_a_start_that_turns_thresholds_round_ends_at_the_same_mode():
    text, rater, value, system = simulated(texts=20)
    of = _rows.rows(text, rater, value - 1, system[::3])
    cuts = np.array([-1.4, -0.3, 0.5, 1.6])
    made = _rows.Parameters(cuts, np.array([0.0, 0.6]), 0.9, 0.7, 0.4)
    start = np.zeros(_laplace.size(made, of))
    found = _laplace.mode(made, of, start)
    start[-1] = -5.0
    again = _laplace.mode(made, of, start)
    assert found is not None and again is not None
    assert again.b == pytest.approx(found.b, abs=1e-8)


def test_without_an_effect_of_raters_spread_and_texts_it_is_a_sum_of_logs():
    text, rater, value, system = simulated(texts=20)
    of = _rows.rows(text, rater, value - 1, system[::3])
    cuts = np.array([-1.4, -0.3, 0.5, 1.6])
    made = _rows.Parameters(cuts, np.array([0.0, 0.6]), 0.0, 0.0, None)
    found = _laplace.mode(made, of, np.zeros(_laplace.size(made, of)))
    assert found is not None
    below = 1 / (1 + np.exp(0.6 * system[:, np.newaxis] - cuts))
    chances = np.diff(below, prepend=0, append=1)
    expected = np.log(chances[np.arange(len(value)), value - 1]).sum()
    assert _laplace.value(found) == pytest.approx(-expected)


def test_the_order_of_the_ratings_changes_nothing():
    columns = golden.made_up()
    turned = tuple(column[::-1] for column in columns)
    assert fitted(*turned).raters == pytest.approx(fitted(*columns).raters, abs=1e-6)


def test_a_search_that_begins_with_a_part_of_the_texts_ends_at_the_same_place(
    monkeypatch,
):
    columns = simulated(texts=200)
    expected = fitted(*columns)
    monkeypatch.setattr(ordinal, "MANY", 500)
    monkeypatch.setattr(ordinal, "PART", 150)
    found = fitted(*columns)
    assert found.at == pytest.approx(expected.at, abs=1e-7)
    assert found.errors == pytest.approx(expected.errors, rel=1e-6)


def test_a_part_of_the_texts_that_lacks_a_point_is_not_begun_with(monkeypatch):
    text, rater, value, system = simulated(texts=100)
    value = np.where(value == 5, 4, value)
    value[-1] = 5  # of one text of four
    monkeypatch.setattr(ordinal, "MANY", 200)
    monkeypatch.setattr(ordinal, "PART", 75)
    found = fitted(text, rater, value, system)
    assert len(found.thresholds) == 4


def test_spread_is_the_same_with_and_without_the_model_before_it():
    columns = simulated(texts=100)
    found = ordinal.spread(*columns, after=fitted(*columns))
    alone = ordinal.spread(*columns)
    assert isinstance(found, ordinal.Spread) and isinstance(alone, ordinal.Spread)
    assert found.stretch == pytest.approx(alone.stretch, abs=1e-6)


def test_a_scale_turned_round_turns_severity_round():
    text, rater, value, system = golden.made_up()
    found, turned = (fitted(text, rater, one, system) for one in (value, 6 - value))
    assert turned.raters == pytest.approx(-found.raters, abs=1e-4)
    assert turned.log_likelihood == pytest.approx(found.log_likelihood)


def test_a_point_that_nobody_used_has_no_threshold():
    text, rater, value, system = simulated()
    value = np.where(value == 3, 4, value)
    found = fitted(text, rater, value, system)
    assert found.values.tolist() == [1, 2, 4, 5]
    assert len(found.thresholds) == 3


def test_a_rater_with_one_rating_is_drawn_to_the_middle_with_a_wide_interval():
    text, rater, value, system = simulated()
    more = np.append(text, 0), np.append(rater, 9), np.append(value, 1)
    found = fitted(*more, np.append(system, 0))
    assert found.n_ratings.tolist()[-1] == 1
    assert -found.rater_sd < found.raters[-1] < 0
    variances = np.diagonal(found.rater_covariance)
    assert variances[-1] == max(variances) < found.rater_sd**2


def test_a_system_with_top_ratings_only_has_no_finite_value_and_changes_nothing():
    text, rater, value, system = simulated()
    best = np.repeat([900, 901], 3), np.tile([0, 1, 2], 2), np.full(6, 5)
    found = fitted(
        *(
            np.concatenate(pair)
            for pair in zip((text, rater, value), best, strict=True)
        ),
        np.concatenate([system, np.full(6, 7)]),
    )
    without = fitted(text, rater, value, system)
    assert found.systems.tolist()[2] == np.inf
    assert found.systems[:2] == pytest.approx(without.systems, abs=1e-6)
    assert found.raters == pytest.approx(without.raters, abs=1e-5)


def test_a_rater_of_such_systems_alone_has_no_value():
    text, rater, value, system = simulated()
    best = [900, 900], [0, 77], [5, 5], [7, 7]
    columns = zip((text, rater, value, system), best, strict=True)
    found = fitted(*(np.concatenate(pair) for pair in columns))
    assert np.isnan(found.raters[-1]) and found.n_ratings[-1] == 0
    assert np.isfinite(found.raters[:-1]).all()


def test_raters_who_share_no_text_are_counted_as_groups():
    text, rater, value, system = simulated(systems=1)
    twice = [np.concatenate([one, one + 100]) for one in (text, rater)]
    found = fitted(*twice, np.tile(value, 2), np.tile(system, 2))
    assert found.n_groups == 2
    assert fitted(text, rater, value).n_groups == 1


def test_raters_who_do_not_differ_have_no_spread_between_them():
    rng = np.random.default_rng(1)
    text, rater, value, system = simulated(texts=40, raters=3, each=3)
    shuffled = rng.permuted(value.reshape(-1, 3), axis=1).ravel()
    even = np.tile([0, 1, 2], 40)
    found = fitted(text, even, shuffled, system)
    assert found.rater_sd < 0.5
    assert np.abs(found.raters).max() < 0.5


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], ordinal.NO_RATING),
        ([(0, "a", 1, 0), (1, "a", 2, 0)], ordinal.ONE_RATER),
        ([(0, "a", 1, 0), (1, "b", 2, 0)], ordinal.NO_PAIR),
        ([(0, "a", 3, 0), (0, "b", 3, 0)], ordinal.SAME),
        ([(t, r, t // 2, 0) for t in range(30) for r in "ab"], ordinal.MANY_POINTS),
        (
            [
                (t, r, 1 + 2 * (t % 2) + (r == "a"), t % 2)
                for t in range(9)
                for r in "ab"
            ],
            ordinal.APART,
        ),
        # Raters agree on every text: nothing bounds the spread of texts.
        ([(t, r, t % 3, 0) for t in range(9) for r in "ab"], ordinal.NOT_FOUND),
    ],
)
def test_where_there_is_no_model_it_says_why(rows, reason):
    columns = zip(*rows, strict=True) if rows else ((), (), (), ())
    assert refused(*(np.array(column) for column in columns)) == reason


def test_more_raters_than_it_holds_are_refused(monkeypatch):
    monkeypatch.setattr(ordinal, "MOST_RATERS", 5)
    assert refused(*simulated()) == ordinal.MANY_RATERS


def test_a_rater_who_keeps_to_the_middle_is_told_from_one_who_uses_the_ends():
    rng = np.random.default_rng(4)
    text, rater = np.repeat(np.arange(150), 4), np.tile(np.arange(4), 150)
    latent = 2 * rng.normal(size=150)[text] + rng.logistic(size=600)
    cuts = np.array([-3.0, -1.0, 1.0, 3.0])
    stretch = np.array([1.6, 1.0, 1.0, 0.6])
    value = 1 + (latent[:, np.newaxis] > stretch[rater, np.newaxis] * cuts).sum(axis=1)
    found = ordinal.spread(text, rater, value)
    assert isinstance(found, ordinal.Spread)
    assert np.argsort(found.stretch).tolist()[0] == 3
    assert np.argsort(found.stretch).tolist()[-1] == 0
    share = found.stretch / found.stretch.mean()
    expected = stretch / stretch.mean()
    assert (np.abs(share - expected) < 3 * found.errors).all()


@pytest.mark.parametrize("seed", range(8))
def test_searches_end(seed):
    columns = simulated(texts=[40, 100][seed % 2], raters=3 + seed, seed=seed)
    assert isinstance(ordinal.fit(*columns), ordinal.Fit)
    assert isinstance(ordinal.spread(*columns), ordinal.Spread)


def test_spread_needs_three_points():
    text, rater, value, system = simulated()
    found = ordinal.spread(text, rater, value > 3, system)
    assert found == ordinal.NoFit(ordinal.NO_MIDDLE)


@pytest.mark.parametrize("inner", [0, 1])
@pytest.mark.parametrize(("texts", "raters"), [(200, 12), (60, 6)])
def test_a_rater_of_the_ends_of_the_scale_has_the_largest_spread(texts, raters, inner):
    text, rater, value, system = simulated(texts, raters)
    ends = np.flatnonzero(rater == 0)[inner:]
    value[ends] = np.where(value[ends] > 3, 5, 1)
    found = ordinal.spread(text, rater, value, system)
    assert isinstance(found, ordinal.Spread)
    assert found.stretch.argmin() == 0 and (found.stretch > 0).all()
    assert found.no_inner.tolist() == [inner == 0] + [False] * (raters - 1)
