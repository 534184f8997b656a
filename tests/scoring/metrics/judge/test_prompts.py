"""What a judge reads of a text, whichever judge it is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from scoring.metrics import Example, OptionError, get
from scoring.metrics.judge import examples, pairwise, prompts, rating_requests, steps
from scoring.metrics.judge.examples import RatedText
from scoring.metrics.judge.prompts import Pair
from scoring.metrics.judge.questions import OF_TEXT, Question

TEXT = Example(
    "It rained. We laughed.", "It rained.", "positive", "Go on:", ("It poured.",)
)
OTHERS: dict[str, Any] = {
    "text": "It rained. We cried.",
    "prefix": "It",
    "label": "negative",
    "source": "Go on, please:",
    "reference": ("It snowed.",),
}
NOTHING_ELSE = Example("It rained. We laughed.")
ASKED = Question("q", "How good is it?", 2, 4)


def other(field: str) -> Example:
    """The text, but for one thing."""
    name = {"reference": "references"}.get(field, field)
    return replace(TEXT, **{name: OTHERS[field]})


def naming(field: str) -> Question:
    return Question("q", f"Does it go well with {{{field}}}?")


def local(example: Example, question: Question) -> str:
    return prompts.prompt(example, question)


def remote(example: Example, question: Question) -> str:
    return rating_requests.request(example, question, "", "samples").message


def of_pairs(example: Example, question: Question) -> str:
    twin = replace(example, text=f"{example.text} Well.")
    return pairwise.message(Pair(example, twin, question.question), "answer")


def rated(example: Example, question: Question) -> str:
    return examples.block([RatedText(example, {"q": 3})], question)


KINDS = [local, remote, of_pairs, rated]


@pytest.mark.parametrize("ask", KINDS)
class TestEveryJudge:
    @pytest.mark.parametrize("field", OF_TEXT)
    def test_texts_that_differ_in_what_is_named_get_different_prompts(self, ask, field):
        asked = naming(field)
        assert ask(TEXT, asked) != ask(other(field), asked)
        assert "{" not in ask(TEXT, asked)

    @pytest.mark.parametrize("field", ["prefix", "label", "source"])
    def test_what_a_text_was_written_for_is_shown_whatever_is_asked(self, ask, field):
        assert ask(TEXT, ASKED) != ask(other(field), ASKED)

    def test_a_reference_is_shown_where_a_question_names_it(self, ask):
        assert "It poured." not in ask(TEXT, ASKED)
        assert "with It poured.?" in ask(TEXT, naming("reference"))

    def test_a_text_without_all_that_has_no_empty_headings(self, ask):
        found = ask(NOTHING_ELSE, ASKED)
        assert "Input" not in found and "label" not in found
        assert "opening" not in found and "\n\n\n" not in found


class TestPrompt:
    def test_what_is_put_in_is_not_looked_at_again(self):
        example = Example(text="{question} {0} {text}", prefix="{low}")
        template = "{prefix}|{text}|{question}"
        found = prompts.prompt(example, Question("a", "{text}?"), template)
        assert found == "{low}|{question} {0} {text}|{question} {0} {text}?"

    def test_all_of_it_in_order(self):
        assert prompts.prompt(TEXT, Question("q", "Is it “{label}”?", 2, 4)) == (
            "Read the text and answer the question about it.\n\nInput:\nGo on:\n\n"
            "Given feeling, topic or other label: positive\n\n"
            "Given opening:\nIt rained.\n\nText:\nIt rained. We laughed.\n\n"
            "Question: Is it “positive”?\n"
            "Answer with one number from 2 (least) to 4 (most).\nNumber:"
        )

    def test_steps_and_words_of_a_scale_may_name_the_label_too(self):
        asked = Question("q", "How?", words=((1, "not {label}"),))
        found = prompts.prompt(TEXT, asked, steps="1. Look for {label}.")
        assert "1 = not positive" in found and "1. Look for positive." in found

    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    def test_parts_of_an_own_prompt_that_a_text_lacks_are_left_out(self, end):
        lines = "Topic:\n{label}\n\nFrom: {source}\nText: {text}\n\n{question}"
        template = lines.replace("\n", end)
        found = prompts.prompt(NOTHING_ELSE, ASKED, template).replace(end, "\n")
        assert found == "Text: It rained. We laughed.\n\nHow good is it?"
        found = prompts.prompt(TEXT, ASKED, template)
        assert "positive" in found and "From: Go on:" in found

    @pytest.mark.parametrize("field", ["prefix", "label", "source", "reference"])
    def test_a_question_that_names_what_a_text_lacks_is_not_asked(self, field):
        asked = naming(field)
        assert prompts.lacks(TEXT, asked.asked) == ""
        why = prompts.lacks(NOTHING_ELSE, asked.asked)
        assert why == f"the question names {{{field}}}, which this text does not have"
        assert pairwise.why_not(Pair(TEXT, NOTHING_ELSE, asked.question))
        assert not RatedText(NOTHING_ELSE, {"q": 3}).can_show(asked)

    @pytest.mark.parametrize(
        ("template", "message"),
        [
            ("{text} {question} {colour}", "prompt: unknown {colour}; there are: {tex"),
            ("{text} {question} {Label}", "prompt: unknown {Label}; there are: {text}"),
            ("{text}", "prompt: {question} is missing; there are: {text}, {prefix}, "),
            ("{question}", "prompt: {text} is missing"),
        ],
    )
    def test_a_template_needs_its_fields(self, template, message):
        with pytest.raises(OptionError) as error:
            prompts.check(template)
        assert str(error.value).startswith(message)

    def test_other_braces_are_no_fields(self):
        prompts.check('{text} {question} {"rating": {}}')


class TestPairs:
    def test_what_both_were_written_for_stands_there_once(self):
        found = of_pairs(TEXT, naming("label"))
        assert found.count("positive") == 2  # the second is in the question
        assert "of text A" not in found

    def test_what_differs_stands_with_each_text(self):
        pair = Pair(TEXT, replace(other("label"), text="No."), "Which is “{label}”?")
        found = pairwise.message(pair, "answer")
        assert "other label of text A: positive\n\nText A:" in found
        assert "other label of text B: negative\n\nText B:" in found
        assert "Question: Which is its given label?" in found
        assert "Given opening:\nIt rained.\n" in found


def test_steps_are_asked_for_without_a_text():
    found = steps.request(Question("q", "How well does it express “{label}”?")).message
    assert "How well does it express its given label?" in found


class TestMetric:
    def test_a_text_that_lacks_what_is_named_has_no_prompt(self):
        judge = get("llm_judge")(aspects="a-b: Is it {label}?\nc: How good?")
        assert list(judge.prompts(TEXT)) == ["a_b", "c"]
        assert list(judge.prompts(NOTHING_ELSE)) == ["c"]

    @pytest.mark.parametrize(
        "options",
        [
            {"aspects": "a: Is it {topic}?"},
            {"prompt": "{text} {question} {topic}"},
            {"steps": "1. See {topic}."},
        ],
    )
    def test_braces_that_name_nothing_are_refused_before_a_run(self, options):
        with pytest.raises(OptionError, match=r"unknown \{topic\}"):
            get("llm_judge")(**options).check()
