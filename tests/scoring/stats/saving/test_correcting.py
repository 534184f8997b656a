"""Means with a metric's help."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from scoring.stats.saving import correcting, draws, mapping, ranking, refusing
from scoring.stats.saving.correcting import Corrected
from scoring.stats.saving.forms import Known, forms

N = 1200
PAIR = np.array([[0, 1]])


def texts(r: float, seed: int = 0, n: int = N, share: float = 0.3):
    """Two systems, four texts a prompt, rated in part."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=n)
    f = r * quality + np.sqrt(1 - r**2) * rng.normal(size=n)
    y = 3 + quality + rng.normal(0, 0.4, n)
    system, prompt = np.arange(n) % 2, np.arange(n) // 4
    drawn = draws.draw(system, share, rng).drawn
    return y, f, system, prompt, drawn


def corrected(r: float, target="prompts", *, what="means", **more) -> Corrected:
    y, f, system, prompt, drawn = texts(r, **more)
    seen = np.where(drawn, y, np.nan)
    f = mapping.expected(f, seen, prompt, rng=np.random.default_rng(1))
    found = forms(Known(seen, f, system, prompt, system, 2), target)
    if what == "means":
        return correcting.means(found, target)
    return correcting.differences(found, PAIR, target)


def width(one) -> np.ndarray:
    return one.high - one.low


@pytest.mark.parametrize("target", ["prompts", "texts"])
@pytest.mark.parametrize("what", ["means", "differences"])
def test_a_good_metric_makes_intervals_narrower(target, what):
    made = corrected(0.95, target, what=what)
    assert (width(made.corrected) < 0.85 * width(made.people)).all()
    assert (made.weight > 0.5).all()


@pytest.mark.parametrize("slab", [1, 1200, 5000])
def test_differences_are_the_same_however_many_are_taken_at_once(slab, monkeypatch):
    y, f, _, prompt, drawn = texts(0.8)
    system = np.arange(N) % 5
    seen = np.where(drawn, y, np.nan)
    found = forms(Known(seen, f, system, prompt, system, 5), "texts")
    pairs = ranking.pairs(5)
    expected = correcting.differences(found, pairs, "texts")
    monkeypatch.setattr(correcting, "SLAB", slab)
    got = correcting.differences(found, pairs, "texts")
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_allclose(
            np.array(one[:5], float), np.array(other[:5], float), rtol=1e-12
        )
    assert got.people.reason == expected.people.reason == [""] * 10


@pytest.mark.parametrize("target", ["prompts", "texts"])
def test_differences_hold_few_numbers_at_a_time(target, monkeypatch):
    """Of 66 pairs and 12,000 rated texts, 6 MB for each of a few columns."""
    rng, n = np.random.default_rng(0), 12_000
    at = np.arange(n)
    known = Known(rng.normal(size=n), rng.normal(size=n), at % 12, at, at % 12, 12)
    found = forms(known, target)
    monkeypatch.setattr(correcting, "SLAB", 2 * n)
    tracemalloc.start()
    correcting.differences(found, ranking.pairs(12), target)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * n * 66


def test_no_pair_has_no_difference():
    y, f, system, prompt, drawn = texts(0.8)
    seen = np.where(drawn, y, np.nan)
    found = forms(Known(seen, f, system * 0, prompt, system * 0, 1), "prompts")
    made = correcting.differences(found, ranking.pairs(1), "prompts")
    assert len(made.people.value) == len(made.weight) == len(made.people.reason) == 0


def test_a_good_metric_brings_means_closer_to_those_of_all_texts():
    apart = []
    for seed in range(12):
        y, _, system, *_ = texts(0.95, seed)
        truth = np.array([y[system == s].mean() for s in (0, 1)])
        made = corrected(0.95, seed=seed)
        apart.append([abs(one.value - truth).mean() for one in made[:2]])
    alone, helped = np.mean(apart, axis=0)
    assert helped < 0.75 * alone


def test_a_metric_that_knows_nothing_costs_nothing():
    made = [corrected(0.0, seed=seed) for seed in range(12)]
    widths = [width(one.corrected) / width(one.people) for one in made]
    assert np.mean(widths) < 1.02


def test_saved_ratings_are_what_theory_says():
    made = [corrected(0.9, seed=seed, share=0.25) for seed in range(12)]
    like = np.mean([one.like for one in made])
    y, f, *_ = texts(0.9)
    r2 = np.corrcoef(y, f)[0, 1] ** 2
    assert like == pytest.approx(150 / (1 - r2 * (1 - 0.25)), rel=0.1)


def test_below_fifty_rated_prompts_people_are_alone():
    made = corrected(0.95, n=120)
    assert (made.weight == 0).all()
    assert made.corrected.low == pytest.approx(made.people.low)


