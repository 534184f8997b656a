"""Errors that a judge quotes: read whole, or not at all."""

from __future__ import annotations

import json

import pytest

from scoring.endpoints import quotes
from scoring.endpoints.answers import Answer, parsed
from scoring.endpoints.quotes import NoQuotes, Quote
from tests.scoring.endpoints.servers import completion


def answer(content: str | None, **more: str) -> Answer:
    return parsed(completion(content, **more).body.decode())


def test_an_error_has_words_and_what_the_answer_says_of_it():
    text = json.dumps({"errors": [{"quote": "a b", "severity": "minor"}]})
    assert quotes.parse(text) == [Quote("a b", severity="minor")]


def test_an_empty_list_says_that_there_are_no_errors():
    assert quotes.parse('{"errors": []}') == []
    assert quotes.reading(answer('{"errors": []}')).reason == ""


@pytest.mark.parametrize(
    "content",
    [
        "no errors",
        '{"errors": [{"quote": "a"}',
        "[]",
        "{}",
        '{"errors": null}',
        '{"errors": [], "more": 1}',
        '{"errors": [], "errors": []}',
        '{"errors": ["a"]}',
        '{"errors": [{"words": "a"}]}',
        '{"errors": [{"quote": 1}]}',
        '{"errors": [{"quote": "a", "start": 3}]}',
        '{"errors": [{"quote": "a", "severity": null}]}',
        '{"errors": [{"quote": "a", "side": "other"}]}',
        '{"errors": [{"quote": "a", "missing": "yes"}]}',
        json.dumps({"errors": [{"quote": "a"}] * (quotes.MOST + 1)}),
    ],
)
def test_anything_else_is_asked_for_again_and_is_never_no_errors(content):
    with pytest.raises(NoQuotes):
        quotes.parse(content)
    reading = quotes.reading(answer(content))
    assert reading.reason and reading.again and reading.said == ""


@pytest.mark.parametrize(
    ("content", "more"),
    [
        ('{"errors": []}', {"finish": "length"}),
        ('{"errors": []}', {"finish": "content_filter"}),
        (None, {"refusal": "No."}),
        ("", {}),
        ("<think>none</think>", {}),
    ],
)
def test_an_answer_that_ended_otherwise_has_a_reason(content, more):
    assert quotes.reading(answer(content, **more)).reason


def test_thoughts_before_the_answer_are_passed_over():
    reading = quotes.reading(answer('<think>well</think>{"errors": []}'))
    assert quotes.parse(reading.said) == []
