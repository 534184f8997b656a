import numpy as np
import pytest

from scoring.stats.votes import FIRST, SECOND, TIE, read, share_won


def won(first, second, outcome, one, other, unit=None, n_items=3):
    return share_won(read(first, second, outcome, n_items, unit), one, other)


def test_a_tie_is_half_a_win_whichever_text_came_first():
    votes = [0, 1, 0, 1], [1, 0, 1, 0], [FIRST, FIRST, TIE, SECOND]
    assert won(*votes, 0, 1).value == (1 + 0 + 0.5 + 1) / 4
    assert won(*votes, 1, 0).value == (0 + 1 + 0.5 + 0) / 4


def test_votes_on_other_items_do_not_count():
    found = won([0, 0, 2], [1, 2, 1], [FIRST, SECOND, TIE], 0, 1)
    assert (found.value, found.n) == (1, 1)


def test_items_that_were_never_compared_have_no_share():
    found = won([0], [1], [FIRST], 0, 2)
    assert found.value is None and found.reason == "no vote on these two"


def test_the_interval_of_independent_votes_is_that_of_a_share():
    rng = np.random.default_rng(1)
    outcome = rng.choice([FIRST, SECOND], size=400, p=[0.7, 0.3])
    found = won(np.zeros(400, int), np.ones(400, int), outcome, 0, 1)
    error = np.sqrt(found.value * (1 - found.value) / 400)
    assert found.low == pytest.approx(found.value - 1.96 * error, abs=0.01)
    assert found.high == pytest.approx(found.value + 1.96 * error, abs=0.01)


def test_votes_of_one_unit_are_drawn_together():
    outcome = np.repeat([FIRST, SECOND], 50)
    zeros, ones = np.zeros(100, int), np.ones(100, int)
    alone = won(zeros, ones, outcome, 0, 1)
    together = won(zeros, ones, outcome, 0, 1, unit=np.repeat([0, 1, 2, 3], 25))
    assert together.high - together.low > 3 * (alone.high - alone.low)
    single = won(zeros, ones, outcome, 0, 1, unit=np.zeros(100, int))
    assert single.low is None and single.reason == "an interval needs 3 prompts"
