"""Scores texts by the errors that a judge behind an address marks in them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from scoring.endpoints import event_loop, requests
from scoring.endpoints.client import Client
from scoring.endpoints.readings import Reading, missing
from scoring.endpoints.transport import Connection
from scoring.metrics._engine.base import Example, Marked, Progress, Scores
from scoring.metrics.judge import calls_at_once, error_quotes, questions
from scoring.metrics.judge.error_scheme import ErrorScheme

UNREAD = (math.nan, math.nan)
NO_TEXT = "there is no text to judge"


class _Job(NamedTuple):
    text: int
    sample: int


def load(
    client: Client, scheme: ErrorScheme, template: str, version: int
) -> MarkingScorer:
    """Ask a test question; the marks are those of whoever answers it.

    Raises:
        MetricError: If nobody answers, or not by a schema.
    """
    event_loop.run(_probe(client))
    pairs: dict[str, object] = {
        **client.signed(error_quotes.parameters(scheme)),
        # As of questions: what is asked stands before whom it is asked.
        "aspects": f"{error_quotes.MODE}:{scheme.digest}",
        "mode": error_quotes.MODE,
        "prompt": questions.digest(
            [template or error_quotes.OWN, error_quotes.question(scheme)]
        ),
    }
    parts = [f"{key}:{value}" for key, value in sorted(pairs.items())]
    signature = "|".join(["llm_judge", *parts, f"v:{version}"])
    return MarkingScorer(signature, client, scheme, template)


async def _probe(client: Client) -> None:
    async with client.line() as line:
        await client.probe(line, requests.probe(error_quotes.MODE), error_quotes.MODE)


class MarkingScorer:
    """A judge behind an address that marks errors."""

    def __init__(
        self, signature: str, client: Client, scheme: ErrorScheme, template: str
    ) -> None:
        self.signature, self.client = signature, client
        self._scheme, self._template = scheme, template
        self.again = 0  # as of a judge that rates

    def __call__(
        self, examples: Sequence[Example], progress: Progress | None = None
    ) -> Scores:
        """Mark errors. A text whose answer cannot be read has no score and no marks.

        Raises:
            MetricError: If the key was refused. All calls until then were kept.
        """
        jobs = [_Job(n, 1 + self.again) for n in range(len(examples))]
        answers = calls_at_once.all_of(
            self.client,
            jobs,
            lambda line, job: self._ask(line, examples[job.text], job.sample),
            progress,
        )
        readings = [answers[job] for job in jobs]
        marked = [
            None if r.reason else error_quotes.placed(r.said, example, self._scheme)
            for r, example in zip(readings, examples, strict=True)
        ]
        reasons = [reading.reason or None for reading in readings]
        rows = [
            UNREAD
            if of_text is None
            else (self._penalty(of_text), len(of_text.unplaced))
            for of_text in marked
        ]
        columns = np.array(rows, np.float64).reshape(-1, len(error_quotes.OUTPUTS)).T
        keys = [output.key for output in error_quotes.OUTPUTS]
        values = dict(zip(keys, columns, strict=True))
        return Scores(
            values,
            dict.fromkeys(values, reasons),
            notes=self.client.notes,
            marked=marked,
        )

    def _penalty(self, marked: Marked) -> float:
        return error_quotes.penalty(marked, self._scheme)

    async def _ask(self, line: Connection, example: Example, sample: int) -> Reading:
        if not example.text.strip():
            return missing(NO_TEXT)
        request = error_quotes.request(example, self._scheme, self._template)
        read = partial(error_quotes.read, scheme=self._scheme)
        return await self.client.ask(line, request, sample, read)
