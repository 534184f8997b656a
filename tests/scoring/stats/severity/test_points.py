"""Severity and corrected scores in points of the scale."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.stats.severity import ordinal, points
from tests.scoring.stats.severity import golden
from tests.scoring.stats.severity.test_ordinal import fitted, simulated


def test_the_expected_rating_is_the_mean_of_drawn_ones():
    fit = fitted(*golden.made_up())
    rng = np.random.default_rng(0)
    n = 400_000
    for s in range(4):
        latent = fit.systems[s] + 0.3 + fit.text_sd * rng.normal(size=n)
        latent = latent + rng.logistic(size=n)
        drawn = 1 + (latent[:, np.newaxis] > fit.thresholds).sum(axis=1)
        found = points.expected(fit, np.array([s]), 0.3, fit)
        assert found[0] == pytest.approx(drawn.mean(), abs=0.01)


def test_the_strict_are_above_zero_and_the_lax_below():
    fit = fitted(*golden.made_up())
    found = points.severities(fit)
    assert [one.value > 0 for one in found] == [
        v < fit.raters.mean() for v in fit.raters
    ]
    assert found[0].high < 0 < found[4].low
    for one in found:
        assert one.low < one.value < one.high


def test_scores_stand_within_the_scale_and_their_intervals():
    for one in points.scores(fitted(*golden.made_up())):
        assert 1 < one.low < one.value < one.high < 5


def test_shared_texts_let_it_undo_who_rated_what():
    text, rater, value, system = simulated(texts=400, raters=8, each=6, seed=3)
    rng = np.random.default_rng(0)
    lax = rater < 4
    kept = rng.random(len(text)) < np.where((system == 0) == lax, 0.9, 0.2)
    whole = [value[system == s].mean() for s in range(2)]
    raw = [value[kept & (system == s)].mean() for s in range(2)]
    fit = fitted(text[kept], rater[kept], value[kept], system[kept])
    given = [one.value for one in points.scores(fit)]
    for s in range(2):
        assert abs(given[s] - whole[s]) < 0.5 * abs(raw[s] - whole[s])


def test_a_system_at_the_end_says_why_it_has_no_score():
    text, rater, value, system = simulated()
    best = [900, 900], [0, 1], [5, 5], [7, 7]
    columns = zip((text, rater, value, system), best, strict=True)
    found = points.scores(fitted(*(np.concatenate(pair) for pair in columns)))
    assert found[2].value is None and found[2].reason == points.AT_END
    assert found[0].value is not None


def test_a_rater_whom_the_model_cannot_use_says_why():
    text, rater, value, system = simulated()
    best = [900, 900], [0, 77], [5, 5], [7, 7]
    columns = zip((text, rater, value, system), best, strict=True)
    found = points.severities(fitted(*(np.concatenate(pair) for pair in columns)))
    assert found[-1].reason == points.NOT_IN_IT and found[-1].value is None


def test_raters_who_do_not_differ_have_no_interval():
    fit = fitted(*golden.made_up())._replace(rater_sd=0.0, raters=np.zeros(6))
    for one in points.severities(fit):
        assert one.value == pytest.approx(0.0)
        assert one.low is None and one.reason == points.NO_DIFFERENCE


def test_a_flat_likelihood_leaves_values_without_intervals():
    fit = fitted(*golden.made_up())
    flat = fit._replace(covariance=np.full(fit.covariance.shape, np.nan))
    for one in (*points.severities(flat), *points.scores(flat)):
        assert one.value is not None and one.low is None
        assert one.reason == ordinal.FLAT


def test_spread_is_over_the_average_rater_s():
    stretch, errors = np.array([0.5, 1.5, np.nan]), np.array([0.1, 1.0, 0.1])
    made = ordinal.Spread(stretch, errors, 1, 0, np.zeros(3, bool))
    wide, narrow, nobody = points.spreads(made, np.array([9, 8, 0]))
    assert wide.value == pytest.approx(2.0) and narrow.value == pytest.approx(2 / 3)
    assert wide.low < 2 < wide.high
    assert narrow.low is None and narrow.reason == points.NO_UPPER
    assert nobody.reason == points.NOT_IN_IT