def test_a_system_with_few_prompts_takes_the_weight_of_all_together():
    made = corrected(0.95, n=240, share=0.35)
    assert len(set(made.weight)) == 1 and made.weight[0] > 0.5


def test_all_rated_saves_nothing():
    made = corrected(0.9, share=1.0)
    assert made.like.tolist() == [600, 600]
    assert made.corrected.value == pytest.approx(made.people.value)


@pytest.mark.parametrize(
    ("rating", "reason"), [(5.0, refusing.CONSTANT), (4.0, refusing.NEARLY)]
)
def test_ratings_that_are_nearly_constant_have_no_interval(rating, reason):
    y = np.full(300, 5.0)
    y[[3, 150]] = rating
    at = np.arange(300)
    seen = np.where(at < 200, y, np.nan)
    f = np.random.default_rng(0).normal(size=300)
    found = forms(Known(seen, f, at * 0, at, at * 0, 1), "prompts")
    made = correcting.means(found, "prompts")
    assert made.people.reason == made.corrected.reason == [reason]
    assert np.isnan(made.people.low).all()


def test_opposite_ends_of_the_scale_do_not_make_up_for_each_other():
    at = np.arange(400)
    system, prompt = at % 2, at // 2
    y = np.where(system == 0, 5.0, 1.0)
    y[[10, 30, 11, 31]] = 3.0
    seen = np.where(at < 300, y, np.nan)
    found = forms(Known(seen, y * 0, system, prompt, system, 2), "prompts")
    made = correcting.differences(found, PAIR, "prompts")
    assert made.people.reason == [refusing.NEARLY]


def test_a_handful_of_texts_has_no_interval():
    made = corrected(0.9, n=60, share=0.2)
    assert made.people.reason == [refusing.FEW] * 2


def test_a_skewed_mean_has_a_longer_side():
    y = np.where(np.arange(200) % 8 == 0, 1.0, 5.0)
    seen = np.where(np.arange(200) < 120, y, np.nan)
    at = np.arange(200)
    found = forms(Known(seen, y * 0, at * 0, at, at * 0, 1), "prompts")
    one = correcting.means(found, "prompts").people
    assert one.value - one.low > 1.1 * (one.high - one.value)


def test_the_interval_is_the_one_that_the_p_value_has():
    y, _, system, prompt, drawn = texts(0.5)
    for shift in (0.0, 0.15, 0.4):
        seen = np.where(drawn, y + shift * system, np.nan)
        found = forms(Known(seen, y * 0, system, prompt, system, 2), "prompts")
        one = correcting.differences(found, PAIR, "prompts").people
        assert (one.p[0] < 0.05) == (not one.low[0] <= 0 <= one.high[0])


@pytest.mark.slow
@pytest.mark.parametrize("target", ["prompts", "texts"])
def test_intervals_hold_the_mean_as_often_as_they_say(target):
    held = []
    for seed in range(400):
        y, _, system, *_ = texts(0.8, seed)
        truth = 3.0 if target == "prompts" else np.bincount(system, y) / (N / 2)
        one = corrected(0.8, target, seed=seed).corrected
        held.append((one.low <= truth) & (truth <= one.high))
    assert 0.93 < np.mean(held) < 0.97


def agreeing(prompts: int, wrong: int, scale: tuple[float, float]) -> Known:
    """Two systems, half of the texts rated; the metric errs on the first ones."""
    rng = np.random.default_rng(4)
    y = rng.integers(scale[0], scale[1] + 1, 2 * prompts).astype(float)
    expected = y.copy()
    expected[:wrong] = np.where(y[:wrong] == scale[1], scale[1] - 1, y[:wrong] + 1)
    y[1::2][prompts // 2 :] = y[::2][prompts // 2 :] = np.nan
    at = np.arange(2 * prompts)
    return Known(y, expected, at % 2, at // 2, at % 2, 2, scale)


@pytest.mark.parametrize("wrong", [0, 2])
def test_a_metric_that_equals_people_saves_ratings(wrong):
    found = forms(agreeing(200, wrong, (0, 1)), "texts")
    made = correcting.means(found, "texts")
    assert made.corrected.reason == ["", ""]
    assert (made.corrected.high - made.corrected.low < 0.7 * width(made.people)).all()
    assert (made.like > 1.2 * found.n).all()


def test_where_bounds_are_wider_than_people_s_interval_the_errors_are_the_reason():
    found = forms(agreeing(110, 0, (1, 5)), "texts")
    made = correcting.differences(found, PAIR, "texts")
    assert made.people.reason == [""]
    (reason,) = made.corrected.reason
    assert reason.startswith(f"{refusing.DIFFERS} 0 of 110 rated texts")
