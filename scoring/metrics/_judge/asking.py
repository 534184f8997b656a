"""What a judge is asked in each mode: the message and the parameters of a call."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from scoring.metrics._engine import judging
from scoring.metrics._engine.base import Example
from scoring.metrics._engine.judging import Question
from scoring.metrics._judge import prompts
from scoring.metrics._judge.model_settings import LIMIT_NAMES
from scoring.metrics._judge.records import LONGEST_ANSWER, LONGEST_OF_TEXTS
from scoring.metrics._judge.rubric import NONE, Rubric

MOST_LIKELIEST = 20  # tokens in each place; servers refuse more
# What the protocol calls max_tokens. Room for a model that thinks before it answers;
# for log-probabilities, for "Score: " before the number and for what makes it go on.
LONGEST = {"logprobs": 8, "samples": 512, "answer": 512, "form": 1024}
AS_JSON = 'Answer as JSON: {"reason": "your reason in one sentence", "score": number}'
FORM_ANSWER = (
    f"{AS_JSON}, with one whole number from {{low}} (least) to {{high}} (most)."
)


@dataclass(frozen=True, slots=True)
class Request:
    """One question as it is sent, whichever sample it is."""

    message: str
    parameters: Mapping[str, Any]
    continued: bool = False  # as a text to be continued, not as a message of a chat

    @property
    def prompt_hash(self) -> str:
        return f"sha256:{hashlib.sha256(self.message.encode()).hexdigest()}"

    @property
    def longest_answer(self) -> int:
        """Characters of an answer that are kept. A part of it cannot be used again."""
        return LONGEST_OF_TEXTS if self.continued else LONGEST_ANSWER

    @property
    def most_tokens(self) -> int:
        """That an answer may have."""
        sent = self.parameters
        return next(int(sent[name]) for name in LIMIT_NAMES if name in sent)

    def in_the_way_of(self, written: str) -> Request:
        """The same question with the parameters of another, as JSON, and its schema."""
        schema = {k: v for k, v in self.parameters.items() if k == "response_format"}
        return replace(self, parameters={**json.loads(written), **schema})

    @property
    def written(self) -> str:
        return json.dumps(self.parameters, sort_keys=True)


def request(
    example: Example,
    question: Question,
    template: str,
    mode: str,
    rubric: Rubric = NONE,
) -> Request:
    """The question about a text, with the steps and examples of a rubric."""
    message = rubric.prompt(example, question, fitted(template or prompts.OWN, mode))
    return Request(message, parameters(mode, question))


def fitted(template: str, mode: str) -> str:
    """A template for the mode: a form is asked for in other words than a number."""
    if mode != "form" or AS_JSON in template:
        return template
    if template.endswith(prompts.ANSWER):
        return template.removesuffix(prompts.ANSWER) + FORM_ANSWER
    return f"{template}\n{FORM_ANSWER}"


def parameters(mode: str, question: Question) -> dict[str, Any]:
    """Of a call, model and message aside."""
    found: dict[str, Any] = {
        "temperature": 1 if mode == "samples" else 0,
        "max_tokens": LONGEST[mode],
    }
    if mode == "logprobs":
        found |= {"logprobs": True, "top_logprobs": MOST_LIKELIEST}
    if mode == "form":
        found["response_format"] = schema(question)
    return found


def schema(question: Question) -> dict[str, Any]:
    """The reason comes first, so that the model thinks before it decides."""
    return {
        "type": "json_schema",
        "json_schema": {
            "name": "rating",
            "strict": True,
            "schema": {
                "type": "object",
                "properties": {
                    "reason": {"type": "string"},
                    "score": {"type": "integer", "enum": list(question.numbers)},
                },
                "required": ["reason", "score"],
                "additionalProperties": False,
            },
        },
    }


def digest(template: str, mode: str) -> str:
    """Of the template, for the signature."""
    return judging.digest([fitted(template or prompts.OWN, mode)])


TEST = "Answer with the number 1 and nothing else."
TEST_AS_JSON = f"{AS_JSON}, with the score 1 and nothing else."
PROBE = Request(TEST, {"temperature": 0, "max_tokens": LONGEST["answer"]})


def probe(mode: str) -> Request:
    """The test question of a mode, the same whatever is asked about later."""
    message = TEST_AS_JSON if mode == "form" else TEST
    return Request(message, parameters(mode, Question("test", "")))
