from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.kinds.spans import marks
from annotation.kinds.spans.marks import Placed
from annotation.kinds.spans.scheme import ESA, MQM, Scheme
from scoring.stats.spans.marks import Mark

# Any letters, and often those with which an offset goes wrong.
NASTY = st.sampled_from(
    [
        "\r",
        "\n",
        "\r\n",
        "\t",
        "  ",
        "👩‍👩‍👧",
        "é",
        "e\u0301",
        "\u200b",
        "𝒳",
        "שלום",
        "\u202e",
    ]
)
CHARACTERS = st.text(st.characters(exclude_categories=["Cs"]), max_size=3)
TEXTS = st.lists(NASTY | CHARACTERS, max_size=12).map("".join)


@st.composite
def selections(draw) -> tuple[str, int, int]:
    """A text, and a part of it as a page shows it."""
    text = draw(TEXTS)
    n = len(marks.shown(text))
    start = draw(st.integers(0, n))
    return text, start, draw(st.integers(start, n))


@given(selections())
def test_no_mark_shifts_on_its_way_from_a_page_and_back(selection) -> None:
    text, start, end = selection
    page = marks.shown(text)
    sent = Placed(Mark(start, end, "style", "minor"), page[start:end])
    (through_a_form,) = marks.read(marks.written([sent]))
    assert through_a_form == sent
    stored = marks.stored(sent, text)
    assert stored.stands_in({"text": text})
    assert marks.shown(stored.words) == page[start:end] or "\r" in text
    assert marks.as_shown(stored, text)[0] == sent.mark


@given(TEXTS)
def test_a_page_shows_one_character_for_each_offset(text) -> None:
    at = marks.offsets(text)
    assert len(at) == len(marks.shown(text)) + 1
    parts = [text[start:end] for start, end in zip(at, at[1:], strict=False)]
    assert "".join(parts) == text
    assert "".join(map(marks.shown, parts)) == marks.shown(text)


@given(selections(), st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20))))
def test_segments_are_the_text_and_each_is_within_or_outside_of_a_mark(
    selection, others
) -> None:
    text, start, end = selection
    n = len(text)
    places = [(min(a, b, n), min(max(a, b), n)) for a, b in [(start, end), *others]]
    on = [Mark(low, high) for low, high in places]
    at, points = 0, []
    parts = marks.segments(text, on)
    for part in parts:
        for number, mark in enumerate(on, start=1):
            covers = mark.start <= at and at + len(part.words) <= mark.end
            assert (number in part.marks) == (covers and bool(part.words))
        points += part.points
        at += len(part.words)
    assert "".join(part.words for part in parts) == text
    assert sorted(points) == [
        number for number, mark in enumerate(on, start=1) if mark.start == mark.end
    ]


class TestForms:
    @pytest.mark.parametrize(
        "field",
        [
            *("", "no JSON", "{}", "[1]", '[{"start": 0}]', "[" * 10_000),
            '[{"start": true, "end": 1}]',
            '[{"start": 0.5, "end": 1}]',
            '[{"start": 0, "end": 1, "category": 3}]',
        ],
    )
    def test_what_is_no_list_of_marks_says_nothing(self, field) -> None:
        assert marks.read(field) is None

    def test_an_empty_list_says_that_there_is_none(self) -> None:
        assert marks.read("[]") == []

    def test_marks_beyond_any_number_are_not_read(self) -> None:
        row = {"start": 0, "end": 1, "words": "x"}
        many = marks.read(json.dumps([row] * 500))
        assert many is not None
        assert marks.problem(many, {"text": "x"}, Scheme()) == "too many"


class TestProblems:
    @pytest.mark.parametrize(
        ("mark", "words", "problem"),
        [
            (Mark(0, 3, "style", "minor"), "The", ""),
            (Mark(0, 3, "style", "minor"), "the", "elsewhere"),
            (Mark(-3, 3, "style", "minor"), "", "elsewhere"),
            (Mark(3, 0, "style", "minor"), "", "elsewhere"),
            (Mark(0, 99, "style", "minor"), "The end", "elsewhere"),
            (Mark(0, 3, "style", "minor", "source"), "The", "elsewhere"),
            (Mark(0, 3, "style", ""), "The", "unknown"),
            (Mark(0, 3, "", "minor"), "The", "unknown"),
            (Mark(3, 3, "style", "minor"), "", ""),
        ],
    )
    def test_a_mark_stands_on_its_words_and_is_of_the_scheme(
        self, mark, words, problem
    ) -> None:
        texts = {"text": "The end"}
        assert marks.problem([Placed(mark, words)], texts, MQM) == problem

    def test_missing_words_can_be_forbidden(self) -> None:
        sent = [Placed(Mark(0, 0), "")]
        assert marks.problem(sent, {"text": "x"}, Scheme(missing=False)) == "empty"

    def test_a_study_without_severities_gets_none(self) -> None:
        sent = [Placed(Mark(0, 1, "", "minor"), "x")]
        assert marks.problem(sent, {"text": "x"}, Scheme()) == "unknown"
        assert marks.problem(sent, {"text": "x"}, ESA) == ""

    def test_the_opening_is_left_alone(self) -> None:
        sent = [Placed(Mark(2, 5), "ce u")]
        texts = {"text": "Once upon"}
        assert marks.problem(sent, texts, Scheme(), before=9) == "elsewhere"
        sent = [Placed(Mark(2, 6), "ce u")]
        assert marks.problem(sent, texts, Scheme(), before=9) == "opening"


@pytest.mark.parametrize(
    ("prefix", "text", "cut"),
    [
        ("", "any", 0),
        ("Once upon", "Once upon a time", 9),
        ("Once upon", "once  UPON a time", 10),
        ("Once upon", "Twice", 0),
        ("The car", "The cartoon", 7),
        ("Once ", "once  upon", 6),
    ],
)
def test_the_opening_of_a_text_is_what_it_repeats_of_its_prefix(
    prefix, text, cut
) -> None:
    assert marks.opening(prefix, text) == cut
