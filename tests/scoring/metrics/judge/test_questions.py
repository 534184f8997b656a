import pytest

from scoring.metrics import OptionError
from scoring.metrics.judge.questions import Question, parse_questions


class TestQuestions:
    def test_lines_have_a_key_a_question_and_perhaps_a_scale(self):
        text = "fluency: How fluent is it?\n\n  topic-a 0-9 : Is it on topic: yes?  "
        assert parse_questions(text) == (
            Question("fluency", "How fluent is it?"),
            Question("topic-a", "Is it on topic: yes?", 0, 9),
        )

    def test_json_is_what_a_study_brings_along(self):
        text = '[{"key": "f", "question": "How?", "low": 1, "high": 7}]'
        assert parse_questions(text) == (Question("f", "How?", 1, 7),)
        worse = '[{"key": "f", "question": "How?", "higher_is_better": false}]'
        assert parse_questions(worse) == (Question("f", "How?", 1, 5, False),)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("fluency", "aspects: 'fluency' is not like `fluency: How fluent is the"),
            ("", "aspects: expected 1 to 20 questions, found 0"),
            ("a: b\n" * 21, "aspects: expected 1 to 20 questions, found 21"),
            ("a: b\na: c", "aspects: given more than once (- and _ are alike): a"),
            ("a-b: c\na_b: d", "given more than once (- and _ are alike): a_b"),
            ("a:", "aspects: aspect 1: expected a question of 1 to 1000 characters"),
            ("é: b", "aspects: aspect 1: key 'é': expected letters, digits, - and _"),
            ("[{]", 'aspects: not JSON; expected [{"key": "...", "question": "..."}]'),
            ("[" * 100_000, "aspects: not JSON; "),
            ("[1]", 'aspects: expected a list of {"key": ..., "question": ...}'),
            ('[{"key": "a", "question": 1}]', "aspects: aspect 1: expected a question"),
            ('[{"colour": 1}]', "aspects: aspect 1: unknown colour; there are: key, "),
            ("a 1-101: b", "scale 1 to 101: expected whole numbers from 0 to 100 that"),
            (f"a {'1' * 5000}-5: b", "is not like `fluency: How fluent is the text?`"),
            ('[{"key": "a", "question": "\\ud800"}]', "JSON contains half of a surrog"),
            ('[{"\\ud800": 1}]', "aspects: the JSON contains half of a surrogate pair"),
            (
                "a 5-1: b",
                "aspect 1: scale 5 to 1: expected whole numbers from 0 to 100",
            ),
            ('[{"key": "a", "question": "b", "low": true}]', "scale True to 5"),
            ('[{"key": "a", "question": "b", "low": "1"}]', "scale '1' to 5"),
            ("a: Is it {topic}?", "aspect 1: unknown {topic}; there are: {text}, {pre"),
            ("a: Is it { Label }?", "aspect 1: unknown { Label }; there are: {text}"),
            ('[{"key": "a", "question": "b", "words": {"1": "{x}"}}]', "unknown {x}"),
            ('[{"key": "a", "question": "b", "low": 7, "words": [1]}]', "scale 7 to 5"),
        ],
    )
    def test_what_will_not_do_is_answered_with_what_would(self, text, message):
        with pytest.raises(OptionError) as error:
            parse_questions(text)
        assert message in str(error.value)

    def test_all_that_is_wrong_is_said_at_once(self):
        with pytest.raises(
            OptionError, match=r"aspect 1: scale .*; aspect 2: expected"
        ):
            parse_questions("a 1-101: b\nc:")

    @pytest.mark.parametrize("scale", ["1-10", "0-10", "0-100"])
    def test_scales_of_people_are_scales_of_judges(self, scale):
        (asked,) = parse_questions(f"a {scale}: b")
        low, high = map(int, scale.split("-"))
        assert list(asked.numbers) == list(range(low, high + 1))

    def test_the_output_of_a_question_joins_words_by_an_underscore(self):
        (asked,) = parse_questions("attribute-relevance: How well?")
        assert (asked.key, asked.output) == (
            *("attribute-relevance", "attribute_relevance"),
        )

    def test_a_question_may_name_what_belongs_to_a_text(self):
        asked = "a: {text} {prefix} {label} {source} {reference} {low} {high} {} {1}"
        assert parse_questions(asked)[0].question == asked[3:]
