"""Scores of sentences as marks."""

from __future__ import annotations

import math
from typing import Any

import pytest

from scoring.stats.spans.files import sentences
from scoring.stats.spans.files.segments import Read

TEXT = "One is so. Two is so.  Two is so."


def read(**row: Any) -> Read:
    return sentences.read([{"text": TEXT, **row}])


def places(found: Read) -> list[tuple[int, int]]:
    return [(mark.start, mark.end) for mark in found.segments[0].marks]


def test_a_sentence_below_the_threshold_is_marked():
    found = read(sentences=["One is so.", "Two is so."], scores=[0.9, 0.1])
    assert places(found) == [(11, 21)] and found.segments[0].score == 0.5


def test_equal_sentences_stand_one_behind_the_other():
    found = read(sentences=["One is so.", *["Two is so."] * 2], scores=[0.9, 0.9, 0.1])
    assert places(found) == [(23, 33)]


def test_without_sentences_the_text_is_split_as_everywhere():
    assert places(read(sentence_scores=[0.1, 0.9, 0.1])) == [(0, 10), (23, 33)]


def test_the_threshold_is_no_error_and_a_row_may_have_its_own():
    assert places(read(scores=[0.5, 0.9, 0.9])) == []
    assert places(read(scores=[0.5, 0.9, 0.9], threshold=0.6)) == [(0, 10)]


@pytest.mark.parametrize("name", ["sentence", "text"])
def test_sentences_may_come_with_their_scores(name):
    pairs = [("One is so.", 0.9), ("Two is so.", 0.1)]
    entries = [{name: words, "score": score, "more": 1} for words, score in pairs]
    assert places(read(sentence_scores=entries)) == [(11, 21)]


def test_a_sentence_without_a_number_is_no_error():
    assert places(read(scores=[math.nan, 0.9, 0.1])) == [(23, 33)]


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ({"scores": [0.1]}, "shape"),
        ({}, "shape"),
        ({"scores": ["a"]}, "shape"),
        ({"scores": [True]}, "shape"),
        ({"scores": 0.1}, "shape"),
        ({"scores": [{"sentence": "One is so.", "score": "a"}]}, "shape"),
        ({"scores": [{"sentence": "One is so.", "score": 1}, 3]}, "shape"),
        ({"scores": [{"score": 1}]}, "shape"),
        ({"text": None, "scores": []}, "shape"),
        ({"sentences": "One", "scores": [0.1]}, "shape"),
        ({"sentences": ["Three."], "scores": [0.1]}, "absent"),
        ({"sentences": ["Two is so.", "One is so."], "scores": [1, 1]}, "absent"),
        ({"sentences": [" "], "scores": [0.1]}, "absent"),
    ],
)
def test_what_does_not_fit_is_refused_as_a_whole(row, code):
    found = read(**row)
    assert found.segments == [] and [r.code for r in found.refusals] == [code]
