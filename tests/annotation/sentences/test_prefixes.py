from __future__ import annotations

import pytest

from annotation.models.texts import full_text
from annotation.sentences import respelled

PREFIX = "Once upon a time"


@pytest.mark.parametrize(
    "text",
    [
        "once upon a time there was",
        "  Once upon a time there was",
        "ONCE  UPON\na time there was",
    ],
)
def test_a_prefix_in_another_spelling_is_kept_once(text):
    assert respelled(PREFIX, text) == "Once upon a time there was"
    assert full_text(PREFIX, text) == "Once upon a time there was"


@pytest.mark.parametrize(
    "text",
    ["Once upon a timetable", "once upona time it was", "once upon", "There was", ""],
)
def test_a_text_that_does_not_begin_with_the_prefix_stays(text):
    assert respelled(PREFIX, text) == text


def test_only_its_own_spelling_ends_within_a_word():
    assert respelled("The chicken", "The chickenpox") == "The chickenpox"
    assert respelled("The chicken", "the chickenpox") == "the chickenpox"


def test_a_prefix_that_ends_in_a_space_gets_no_second_one():
    assert respelled("Ask: ", "ask:\nWhy?") == "Ask: Why?"


def test_a_text_may_be_its_prefix_alone():
    assert respelled(PREFIX, "once upon a time") == PREFIX
