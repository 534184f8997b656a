"""Log-probabilities of texts under a model behind an address. The network's engine.

It stands in for `_engine.likelihood.Causal`, but the tokens are those of the server,
which are known only afterwards: where a token stands on both sides of the border
between what is given and what is scored, there is no number.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from scoring.endpoints import configuration, event_loop, text_logprobs, text_requests
from scoring.endpoints.admission import AT_ONCE
from scoring.endpoints.answers import Answer
from scoring.endpoints.call_records import Keeper
from scoring.endpoints.client import Client, Waits
from scoring.endpoints.rate_limits import RateLimiter
from scoring.endpoints.readings import Reading, missing
from scoring.endpoints.text_logprobs import TextTokens, Way
from scoring.endpoints.text_requests import ScoredText, distinct
from scoring.endpoints.token_spans import border
from scoring.endpoints.transport import Connection
from scoring.metrics._engine.base import MetricError
from scoring.metrics._engine.likelihood import Done, means

NO_MORE = "there is no token to score"


class Places(NamedTuple):
    """Where scored tokens end in their text, and which they are."""

    ends: np.ndarray  # (tokens,) int32, in characters
    tokens: int  # a hash, to be compared in this process


def load(
    model: str,
    *,
    keeper: Keeper | None = None,
    waits: Waits | None = None,
    shared: RateLimiter | None = None,
) -> Engine:
    """Ask the endpoint what it gives.

    Raises:
        MetricError: If it is not set up, does not answer, or gives no log-probabilities
            of texts.
    """
    endpoint, asked = configuration.resolve(model)
    return over(Client(endpoint, asked, keeper=keeper, waits=waits, shared=shared))


def over(client: Client, tick: Callable[[], None] | None = None) -> Engine:
    """Of a client that has asked nothing yet. Raises as `load` does, and `tick`."""
    way, problem = event_loop.run(_way(client), tick)
    if client.limit_reached:
        raise MetricError(AT_ONCE)
    if way is None:
        raise MetricError(
            f"the endpoint {client.endpoint.name} gives no log-probabilities of texts"
            f" for the model {client.model}, which this metric needs: {problem}"
        )
    return Engine(client, way)


async def _way(client: Client) -> tuple[Way | None, str]:
    async with client.line() as line:
        await client.probe(line, text_requests.probe())
        return await text_logprobs.detect(client, line)


class Engine:
    """Asks for texts, as many at once as the endpoint allows."""

    def __init__(self, client: Client, way: Way, like: Engine | None = None) -> None:
        """`like`: another, asked for the same texts before, that must have the same
        tokens.
        """
        self.client, self.way, self.like = client, way, like
        self.reasons: dict[ScoredText, str] = {}
        self.places: dict[ScoredText, Places] = {}
        self._asked = 0  # texts of those that are asked for now

    @property
    def signature(self) -> str:
        """What the numbers depend on, in place of a hash of the model."""
        asked = f"{self.client.endpoint.name}/{self.client.model}"
        first = "scored" if self.way.starts else "given"
        split = self.client.respondents.split
        who = f" answered by {self.client.identity}" if split else ""
        return (
            f"{configuration.PREFIX}{asked}{who}, {self.way.name}, first token {first}"
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Said beside the scores."""
        return self.client.notes

    def reason(self, given: ScoredText) -> str | None:
        """Why the text has no number, if so. Much is known only once it was asked."""
        if not given.text.strip():
            return NO_MORE
        return self.reasons.get(given)

    def work(self, given: Iterable[ScoredText]) -> int:
        """How many texts `logprobs` will ask for."""
        return len({one for one in given if self.reason(one) is None})

    def mean_logprobs(
        self, given: Sequence[ScoredText], done: Done | None = None
    ) -> np.ndarray:
        """As `_engine.likelihood.Causal` gives them."""
        return means(self.logprobs(given, done))

    def logprobs(
        self, given: Sequence[ScoredText], done: Done | None = None
    ) -> list[np.ndarray]:
        """Log-probability of each text's scored tokens, in nats: (tokens,), float64.

        Empty for a text that has a `reason` afterwards.

        Raises:
            MetricError: If the key was refused.
        """
        asked = [one for one in distinct(given) if self.reason(one) is None]
        told = 0

        def tell() -> None:
            """In this thread: who listens may use a database, which a loop must not."""
            nonlocal told
            n, told = self._asked - told, self._asked
            if done is not None:
                done(n)

        self.client.begin()
        self._asked = 0
        found = event_loop.run(self._all(asked), tell)
        tell()
        return [found.get(one, np.empty(0)) for one in given]

    async def _all(self, given: Sequence[ScoredText]) -> dict[ScoredText, np.ndarray]:
        found: dict[ScoredText, np.ndarray] = {}
        jobs = iter(given)

        async def work(line: Connection) -> None:
            # Workers share one iterator: each text is taken by whoever is free.
            for one in jobs:
                logs = await self._ask(line, one)
                if isinstance(logs, str):
                    self.reasons[one] = logs
                else:
                    found[one] = logs
                self._asked += 1

        async with self.client.line() as line:
            try:
                async with asyncio.TaskGroup() as group:
                    for _ in range(self.client.endpoint.calls_at_once):
                        group.create_task(work(line))
            except ExceptionGroup as errors:
                # The first stopped the others: a key that was refused.
                raise errors.exceptions[0] from None
        return found

    async def _ask(self, line: Connection, given: ScoredText) -> np.ndarray | str:
        kept: list[np.ndarray] = []
        asked = given.whole

        def read(answer: Answer) -> Reading:
            found = text_logprobs.text_tokens(answer, asked, self.way.name)
            logs = found if isinstance(found, str) else self._scored(given, found)
            if isinstance(logs, str):
                return missing(logs)
            kept.append(logs)
            return Reading(float(logs.mean()))

        request = text_requests.request(asked, self.way.name)
        reading = await self.client.ask(line, request, 1, read)
        return kept[-1] if kept else reading.reason

    def _scored(self, given: ScoredText, found: TextTokens) -> np.ndarray | str:
        """The numbers of the tokens of the text, or why there are none."""
        at, text = len(given.before), given.whole
        first = border(found.spelled, text, at)
        if first is None:
            return (
                "a token of the server stands on both sides of where the scored text"
                " begins"
            )
        first = max(1, first)  # the very first token is given nothing
        pieces, ends = found.pieces[first:], found.spelled.ends[first:]
        if not pieces:
            return NO_MORE
        logs = np.array([one.log for one in pieces], dtype=np.float64)
        if not np.isfinite(logs).all():
            return "the model gives no finite probability"
        places = Places(_ends(ends, at), hash(tuple(one.text for one in pieces)))
        if self.like is not None:
            known = self.like.places.get(given)
            if known is None or known.tokens != places.tokens:
                return "the two models split the text into different tokens"
        self.places[given] = places
        return logs


def _ends(ends: Sequence[int | None], at: int) -> np.ndarray:
    """Half a character ends where all of it does."""
    found, known = [], 0
    for end in reversed(ends):
        known = known if end is None else end
        found.append(max(0, known - at))
    return np.array(found[::-1], dtype=np.int32)
