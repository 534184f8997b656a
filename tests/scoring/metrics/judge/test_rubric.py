"""Steps and examples beside the question; without them nothing changes."""

from __future__ import annotations

import json

import pytest

from scoring.endpoints.client import Client
from scoring.endpoints.configuration import Endpoint
from scoring.endpoints.respondents import Identity
from scoring.metrics import Example, OptionError, get
from scoring.metrics.judge import (
    examples,
    prompts,
    questions,
    rating_requests,
    rubric,
    scorer,
    workload,
)

ASPECTS = "fluency: How fluent?\ntopic 0-9: How apt?"
QUESTIONS = questions.parse_questions(ASPECTS)
FLUENCY, TOPIC = QUESTIONS


def asked(changes: str) -> Client:
    """A client whose probe was answered."""
    endpoint = Endpoint("lab", "http://127.0.0.1", ("tiny",), changes=changes)
    client = Client(endpoint, "tiny")
    client.respondents.first = Identity("tiny", "fp_1")
    return client


def made(**options):
    return get("llm_judge")(
        **{
            "model": "endpoint:lab/tiny",
            "aspects": ASPECTS,
            "mode": "answer",
            **options,
        }
    )


def signature(changes="split", **options) -> str:
    metric = made(**options)
    metric.check()
    return scorer._signature(metric._setup(), asked(changes), metric.version)


def rated(n: int, **more) -> str:
    """A rated text for each of n prompts."""
    rows = [
        {
            "text": f"Start {k}. Text {k}.",
            "prefix": f"Start {k}.",
            "ratings": {"fluency": k % 5 + 1, "topic": 2.5},
            **more,
        }
        for k in range(n)
    ]
    return "\n".join(map(json.dumps, rows))


class TestSignatures:
    """Whoever changes one makes all stored scores unfindable."""

    @pytest.mark.parametrize(
        ("mode", "parameters", "prompt"),
        [
            ("logprobs", "8f789c864f1dffb0", "549b677a71dc70c6"),
            ("answer", "90b62dbce5639c94", "549b677a71dc70c6"),
            ("form", "54ca7cb1200b1c04", "5d5e12124fe687f9"),
        ],
    )
    def test_of_endpoints(self, mode, parameters, prompt):
        assert signature(mode=mode) == (
            "llm_judge|answered:tiny (fp_1)|aspects:fluency,topic:sha256:"
            f"a8f4e46b48435742|endpoint:lab/tiny|mode:{mode}|parameters:sha256:"
            f"{parameters}|prompt:sha256:{prompt}|v:4"
        )

    def test_of_samples_and_an_own_prompt(self):
        assert signature(mode="samples") == (
            "llm_judge|answered:tiny (fp_1)|aspects:fluency,topic:sha256:"
            "a8f4e46b48435742|endpoint:lab/tiny|mode:samples|parameters:sha256:"
            "898c448eb9157de8|prompt:sha256:549b677a71dc70c6|samples:20|v:4"
        )
        asked = '[{"key": "q", "question": "How?", "higher_is_better": false}]'
        assert signature(prompt="{text} {question}", aspects=asked) == (
            "llm_judge|answered:tiny (fp_1)|aspects:q:sha256:6edd5b71390cc1e4|"
            "endpoint:lab/tiny|mode:answer|parameters:sha256:4a2b7d46e1cf242f|"
            "prompt:sha256:9c648172d0139d4e|v:4"
        )

    def test_who_answered_is_in_it_only_if_the_operator_wants_models_apart(self):
        assert signature("note") == signature().replace("|answered:tiny (fp_1)", "")

    def test_of_questions_without_words(self):
        asked = questions.parse_questions("quality: How good is the text?")
        assert questions.digest(asked) == "sha256:bfb846d78e100d43"


