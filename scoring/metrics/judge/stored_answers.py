"""What a judge is asked about one text, and what its kept answers say."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from scoring.endpoints import answers, quotes, readings
from scoring.endpoints.requests import Request
from scoring.metrics._engine.base import Example
from scoring.metrics.judge import error_quotes, error_scheme, rating_requests, rubric
from scoring.metrics.judge.questions import Question, parse_questions

LONGEST = 5000  # characters of an answer that are shown


class Asked(NamedTuple):
    """One question about a text, as it is sent."""

    question: Question
    request: Request
    samples: range  # numbers of the answers that are wanted


class Heard(NamedTuple):
    """What an answer says. `number` None: nothing that could be read as one."""

    number: float | None
    said: str = ""  # the reason that the judge gives
    content: str = ""  # its words, bounded; of a body that is no answer, the body
    thought: str = ""  # what the model thought before, where the server tells it
    shares: tuple[tuple[int, float], ...] = ()  # of the numbers of the scale


def asked(options: Any, example: Example) -> list[Asked]:
    """By question; without those that cannot be asked about this text."""
    if options.mode == error_quotes.MODE:
        return _errors_asked(options, example)
    last = options.samples if options.mode == "samples" else 1
    questions = parse_questions(options.aspects or type(options).aspects)
    beside = rubric.of(options, questions)
    return [
        Asked(
            question,
            rating_requests.request(
                example, question, options.prompt, options.mode, beside
            ),
            range(1, last + 1),
        )
        for question in questions
        if not beside.lacks(example, question)
    ]


def _errors_asked(options: Any, example: Example) -> list[Asked]:
    if not example.text.strip():
        return []
    scheme = error_scheme.parse(options.scheme)
    question = Question(error_quotes.OUTPUTS[0].key, error_quotes.question(scheme))
    request = error_quotes.request(example, scheme, options.prompt)
    return [Asked(question, request, range(1, 2))]


def heard(body: str, question: Question, mode: str) -> Heard:
    """Read the body of a kept answer again."""
    try:
        given = answers.parsed(body)
        is_list = mode == error_quotes.MODE
        found = (
            quotes.reading(given) if is_list else readings.MODES[mode](given, question)
        )
    except (answers.NoAnswer, answers.Truncated):
        return Heard(None, content=body[:LONGEST])
    shares = () if found.shares is None else tuple(map(float, found.shares))
    return Heard(
        None if math.isnan(found.score) else found.score,
        found.said[:LONGEST],
        (given.content or given.refusal)[:LONGEST],
        given.reasoning[:LONGEST],
        tuple(zip(question.numbers, shares, strict=False)),
    )
