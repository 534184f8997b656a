"""Intervals that hold at every look: against confseq, and by their limits."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import sequences as benchmark
from scoring.stats import sequences
from scoring.stats.sequences import interval, signs

GOLDEN = json.loads((Path("tests") / "golden" / "sequences.json").read_text())
WIDTH = 4.0


@pytest.mark.parametrize("case", GOLDEN["cases"])
def test_it_gives_the_ends_of_confseq_at_each_look(case) -> None:
    """confseq tries a grid of means, and gives the first one that it cannot reject."""
    d, step = np.array(case["differences"]), 2 * WIDTH / GOLDEN["breaks"]
    for n, (low, high) in case["ends"].items():
        found = interval(d[: int(n)], width=WIDTH, alpha=case["alpha"])
        assert float(found.low) == pytest.approx(low, abs=1.01 * step)
        assert float(found.high) == pytest.approx(high, abs=1.01 * step)


@pytest.mark.parametrize("case", GOLDEN["cases"])
def test_the_capital_is_that_of_confseq(case) -> None:
    x = (np.array(case["differences"]) + WIDTH) / (2 * WIDTH)
    bets = sequences._bets(x, case["alpha"])
    for mean, expected in case["capital"].items():
        at = np.array((float(mean) + WIDTH) / (2 * WIDTH))
        found = np.exp(sequences._capital(x, at, bets)[-1])
        assert found == pytest.approx(expected, rel=1e-9)


def drawn(seed: int, mean: float = 0.4, n: int = 80) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.clip(np.rint(3 * rng.normal(mean, 1, n)) / 3, -WIDTH, WIDTH)


def test_without_a_difference_it_is_the_whole_range() -> None:
    assert interval(np.empty(0), width=WIDTH) == (-WIDTH, WIDTH)


def test_it_never_widens_from_one_look_to_the_next() -> None:
    ends = [interval(drawn(1)[:n], width=WIDTH) for n in range(81)]
    assert (np.diff([end.low for end in ends]) >= 0).all()
    assert (np.diff([end.high for end in ends]) <= 0).all()


def test_exchanged_systems_turn_it_around() -> None:
    one, other = (interval(sign * drawn(2), width=WIDTH) for sign in (1, -1))
    assert (other.low, other.high) == (-one.high, -one.low)


def test_a_prompt_that_one_system_lacks_is_passed_over() -> None:
    d = drawn(3)
    holes = np.insert(d, [0, 7, 7, 80], np.nan)
    found, expected = interval(holes, width=WIDTH), interval(d, width=WIDTH)
    assert np.array(found) == pytest.approx(np.array(expected))


def test_several_sequences_are_those_of_each() -> None:
    d = np.stack([drawn(seed) for seed in (4, 5, 6)])
    together = interval(d, width=WIDTH)
    for at, one in enumerate(d):
        alone = np.array(interval(one, width=WIDTH))
        assert np.array(together)[:, at] == pytest.approx(alone)


def test_signs_are_those_of_the_interval_at_each_look() -> None:
    d = np.stack([drawn(seed, mean) for seed, mean in ((7, 0.8), (8, -0.8), (9, 0))])
    found = signs(d, width=WIDTH)
    by_look = [interval(d[:, : n + 1], width=WIDTH).sign for n in range(80)]
    assert (found == np.stack(by_look, axis=1)).all()
    assert found[:, -1].tolist() == [1, -1, 0]


def test_looks_that_contradict_each_other_leave_no_mean() -> None:
    found = interval(np.repeat([3.0, -3.0], 150), width=WIDTH)
    assert np.isnan([found.low, found.high]).all()
    assert found.sign == 0


@pytest.mark.parametrize(
    ("d", "alpha"), [([4.5], 0.05), ([-5.0], 0.05), ([1.0], 0.0), ([1.0], 1.0)]
)
def test_what_is_not_bounded_is_refused(d, alpha) -> None:
    with pytest.raises(ValueError, match="expected"):
        interval(np.array(d), width=WIDTH, alpha=alpha)


def test_pairs_share_the_error_rate() -> None:
    assert sequences.level_of_pair(len(sequences.pairs(5))) == pytest.approx(0.005)
    with pytest.raises(ValueError, match="expected pairs"):
        sequences.level_of_pair(0)


@pytest.mark.parametrize("case", [benchmark.rated([0.0] * 3), benchmark.failing()])
def test_looking_at_each_prompt_raises_few_false_alarms(case, monkeypatch) -> None:
    monkeypatch.setattr(benchmark, "STUDIES", 500)
    ours, usual = benchmark.false_alarms(case, 60)
    assert ours <= 0.05 < 2 * 0.05 < usual


def test_the_true_means_of_the_benchmark_are_those_of_its_ratings() -> None:
    case = benchmark.rated([0.0, 0.5])
    means = case.draw(np.random.default_rng(1), 200, 200).mean(axis=(0, 2))
    assert means == pytest.approx(case.means, abs=0.015)
