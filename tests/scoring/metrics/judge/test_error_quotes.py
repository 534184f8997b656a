"""A judge's quotes and their places in the text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scoring.metrics import Example
from scoring.metrics.judge import error_quotes, error_scheme
from scoring.metrics.judge.error_scheme import ESA, ErrorScheme, Named

TEXT = Example("A bad cat saw a bad dog. 😀 Fin.", source="Eine Katze.")
BOTH = ErrorScheme(ESA.categories, ESA.severities, source=True)


def placed(
    *errors: dict[str, Any], example: Example = TEXT, scheme: ErrorScheme = ESA
) -> error_quotes.Marked:
    given = [{"severity": "minor", **error} for error in errors]
    return error_quotes.placed(json.dumps({"errors": given}), example, scheme)


def test_a_quote_is_placed_by_code_points():
    (mark,) = placed({"quote": "Fin"}).marks
    assert TEXT.text[mark.start : mark.end] == "Fin" == mark.words
    assert mark.start == TEXT.text.index("Fin")


def test_a_quote_that_does_not_stand_there_is_counted():
    marked = placed({"quote": "Bad"}, {"quote": " "}, {"quote": "a  bad"})
    assert marked.marks == ()
    assert [error.code for error in marked.unplaced] == ["absent"] * 3


def test_a_quote_that_stands_there_twice_is_never_guessed():
    marked = placed({"quote": "bad"})
    assert marked.marks == () and marked.unplaced[0].code == "ambiguous"


def test_a_context_tells_which_is_meant():
    (mark,) = placed({"quote": "bad", "context": "bad dog"}).marks
    assert mark.start == TEXT.text.index("bad dog")


@pytest.mark.parametrize("context", ["a bad", "bad", "nowhere bad", "dog", "bad bad"])
def test_a_context_that_tells_nothing_leaves_it_without_a_place(context):
    example = Example("a bad cat, a bad dog")
    marked = placed({"quote": "bad", "context": context}, example=example)
    assert marked.unplaced[0].code == "ambiguous"


def test_a_passage_within_itself_stands_there_twice():
    marked = placed({"quote": "aa"}, example=Example("aaa"))
    assert marked.unplaced[0].code == "ambiguous"


def test_what_is_missing_is_a_point_behind_the_words():
    (mark,) = placed({"quote": "cat", "missing": True}).marks
    assert mark.start == mark.end == TEXT.text.index("cat") + 3
    assert mark.words == ""


def test_the_source_is_marked_where_people_mark_it():
    error = {"quote": "Katze", "side": "source"}
    (mark,) = placed(error, scheme=BOTH).marks
    assert (mark.side, mark.start) == ("source", 5)
    assert placed(error).unplaced[0].code == "absent"


def test_the_opening_is_no_place_unless_people_mark_it():
    example = Example("bad cat, bad dog", prefix="bad cat")
    (mark,) = placed({"quote": "bad"}, example=example).marks
    assert mark.start == 9
    with_opening = ErrorScheme(severities=ESA.severities, opening=True)
    twice = placed({"quote": "bad"}, example=example, scheme=with_opening)
    assert twice.unplaced[0].code == "ambiguous"


def test_words_found_twice_cost_and_absent_ones_do_not():
    marked = placed({"quote": "bad"}, {"quote": "nowhere"}, {"quote": "Fin"})
    assert error_quotes.penalty(marked, ESA) == 2


def test_names_are_understood_as_keys():
    scheme = ErrorScheme((Named("locale-convention", "Locale convention"),))
    marked = placed({"quote": "Fin", "category": "locale Convention"}, scheme=scheme)
    assert marked.marks[0].category == "locale-convention"


def test_the_question_names_all_that_can_be_marked():
    scheme = error_scheme.parse(
        '{"categories": [{"key": "style", "name": "Style", "meaning": "Odd."}],'
        ' "severities": [{"key": "major", "name": "Major", "weight": 5}], "most": 5,'
        ' "source": true}'
    )
    asked = error_quotes.question(scheme)
    assert "- style. Odd." in asked and "- major" in asked and "at most 5" in asked
    properties = error_quotes.parameters(scheme)["response_format"]["json_schema"][
        "schema"
    ]
    fields = properties["properties"]["errors"]["items"]
    assert fields["properties"]["category"]["enum"] == ["style"]
    assert fields["required"] == [*fields["properties"]]
    assert {"side", "missing", "severity"} <= {*fields["properties"]}


def test_a_text_is_shown_with_its_source_and_braces_in_it_stay():
    request = error_quotes.request(Example("A {question} b.", source="Quelle"), ESA)
    assert "A {question} b." in request.message and "Quelle" in request.message