class TestWords:
    ASKED = (
        '[{"key": "fluency", "question": "How fluent?",'
        ' "words": {"5": "fluent", "1": "broken", "3": "clumsy"}}]'
    )

    def test_the_words_of_the_scale_stand_below_the_question(self):
        (asked,) = questions.parse_questions(self.ASKED)
        assert prompts.prompt(Example("A."), asked).endswith(
            "Question: How fluent?\n1 = broken\n3 = clumsy\n5 = fluent\n"
            "Answer with one number from 1 (least) to 5 (most).\nNumber:"
        )

    def test_they_change_the_signature(self):
        bare = '[{"key": "fluency", "question": "How fluent?"}]'
        assert signature(aspects=bare) != signature(aspects=self.ASKED)

    @pytest.mark.parametrize(
        "words", ['{"6": "x"}', '{"one": "x"}', '{"1": ""}', '{"1": 2}', '["x"]', "3"]
    )
    def test_words_of_other_numbers_are_refused(self, words):
        asked = f'[{{"key": "a", "question": "?", "words": {words}}}]'
        with pytest.raises(OptionError, match="words: expected words of up to 200"):
            questions.parse_questions(asked)

    def test_a_scale_that_will_not_do_is_told_once(self):
        asked = '[{"key": "a", "question": "?", "high": 101, "words": {"101": "x"}}]'
        with pytest.raises(OptionError) as error:
            questions.parse_questions(asked)
        assert "scale 1 to 101" in str(error.value) and "words" not in str(error.value)


class TestSteps:
    def test_they_stand_below_the_question_and_in_the_signature(self):
        found = rubric.steps("1. Read.\n2. Judge.", QUESTIONS)
        assert found == dict.fromkeys(("fluency", "topic"), "1. Read.\n2. Judge.")
        asked = rubric.Rubric(found).prompt(Example("A."), FLUENCY)
        assert (
            "Question: How fluent?\nEvaluation steps:\n1. Read.\n2. Judge.\nAn" in asked
        )
        assert "|steps:sha256:" in signature(steps="1. Read.")
        assert signature(steps="1. Read.") != signature(steps="1. Look.")

    def test_a_key_of_two_words_may_be_written_with_either_mark(self):
        asked = questions.parse_questions("first-one: How?\nother_one: Why?")
        found = rubric.steps("first_one:\n1. Read.\nother-one:\n2. Look.", asked)
        assert found == {"first-one": "1. Read.", "other_one": "2. Look."}

    def test_each_question_may_have_its_own(self):
        own = {"fluency": "1. Read.", "topic": "Note: it counts:\n2. Look."}
        assert rubric.steps(rubric.written(own), QUESTIONS) == own

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("fluency:\n1. Read.", "there are none for topic"),
            ("1. Read.\nfluency:\n2.", "not both"),
            ("fluency:\na\nfluency:\nb", "appears twice"),
            ("x" * 10_001, "more than 10,000 characters"),
        ],
    )
    def test_what_is_left_open_is_refused(self, text, said):
        with pytest.raises(OptionError, match=said):
            made(steps=text).check()

    def test_no_steps_change_nothing(self):
        assert signature(steps="  ") == signature()


