from __future__ import annotations

import numpy as np
import pytest

from scoring.stats import raters
from scoring.stats.answer import ceiling
from scoring.stats.answer.evidence import Evidence, Measure, gather
from scoring.stats.estimates import Estimate

N, RATERS = 60, 3
TEXT = np.repeat(np.arange(N), RATERS)
WHO = np.tile([f"w{k}" for k in range(RATERS)], N)


def ratings(noise: float = 0.7, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    quality = np.repeat(rng.normal(size=N), RATERS)
    return np.clip(np.round(quality + rng.normal(size=N * RATERS) * noise) + 3, 1, 5)


MEASURE = Measure("pearson", np.arange(N) // 3, np.zeros(N, int))


def against(x: np.ndarray, raters: ceiling.Panel) -> list[Evidence]:
    """Metrics beside one rater, all texts with each other."""
    return gather(MEASURE, raters.picks, np.full(N, np.nan), x, {})


def panel(value: np.ndarray, who: np.ndarray | None = WHO) -> ceiling.Panel:
    return ceiling.panel(TEXT, who, value, rng=np.random.default_rng(2))


def metric(seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(N, 1))


def by_hand(x: np.ndarray, table: np.ndarray) -> tuple[float, float]:
    """One rater and a metric, with the mean of the two other raters as target."""
    rests = [np.delete(table, k, axis=1).mean(axis=1) for k in range(RATERS)]
    one = [np.corrcoef(table[:, k], rests[k])[0, 1] for k in range(RATERS)]
    return float(np.mean(one)), float(np.mean([np.corrcoef(x, y)[0, 1] for y in rests]))


def test_rater_and_metric_are_measured_with_the_same_targets():
    value, x = ratings(), metric()
    found = against(x, panel(value))[0]
    one, its = by_hand(x[:, 0], value.reshape(N, RATERS))
    assert (found.rater, found.metric) == pytest.approx((one, its), abs=1e-12)
    assert found.rater_gap.value == pytest.approx(its - one, abs=1e-12)
    assert found.keeps.value == pytest.approx(its - 0.85 * one, abs=1e-12)
    assert found.little["chance"].value == pytest.approx(one / 3 - its, abs=1e-12)


def test_the_ceiling_is_that_of_the_page_of_agreement():
    value = ratings()
    theirs = raters.ceiling(TEXT, WHO, value, rng=np.random.default_rng(0))
    found = against(metric(), panel(value))[0]
    assert found.rater == pytest.approx(theirs.one.value, abs=1e-12)


def test_the_standard_error_is_that_of_leaving_each_prompt_out():
    value, x = ratings(), metric()
    table, prompt = value.reshape(N, RATERS), np.arange(N) // 3
    whole = np.subtract(*by_hand(x[:, 0], table))
    without = [
        np.subtract(*by_hand(x[prompt != p, 0], table[prompt != p])) for p in range(20)
    ]
    wanted = np.sqrt(19 / 20 * np.sum((np.array(without) - whole) ** 2))
    assert against(x, panel(value))[0].rater_gap.se == pytest.approx(wanted, abs=1e-9)


def test_a_metric_with_gaps_meets_raters_on_the_texts_that_it_has():
    value, x = ratings(), np.hstack([metric(), metric(4)])
    x[:20, 0] = np.nan
    found = against(x, panel(value))
    one, its = by_hand(x[20:, 0], value.reshape(N, RATERS)[20:])
    assert found[0].rater_gap.value == pytest.approx(its - one, abs=1e-12)
    assert found[0].n_texts == N - 20
    assert found[1] == against(x[:, [1]], panel(value))[0]


def test_unnamed_ratings_are_drawn_by_lot():
    found = panel(ratings(), who=None)
    assert len(found.picks) == 20
    assert found.method == raters.ONE_AT_RANDOM


def test_the_order_of_unnamed_ratings_does_not_matter():
    """Sorted within texts, as MANS has them: the mean over draws stays the same."""
    value = ratings()
    in_order = np.sort(value.reshape(N, RATERS), axis=1).ravel()
    found = [against(metric(), panel(one, None))[0].rater for one in (value, in_order)]
    assert found[0] == pytest.approx(found[1], abs=0.03)


def test_places_in_sorted_lists_are_not_taken_for_raters():
    in_order = np.sort(ratings().reshape(N, RATERS), axis=1).ravel()
    found = panel(in_order)
    assert found.was_sorted
    assert found.method == raters.ONE_AT_RANDOM
    unnamed = against(metric(), panel(in_order, None))[0].rater
    believed = by_hand(metric()[:, 0], in_order.reshape(N, RATERS))[0]
    sane = against(metric(), found)[0].rater
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
    found = gather(MEASURE, alone.picks, value, metric(), {})[0]
    assert alone.picks == [] and np.isnan(found.rater)
    assert found.rater_gap is None and found.beats["chance"].greater > 0


def test_ratings_without_variation_have_no_ceiling():
    found = against(metric(), panel(np.full(N * RATERS, 3.0)))[0]
    assert np.isnan(found.metric) and found.beats == {}


def test_several_raters_reach_what_simulated_ones_do():
    rng = np.random.default_rng(5)
    n = 20_000
    quality = rng.normal(size=n)
    table = quality[:, np.newaxis] + rng.normal(size=(n, 7))
    rest = table[:, :4].mean(axis=1)
    one = np.corrcoef(table[:, 4], rest)[0, 1]
    three = np.corrcoef(table[:, 4:].mean(axis=1), rest)[0, 1]
    found = ceiling.of_several(Estimate(float(one), n=n), n_rest=4, n=3)
    assert found.value == pytest.approx(three, abs=0.01)


def test_one_of_several_is_one():
    one = Estimate(0.6, 0.5, 0.7, 9)
    found = ceiling.of_several(one, n_rest=2.4, n=1)
    assert found.numbers == pytest.approx(one.numbers, abs=1e-12)


def test_raters_who_disagree_give_no_forecast():
    one = Estimate(-0.1, n=9)
    assert ceiling.of_several(one, 2, 3).value is None
