"""Prompts and verbalizers of one's own."""

import json

import pytest

from scoring.metrics import OptionError
from scoring.metrics._ctrleval import tables
from scoring.metrics._ctrleval.tables import (
    SENTIMENT,
    TOPIC,
    Table,
    TableError,
    checked,
    problem_of_name,
    table_from_files,
    tables_from_json,
)
from tests.support import shared

LABELS = ["calm", "angry"]
PROMPT = "<gen_result> It was <mask_token>."
WORDS = [["quiet", "loud"]]


def problems(labels=LABELS, prompts=(PROMPT,), words=WORDS):
    with pytest.raises(TableError) as error:
        checked(labels, list(prompts), words)
    return error.value.problems


class TestATable:
    def test_it_has_labels_prompts_and_words(self):
        assert checked(LABELS, [PROMPT], WORDS) == Table(
            ("calm", "angry"), (PROMPT,), (("quiet", "loud"),)
        )

    def test_space_around_its_texts_does_not_count(self):
        spaced = checked([" calm", "angry "], [f" {PROMPT}\n"], [[" quiet", "loud"]])
        assert spaced.hash() == checked(LABELS, [PROMPT], WORDS).hash()

    @pytest.mark.parametrize("table", [SENTIMENT, TOPIC])
    def test_those_of_the_paper_will_do(self, table):
        assert checked(*table) == table

    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ({"labels": ["calm"], "words": [["quiet"]]}, "1 labels, expected 2 to 50"),
            ({"labels": ["calm", ""]}, "label 2 is empty"),
            ({"labels": ["calm", " calm"]}, "label 2 is the same as 1"),
            ({"labels": ["calm", "Calm"]}, "label 2 is the same as 1"),
            (
                {"labels": ["calm", "x" * 101]},
                "label 2 has 101 characters, expected 100 at most",
            ),
            ({"prompts": []}, "0 prompts, expected 1 to 200"),
            ({"prompts": [PROMPT, PROMPT]}, "prompt 2 is the same as 1"),
            (
                {"prompts": ["It was <mask_token>."]},
                "prompt 1 has <gen_result> 0 times, expected once, where the text goes",
            ),
            (
                {"prompts": [f"{PROMPT} <mask_token>"]},
                "prompt 1 has <mask_token> 2 times, expected once, where the gap goes",
            ),
            (
                {"prompts": ["<gen_result>\n<mask_token>"]},
                "prompt 1 holds a line break, tab or control sign",
            ),
            ({"words": []}, "0 rows of words, expected 1 to 50"),
            (
                {"words": [["quiet"]]},
                "row 1 of words has 1 words, expected one for each of the 2 labels",
            ),
            ({"words": [["quiet", ""]]}, "row 1 of words: word 2 is empty"),
            (
                {"words": [["quiet", "quiet"]]},
                "row 1 of words: word 2 is the same as 1",
            ),
            ({"words": WORDS * 2}, "row of words 2 is the same as 1"),
            ({"words": ["quiet"]}, f"expected lists of texts, {tables._SHAPE}"),
            ({"labels": "ab"}, f"expected lists of texts, {tables._SHAPE}"),
            ({"prompts": [3]}, f"expected lists of texts, {tables._SHAPE}"),
        ],
    )
    def test_what_will_not_do_is_told_with_what_would(self, given, expected):
        assert problems(**given) == [expected]

    def test_everything_wrong_is_told_at_once(self):
        found = problems(labels=["calm", ""], prompts=["So."], words=[["quiet"]])
        assert len(found) == 4

    def test_a_message_stays_readable(self):
        with pytest.raises(TableError) as error:
            checked(LABELS, [f"So {k}." for k in range(100)], WORDS)
        assert str(error.value).endswith("; and 180 more")
        assert len(error.value.problems) == 200

    def test_what_a_model_is_asked_is_bounded(self):
        labels = [f"label {k}" for k in range(50)]
        prompts = [f"{PROMPT} {k}" for k in range(101)]
        assert problems(labels, prompts, [labels]) == [
            "prompts x rows of words x labels are 5050 questions for each text, "
            "expected at most 5000"
        ]