class TestExamples:
    def test_they_stand_before_the_text_with_the_number_of_people(self):
        given = rubric.of(made(examples=2, rated=rated(9)).options, QUESTIONS)
        found = given.prompt(Example("Mine."), TOPIC)
        head, _, tail = found.partition("Rate the next text in the same way.\n\n")
        assert head.count("Question: How apt?\nNumber: 3") == 2
        assert tail == prompts.prompt(Example("Mine."), TOPIC)

    @pytest.mark.parametrize("k", range(9))
    def test_none_is_of_the_prompt_that_is_scored(self, k):
        given = rubric.of(made(examples=3, rated=rated(9)).options, QUESTIONS)
        mine = Example(f"Start {k}. Other words.", prefix=f"Start {k}.")
        head = given.prompt(mine, FLUENCY).partition("Rate the next text")[0]
        assert head.count("\nNumber: ") == 3
        assert f"Start {k}." not in head

    def test_nor_is_the_same_text_of_another_prompt(self):
        rows = rated(3, text="The same.", prefix="")
        rows = "\n".join([*rated(2).split("\n"), rows])
        given = rubric.of(
            made(examples=1, rated=rows, aspects="fluency: How?").options, QUESTIONS[:1]
        )
        assert (
            "The same."
            not in given.prompt(Example("The  same."), FLUENCY).partition(
                "Rate the next"
            )[0]
        )

    def test_the_seed_chooses_and_the_choice_is_in_the_signature(self):
        first, second = (
            signature(examples=2, rated=rated(9), examples_seed=seed) for seed in (1, 2)
        )
        assert first != second and "|examples:2|" in first and "|rated:sha256:" in first
        turned = "\n".join(reversed(rated(9).split("\n")))
        assert signature(examples=2, rated=turned, examples_seed=1) == first

    def test_those_chosen_are_chosen_again_from_among_themselves(self):
        rows = examples.read(rated(30))
        some = examples.chosen(rows, FLUENCY, 2, 5)
        assert len(some) == 4
        again = examples.read(examples.written(reversed(some)))
        assert examples.chosen(again, FLUENCY, 2, 5) == some

    @pytest.mark.parametrize("asked", ["to-the-point", "to_the_point"])
    @pytest.mark.parametrize("rated_as", ["to-the-point", "to_the_point"])
    def test_a_key_of_two_words_may_be_written_with_either_mark(self, asked, rated_as):
        rows = rated(3, ratings={rated_as: 4}, label="sad")
        options = {
            "examples": 1,
            "rated": rows,
            "aspects": f"{asked}: Is it {{label}}?",
        }
        found = made(**options)
        (question,) = found._questions()
        prompt = rubric.of(found.options, [question]).prompt(
            Example("Mine.", label="glad"), question
        )
        assert "Question: Is it sad?\nNumber: 4" in prompt
        assert "Question: Is it glad?\nAnswer" in prompt

    def test_label_opening_and_references_change_the_signature(self):
        asked = {"examples": 1, "aspects": "fluency: How good?"}
        usual = signature(**asked, rated=rated(3))
        for more in ({"label": "sad"}, {"references": ["No."]}):
            assert signature(**asked, rated=rated(3, **more)) != usual

    def test_ratings_off_the_scale_are_not_shown(self):
        rows = examples.read(rated(3, ratings={"fluency": 9, "topic": None}))
        assert rows[0].number(FLUENCY) is None and rows[0].number(TOPIC) is None
        assert examples.read(rated(1, ratings={"topic": 9}))[0].number(TOPIC) == 9

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"examples": 11}, "a whole number from 0 to 10"),
            ({"examples": -1}, "a whole number from 0 to 10"),
            ({"examples": 2}, "no rated texts to take them from"),
            ({"examples": 3, "rated": rated(3)}, "rated texts of 4 prompts, and there"),
            ({"rated": rated(3)}, "rated: needs examples, which is 0"),
            ({"examples_seed": 3}, "examples_seed: needs examples"),
            ({"examples": 1, "rated": "x"}, "rated: line 1: not JSON"),
            ({"examples": 1, "rated": "[" * 9999}, "rated: line 1: not JSON"),
            ({"examples": 1, "rated": '{"text": "a"}'}, 'expected {"text": "..."'),
            (
                {"examples": 1, "rated": '{"text": "a", "ratings": {"fluency": "4"}}'},
                "ratings: expected numbers or null",
            ),
            (
                {"examples": 1, "rated": '{"text": "\\ud800", "ratings": {}}'},
                "half of a surrogate pair",
            ),
        ],
    )
    def test_what_will_not_do_is_told_before_anything_is_loaded(self, options, said):
        with pytest.raises(OptionError) as error:
            made(**options).check()
        assert said in str(error.value)


def test_a_size_counts_steps_and_examples():
    texts = [Example("Mine.")]
    plain = workload.of_texts(made().options, texts)
    more = workload.of_texts(
        made(steps="1. Read.", examples=1, rated=rated(5)).options, texts
    )
    assert more.calls == plain.calls and more.bytes_in > plain.bytes_in + 300


@pytest.mark.parametrize("mode", ["answer", "form"])
def test_requests_have_both(mode):
    given = rubric.of(
        made(steps="1. Read.", examples=1, rated=rated(5)).options, QUESTIONS
    )
    message = rating_requests.request(
        Example("Mine."), FLUENCY, "", mode, given
    ).message
    assert message.startswith("People rated these texts.")
    assert "Evaluation steps:\n1. Read.\nAnswer" in message
    own = rating_requests.request(
        Example("M."), FLUENCY, "{text}: {question}", mode, given
    )
    assert "M.: How fluent?\nEvaluation steps:\n1. Read." in own.message
