"""Parts of a run: all texts, in order, and a short end where workers share them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scoring.runs import cutting


def sizes(n: int, size: int, workers: int) -> list[int]:
    return [len(part) for part in cutting.cut(range(n), size=size, workers=workers)]


def test_one_worker_gets_equal_parts():
    assert sizes(200, 64, 1) == sizes(200, 64, 0) == [64, 64, 64, 8]


def test_those_of_two_become_smaller_towards_the_end():
    assert sizes(400, 64, 2) == [64, 64, 64, 52, 39, 30, 22, 17, 16, 16, 16]


def test_parts_that_are_small_anyway_stay_as_they_are():
    assert sizes(10, 4, 3) == [4, 4, 2]


@given(st.integers(0, 5000), st.integers(1, 256), st.integers(0, 64))
def test_each_text_is_in_one_part_in_order(n, size, workers):
    parts = list(cutting.cut(range(n), size=size, workers=workers))
    assert [pk for part in parts for pk in part] == list(range(n))
    assert all(0 < len(part) <= size for part in parts)


@given(st.integers(1, 5000), st.integers(2, 64))
def test_no_part_is_more_than_half_a_workers_share_of_what_is_left(n, workers):
    left = n
    for part in sizes(n, 256, workers):
        assert part <= max(cutting.FEWEST_TEXTS, -(-left // (2 * workers)))
        left -= part
