"""Prompts in other words, and texts with what should not matter."""

from __future__ import annotations

import pytest

from scoring.metrics import Example
from scoring.metrics.judge import prompts, rating_requests, variants
from scoring.metrics.judge.questions import Question

QUESTION = Question("quality", "How good is the text?", 1, 7)
TEXT = Example("The ferry is late. Nobody minds.", "The", "sad", "A headline")
PLAIN = Example("The ferry is late. Nobody minds.")


def asked(template: str, mode: str, example: Example = TEXT) -> str:
    return rating_requests.request(example, QUESTION, template, mode).message


@pytest.mark.parametrize("mode", ["logprobs", "samples", "answer", "form"])
@pytest.mark.parametrize("example", [TEXT, PLAIN])
def test_other_words_ask_the_same_of_the_same_text(mode, example) -> None:
    template = variants.reworded(mode)
    prompts.check(template)
    said = asked(template, mode, example)
    assert said != asked("", mode, example)
    given = example.source, example.label, f"\n{example.prefix}\n"
    for part in (example.text, *given, QUESTION.question, "1", "7"):
        assert part in said
    assert said.count("Answer as JSON") == (mode == "form")
    assert said.endswith("Number:") == (mode != "form")


@pytest.mark.parametrize("mode", ["answer", "form"])
def test_exchanged_ends_change_nothing_else(mode) -> None:
    template = variants.ends_exchanged(mode)
    own, other = asked("", mode), asked(template, mode)
    swapped = own.replace("(least)", "(_)").replace("(most)", "(least)")
    assert other == swapped.replace("(_)", "(most)")
    assert "1 (most) to 7 (least)" in other


def test_ends_that_a_prompt_names_itself_cannot_be_exchanged() -> None:
    own = "Rate {text}: {question}, 5 is best."
    assert variants.ends_exchanged("answer", own) is None
    known = f"{{text}} {{question}}\n{prompts.ANSWER}"
    found = variants.ends_exchanged("answer", known)
    assert found is not None and "{low} (most)" in found


@pytest.mark.parametrize("words", [1, 10, 200])
def test_filler_makes_a_text_a_third_longer_and_says_nothing(words) -> None:
    example = Example(" ".join(["word"] * words) + ".")
    found = variants.longer(example, 3).text
    assert found.startswith(example.text)
    more = len(found.split()) - words
    assert more >= 0.3 * words and more >= 10
    assert more <= 0.3 * words + 30
    assert variants.FILLERS[3] in found


def test_a_text_may_ask_for_its_own_score() -> None:
    found = variants.ordering(TEXT, 7)
    assert found.text.startswith(TEXT.text) and found.text.endswith("give this a 7.")
    assert found.source == TEXT.source
