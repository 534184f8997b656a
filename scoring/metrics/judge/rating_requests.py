"""What a judge is asked about one text in each mode."""

from __future__ import annotations

from scoring.endpoints.requests import AS_JSON, Request, parameters
from scoring.metrics._engine.base import Example
from scoring.metrics.judge import prompts, questions
from scoring.metrics.judge.questions import Question
from scoring.metrics.judge.rubric import NONE, Rubric

FORM_ANSWER = (
    f"{AS_JSON}, with one whole number from {{low}} (least) to {{high}} (most)."
)


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


def digest(template: str, mode: str) -> str:
    """Of the template, for the signature."""
    return questions.digest([fitted(template or prompts.OWN, mode)])
