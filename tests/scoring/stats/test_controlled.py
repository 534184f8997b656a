"""Strengths with position and length held fixed, against other programs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from scoring.stats import controlled, preference, votes
from scoring.stats.jackknife import FEW_UNITS

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "controlled.json"


@pytest.fixture(scope="module")
def golden() -> dict:
    return json.loads(GOLDEN.read_text())


def read(golden: dict, kept: np.ndarray | None = None) -> votes.Votes:
    names = ("first", "second", "outcome")
    columns = [np.array(golden[name]) for name in names]
    if kept is not None:
        columns = [column[kept] for column in columns]
    return votes.read(*columns, 5)


def values(found: tuple) -> list[float]:
    return [one.value for one in found]


def nothing(cast: votes.Votes) -> np.ndarray:
    return np.zeros((len(cast.first), 0))


def test_without_ties_and_covariates_it_is_choix(golden):
    cast = read(golden, np.array(golden["outcome"]) != 0)
    found = controlled.controlled(cast, nothing(cast))
    assert values(found.strengths) == pytest.approx(golden["decided"], abs=1e-8)


def test_without_covariates_it_is_the_half_tie_form_of_the_other_model(golden):
    cast = read(golden)
    other = preference.fit(*votes.tally(cast), ties_as="half")
    found = controlled.controlled(cast, nothing(cast))
    assert values(found.strengths) == pytest.approx(list(other.values), abs=1e-10)


@pytest.mark.parametrize("which", [0, 1])
def test_with_position_and_length_it_is_arena_rank(golden, which):
    cast, theirs = read(golden), golden["arena"][which]
    given = np.stack([np.ones(len(cast.first)), golden["longer"]], axis=1)
    found = controlled.controlled(cast, given, ridge=theirs["reg"])
    assert values(found.strengths) == pytest.approx(theirs["ratings"], abs=1e-6)
    assert values(found.effects) == pytest.approx(theirs["coeffs"], abs=1e-6)


def test_swapping_the_two_texts_of_a_vote_changes_nothing(golden):
    cast = read(golden)
    longer = np.array(golden["longer"])[:, np.newaxis]
    flipped = np.select([cast.outcome == 1, cast.outcome == 2], [2, 1], 0)
    other = votes.Votes(cast.second, cast.first, flipped, cast.unit, 5)
    ours = controlled.controlled(cast, longer)
    assert values(controlled.controlled(other, -longer).strengths) == pytest.approx(
        values(ours.strengths), abs=1e-9
    )


def studies(n: int):
    """Votes of studies with known strengths and effects: 60 prompts, 3 votes each."""
    true, effects = np.array([0.6, 0.1, -0.7]), np.array([0.25, 0.5])
    for seed in range(n):
        rng = np.random.default_rng([7, seed])
        unit = np.repeat(np.arange(60), 3)
        first = rng.integers(3, size=180)
        second = (first + 1 + rng.integers(2, size=180)) % 3
        given = np.stack([np.ones(180), rng.normal(0, 1, 180)], axis=1)
        p = 1 / (1 + np.exp(-(true[first] - true[second] + given @ effects)))
        outcome = np.where(rng.random(180) < p, 1, 2)
        yield votes.read(first, second, outcome, 3, unit), given, true, effects


def test_intervals_hold_what_is_true_as_often_as_they_say():
    inside = []
    for cast, given, true, effects in studies(400):
        found = controlled.controlled(cast, given)
        known = zip([*found.strengths, *found.effects], [*true, *effects], strict=True)
        inside += [one.low <= value <= one.high for one, value in known]
    assert 0.93 < np.mean(inside) < 0.97


def test_a_system_that_only_wins_has_no_strength_and_a_reason():
    cast = votes.read(
        np.array([0, 0, 1, 2]), np.array([1, 2, 2, 1]), np.array([1, 1, 1, 1]), 4
    )
    found = controlled.controlled(cast, nothing(cast))
    assert [one.reason for one in found.strengths] == [
        controlled.ALONE,
        FEW_UNITS,
        FEW_UNITS,
        controlled.NO_VOTES,
    ]
    assert found.left_out == 2


def test_a_covariate_that_decides_every_vote_is_no_number():
    longer = np.array([[1.0], [-1.0], [0.5], [-0.5]])
    cast = votes.read(
        np.array([0, 0, 0, 0]), np.array([1, 1, 1, 1]), np.array([1, 2, 1, 2]), 2
    )
    found = controlled.controlled(cast, longer)
    assert {one.reason for one in found.strengths} == {controlled.NO_FIT}
    assert found.effects[0].reason == controlled.NO_FIT


def test_an_order_that_goes_with_the_systems_cannot_be_separated():
    cast = votes.read(np.zeros(4, int), np.ones(4, int), np.array([1, 1, 2, 0]), 2)
    found = controlled.controlled(cast, np.ones((4, 1)))
    assert found.effects[0].reason == controlled.CONFOUNDED
    plain = controlled.controlled(cast, nothing(cast))
    assert values(found.strengths) == values(plain.strengths)


def test_a_covariate_of_zeros_has_no_effect_to_fit(golden):
    cast = read(golden)
    found = controlled.controlled(cast, np.zeros((len(cast.first), 1)))
    assert found.effects[0].reason == controlled.NO_SPREAD
    assert found.strengths[0].value is not None


def test_no_vote_gives_no_number():
    nobody = np.array([], np.int64)
    cast = votes.read(nobody, nobody, nobody, 2)
    found = controlled.controlled(cast, np.zeros((0, 1)))
    assert {one.reason for one in found.strengths} == {controlled.NO_VOTES}


@pytest.mark.parametrize(
    ("given", "ridge", "words"),
    [
        (np.zeros((3, 1)), 0.0, "expected"),
        (np.full((1, 1), np.nan), 0.0, "finite"),
        (np.zeros((1, 1)), -1.0, "ridge"),
    ],
)
def test_what_cannot_be_fitted_is_refused(given, ridge, words):
    cast = votes.read(np.array([0]), np.array([1]), np.array([1]), 2)
    with pytest.raises(ValueError, match=words):
        controlled.controlled(cast, given, ridge=ridge)


def test_relative_length_is_the_difference_over_the_sum():
    first, second = np.array([30.0, 0.0, np.nan]), np.array([10.0, 0.0, 5.0])
    found = controlled.relative_length(first, second)
    assert found[0] == 0.5
    assert np.isnan(found[1:]).all()
