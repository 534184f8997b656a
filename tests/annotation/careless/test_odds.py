"""The odds of answers by chance, against numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.careless import odds

NOBODY = np.zeros((0, 2, 1))
FIVE = odds.Scales(4, (5,))


def page(negative, real, others=()):
    """One aspect on a scale from 1 to 5: chance has variance 2 there."""
    own = np.array(real, dtype=float)[:, None]
    people = np.array(others, dtype=float).reshape(len(others), len(real), 1)
    turned = None if negative is None else np.vstack([[[negative]], own])
    return odds.see(real=own, negative=turned, others=people, scales=FIVE)


def log(*pages):
    return odds.over(pages, FIVE).log


def test_a_difference_of_none_speaks_for_chance_and_a_fall_for_reading():
    """v = 2 (1 + 1/2) = 3, fall 1: 1 (0 + 1/2) / 3 and 1 (-2 + 1/2) / 3."""
    assert log(page(3, [3, 3])) == pytest.approx(1 / 6)
    assert log(page(1, [3, 3])) == pytest.approx(-1 / 2)
    assert log(page(3, [3, 3]), page(1, [3, 3])) == pytest.approx(-1 / 3)


def test_the_odds_are_those_of_the_log():
    found = odds.over([page(3, [3, 3])] * 6, FIVE)
    assert found.times == pytest.approx(np.e)
    assert (found.pages, found.difference) == (6, 0)


def test_more_aspects_that_are_hurt_say_more():
    """Two aspects: v = 3 / 2, so twice as much."""
    flat = np.full((3, 2), 3.0)
    two = odds.Scales(4, (5, 5))
    seen = odds.see(real=flat[1:], negative=flat, others=NOBODY, scales=two)
    assert log(seen) == pytest.approx(1 / 3)


def test_who_spreads_texts_more_than_chance_is_judged_with_a_wider_measure():
    """Real texts 1 and 5: variance 8, four times chance's 2."""
    assert log(page(3, [1, 5])) == pytest.approx(1 / 6 / 4)


def test_who_agrees_with_others_that_agree_is_a_reader():
    """x = y = (-1, 1), others' slope 1, so b = 1/2: 1/2 (1/2 2/2 - 2) / 2 = -3/8."""
    alike = [(2, 4), (2, 4)]
    found = odds.over([page(None, [1, 3], alike)], FIVE)
    assert found.log == pytest.approx(-3 / 8)
    assert (found.slope, found.slope_of_others) == (1, 1)


def test_who_disagrees_speaks_no_more_for_chance_than_who_sees_no_difference():
    """x = -y: no more than b y (b y / 2) / 2 = 1/8, as of x = 0."""
    alike = [(2, 4), (2, 4)]
    assert log(page(None, [3, 1], alike)) == pytest.approx(1 / 8)
    assert log(page(None, [2, 2], alike)) == pytest.approx(1 / 8)


def test_who_clearly_rates_against_the_others_is_not_random():
    """Over five pages X = -5/2 and s^2 = 5/4, so X < -2 s: 5/8 - 5/2."""
    against = page(None, [3, 1], [(2, 4), (2, 4)])
    assert log(*[against] * 5) == pytest.approx(-15 / 8)
    assert log(*[against] * 3) == pytest.approx(3 / 8)  # X = -3/2, s^2 = 3/4: not yet


def test_where_others_disagree_disagreement_says_nothing():
    assert log(page(None, [5, 1], [(2, 4), (4, 2)])) == 0


def test_one_other_person_is_not_enough():
    assert log(page(None, [5, 1], [(1, 5)])) == 0


def test_strictness_is_no_disagreement():
    alike = [(2, 4), (2, 4)]
    assert log(page(None, [3, 5], alike)) == log(page(None, [1, 3], alike))


def test_without_a_negative_and_others_nothing_is_said():
    found = odds.over([page(None, [5, 1])], FIVE)
    assert (found.log, found.difference, found.slope) == (0, None, None)


def test_of_readers_at_most_one_in_so_many_is_ever_found():
    """Differences of a reader: one point lower, with the scatter of chance."""
    rng = np.random.default_rng(3)
    differences = rng.normal(-1, np.sqrt(2.5), size=(2000, 40))
    logs = np.cumsum((differences + 0.5) / 2.5, axis=1)
    ever = np.mean((np.exp(logs) > 10).any(axis=1))
    assert 0.02 < ever < 0.1
    # The same by the code, page by page, for some of them.
    seen = [odds.Seen(float(d), v=2.5, spread=None) for d in differences[0]]
    assert log(*seen) == pytest.approx(logs[0, -1])


def test_odds_beyond_all_measure_can_be_stored():
    certain = odds.Odds(1e6, 9, None, None, None)
    assert np.isfinite(certain.times)
