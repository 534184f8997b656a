"""Variances against plain formulas and against simulation."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.stats.saving import draws
from scoring.stats.saving.forms import Forms, Known, forms

RNG = np.random.default_rng(5)
N, RATED = 400, 100
Y = np.round(RNG.normal(3, 1, N))
F = 0.5 * Y + RNG.normal(size=N)
ZEROS = np.zeros(N, int)


def of(drawn, *, target="texts", prompt=None, stratum=ZEROS, y=Y, f=F) -> Forms:
    prompt = np.arange(N) if prompt is None else prompt
    known = Known(np.where(drawn, y, np.nan), f, ZEROS, prompt, stratum, 1)
    return forms(known, target)


FIRST = np.arange(N) < RATED


def test_these_texts_have_the_variance_of_a_simple_draw():
    found = of(FIRST)
    plain = (1 - RATED / N) * Y[FIRST].var(ddof=1) / RATED
    assert found.covariance[0, 0] == pytest.approx(plain)
    assert found.mean[0] == pytest.approx(Y[FIRST].mean())
    assert found.shift[0] == pytest.approx(F.mean() - F[FIRST].mean())


def test_strata_are_weighted_and_leave_out_what_lies_between_them():
    stratum = (np.arange(N) >= 40).astype(int)  # 40 of 40 are rated, then 60 of 360
    found = of(FIRST, stratum=stratum)
    parts = Y[:40].mean(), Y[40:RATED].mean()
    assert found.mean[0] == pytest.approx(0.1 * parts[0] + 0.9 * parts[1])
    plain = 0.9**2 * (1 - 60 / 360) * Y[40:RATED].var(ddof=1) / 60
    assert found.covariance[0, 0] == pytest.approx(plain)
    assert found.degrees == pytest.approx(59)  # all that varies is in one stratum


def test_few_texts_that_stand_for_many_have_few_degrees_of_freedom():
    """The rated tenth of a later draw makes up nearly all of the variance."""
    stratum = (np.arange(N) >= 200).astype(int)
    drawn = (np.arange(N) < 100) | (np.arange(N) >= 380)  # 100, then 20 of 200
    found = of(drawn, stratum=stratum)
    parts = np.array([0.5 * Y[:100].var(ddof=1) / 100, 0.9 * Y[380:].var(ddof=1) / 20])
    assert found.covariance[0, 0] == pytest.approx(0.25 * parts.sum())
    expected = parts.sum() ** 2 / (parts**2 / [99, 19]).sum()
    assert found.degrees == pytest.approx(expected)
    assert found.degrees[0] < 30


def test_new_prompts_of_one_text_have_the_usual_variance():
    found = of(FIRST, target="prompts")
    plain = Y[FIRST].var(ddof=1) / RATED
    assert found.covariance[0, 0] == pytest.approx(plain, rel=1e-9)


def test_where_all_texts_are_rated_nothing_is_left_but_the_prompts():
    prompt = np.arange(N) // 4
    found = of(np.ones(N, bool), target="prompts", prompt=prompt)
    sums = np.bincount(prompt, Y - Y.mean()) / N
    assert found.covariance[0, 0] == pytest.approx((sums**2).sum() * 100 / 99)
    assert found.design == pytest.approx(0)
    assert found.shift[0] == pytest.approx(0)


@pytest.mark.parametrize("strata", ["none", "bands"])
def test_the_variance_is_that_of_many_draws(strata):
    bands = np.argsort(np.argsort(F)) * 4 // N  # of a similar score
    stratum = bands if strata == "bands" else ZEROS
    rng, made = np.random.default_rng(0), []
    for _ in range(1500):
        made.append(of(draws.draw(stratum, 0.25, rng).drawn, stratum=stratum))
    both = np.array([[one.mean[0], one.shift[0]] for one in made])
    mean = np.mean([one.covariance for one in made], axis=0)
    assert mean == pytest.approx(np.cov(both.T), rel=0.12, abs=2e-4)


def test_systems_of_one_prompt_have_a_covariance():
    system, prompt = np.tile([0, 1], 200), np.arange(N) // 2
    easy = np.random.default_rng(0).normal(0, 2, 200)[prompt]
    known = Known(Y + easy, F, system, prompt, system, 2)
    found = forms(known, "prompts")
    y = (Y + easy).reshape(200, 2)
    assert found.covariance[:2, :2] == pytest.approx(np.cov(y.T) / 200)
