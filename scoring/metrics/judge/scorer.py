"""Scores texts by asking a judge behind an address."""

from __future__ import annotations

import asyncio
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
from scoring.metrics._engine.base import Example, Progress, Scores, silent
from scoring.metrics.judge import rating_requests
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


class _Done:
    """Texts that are done, told in the thread that waits for them.

    Who listens may well use a database, which an event loop must not.
    """

    def __init__(self, progress: Progress) -> None:
        self.n, self._told, self._progress = 0, 0, progress

    def tell(self) -> None:
        n = self.n
        self._progress(n - self._told)
        self._told = n


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
) -> EndpointScorer:
    """Ask the endpoint a test question; the scores are those of whoever answers it.

    Raises:
        MetricError: If the endpoint is not set up, or does not answer.
    """
    endpoint, model = configuration.resolve(setup.model)
    client = Client(
        endpoint, model, keeper=keeper, waits=waits, shared=shared, admission=admission
    )
    configuration.check_mode(setup.model, setup.mode)
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
        self.client.begin()
        done = _Done(progress or silent)
        found = event_loop.run(self._all(examples, done), done.tell)
        done.tell()
        values, reasons, parts = {}, {}, {}
        for k, asked in enumerate(self._setup.questions):
            own = [found[n][k] for n in range(len(examples))]
            scores = [one.score for one in own]
            values[asked.output] = np.array(scores, dtype=np.float64)
            reasons[asked.output] = [one.reason or None for one in own]
            if self._setup.mode in SHARED_MODES:
                parts[f"{asked.output}.p"] = _stacked(own, asked)
            if self._setup.mode == "samples":
                parts[f"{asked.output}.n"] = np.array([one.n for one in own])
        return Scores(values, reasons, parts, self.client.notes)

    async def _all(
        self, examples: Sequence[Example], done: _Done
    ) -> list[list[Reading]]:
        """Ask everything, as many at once as the endpoint allows; by text, question."""
        found: dict[_Job, Reading] = {}
        left = [len(self._samples) * len(self._setup.questions)] * len(examples)
        jobs = self._jobs(len(examples))

        async def work(line: Connection) -> None:
            # Workers share one iterator: each job is taken by whoever is free.
            for job in jobs:
                found[job] = await self._ask(line, examples[job.text], job)
                left[job.text] -= 1
                done.n += 0 if left[job.text] else 1

        async with self.client.line() as line:
            try:
                async with asyncio.TaskGroup() as group:
                    for _ in range(self.client.endpoint.calls_at_once):
                        group.create_task(work(line))
            except ExceptionGroup as errors:
                # The first stopped the others: a key that was refused.
                raise errors.exceptions[0] from None
        return [
            [
                self._joined([found[_Job(n, k, one)] for one in self._samples], asked)
                for k, asked in enumerate(self._setup.questions)
            ]
            for n in range(len(examples))
        ]

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
