"""Who errs, against crowd-kit's numbers."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.stats.severity import dawid_skene as module
from scoring.stats.severity.dawid_skene import DawidSkene, dawid_skene
from tests.scoring.stats.severity import golden


def fitted(*columns: np.ndarray) -> DawidSkene:
    found = dawid_skene(*columns)
    assert isinstance(found, DawidSkene), found
    return found


def test_it_is_crowd_kit_s():
    theirs = golden.FOUND["made_up"]["dawid_skene"]
    found = fitted(*golden.made_up()[:3])
    assert found.values.tolist() == theirs["labels"]
    assert found.priors == pytest.approx(theirs["priors"], abs=1e-8)
    assert found.truth == pytest.approx(np.array(theirs["probabilities"]), abs=1e-8)
    for rater, table in zip(found.names.tolist(), found.confusion, strict=True):
        expected = np.array(theirs["confusion"][rater]).T
        assert table == pytest.approx(expected, abs=1e-8)


def test_a_careless_rater_is_seldom_right():
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 4, size=200)
    given = np.stack([truth, truth, truth, rng.integers(1, 4, size=200)])
    slips = rng.random((3, 200)) < 0.1
    given[:3] = np.where(slips, rng.integers(1, 4, size=(3, 200)), given[:3])
    text, rater = np.tile(np.arange(200), 4), np.repeat(np.arange(4), 200)
    found = fitted(text, rater, given.ravel())
    assert (found.right[:3] > 0.85).all() and found.right[3] < 0.5
    rows = found.confusion[3]
    assert np.abs(rows - 1 / 3).max() < 0.15
    assert found.converged and found.enough().all()


def test_each_row_of_a_table_is_a_distribution():
    found = fitted(*golden.made_up()[:3])
    assert found.confusion.sum(axis=2) == pytest.approx(np.ones((6, 5)))
    assert found.truth.sum(axis=1) == pytest.approx(np.ones(60))


def test_few_ratings_are_too_few_for_a_table():
    found = fitted(*golden.made_up()[:3])
    assert not found.enough().any()


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], module.NO_RATING),
        ([(0, "a", 1), (1, "b", 2)], module.NO_PAIR),
        ([(0, "a", 2), (0, "b", 2)], module.SAME),
    ],
)
def test_where_there_is_nothing_to_compare_it_says_why(rows, reason):
    columns = zip(*rows, strict=True) if rows else ((), (), ())
    assert dawid_skene(*(np.array(column) for column in columns)) == reason
