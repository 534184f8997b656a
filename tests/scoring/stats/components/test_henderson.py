from __future__ import annotations

import numpy as np
import pytest

from scoring.stats.components.henderson import henderson, replicates
from scoring.stats.components.levels import RESIDUAL, crossed, levels, numbered
from tests.scoring.stats.components.brennan import EVERY
from tests.scoring.stats.components.golden import SETS, golden
from tests.scoring.stats.components.simulated import simulated


@pytest.mark.parametrize("name", EVERY)
def test_brennans_examples_come_out_to_the_printed_digits(name):
    example = EVERY[name]
    found = henderson(example.value, crossed(example.facets, example.effects))
    printed = {**example.printed, RESIDUAL: example.residual}
    # Where the book goes on with rounded numbers the last digit is one off: ph .9913.
    rounding = 1.5e-4 if name == "unbalanced" else 0.5e-4
    assert found == pytest.approx(printed, abs=rounding)


@pytest.mark.parametrize("name", SETS)
def test_generalizit_finds_the_same(name):
    one = golden(name)
    found = henderson(one.columns["value"], one.levels)
    assert found == pytest.approx(one.generalizit, abs=1e-6)


def test_adding_a_number_to_all_ratings_changes_nothing():
    one = golden(SETS[0])
    value = one.columns["value"]
    moved = henderson(value + 1000, one.levels)
    assert moved == pytest.approx(henderson(value, one.levels), abs=1e-9)


def test_a_resample_is_what_the_repeated_prompts_would_give():
    rated = simulated(prompts=12)
    prompt = numbered(rated.prompt)
    counts = np.random.default_rng(3).multinomial(12, np.full(12, 1 / 12), size=3)
    found = replicates(rated.value, levels(rated).of, prompt, counts)
    for at, times in enumerate(counts):
        rows, copy = [], []
        for number, again in enumerate(times):
            of = np.flatnonzero(prompt == number)
            rows += [of] * again
            copy += [np.full(len(of), number * 100 + k) for k in range(again)]
        kept = rated.only(np.concatenate(rows))
        other = np.concatenate(copy)
        kept = kept._replace(prompt=other, text=numbered(kept.text, other))
        expected = henderson(kept.value, levels(kept).of)
        assert {e: of[at] for e, of in found.items()} == pytest.approx(expected)


def test_many_studies_average_to_the_truth():
    true = {"system": 0.3, "prompt": 0.4, "text": 0.5, "residual": 0.6}
    found = []
    for seed in range(60):
        rated = simulated(seed=seed, prompts=15, raters=None, texts=1, **true)
        found.append(henderson(rated.value, levels(rated).of))
    for effect, deviation in true.items():
        values = np.array([one[effect] for one in found])
        error = values.std() / len(values) ** 0.5
        assert abs(values.mean() - deviation**2) < 3 * error


def test_effects_that_cannot_be_told_apart_have_no_variance():
    value = np.array([1.0, 2.0, 3.0, 5.0])
    same = np.array([0, 0, 1, 1])
    found = henderson(value, {"one": same, "other": same})
    assert all(np.isnan(of) for of in found.values())


def test_levels_of_another_length_are_refused():
    with pytest.raises(ValueError, match="a level of system for each of 3 ratings"):
        henderson(np.ones(3), {"system": np.zeros(2, int)})
