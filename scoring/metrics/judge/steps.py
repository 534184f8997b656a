"""Have evaluation steps written by a judge: G-Eval's chain of thought.

Liu et al. (2023), section 2.1: the model is given the task and what is asked, and
writes the steps. Here it writes them once; whoever asked for them reads and edits them,
and gives them to runs as the option `steps`, whose digest is part of the signature.

python -m scoring.metrics steps --model endpoint:lab/tiny --aspects "fluency: How fluent
is the text?" > steps.txt
python -m scoring.metrics llm_judge --model endpoint:lab/tiny --steps @steps.txt ...
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from scoring.endpoints import configuration, event_loop, readings, requests
from scoring.metrics._engine.base import MetricError
from scoring.metrics.judge import prompts, rubric
from scoring.metrics.judge.questions import Question, parse_questions

if TYPE_CHECKING:
    from scoring.endpoints.client import Client

LONGEST = 1024  # tokens
ASK = """\
Someone will read a text and answer this question about it:

{question}

The answer is one number from {low} (least) to {high} (most).

Write the steps that lead to the number: what to look for in the text, and how to
decide. Write a numbered list of three to six short steps, and nothing else."""


def request(question: Question) -> requests.Request:
    """What the judge is asked: the question with the words of its scale."""
    asked = prompts.in_general(question.asked)
    message = ASK.format(question=asked, low=question.low, high=question.high)
    return requests.Request(message, {"temperature": 0, "max_tokens": LONGEST})


def written(client: Client, question: Question) -> str:
    """The steps to the answer of a question, as the judge writes them.

    Raises:
        MetricError: If it writes none; says why.
    """
    return said(question, event_loop.run(_asked(client, question)))


def all_written(
    client: Client,
    questions: Sequence[Question],
    progress: Callable[[int], None] | None = None,
) -> dict[str, readings.Reading]:
    """What the judge writes for each question, by key, after a test question.

    `said` takes the steps out of it. `progress` is told in this thread, a few times a
    second, how many questions are done; what it raises stops everything.

    Raises:
        MetricError: If nobody answers, or the key was refused.
    """
    found: dict[str, readings.Reading] = {}
    tell = None if progress is None else lambda: progress(len(found))
    event_loop.run(_all_asked(client, questions, found), tell)
    return found


def said(question: Question, found: readings.Reading) -> str:
    """The steps to the answer of a question.

    Raises:
        MetricError: If there are none; says why.
    """
    if not found.said:
        raise MetricError(f"no steps were written for {question.key}: {found.reason}")
    return found.said


async def _asked(client: Client, question: Question) -> readings.Reading:
    async with client.line() as line:
        if client.identity is None:
            await client.probe(line, requests.PROBE, "answer")
        return await client.ask(line, request(question), 1, readings.words)


async def _all_asked(
    client: Client, questions: Sequence[Question], found: dict[str, readings.Reading]
) -> None:
    async with client.line() as line:
        await client.probe(line, requests.PROBE, "answer")
        for one in questions:
            found[one.key] = await client.ask(line, request(one), 1, readings.words)


def main(arguments: Sequence[str]) -> int:
    """Print the steps that a judge writes, as the option `steps` takes them."""
    parser = argparse.ArgumentParser(
        prog="python -m scoring.metrics steps",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--model", required=True, help=configuration.FORM)
    parser.add_argument(
        "--aspects",
        default="quality: How good is the text?",
        help="the questions, as for llm_judge",
    )
    given = parser.parse_args(arguments)
    questions = parse_questions(given.aspects)
    endpoint, model = configuration.resolve(given.model)
    # Only here: nothing else needs the network.
    from scoring.endpoints.client import Client

    client = Client(endpoint, model)
    print(rubric.written({one.key: written(client, one) for one in questions}))
    return 0
