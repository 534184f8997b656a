"""mpp against its authors' package, and against all matchings that there are."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings

from scoring.stats.spans import matching
from scoring.stats.spans.marks import Mark, overlap
from scoring.stats.spans.matching import mpp, scores
from tests.scoring.stats.spans.marked import GOLDEN, golden, some_marks

CLOSE = {"atol": 1e-9, "rtol": 0}


def credit(mark, other):
    if mark.length == other.length == 0:
        same = (mark.side, mark.start) == (other.side, other.start)
        return (1.0, 1.0) if same else (0.0, 0.0)
    shared = overlap(mark, other)
    return (shared / mark.length, shared / other.length) if shared else (0.0, 0.0)


def every_matching(n, m):
    for size in range(min(n, m) + 1):
        for rows in combinations(range(n), size):
            for columns in permutations(range(m), size):
                yield list(zip(rows, columns, strict=True))


def best_f(predicted, reference):
    """Highest F of all one-to-one matchings."""
    found = []
    for pairs in every_matching(len(predicted), len(reference)):
        credits = [credit(predicted[i], reference[j]) for i, j in pairs]
        p, r = (sum(part) for part in zip(*credits, strict=True)) if pairs else (0, 0)
        counts = np.array([p, len(predicted), r, len(reference)], float)
        found.append(scores(counts)[2])
    return max(found)


@settings(max_examples=60)
@given(some_marks(), some_marks())
def test_no_matching_has_a_higher_f(predicted, reference):
    counts = mpp(predicted, reference).counts
    assert np.isclose(scores(counts)[2], best_f(predicted, reference), **CLOSE)


@settings(max_examples=60)
@given(some_marks(), some_marks())
def test_the_other_way_round_precision_is_recall(predicted, reference):
    p, r, f = scores(mpp(predicted, reference).counts)
    other = scores(mpp(reference, predicted).counts)
    assert np.isclose(f, other[2], **CLOSE)
    assert np.isclose(p + r, other[0] + other[1], **CLOSE)


@given(some_marks())
def test_marks_agree_with_themselves(marks):
    assert np.allclose(scores(mpp(marks, marks).counts), 1, **CLOSE)


@pytest.mark.parametrize(
    "name, penalty", [("mpp", 0), ("mpp, penalty .5", 0.5)], ids=str
)
def test_the_authors_find_the_same(name, penalty):
    total = np.zeros(4)
    rows = zip(GOLDEN["predicted"], GOLDEN["reference"], GOLDEN["each"], strict=True)
    for predicted, reference, numbers in rows:
        counts = mpp(golden(predicted), golden(reference), penalty=penalty).counts
        assert np.allclose(scores(counts), numbers[name], **CLOSE)
        total += counts
    assert np.allclose(scores(total), GOLDEN["together"][name], **CLOSE)


def test_who_marks_nothing_is_right_where_nothing_is_wrong():
    assert scores(mpp([], []).counts).tolist() == [1, 1, 1]
    assert scores(mpp([], [Mark(0, 1)]).counts).tolist() == [1, 0, 0]
    assert scores(mpp([Mark(0, 1)], []).counts).tolist() == [0, 1, 0]


def test_the_side_is_part_of_the_place():
    text, source = [Mark(0, 4)], [Mark(0, 4, side="source")]
    assert mpp(text, source).predicted.tolist() == [0]


def test_a_point_has_a_point_at_the_same_place_as_its_partner():
    predicted = [Mark(3, 3), Mark(5, 5)]
    reference = [Mark(0, 9), Mark(3, 3), Mark(6, 6)]
    credits = mpp(predicted, reference)
    assert credits.predicted.tolist() == [1, 0]
    assert credits.reference.tolist() == [0, 1, 0]


def test_severity_is_ignored_unless_a_penalty_says_otherwise():
    minor, major = [Mark(0, 4, severity="minor")], [Mark(0, 4, severity="major")]
    assert mpp(minor, major).predicted.tolist() == [1]
    assert mpp(minor, major, penalty=1).predicted.tolist() == [0]
    with pytest.raises(ValueError, match="penalty"):
        mpp(minor, major, penalty=2)


def test_of_too_many_ways_the_best_are_kept(monkeypatch):
    """Nested marks: each could be the partner of each."""
    predicted = [Mark(k, 30 - k) for k in range(7)]
    reference = [Mark(k + 1, 31 - k) for k in range(7)]
    exact = scores(mpp(predicted, reference).counts)[2]
    monkeypatch.setattr(matching, "MOST_WAYS", 20)
    fewer = scores(mpp(predicted, reference).counts)[2]
    assert 0.95 * exact < fewer <= exact + 1e-12
