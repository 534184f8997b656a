import pytest

from scoring.metrics import Example, OptionError
from scoring.metrics._engine.judging import Question, check_prompt, prompt, questions


class TestQuestions:
    def test_lines_have_a_key_a_question_and_perhaps_a_scale(self):
        text = "fluency: How fluent is it?\n\n  topic-a 0-9 : Is it on topic: yes?  "
        assert questions(text) == (
            Question("fluency", "How fluent is it?"),
            Question("topic-a", "Is it on topic: yes?", 0, 9),
        )

    def test_json_is_what_a_study_brings_along(self):
        text = '[{"key": "f", "question": "How?", "low": 1, "high": 7}]'
        assert questions(text) == (Question("f", "How?", 1, 7),)
        worse = '[{"key": "f", "question": "How?", "higher_is_better": false}]'
        assert questions(worse) == (Question("f", "How?", 1, 5, False),)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("fluency", "aspects: 'fluency' is not like `fluency: How fluent is the"),
            ("", "aspects: expected 1 to 20 questions, found 0"),
            ("a: b\n" * 21, "aspects: expected 1 to 20 questions, found 21"),
            ("a: b\na: c", "aspects: given more than once: a"),
            ("a:", "aspects: aspect 1: expected a question of 1 to 1000 characters"),
            ("é: b", "aspects: aspect 1: key 'é': expected letters, digits, - and _"),
            ("[{]", 'aspects: not JSON; expected [{"key": "...", "question": "..."}]'),
            ("[" * 100_000, "aspects: not JSON; "),
            ("[1]", 'aspects: expected a list of {"key": ..., "question": ...}'),
            ('[{"key": "a", "question": 1}]', "aspects: aspect 1: expected a question"),
            ('[{"colour": 1}]', "aspects: aspect 1: unknown colour; there are: key, "),
            ("a 1-10: b", "scale 1 to 10: expected whole numbers from 0 to 9 that go "),
            (f"a {'1' * 5000}-5: b", "is not like `fluency: How fluent is the text?`"),
            ('[{"key": "a", "question": "\\ud800"}]', "JSON contains half of a surrog"),
            ('[{"\\ud800": 1}]', "aspects: the JSON contains half of a surrogate pair"),
            ("a 5-1: b", "aspect 1: scale 5 to 1: expected whole numbers from 0 to 9"),
            ('[{"key": "a", "question": "b", "low": true}]', "scale True to 5"),
            ('[{"key": "a", "question": "b", "low": "1"}]', "scale '1' to 5"),
        ],
    )
    def test_what_will_not_do_is_answered_with_what_would(self, text, message):
        with pytest.raises(OptionError) as error:
            questions(text)
        assert message in str(error.value)

    def test_all_that_is_wrong_is_said_at_once(self):
        with pytest.raises(
            OptionError, match=r"aspect 1: scale .*; aspect 2: expected"
        ):
            questions("a 1-10: b\nc:")


class TestPrompt:
    def test_what_is_put_in_is_not_looked_at_again(self):
        example = Example(text="{question} {0} {text}", prefix="{low}")
        found = prompt(example, Question("a", "{text}?"), "{prefix}|{text}|{question}")
        assert found == "{low}|{question} {0} {text}|{text}?"

    def test_the_source_is_shown_where_there_is_one(self):
        asked = Question("a", "How?", 2, 4)
        plain = prompt(Example(text="Yes."), asked)
        assert "Yes." in plain and "How?" in plain and "Input" not in plain
        assert "from 2 (least) to 4 (most)" in plain
        assert "Input:\nWhy?\n" in prompt(Example(text="Yes.", source="Why?"), asked)

    @pytest.mark.parametrize(
        ("template", "message"),
        [
            ("{text} {question} {colour}", "prompt: unknown {colour}; there are: {tex"),
            ("{text}", "prompt: {question} is missing; there are: {text}, {prefix}, "),
            ("{question}", "prompt: {text} is missing"),
        ],
    )
    def test_a_template_needs_its_fields(self, template, message):
        with pytest.raises(OptionError) as error:
            check_prompt(template)
        assert str(error.value).startswith(message)

    def test_other_braces_are_no_fields(self):
        check_prompt('{text} {question} {"rating": {}}')
