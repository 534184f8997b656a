from __future__ import annotations

import pytest

from annotation.kinds.spans.scheme import ESA, MQM, Scheme
from annotation.kinds.spans.sides import Side
from annotation.kinds.spans.word_lists import Returned, WordList

SIDE = Side("text", "One two three.")


def test_a_list_comes_back_with_what_was_chosen() -> None:
    returned = Returned(2, "text", {"from": "3", "category": "a & b"})
    assert Returned.read(returned.written()) == returned
    assert Returned.read("list-2-source") == Returned(2, "source")


@pytest.mark.parametrize(
    "written",
    [
        "",
        "A",
        "list",
        "list-1",
        "list-x-text",
        "list-0-text",
        "list-1-title",
        "1" * 999,
    ],
)
def test_anything_else_is_no_list(written) -> None:
    assert Returned.read(written) is None


def test_an_address_of_any_length_is_read_in_bounded_time() -> None:
    assert Returned.read("list-1-text?" + "from=1&" * 10_000) is None


@pytest.mark.parametrize(
    ("scheme", "chosen", "lacks"),
    [
        (MQM, {}, ["First word", "Error", "Severity"]),
        (MQM, {"from": "9", "category": "style"}, ["First word", "Severity"]),
        (ESA, {"from": "1"}, ["Severity"]),
        (Scheme(), {}, ["First word"]),
    ],
)
def test_a_problem_names_what_is_still_to_choose(scheme, chosen, lacks) -> None:
    words = WordList(1, SIDE, scheme, Returned(1, "text", chosen))
    assert words.problem.endswith(": " + ", ".join(lacks))


def test_a_list_that_nobody_used_has_no_problem() -> None:
    words = WordList(1, SIDE, MQM, Returned(2, "text", {}))
    assert (words.problem, words.is_open, words.chosen) == ("", False, {})
    added = WordList(1, SIDE, MQM, Returned(1, "text"))
    assert (added.problem, added.is_open) == ("", True)
