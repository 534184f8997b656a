from __future__ import annotations

import numpy as np
import pytest

from annotation.kinds.pairs import simulated_choices
from annotation.models.comparing import (
    FIRST,
    MUCH_FIRST,
    MUCH_SECOND,
    SECOND,
    TIE,
)
from annotation.quality.rater_kinds import KINDS

FIVE, THREE, TWO = (1, 2, 3, 4, 5), (2, 3, 4), (2, 4)


@pytest.mark.parametrize(
    ("points", "said"),
    [
        (FIVE, [MUCH_FIRST, FIRST, TIE, TIE, SECOND, MUCH_SECOND]),
        (THREE, [FIRST, FIRST, TIE, TIE, SECOND, SECOND]),
        (TWO, [FIRST, FIRST, FIRST, SECOND, SECOND, SECOND]),
        ((1, 2, 4, 5), [MUCH_FIRST, FIRST, FIRST, SECOND, SECOND, MUCH_SECOND]),
    ],
)
def test_only_offered_answers_are_given(points, said):
    differences = np.array([1.6, 0.6, 0.4, -0.4, -0.6, -1.6])
    assert simulated_choices.choice(differences, points).tolist() == said


def test_what_is_felt_is_the_difference_and_the_noise_of_both_texts():
    rng = np.random.default_rng(1)
    first, second = np.full(20_000, 4.0), np.full(20_000, 3.0)
    kind = KINDS["noisy"]
    found = simulated_choices.felt(kind=kind, first=first, second=second, rng=rng)
    assert found.mean() == pytest.approx(1, abs=0.05)
    assert found.std() == pytest.approx(kind.noise * np.sqrt(2), abs=0.03)


def test_who_reads_the_first_lines_notices_a_part_of_it():
    rng = np.random.default_rng(1)
    first, second = np.full(20_000, 4.0), np.full(20_000, 3.0)
    lazy = KINDS["lazy"]
    found = simulated_choices.felt(kind=lazy, first=first, second=second, rng=rng)
    assert found.mean() == pytest.approx(lazy.contrast, abs=0.02)


def test_who_reads_nothing_answers_by_chance_or_always_the_same():
    rng = np.random.default_rng(1)
    by_chance = simulated_choices.blind(
        points=FIVE, shape=(500, 4), same=False, rng=rng
    )
    assert set(np.unique(by_chance)) == set(FIVE)
    counts = np.bincount(by_chance.ravel())[1:]
    assert counts.min() > 300
    same = simulated_choices.blind(points=TWO, shape=(5, 3), same=True, rng=rng)
    assert same.shape == (5, 3) and len(np.unique(same)) == 1
