"""Asks an endpoint until there is an answer or a reason why there is none.

Every attempt is counted and kept. What passes by itself is tried again: 408, 409, 429
(`Retry-After` is obeyed), 5xx, broken connections, incomplete JSON. An answer that is
empty or unreadable is asked for again at most twice. After 401 all stops.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import NamedTuple

import tenacity

from scoring.metrics._engine.base import MetricError
from scoring.metrics._judge import answers, continuations, limits, records
from scoring.metrics._judge.answers import Answer
from scoring.metrics._judge.asking import PROBE, Request
from scoring.metrics._judge.desk import AT_ONCE, BudgetReached, Desk, Local
from scoring.metrics._judge.endpoints import Endpoint
from scoring.metrics._judge.keys import Key
from scoring.metrics._judge.reading import Reading, missing
from scoring.metrics._judge.records import (
    Call,
    Earlier,
    InMemory,
    Keeper,
)
from scoring.metrics._judge.sending import PASSING, Line, Response

ATTEMPTS = 5  # where the network or the server fails
READINGS = 3  # of answers that came: the first, and twice again
SECONDS = 120.0  # that one call may take
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
LONGEST_RETRY_AFTER = 600.0
UNNAMED = "unnamed"  # who answers without saying which model it is
MOST_OTHERS = 50  # answers of another model in a row; then it would cost for nothing
STOPPED = "the run stopped before an answer came"

Read = Callable[[Answer], Reading]


class Identity(NamedTuple):
    """Who answered."""

    model: str
    fingerprint: str | None

    def __str__(self) -> str:
        return self.model + (f" ({self.fingerprint})" if self.fingerprint else "")


@dataclass(slots=True)
class Waits:
    """Time and chance, so that tests need neither."""

    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    clock: Callable[[], float] = time.monotonic
    rng: random.Random | None = None
    seconds: float = SECONDS
    attempts: int = ATTEMPTS


class _Passing(Exception):
    """Another attempt may help."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.problem)
        self.response = response


@dataclass(slots=True)
class _Tries:
    """Of one sample."""

    request: Request
    sample: int
    read: Read
    key: str
    number: int = 0
    readings: int = 0  # answers that came and were unreadable
    failures: int = 0  # in a row, of the network or the server


