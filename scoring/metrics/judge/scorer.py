"""Scores texts by asking a judge behind an address."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from scoring.endpoints import configuration, event_loop, readings, requests
from scoring.endpoints.admission import LIMITS_REACHED, Admission
from scoring.endpoints.call_records import Keeper
from scoring.endpoints.client import Client, Waits
from scoring.endpoints.rate_limits import RateLimiter
from scoring.endpoints.readings import Reading
from scoring.endpoints.transport import Connection
from scoring.metrics._engine.base import Example, Progress, Scores
from scoring.metrics.judge import (
    calls_at_once,
    error_quotes,
    marking_scorer,
    rating_requests,
)
from scoring.metrics.judge.error_scheme import ESA, ErrorScheme
from scoring.metrics.judge.marking_scorer import MarkingScorer
from scoring.metrics.judge.questions import Question, digest
from scoring.metrics.judge.rubric import NONE, Rubric

SHARED_MODES = ("logprobs", "samples")  # that tell how likely each number is


class Setup(NamedTuple):
    """What the options of the metric say."""

    model: str  # endpoint:NAME/MODEL
    mode: str
    samples: int
    questions: tuple[Question, ...]
    template: str
    rubric: Rubric = NONE
    scheme: ErrorScheme = ESA  # of the mode in which errors are marked


class _Job(NamedTuple):
    text: int
    question: int
    sample: int


def load(
    setup: Setup,
    version: int,
    *,
    keeper: Keeper | None = None,
    waits: Waits | None = None,
    shared: RateLimiter | None = None,
    admission: Admission | None = None,
) -> EndpointScorer | MarkingScorer:
    """Ask the endpoint a test question; the scores are those of whoever answers it.

    Raises:
        MetricError: If the endpoint is not set up, or does not answer.
    """
    endpoint, model = configuration.resolve(setup.model)
    client = Client(
        endpoint, model, keeper=keeper, waits=waits, shared=shared, admission=admission
    )
    configuration.check_mode(setup.model, setup.mode)
    if setup.mode == error_quotes.MODE:
        return marking_scorer.load(client, setup.scheme, setup.template, version)
    event_loop.run(_probe(client, setup))
    return EndpointScorer(_signature(setup, client, version), client, setup)


async def _probe(client: Client, setup: Setup) -> None:
    async with client.line() as line:
        await client.probe(line, requests.probe(setup.mode), setup.mode)


def _signature(setup: Setup, client: Client, version: int) -> str:
    """Metric, mode, who was asked and who answered, prompts, parameters, version."""
    keys = ",".join(asked.key for asked in setup.questions)
    parameters = [requests.parameters(setup.mode, one) for one in setup.questions]
    pairs: dict[str, object] = {
        **client.signed(*parameters),
        "aspects": f"{keys}:{digest(setup.questions)}",
        "mode": setup.mode,
        "prompt": rating_requests.digest(setup.template, setup.mode),
    }
    if setup.mode == "samples":
        pairs["samples"] = setup.samples
    pairs |= setup.rubric.contents(setup.questions)
    if setup.rubric.examples:
        pairs["examples"] = setup.rubric.examples
    parts = [f"{key}:{value}" for key, value in sorted(pairs.items())]
    return "|".join(["llm_judge", *parts, f"v:{version}"])


class EndpointScorer:
    """A judge behind an address, whose probe was answered."""

    def __init__(self, signature: str, client: Client, setup: Setup) -> None:
        self.signature, self.client, self._setup = signature, client, setup
        self._read = readings.MODES[setup.mode]
        # 0: answers that are kept count. Whoever wants to know how steady a judge is
        # counts up, and each time gets answers of their own.
        self.again = 0

    def __call__(
        self, examples: Sequence[Example], progress: Progress | None = None
    ) -> Scores:
        """Score texts.

        Raises:
            MetricError: If the key was refused. All calls until then were kept.
        """
        jobs = [*self._jobs(len(examples))]
        answers = calls_at_once.all_of(
            self.client,
            jobs,
            lambda line, job: self._ask(line, examples[job.text], job),
            progress,
        )
        readings_of = [
            [
                self._joined([answers[_Job(n, k, i)] for i in self._samples], asked)
                for k, asked in enumerate(self._setup.questions)
            ]
            for n in range(len(examples))
        ]
        values, reasons, parts = {}, {}, {}
        for k, asked in enumerate(self._setup.questions):
            own = [of_text[k] for of_text in readings_of]
            scores = [one.score for one in own]
            values[asked.output] = np.array(scores, dtype=np.float64)
            reasons[asked.output] = [one.reason or None for one in own]
            if self._setup.mode in SHARED_MODES:
                parts[f"{asked.output}.p"] = _stacked(own, asked)
            if self._setup.mode == "samples":
                parts[f"{asked.output}.n"] = np.array([one.n for one in own])
        return Scores(values, reasons, parts, self.client.notes)

    @property
    def _samples(self) -> range:
        each = self._setup.samples if self._setup.mode == "samples" else 1
        return range(1 + self.again * each, 1 + (self.again + 1) * each)

    def _jobs(self, texts: int) -> Iterator[_Job]:
        questions = range(len(self._setup.questions))
        numbers = itertools.product(range(texts), questions, self._samples)
        return (_Job(*one) for one in numbers)

    async def _ask(self, line: Connection, example: Example, job: _Job) -> Reading:
        question, setup = self._setup.questions[job.question], self._setup
        if reason := setup.rubric.lacks(example, question):
            return readings.missing(reason)
        request = rating_requests.request(
            example, question, setup.template, setup.mode, setup.rubric
        )
        read = partial(self._read, scale=question)
        return await self.client.ask(line, request, job.sample, read)

    def _joined(self, found: Sequence[Reading], question: Question) -> Reading:
        for one in found:
            if one.reason in LIMITS_REACHED:
                return readings.missing(one.reason)
        if self._setup.mode == "samples":
            return readings.together(found, question)
        return found[0]


def _stacked(found: Sequence[Reading], question: Question) -> np.ndarray:
    unknown = np.full(len(question.numbers), math.nan)
    rows = [unknown if one.shares is None else one.shares for one in found]
    return np.array(rows).reshape(len(found), len(question.numbers))