class TestNames:
    @pytest.mark.parametrize("name", ["mood", "Mood-2_b", "x" * 64])
    def test_a_slug_will_do(self, name):
        assert problem_of_name(name) is None

    @pytest.mark.parametrize("name", ["", "a b", "a:b", "a|b", "a,b", "x" * 65, "é"])
    def test_what_would_be_misread_in_a_signature_will_not(self, name):
        assert "expected 1 to 64 letters" in problem_of_name(name)

    @pytest.mark.parametrize("name", ["auto", "sentiment", "topic"])
    def test_names_that_mean_something_are_taken(self, name):
        assert "is taken by the evaluators of the paper" in problem_of_name(name)


class TestJSON:
    CONTENT = {"labels": LABELS, "prompts": [PROMPT], "words": WORDS}

    def test_tables_come_by_name_in_their_order(self):
        found = tables_from_json(json.dumps({"b": self.CONTENT, "a": self.CONTENT}))
        assert list(found) == ["b", "a"]
        assert found["a"] == checked(LABELS, [PROMPT], WORDS)

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("{", "not JSON: Expecting property name"),
            ("[" * 100_000, "not JSON: "),
            ("[]", 'expected an object like {"NAME": '),
            ("{}", 'expected an object like {"NAME": '),
            ('{"mood": 3}', "mood: expected {"),
            ('{"mood": {"labels": []}}', "mood: expected {"),
            (" " * 1_000_001, "1000001 characters, expected 1000000 at most"),
        ],
    )
    def test_other_things_are_refused(self, text, expected):
        with pytest.raises(OptionError) as error:
            tables_from_json(text)
        assert str(error.value).startswith(f"tables: {expected}")

    def test_problems_of_all_tables_are_told_with_their_names(self):
        wrong = {**self.CONTENT, "prompts": []}
        with pytest.raises(TableError) as error:
            tables_from_json(json.dumps({"x": wrong, "topic": wrong}))
        assert error.value.problems == [
            "x: 0 prompts, expected 1 to 200",
            "name 'topic' is taken by the evaluators of the paper: choose another",
            "topic: 0 prompts, expected 1 to 200",
        ]

    def test_there_are_not_too_many(self):
        many = {f"t{k}": self.CONTENT for k in range(21)}
        with pytest.raises(TableError, match="21 tables, expected 20 at most"):
            tables_from_json(json.dumps(many))


class TestFiles:
    def test_labels_then_words_with_tabs_between(self):
        found = table_from_files(
            f"\ufeff{PROMPT}\r\n\r\nSo <mask_token>! <gen_result>\r\n",
            "calm\tangry\r\nquiet\tloud\r\nat peace\tfurious\r\n",
        )
        assert found.labels == ("calm", "angry")
        assert found.prompts == (PROMPT, "So <mask_token>! <gen_result>")
        assert found.words == (("quiet", "loud"), ("at peace", "furious"))

    @pytest.mark.parametrize(
        ("name", "table"), [("senti", SENTIMENT), ("topic", TOPIC)]
    )
    def test_the_authors_files_are_read(self, name, table):
        prompts, words = (
            shared.path(f"data/ctrleval/{kind}_{name}.txt").read_bytes().decode()
            for kind in ("prompt", "verbal")
        )
        assert table_from_files(prompts, words) == table

    @pytest.mark.parametrize(
        ("words", "expected"),
        [
            ("calm\tangry\n", "nothing after the first line"),
            ("calm angry\nquiet loud\n", "no tab in the first line"),
            ("", "no tab in the first line"),
        ],
    )
    def test_files_of_another_shape_are_refused(self, words, expected):
        with pytest.raises(TableError) as error:
            table_from_files(PROMPT, words)
        assert error.value.problems == [
            f"verbalizers: {expected}, expected the labels there and words in each "
            "further line, separated by tabs"
        ]

    def test_a_word_left_empty_is_told_and_not_shifted(self):
        with pytest.raises(TableError) as error:
            table_from_files(PROMPT, "calm\tangry\n\tloud\n")
        assert error.value.problems == ["row 1 of words: word 1 is empty"]
