"""Asks a judge behind an address which of two texts is better, in both orders."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from scoring.endpoints import event_loop, readings, requests
from scoring.endpoints.answers import Answer
from scoring.endpoints.readings import Reading
from scoring.endpoints.requests import Request
from scoring.metrics.judge import prompts, questions, verdicts
from scoring.metrics.judge.prompts import Pair
from scoring.metrics.judge.verdicts import FIRST, SECOND, TIE, Verdict

if TYPE_CHECKING:  # only whoever asks needs the network
    from scoring.endpoints.client import Client
    from scoring.endpoints.transport import Connection

__all__ = ["FIRST", "SECOND", "TIE", "Pair", "Verdict"]

NAME, VERSION = "llm_judge pairs", 3
ORDERS = (0, 1)  # as given, and with the texts exchanged
WORD = (
    "Answer with A if it is text A, with B if it is text B, or with tie if there is no"
    " difference. Write only that.\nAnswer:"
)
LETTER = (
    "Answer with one letter: A if it is text A, B if it is text B, or C if there is no"
    " difference.\nAnswer:"
)
FORM = (
    'Answer as JSON: {"reason": "your reason in one sentence", "verdict": "A"}, with'
    ' the verdict "A" if it is text A, "B" if it is text B, or "tie" if there is no'
    " difference."
)
ANSWERS = {"logprobs": LETTER, "samples": WORD, "answer": WORD, "form": FORM}
MODES: dict[str, Callable[[Answer], Reading]] = {
    "logprobs": verdicts.likeliest,
    "samples": verdicts.word,
    "answer": verdicts.word,
    "form": verdicts.form,
}
NO_TEXT = "there is no text to judge"
SAME = "the two texts are the same"


class Compared(NamedTuple):
    """The verdicts on a pair; each sees its texts as they were shown."""

    as_given: Verdict
    turned: Verdict

    @property
    def outcome(self) -> int | None:
        """FIRST, SECOND or TIE of the pair as given; None without both verdicts.

        A pair whose orders disagree is a tie.
        """
        if self.agrees is None:
            return None
        return self.as_given.winner if self.agrees else TIE

    @property
    def agrees(self) -> bool | None:
        """Whether both orders name the same text, or both none."""
        one, other = self.as_given.winner, self.turned.winner
        if one is None or other is None:
            return None
        return one == {FIRST: SECOND, SECOND: FIRST, TIE: TIE}[other]


class _Job(NamedTuple):
    pair: int
    order: int
    sample: int


def request(pair: Pair, mode: str) -> Request:
    """The question about two texts in the order given."""
    return Request(message(pair, mode), parameters(mode))


def message(pair: Pair, mode: str) -> str:
    return prompts.of_pair(pair) + ANSWERS[mode]


def parameters(mode: str) -> dict[str, Any]:
    """Of a call, model and message aside."""
    found: dict[str, Any] = {
        "temperature": 1 if mode == "samples" else 0,
        "max_tokens": requests.LONGEST[mode],
    }
    if mode == "logprobs":
        found |= {"logprobs": True, "top_logprobs": requests.MOST_LIKELIEST}
    if mode == "form":
        found["response_format"] = schema()
    return found


def schema() -> dict[str, Any]:
    """The reason comes first, so that the model thinks before it decides."""
    return {
        "type": "json_schema",
        "json_schema": {
            "name": "comparison",
            "strict": True,
            "schema": {
                "type": "object",
                "properties": {
                    "reason": {"type": "string"},
                    "verdict": {"type": "string", "enum": list(verdicts.FORM_WORDS)},
                },
                "required": ["reason", "verdict"],
                "additionalProperties": False,
            },
        },
    }


def signature(client: Client, *, mode: str, samples: int, question: str) -> str:
    """Mode, who was asked and who answered, prompts, parameters, version."""
    pairs: dict[str, object] = {
        **client.signed(parameters(mode)),
        "mode": mode,
        "prompt": questions.digest([prompts.OF_PAIR + ANSWERS[mode]]),
        "question": questions.digest(question),
    }
    if mode == "samples":
        pairs["samples"] = samples
    parts = [f"{key}:{value}" for key, value in sorted(pairs.items())]
    return "|".join([NAME, *parts, f"v:{VERSION}"])


def n_calls(mode: str, samples: int) -> int:
    """About each pair, failures aside."""
    return len(ORDERS) * (samples if mode == "samples" else 1)


def why_not(pair: Pair) -> str:
    """Why nobody need be asked about a pair, or ""."""
    both = pair.first, pair.second
    if not all(text.text.strip() for text in both):
        return NO_TEXT
    if pair.first.text == pair.second.text:
        return SAME
    return next(filter(None, (prompts.lacks(one, pair.question) for one in both)), "")


class Comparer:
    """Compares pairs of texts in both orders."""

    def __init__(self, client: Client, mode: str, samples: int = 1) -> None:
        self.client, self.mode = client, mode
        self.n_samples = samples if mode == "samples" else 1
        self.done = 0  # pairs; may be read in another thread
        self._read = MODES[mode]

    def __call__(
        self, pairs: Sequence[Pair], progress: Callable[[int], None] | None = None
    ) -> list[Compared]:
        """Ask the endpoint who it is, and then about every pair.

        Args:
            pairs: What to compare.
            progress: Told in this thread, a few times a second, how many are done. What
                it raises stops everything.

        Raises:
            MetricError: If nobody answers, or the key was refused. All calls until then
                were kept.
        """
        self.client.begin()
        tell = None if progress is None else lambda: progress(self.done)
        self.done = 0
        return event_loop.run(self._all(pairs), tell)

    async def _all(self, pairs: Sequence[Pair]) -> list[Compared]:
        found: dict[_Job, Reading] = {}
        n = len(ORDERS) * self.n_samples
        left = [n] * len(pairs)
        samples = range(1, self.n_samples + 1)
        jobs = itertools.starmap(
            _Job, itertools.product(range(len(pairs)), ORDERS, samples)
        )

        async def work(line: Connection) -> None:
            # Workers share one iterator: each job is taken by whoever is free.
            for job in jobs:
                found[job] = await self._ask(line, pairs[job.pair], job)
                left[job.pair] -= 1
                self.done += not left[job.pair]

        async with self.client.line() as line:
            await self.client.probe(line, requests.probe(self.mode), self.mode)
            try:
                async with asyncio.TaskGroup() as group:
                    for _ in range(self.client.endpoint.calls_at_once):
                        group.create_task(work(line))
            except ExceptionGroup as errors:
                # The first stopped the others: a key that was refused.
                raise errors.exceptions[0] from None
        return [
            Compared(
                *(
                    verdicts.together([found[_Job(k, order, s)] for s in samples])
                    for order in ORDERS
                )
            )
            for k in range(len(pairs))
        ]

    async def _ask(self, line: Connection, pair: Pair, job: _Job) -> Reading:
        if reason := why_not(pair):
            return readings.missing(reason)
        shown = pair.turned() if job.order else pair
        return await self.client.ask(
            line, request(shown, self.mode), job.sample, self._read
        )
