"""Designs of a bootstrap, and intervals from its replicates."""

import doctest

import numpy as np
import pytest

from scoring.stats import counts
from scoring.stats.counts import UNDEFINED, draw, draw_both, estimate, interval

NAN = float("nan")


def rng(seed=0):
    return np.random.default_rng(seed)


def test_rows_of_a_unit_are_drawn_together_and_as_many_units_as_there_are():
    units = np.array(["b", "a", "b", "c", "a"])
    rows = draw(units, rng=rng(), draws=50).rows()
    for unit in "abc":
        assert np.ptp(rows[:, units == unit], axis=1).max() == 0
    assert (rows[:, [0, 1, 3]].sum(axis=1) == 3).all()


def test_a_unit_is_drawn_as_often_as_with_replacement():
    drawn = draw(np.arange(5), rng=rng(), draws=20_000).rows()
    assert drawn.mean(axis=0) == pytest.approx(np.ones(5), abs=0.03)
    assert drawn.var(axis=0) == pytest.approx(np.full(5, 4 / 5), abs=0.03)


def test_two_kinds_of_units_are_drawn_independently_and_multiplied():
    prompts, systems = np.repeat([0, 1, 2], 2), np.tile([0, 1], 3)
    made = draw_both(prompts, systems, rng=rng(), draws=2000)
    of_prompt, of_system = (drawn.astype(float) for drawn in made.counts)
    np.testing.assert_array_equal(
        made.rows(), of_prompt[:, prompts] * of_system[:, systems]
    )
    together = np.corrcoef(of_prompt[:, 0], of_system[:, 0])[0, 1]
    assert together == pytest.approx(0, abs=0.07)
    assert (made.n_rows, made.n_units, len(made)) == (6, 2, 2000)


def test_draws_in_slabs_are_those_made_at_once(monkeypatch):
    units = np.arange(7)
    at_once = draw(units, rng=rng(), draws=10).counts[0]
    monkeypatch.setattr(counts, "SLAB", 21)
    np.testing.assert_array_equal(draw(units, rng=rng(), draws=10).counts[0], at_once)


def test_nothing_to_draw_from_is_drawn():
    made = draw(np.array([]), rng=rng(), draws=3)
    assert (len(made), made.n_units, made.rows().shape) == (3, 0, (3, 0))


def test_some_of_the_rows_have_the_same_replicates():
    made = draw(np.repeat([0, 1, 2], 2), rng=rng(), draws=4)
    np.testing.assert_array_equal(
        made.only(np.array([5, 0])).rows(), made.rows()[:, [5, 0]]
    )


def test_limits_are_the_percentiles_of_what_is_defined():
    replicates = rng().normal(size=(200, 3))
    replicates[:10, 1] = NAN
    replicates[:, 2] = NAN
    found = interval(replicates, level=0.9)
    for column, n in ((0, 0), (1, 10)):
        wanted = np.quantile(replicates[n:, column], [0.05, 0.95])
        assert (found.low[column], found.high[column]) == pytest.approx(wanted)
    assert np.isnan([found.low[2], found.high[2]]).all()
    assert found.undefined.tolist() == pytest.approx([0, 0.05, 1])


def test_no_replicates_have_no_limits():
    found = interval(np.zeros((0, 2, 3)))
    assert found.undefined.tolist() == [[1, 1, 1], [1, 1, 1]]
    assert np.isnan(found.low).all()
    assert found.low.shape == found.high.shape == (2, 3)


@pytest.mark.parametrize(
    ("value", "n_undefined", "n_units", "reason"),
    [
        (0.5, 5, 9, None),  # 5 % may be undefined
        (0.5, 6, 9, UNDEFINED),
        (0.5, 100, 9, UNDEFINED),
        (0.5, 0, 1, "only one unit to draw from"),
        (0.5, 0, 2, None),
        (None, 0, 9, "constant"),
    ],
)
def test_an_interval_or_a_reason(value, n_undefined, n_units, reason):
    replicates = np.linspace(0, 1, 100)
    replicates[:n_undefined] = NAN
    why = "constant" if value is None else None
    found = estimate(value, replicates, n=30, n_units=n_units, reason=why)
    assert (found.value, found.reason, found.n) == (value, reason, 30)
    assert (found.low is None) == (found.high is None) == (reason is not None)


def test_the_examples_in_the_text_hold():
    assert doctest.testmod(counts).failed == 0
