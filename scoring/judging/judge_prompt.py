"""What a judge was told beside its questions: evaluation steps and rated texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from scoring import metrics
from scoring.metrics import OptionError, UnknownMetric
from scoring.metrics.judge import prompts, rubric
from scoring.metrics.judge.questions import parse_questions
from scoring.models import MetricRun

JUDGE = "llm_judge"  # the only metric that takes steps and examples


class RatedExample(NamedTuple):
    """A rated text that the judge was shown."""

    key: str
    before: str  # what the text answers
    text: str
    number: int  # that people gave
    spare: bool  # shown only where another is of the prompt that is scored


class QuestionPrompt(NamedTuple):
    """Of one question."""

    question: str
    steps: str
    examples: list[RatedExample]


def of(run: MetricRun) -> list[QuestionPrompt]:
    """By question; nothing where a judge was told nothing, or it is no judge."""
    if run.metric != JUDGE:
        return []
    try:
        options: Any = metrics.get(run.metric)(**run.options).options
        questions = parse_questions(options.aspects)
        beside = rubric.of(options, questions)
    except (OptionError, UnknownMetric):  # of an earlier version
        return []
    if not beside.steps and not beside.examples:
        return []
    return [
        QuestionPrompt(
            prompts.in_general(question.question),
            beside.steps.get(question.key, ""),
            _rated_examples(
                beside.rated.get(question.key, ()), question, beside.examples
            ),
        )
        for question in questions
    ]


def _rated_examples(rows: Sequence[Any], question: Any, n: int) -> list[RatedExample]:
    return [
        RatedExample(
            row.id,
            row.example.source or row.example.prefix,
            row.example.text,
            row.number(question),
            place >= n,
        )
        for place, row in enumerate(rows)
    ]
