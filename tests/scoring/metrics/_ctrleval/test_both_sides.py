"""Evaluators with a free output pattern."""

import json

import pytest

from scoring.metrics._ctrleval.both_sides import Patterns, output_of
from scoring.metrics._ctrleval.tables import (
    TableError,
    checked_patterns,
    patterns_from_lines,
    tables_from_json,
)

KEYWORDS = ("Keywords: <mask_token>. <gen_result>", "<control>")


def problems(*patterns, control=""):
    with pytest.raises(TableError) as error:
        checked_patterns(control, patterns)
    return error.value.problems


def test_they_have_a_control_and_pairs():
    made = checked_patterns(
        " keywords", [(" Keywords: <mask_token>. <gen_result>", "<control>\n")]
    )
    assert made == Patterns("keywords", (KEYWORDS,)) and made.n_evaluators == 1


def test_another_pattern_or_control_is_another_hash():
    other = ("<mask_token> <gen_result>", "<control>")
    tables = [
        checked_patterns("keywords", [KEYWORDS]),
        checked_patterns("plot", [KEYWORDS]),
        checked_patterns("keywords", [other]),
        checked_patterns("keywords", [KEYWORDS, other]),
    ]
    assert len({table.hash() for table in tables}) == 4


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (
            ("<gen_result>", "<control>"),
            "has <mask_token> 0 times in what the model reads",
        ),
        (("<gen_result> <mask_token>", "<mask_token>"), "in what fills the gap"),
        (("<gen_result> <mask_token>", ""), "side 2 is empty"),
        (("<sourc> <mask_token>", "<gen_result>"), "has <sourc>, expected only"),
        (("<prefix> <mask_token>", "<control>"), "neither <gen_result> nor"),
        (
            ("<control> <mask_token>", "<gen_result> <control>"),
            "has <control> on both sides",
        ),
        (
            ("<prefix> <mask_token>", "<gen_result>"),
            "has <gen_result> and <prefix> on both sides",
        ),
        (("a" * 1001, "<control>"), "1001 characters, expected 1000"),
    ],
)
def test_what_is_wrong_is_said(pattern, expected):
    assert expected in "; ".join(problems(pattern))


def test_a_control_that_no_pattern_takes_is_told():
    said = problems(("<prefix> <mask_token>", "<continuation>"), control="plot")
    assert said == [
        "the control 'plot' is named, but no pattern has <control>: put it in, or leave"
        " the name out"
    ]


def test_the_name_of_a_control_is_no_sentence():
    assert "expected a name such as keywords" in problems(KEYWORDS, control="a: b")[0]


def test_the_same_pattern_twice_is_one_too_many():
    assert problems(KEYWORDS, KEYWORDS) == ["pattern 2 is the same as 1"]


def test_lines_are_read_around_the_arrow():
    text = "\n Keywords: <mask_token>. <gen_result> => <control> \n\n"
    assert patterns_from_lines("", text) == Patterns("", (KEYWORDS,))


@pytest.mark.parametrize("line", ["no arrow", "a => b => c"])
def test_a_line_with_another_number_of_arrows_is_told(line):
    with pytest.raises(TableError, match="pattern 1: expected => once"):
        patterns_from_lines("", line)


class TestJson:
    def test_both_kinds_may_stand_in_one_file(self):
        mood = {
            "labels": ["a", "b"],
            "prompts": ["<gen_result> <mask_token>"],
            "words": [["c", "d"]],
        }
        text = json.dumps({"mood": mood, "plot": {"patterns": [KEYWORDS]}})
        found = tables_from_json(text)
        assert found["plot"] == Patterns("", (KEYWORDS,))
        assert found["mood"].labels == ("a", "b")

    @pytest.mark.parametrize(
        "content",
        [
            {"control": "plot"},
            {"patterns": [KEYWORDS], "labels": []},
            {"patterns": "<mask_token>"},
            {"patterns": [["one"]]},
            {"patterns": [KEYWORDS], "control": 3},
        ],
    )
    def test_another_shape_is_refused(self, content):
        with pytest.raises(TableError, match="expected"):
            tables_from_json(json.dumps({"plot": content}))

    def test_names_that_would_be_one_output_are_refused(self):
        table = {"patterns": [KEYWORDS]}
        with pytest.raises(TableError, match="differ only in case or marks"):
            tables_from_json(json.dumps({"my-plot": table, "My_plot": table}))

    @pytest.mark.parametrize("name", ["a" * 51, "--"])
    def test_a_name_must_do_as_a_key(self, name):
        with pytest.raises(TableError, match="expected at most 50 characters"):
            tables_from_json(json.dumps({name: {"patterns": [KEYWORDS]}}))


def test_the_output_is_called_after_them():
    assert output_of("My-Plot_3") == "control_my_plot_3"
