from __future__ import annotations

import numpy as np
import pytest

from scoring.stats import raters
from scoring.stats.answer import ceiling
from scoring.stats.answer.measure import Measure
from scoring.stats.counts import draw

N, RATERS = 60, 3
TEXT = np.repeat(np.arange(N), RATERS)
WHO = np.tile([f"w{k}" for k in range(RATERS)], N)


def ratings(noise: float = 0.7, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    quality = np.repeat(rng.normal(size=N), RATERS)
    return np.clip(np.round(quality + rng.normal(size=N * RATERS) * noise) + 3, 1, 5)


def measure(coefficient: str = "pearson", draws: int = 200) -> Measure:
    made = draw(np.arange(N) // 3, rng=np.random.default_rng(1), draws=draws)
    return Measure(coefficient, made)


def panel(value: np.ndarray, who: np.ndarray | None = WHO) -> ceiling.Panel:
    return ceiling.panel(TEXT, who, value, rng=np.random.default_rng(2))


def metric(seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(N, 1))


def by_hand(x: np.ndarray, value: np.ndarray) -> tuple[float, float]:
    """One rater and a metric, with the mean of the two other raters as target."""
    table = value.reshape(N, RATERS)
    one, its = [], []
    for k in range(RATERS):
        rest = np.delete(table, k, axis=1).mean(axis=1)
        one.append(np.corrcoef(table[:, k], rest)[0, 1])
        its.append(np.corrcoef(x, rest)[0, 1])
    return float(np.mean(one)), float(np.mean(its))


def test_rater_and_metric_are_measured_with_the_same_targets():
    value, x = ratings(), metric()
    found = ceiling.against(measure(), x, panel(value))
    one, its = by_hand(x[:, 0], value)
    assert found.one.value == pytest.approx(one, abs=1e-12)
    assert found.with_rest[0].value == pytest.approx(its, abs=1e-12)
    assert found.gaps[0].estimate.value == pytest.approx(its - one, abs=1e-12)


def test_the_ceiling_is_that_of_the_page_of_agreement():
    value = ratings()
    theirs = raters.ceiling(TEXT, WHO, value, rng=np.random.default_rng(0), draws=10)
    found = ceiling.against(measure(), metric(), panel(value))
    assert found.one.value == pytest.approx(theirs.one.value, abs=1e-12)


def test_replicates_are_those_of_the_texts_drawn():
    value, x, how = ratings(), metric(), measure(draws=20)
    apart = []
    for w in how.draws.rows().astype(int):
        rows = np.repeat(np.arange(N), w)
        one, its = by_hand_of(x[rows, 0], value.reshape(N, RATERS)[rows])
        apart.append(its - one)
    found = ceiling.against(how, x, panel(value)).gaps[0]
    ends = np.quantile(apart, [0.025, 0.975])
    assert [found.estimate.low, found.estimate.high] == pytest.approx(ends, abs=1e-9)
    assert found.se == pytest.approx(np.std(apart, ddof=1), abs=1e-9)


def by_hand_of(x: np.ndarray, table: np.ndarray) -> tuple[float, float]:
    rests = [np.delete(table, k, axis=1).mean(axis=1) for k in range(RATERS)]
    one = [np.corrcoef(table[:, k], rests[k])[0, 1] for k in range(RATERS)]
    return float(np.mean(one)), float(np.mean([np.corrcoef(x, y)[0, 1] for y in rests]))


def test_a_metric_with_gaps_meets_raters_on_the_texts_that_it_has():
    value, x = ratings(), np.hstack([metric(), metric(4)])
    x[:20, 0] = np.nan
    found = ceiling.against(measure(), x, panel(value))
    table = value.reshape(N, RATERS)[20:]
    one, its = by_hand_of(x[20:, 0], table)
    assert found.gaps[0].estimate.value == pytest.approx(its - one, abs=1e-12)
    assert found.gaps[0].estimate.n == N - 20
    whole = ceiling.against(measure(), x[:, [1]], panel(value))
    assert found.gaps[1].estimate == whole.gaps[0].estimate


def test_unnamed_ratings_are_drawn_by_lot():
    found = panel(ratings(), who=None)
    assert len(found.picks) == 20
    assert found.method == raters.ONE_AT_RANDOM


def test_the_order_of_unnamed_ratings_does_not_matter():
    """Sorted within texts, as MANS has them: the mean over draws stays the same."""
    value = ratings()
    in_order = np.sort(value.reshape(N, RATERS), axis=1).ravel()
    found = [
        ceiling.against(measure(), metric(), panel(one, None)).one.value
        for one in (value, in_order)
    ]
    assert found[0] == pytest.approx(found[1], abs=0.03)


def test_places_in_sorted_lists_are_not_taken_for_raters():
    in_order = np.sort(ratings().reshape(N, RATERS), axis=1).ravel()
    found = panel(in_order)
    assert found.was_sorted
    assert found.method == raters.ONE_AT_RANDOM
    unnamed = ceiling.against(measure(), metric(), panel(in_order, None)).one.value
    believed = by_hand(metric()[:, 0], in_order)[0]
    sane = ceiling.against(measure(), metric(), found).one.value
    assert sane == pytest.approx(unnamed, abs=1e-12)
    assert believed > sane + 0.05


def test_sorted_downwards_is_sorted_as_well():
    in_order = -np.sort(-ratings().reshape(N, RATERS), axis=1).ravel()
    assert panel(in_order).was_sorted


def test_raters_who_differ_now_and_then_are_raters():
    assert not panel(ratings()).was_sorted


def test_of_two_raters_one_may_be_stricter_throughout():
    text = np.repeat(np.arange(N), 2)
    who = np.tile(["kind", "strict"], N)
    value = np.repeat(ratings()[::RATERS], 2) - np.tile([0, 1], N)
    found = ceiling.panel(text, who, value, rng=np.random.default_rng(0))
    assert not found.was_sorted


def test_one_rating_a_text_has_no_ceiling():
    value = ratings()[::RATERS]
    alone = ceiling.panel(np.arange(N), None, value, rng=np.random.default_rng(0))
    found = ceiling.against(measure(), metric(), alone)
    assert found.one.value is None
    assert found.one.reason == ceiling.NO_PAIR
    assert found.gaps[0].p is None


def test_ratings_without_variation_have_no_ceiling():
    found = ceiling.against(measure(), metric(), panel(np.full(N * RATERS, 3.0)))
    assert found.one.value is None
    assert found.one.reason


def test_several_raters_reach_what_simulated_ones_do():
    rng = np.random.default_rng(5)
    n = 20_000
    quality = rng.normal(size=n)
    table = quality[:, np.newaxis] + rng.normal(size=(n, 7))
    rest = table[:, :4].mean(axis=1)
    one = np.corrcoef(table[:, 4], rest)[0, 1]
    three = np.corrcoef(table[:, 4:].mean(axis=1), rest)[0, 1]
    found = ceiling.of_several(
        ceiling.Estimate(float(one), None, None, None, n), n_rest=4, n=3
    )
    assert found.value == pytest.approx(three, abs=0.01)


def test_one_of_several_is_one():
    one = ceiling.Estimate(0.6, 0.5, 0.7, None, 9)
    found = ceiling.of_several(one, n_rest=2.4, n=1)
    assert found[:3] == pytest.approx(one[:3], abs=1e-12)


def test_raters_who_disagree_give_no_forecast():
    one = ceiling.Estimate(-0.1, None, None, None, 9)
    assert ceiling.of_several(one, 2, 3).value is None
