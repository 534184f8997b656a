import doctest

import pytest
from hypothesis import given

from scoring.stats.spans import (
    characters,
    marks,
    matching,
    unit_alpha,
)
from scoring.stats.spans.marks import Mark, check, overlap
from tests.scoring.stats.spans.marked import LENGTH, one_mark, some_marks


def characters_of(mark):
    return {(mark.side, place) for place in range(mark.start, mark.end)}


@given(one_mark(), one_mark())
def test_overlap_counts_the_characters_that_both_cover(first, second):
    shared = characters_of(first) & characters_of(second)
    assert overlap(first, second) == len(shared)


@given(some_marks())
def test_marks_within_their_text_are_taken(marks):
    check(marks, {"text": LENGTH, "source": LENGTH})


@pytest.mark.parametrize(
    "mark", [Mark(-1, 2), Mark(2, 1), Mark(0, 4), Mark(4, 4), Mark(0, 1, side="source")]
)
def test_a_mark_outside_its_text_is_refused(mark):
    with pytest.raises(ValueError, match="expected 0 <= start <= end"):
        check([mark], {"text": 3})


@pytest.mark.parametrize("module", [characters, marks, matching, unit_alpha])
def test_the_examples_are_true(module):
    ran = doctest.testmod(module, extraglobs={"Mark": Mark})
    assert ran.attempted and not ran.failed
