"""A judge beside people: agreement that was planted is found."""

import numpy as np
import pytest

from scoring.stats.beside import agreement

RNG = np.random.default_rng


def planted(rng, n, *, judge, people, voters=3):
    """A judge and people who see which of two texts is better so often."""
    better = rng.integers(0, 2, n)
    said = np.where(rng.random(n) < judge, better, 1 - better)
    pair = np.repeat(np.arange(n), voters)
    seen = np.where(rng.random(n * voters) < people, better[pair], 1 - better[pair])
    return said[pair], seen, pair


def test_planted_agreement_is_found_with_its_intervals():
    """Right in 90 % and 80 %: .9 * .8 + .1 * .2 = 74 % agree, and 68 % of people."""
    inside = []
    for seed in range(40):
        given = planted(RNG(seed), 150, judge=0.9, people=0.8)
        found = agreement(*given, rng=RNG(seed))
        inside.append(
            [
                found.judge.low <= 0.74 <= found.judge.high,
                found.people.low <= 0.68 <= found.people.high,
            ]
        )
    assert (np.mean(inside, axis=0) >= 0.85).all()


def test_kappa_is_that_of_cohen_with_an_interval_over_pairs():
    found = agreement(*planted(RNG(1), 200, judge=1, people=1), rng=RNG(0))
    assert (found.kappa.value, found.judge.value) == (1.0, 1.0)
    found = agreement(*planted(RNG(1), 300, judge=0.5, people=1), rng=RNG(0))
    assert found.kappa.low < 0 < found.kappa.high


def test_each_pair_counts_alike_however_many_voted():
    judge, people = np.array([1, 1, 1, 2]), np.array([1, 1, 1, 1])
    found = agreement(judge, people, np.array([0, 0, 0, 1]), rng=RNG(0))
    assert (found.judge.value, found.n_pairs, found.n_votes) == (0.5, 2, 4)


def test_one_vote_a_pair_says_nothing_of_people_among_themselves():
    found = agreement(np.ones(4), np.ones(4), np.arange(4), rng=RNG(0))
    assert found.people.value is None
    assert found.people.reason == "no pair has votes of two people"
    assert found.kappa.reason == "all ratings are the same"


def test_without_a_pair_there_are_reasons():
    found = agreement(np.empty(0), np.empty(0), np.empty(0), rng=RNG(0))
    reason = "people have voted on none of its pairs"
    assert (found.judge.reason, found.kappa.reason) == (reason, reason)


def test_a_tie_is_a_verdict_of_its_own():
    found = agreement(
        np.array([-1, -1]), np.array([-1, 4]), np.array([0, 1]), rng=RNG(0)
    )
    assert found.judge.value == pytest.approx(0.5)