class Client:
    """Asks one model of one endpoint."""

    def __init__(
        self,
        endpoint: Endpoint,
        model: str,
        *,
        keeper: Keeper | None = None,
        waits: Waits | None = None,
        shared: limits.Limits | None = None,
        desk: Desk | None = None,
    ) -> None:
        """Read the key.

        A `desk` comes in place of `keeper` and `shared`, the limits.

        Raises:
            MetricError: If the variable of the key is not set.
        """
        self.endpoint, self.model = endpoint, model
        self.identity: Identity | None = None  # once the probe was answered
        self.changed: dict[Identity, int] = {}  # others who answered, and how often
        self.others_in_a_row = 0
        self._key = Key(endpoint.key_env)
        self._waits = waits or Waits()
        self._rng = self._waits.rng or random.Random()
        self.out_of_budget = False  # whether a call was not made for it
        self.desk: Desk = desk or Local(
            InMemory() if keeper is None else keeper,
            shared or limits.of(endpoint),
            self._waits.sleep,
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Said beside the scores: none of these answers is among them.

        Without numbers: what several parts of a run say alike is said once.
        """
        return tuple(
            f"During the run the server changed its model: answers came from {who}"
            f" instead of {self.identity} and were not scored. Start another run"
            " to score these texts under the other model."
            for who in self.changed
        )

    @asynccontextmanager
    async def line(self) -> AsyncIterator[Line]:
        """To be opened once for each event loop."""
        try:
            async with Line(
                self.endpoint, self._key, seconds=self._waits.seconds
            ) as line:
                yield line
        finally:
            await self.desk.close()

    async def probe(self, line: Line, request: Request = PROBE) -> Identity:
        """Who answers a test question. Later answers must come from the same.

        Raises:
            MetricError: If nobody does; says why.
        """
        who: list[Identity] = []

        def read(given: Answer) -> Reading:
            who.append(self._who(given))
            return Reading(1.0)

        found = await self.ask(line, request, 0, read)
        if self.out_of_budget:
            raise MetricError(AT_ONCE)
        if not who:
            raise MetricError(
                f"the endpoint {self.endpoint.name} does not answer for the model"
                f" {self.model}: {found.reason}"
            )
        self.identity = who[-1]
        return self.identity

    async def ask(
        self, line: Line, request: Request, sample: int, read: Read
    ) -> Reading:
        """The score of one sample, or NaN and why.

        Raises:
            MetricError: If the key was refused.
        """
        tries = _Tries(request, sample, read, self._key_of(request, sample))
        if found := self._replayed(tries, await self.desk.earlier(tries.key)):
            return found
        if self.others_in_a_row >= MOST_OTHERS:
            return missing(
                f"nobody was asked: the last {MOST_OTHERS} answers came from another"
                f" model than {self.identity}, which answered at the start of the run"
            )
        found = missing("nobody was asked")
        try:
            while tries.readings < READINGS:
                found = await self._until_answered(line, tries)
                tries.readings, tries.failures = tries.readings + 1, 0
                if not found.again:
                    break
        except BudgetReached as error:
            self.out_of_budget = True
            return missing(str(error))
        return found

    def _key_of(self, request: Request, sample: int) -> str:
        return records.key(
            self.endpoint.name,
            self.model,
            self.identity if sample else None,  # a probe asks who there is
            request.prompt_hash,
            request.written,
            sample,
        )

    def _replayed(self, tries: _Tries, earlier: Sequence[Earlier]) -> Reading | None:
        """What earlier calls have settled; else count them, so that few are left.

        An answer says the same again. That the network failed counts within a run.
        """
        for one in earlier:
            tries.number = max(tries.number, one.attempt if one.mine else 0)
            response, answer = _opened(Response(one.status, one.answer), tries.request)
            if one.status == 200 and not response.passing:
                if answer and not one.mine and self._is_other(answer):
                    continue  # it was another model's time then
                found = self._read(answer, tries.read) if answer else None
                found = found or missing(response.problem, again=True)
                tries.readings, tries.failures = tries.readings + 1, 0
                if not found.again or tries.readings >= READINGS:
                    return found
            elif one.mine and one.problem not in ("", STOPPED) and one.status != 401:
                if one.status is not None and one.status not in (200, *PASSING):
                    return missing(one.problem)
                tries.failures += 1
                if tries.failures >= self._waits.attempts:
                    return self._given_up(one.problem)
        return None

    async def _until_answered(self, line: Line, tries: _Tries) -> Reading:
        retrying = tenacity.AsyncRetrying(
            retry=tenacity.retry_if_exception_type(_Passing),
            stop=tenacity.stop_after_attempt(self._waits.attempts - tries.failures),
            wait=self._pause,
            sleep=self._waits.sleep,
            reraise=True,
        )
        try:
            return await retrying(self._once, line, tries)
        except _Passing as error:
            return self._given_up(error.response.problem)

    def _given_up(self, said: str) -> Reading:
        n = self._waits.attempts
        times = "once" if n == 1 else f"{n} times"
        if said == "timed out":
            return missing(f"timed out {times}")
        return missing(f"{said}; asked {times} without success")

    async def _once(self, line: Line, tries: _Tries) -> Reading:
        leave = await self.desk.leave(tries.request)
        tries.number += 1
        start = self._waits.clock()
        try:
            response = await line.send(tries.request, self.model)
        except asyncio.CancelledError:
            # It may have cost money all the same.
            took = self._waits.clock() - start
            stopped = Response(problem=STOPPED)
            await self.desk.keep(leave, self._call(tries, stopped, None, None, took))
            raise
        took = self._waits.clock() - start
        answer: Answer | None = None
        if not response.problem:
            response, answer = _opened(response, tries.request)
        found = self._read(answer, tries.read) if answer else None
        if answer:
            is_other = self._is_other(answer)
            self.others_in_a_row = self.others_in_a_row + 1 if is_other else 0
        await self.desk.keep(leave, self._call(tries, response, answer, found, took))
        if found is not None:
            return found
        return await self._failed(response)

    async def _failed(self, response: Response) -> Reading:
        if response.status == 401:
            raise self._unauthorised()
        if (response.retry_after or 0) > LONGEST_RETRY_AFTER:
            return missing(
                f"{response.problem} and wants {response.retry_after:.0f} seconds of"
                f" patience; at most {LONGEST_RETRY_AFTER:.0f} are waited"
            )
        if response.passing:
            if response.retry_after:
                await self.desk.hold(response.retry_after)
            raise _Passing(response)
        return missing(response.problem, again=response.status == 200)

    def _read(self, answer: Answer, read: Read) -> Reading:
        if self._is_other(answer):
            who = self._who(answer)
            self.changed[who] = self.changed.get(who, 0) + 1
            return missing(
                f"another model answered: {who} instead of {self.identity}, which"
                " answered at the start of the run"
            )
        found = read(answer)
        hidden = self._key.hidden
        return found._replace(reason=hidden(found.reason), said=hidden(found.said))

    def _is_other(self, answer: Answer) -> bool:
        return self.identity is not None and self._who(answer) != self.identity

    def _who(self, answer: Answer) -> Identity:
        hidden = self._key.hidden
        name = hidden(answer.model) or UNNAMED
        return Identity(name, answer.fingerprint and hidden(answer.fingerprint))

    def _pause(self, state: tenacity.RetryCallState) -> float:
        """Retry-After, or back-off that doubles, with jitter over its upper half."""
        error = state.outcome.exception() if state.outcome else None
        if isinstance(error, _Passing) and error.response.retry_after is not None:
            return error.response.retry_after
        most = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (state.attempt_number - 1))
        return self._rng.uniform(most / 2, most)

    def _call(
        self,
        tries: _Tries,
        response: Response,
        answer: Answer | None,
        found: Reading | None,
        took: float,
    ) -> Call:
        problem = found.reason if found else response.problem
        hidden = self._key.hidden
        who = self._who(answer) if answer else None
        ended = answer.finish_reason if answer else None
        return Call(
            endpoint=self.endpoint.name,
            model_asked=self.model,
            model_answered=who.model if who and answer and answer.model else None,
            fingerprint=who.fingerprint if who else None,
            prompt_hash=tries.request.prompt_hash,
            parameters=tries.request.written,
            sample=tries.sample,
            attempt=tries.number,
            status=response.status,
            answer=self._kept(response.body, tries.request),
            finish_reason=ended and hidden(ended),
            tokens_in=answer.tokens_in if answer else None,
            tokens_out=answer.tokens_out if answer else None,
            milliseconds=round(took * 1000),
            problem=hidden(problem),
            key=tries.key,
        )

    def _kept(self, body: str, request: Request) -> str:
        """Hidden first: half a key would not be found at the cut."""
        found = self._key.hidden(body)
        if request.continued:
            found = self._key.hidden(continuations.kept(found))
        return found[: request.longest_answer]

    def _unauthorised(self) -> MetricError:
        name, variable = self.endpoint.name, self._key.variable
        if variable:
            return MetricError(
                f"the endpoint {name} refused the key (401): check the variable"
                f" {variable}, which holds it"
            )
        return MetricError(
            f"the endpoint {name} wants a key (401): name the variable that holds it"
            " as key_env in the file that JUDGES_FILE names"
        )


def _opened(response: Response, asked: Request) -> tuple[Response, Answer | None]:
    """The answer in a body, or the response with what is wrong with it."""
    parsed = continuations.parsed if asked.continued else answers.parsed
    try:
        return response, parsed(response.body)
    except answers.Truncated as error:
        wrong, passing = str(error), True
    except answers.NoAnswer as error:
        wrong, passing = str(error), False
    return Response(response.status, response.body, wrong, passing), None
