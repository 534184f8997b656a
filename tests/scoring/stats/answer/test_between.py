from __future__ import annotations

import numpy as np
import pytest

from scoring.stats.answer import between, floor
from scoring.stats.answer.floor import Sentinel
from scoring.stats.answer.measure import Gap, Measure, gap
from scoring.stats.counts import TESTABLE, Estimate, draw

PROMPTS, EACH = 25, 4
PROMPT = np.repeat(np.arange(PROMPTS), EACH)
N = len(PROMPT)


def measure(draws: int = 400, seed: int = 0, prompt=PROMPT) -> Measure:
    return Measure(
        "pearson", draw(prompt, rng=np.random.default_rng(seed), draws=draws)
    )


def noise(k: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng([seed, k]).normal(size=N)


def sentinel(scores: np.ndarray, key: str = "length") -> Sentinel:
    return Sentinel(key, scores, None)


def r(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.corrcoef(x, y)[0, 1])


def test_a_difference_is_that_of_two_correlations():
    y, x, words = noise(0), noise(0) + noise(1), noise(0) + 2 * noise(2)
    found = between.against(measure(), x, y, [sentinel(words)])
    assert found.keys == ["length", "chance"]
    assert found.metrics[0].value == pytest.approx(r(x, y))
    differences = [one.estimate.value for one in found.gaps[0]]
    assert differences == pytest.approx([r(x, y) - r(words, y), r(x, y)])


def test_its_interval_is_that_of_resampled_prompts_one_by_one():
    y, x, words = noise(0), noise(0) + noise(1), noise(0) + 2 * noise(2)
    how = measure(draws=50)
    found = between.against(how, x, y, [sentinel(words)]).gaps[0][0]
    apart = []
    for w in how.draws.rows().astype(int):
        rows = np.repeat(np.arange(N), w)
        apart.append(r(x[rows], y[rows]) - max(0, r(words[rows], y[rows])))
    ends = np.quantile(apart, [0.025, 0.975])
    assert [found.estimate.low, found.estimate.high] == pytest.approx(ends)
    assert found.se == pytest.approx(np.std(apart, ddof=1))


def test_a_floor_is_never_below_0():
    y, x = noise(0), noise(0) + noise(1)
    found = between.against(measure(), x, y, [sentinel(-y)])
    assert found.sentinels[0][:3] == (0, 0, 0)
    by_backwards, by_chance = found.gaps[0]
    assert by_backwards == by_chance


def test_a_metric_with_gaps_meets_sentinels_on_its_own_texts():
    y, words = noise(0), noise(0) + 2 * noise(2)
    x = np.column_stack([noise(0) + noise(1), noise(0) + noise(3)])
    x[:30, 0] = np.nan
    found = between.against(measure(), x, y, [sentinel(words)])
    wanted = r(x[30:, 0], y[30:]) - r(words[30:], y[30:])
    assert found.gaps[0][0].estimate.value == pytest.approx(wanted)
    alone = between.against(measure(), x[:, 1], y, [sentinel(words)])
    assert found.gaps[1] == alone.gaps[0]


def test_a_constant_metric_has_no_number_and_no_test():
    found = between.against(measure(), np.ones(N), noise(0), [])
    assert found.metrics[0].value is None
    assert found.metrics[0].reason
    assert found.gaps[0][0].p is None
    tests = between.tests(found, [found.gaps[0][0]])
    assert np.isnan(tests.beats).all()
    assert tests.family == 0


def test_few_prompts_are_not_tested():
    few = np.arange(N) % (TESTABLE - 1)
    found = between.against(measure(prompt=few), noise(0) + noise(1), noise(0), [])
    assert found.gaps[0][0].p is None
    assert "no test" in found.gaps[0][0].reason


def made_gap(value: float, p: float | None) -> Gap:
    return Gap(Estimate(value, value - 0.1, value + 0.1, None, N), p, None, 0.05)


NO_TEST = np.full((2, 2), np.nan)


def adjusted(*of_metrics: list[Gap]) -> between.Tests:
    nothing = [Estimate(0.1, None, None, None, N)] * len(of_metrics)
    made = between.Floor(["length", "chance"], [], nothing, list(of_metrics), NO_TEST)
    return between.tests(made, [one[0] for one in of_metrics])


def test_one_sentinel_that_is_not_beaten_is_enough():
    found = adjusted([made_gap(0.2, 0.01), made_gap(0.1, 0.3)])
    assert found.beats.tolist() == [0.3]


def test_to_be_behind_is_not_to_beat():
    found = adjusted([made_gap(0.2, 0.01), made_gap(-0.2, 0.001)])
    assert found.beats.tolist() == [1]
    assert found.below.tolist() == [0.002]  # of two sentinels


def test_p_values_are_adjusted_for_the_number_of_metrics():
    gaps = [[made_gap(0.2, p), made_gap(0.3, p)] for p in (0.01, 0.02, 0.04)]
    found = adjusted(*gaps)
    assert found.beats.tolist() == pytest.approx([0.03, 0.04, 0.04])
    assert found.family == 3


def test_a_metric_without_test_does_not_count_in_the_family():
    untested = [made_gap(0.2, None), made_gap(0.2, None)]
    found = adjusted(untested, [made_gap(0.2, 0.01), made_gap(0.2, 0.01)])
    assert found.beats[1] == 0.01
    assert found.family == 1


def test_a_gap_without_numbers_says_so():
    none = np.full(5, np.nan)
    found = gap((None, 0.1), (none, none), n=0, n_units=5)
    assert (found.p, found.se, found.estimate.value) == (None, None, None)


def alarms(make, studies: int = 120) -> float:
    """How often any of the metrics is said to beat every sentinel."""
    n = 0
    for seed in range(studies):
        y, x, sentinels = make(seed)
        held = between.against(measure(draws=300, seed=seed), x, y, sentinels)
        tests = between.tests(held, [one[0] for one in held.gaps])
        n += bool((tests.beats < 0.05).any())
    return n / studies


def test_metrics_of_noise_hardly_ever_raise_an_alarm():
    def make(seed: int):
        y = noise(0, seed)
        x = np.column_stack([noise(k, seed) for k in (1, 2, 3)])
        return y, x, [floor.length(noise(4, seed), y, PROMPT)]

    assert alarms(make) <= 0.05


def test_metrics_as_good_as_the_floor_raise_few_alarms():
    """Each metric agrees as well as counting words does, by something else."""

    def make(seed: int):
        words = noise(9, seed)
        x = np.column_stack([noise(k, seed) for k in (1, 2)])
        shared = np.repeat(np.random.default_rng(seed).normal(size=PROMPTS), EACH)
        y = words + x.sum(axis=1) + noise(5, seed) + shared
        return y, x, [floor.length(words, y, PROMPT)]

    assert alarms(make) <= 0.08


def test_a_metric_that_knows_quality_is_found():
    def make(seed: int):
        y = noise(0, seed) + 0.3 * noise(9, seed)
        return y, y + noise(1, seed), [floor.length(noise(9, seed), y, PROMPT)]

    assert alarms(make, 30) > 0.9


def test_the_highest_is_close_to_what_is_like_it_and_not_to_noise():
    y = noise(0)
    like = [y + 0.4 * noise(k) for k in (1, 2)]
    x = np.column_stack([*like, noise(3), np.full(N, np.nan)])
    found = between.against(measure(), x, y, [])
    first = int(np.argmax([one.value or 0.0 for one in found.metrics]))
    assert between.close(found, first) == [1 - first]


def test_few_prompts_tell_no_two_metrics_apart():
    y = noise(0)
    few = measure(prompt=np.arange(N) % (TESTABLE - 1))
    found = between.against(few, np.column_stack([y, noise(1)]), y, [])
    assert between.close(found, 0) == [1]
