"""Asks an endpoint until there is an answer or a reason why there is none.

Every attempt is counted and kept. What passes by itself is tried again: 408, 409, 429
(`Retry-After` is obeyed), 5xx, broken connections, incomplete JSON. An answer that is
empty or unreadable is asked for again at most twice. After 401 all stops.

A test question comes first: it finds out who answers, and in which way the server wants
to be asked.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import tenacity

from scoring.endpoints import (
    call_records,
    capabilities,
    completions,
    configuration,
    probe,
    rate_limits,
    readings,
    requests,
    transport,
)
from scoring.endpoints.admission import Admission, BudgetReached, LocalAdmission
from scoring.endpoints.answers import Answer
from scoring.endpoints.api_keys import Key
from scoring.endpoints.call_records import Call, Earlier, InMemory, Keeper
from scoring.endpoints.configuration import Endpoint
from scoring.endpoints.readings import Reading, missing
from scoring.endpoints.requests import PROBE, Request
from scoring.endpoints.respondents import Identity, Respondents
from scoring.endpoints.transport import PASSING, Connection, Response
from scoring.errors import MetricError

ATTEMPTS = 5  # where the network or the server fails
READINGS = 3  # of answers that came: the first, and twice again
SECONDS = 120.0  # that one call may take
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
LONGEST_RETRY_AFTER = 600.0
MOST_CUT = 5  # answers cut off in a row; then the others would be, too
STOPPED = "the run stopped before an answer came"

Read = Callable[[Answer], Reading]


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
    response: Response | None = None  # the last


class Client:
    """Asks one model of one endpoint."""

    def __init__(
        self,
        endpoint: Endpoint,
        model: str,
        *,
        keeper: Keeper | None = None,
        waits: Waits | None = None,
        shared: rate_limits.RateLimiter | None = None,
        admission: Admission | None = None,
    ) -> None:
        """Read the key.

        An `admission` comes in place of `keeper` and `shared`, the limits.

        Raises:
            MetricError: If the variable of the key is not set.
        """
        self.endpoint, self.model = endpoint, model
        self.capabilities = capabilities.of(endpoint.settings(model))
        self._key = Key(endpoint.key_env)
        self.respondents = Respondents(
            self._key.hidden, split=endpoint.changes == configuration.SPLIT
        )
        self._cut_in_a_row = 0
        self._waits = waits or Waits()
        self._rng = self._waits.rng or random.Random()
        self.limit_reached = ""  # which: a call was not made for it
        self.admission: Admission = admission or LocalAdmission(
            InMemory() if keeper is None else keeper,
            shared or rate_limits.of(endpoint),
            self._waits.sleep,
        )

    @property
    def identity(self) -> Identity | None:
        """Who answered the probe."""
        return self.respondents.first

    @property
    def notes(self) -> tuple[str, ...]:
        """Said beside the scores. Several parts of a run say the same alike."""
        lessons = self.capabilities.lessons
        return (*([lessons] if lessons else []), *self.respondents.notes)

    def begin(self) -> None:
        """Before other texts are asked about."""
        self.respondents.begin()
        self._cut_in_a_row = 0

    @asynccontextmanager
    async def line(self) -> AsyncIterator[Connection]:
        """To be opened once for each event loop."""
        try:
            async with Connection(
                self.endpoint, self._key, seconds=self._waits.seconds
            ) as line:
                yield line
        finally:
            await self.admission.close()

    async def probe(
        self, line: Connection, request: Request = PROBE, mode: str = ""
    ) -> Identity:
        """Who answers a test question: see `probe.identity`, as which it raises."""
        return await probe.identity(self, line, request, mode)

    def signed(self, *parameters: Mapping[str, Any]) -> dict[str, object]:
        """What a signature says of whom is asked, and with which parameters."""
        sent = [self.capabilities.signed(each) for each in parameters]
        differs = capabilities.difference(parameters[0], sent[0])
        return {
            **({"answered": self.identity} if self.respondents.split else {}),
            "endpoint": f"{self.endpoint.name}/{self.model}",
            "parameters": requests.digest(sent),
            **({"sent": differs} if differs else {}),
        }

    async def ask(
        self, line: Connection, request: Request, sample: int, read: Read
    ) -> Reading:
        """The score of one sample, or NaN and why.

        Raises:
            MetricError: If the key was refused.
        """
        reading, _, _ = await self.settle(line, request, sample, read)
        return reading

    async def settle(
        self, line: Connection, request: Request, sample: int, read: Read
    ) -> tuple[Reading, Response | None, Request]:
        """The same with the last response, if there was one, and what was sent."""
        fitted = self.capabilities.fitted(request)
        tries = _Tries(fitted, sample, read, self._key_of(fitted, sample))
        reading = self._replayed(tries, await self.admission.earlier(tries.key))
        if reading is None and (why_not := self._why_not(fitted)):
            reading = missing(why_not)
        if reading is None:
            reading = await self._read_soon(line, tries)
        return reading, tries.response, fitted

    async def _read_soon(self, line: Connection, tries: _Tries) -> Reading:
        """Of the first answer that can be read, or of the last that is asked for."""
        reading = missing("nobody was asked")
        try:
            while tries.readings < READINGS:
                reading = await self._until_answered(line, tries)
                tries.readings, tries.failures = tries.readings + 1, 0
                if not reading.again:
                    break
        except BudgetReached as error:
            self.limit_reached = str(error)
            return missing(str(error))
        return reading

    def _why_not(self, request: Request) -> str:
        """Why nobody need be asked, as the last answers show, or ""."""
        if self._cut_in_a_row >= MOST_CUT:
            return (
                f"nobody was asked: the last {MOST_CUT} answers were cut off at"
                f" {request.most_tokens:,} tokens, so the model needs more: set"
                " max_tokens for it in the file that JUDGES_FILE names"
            )
        return self.respondents.why_not

    def _key_of(self, request: Request, sample: int) -> str:
        return call_records.key(
            self.endpoint.name,
            self.model,
            request.prompt_hash,
            request.written,
            sample,
        )

    def _replayed(self, tries: _Tries, earlier: Sequence[Earlier]) -> Reading | None:
        """What earlier calls have settled; else count them, so that few are left.

        An answer says the same again. That the network failed counts within a run.
        """
        for call in earlier:
            tries.number = max(tries.number, call.attempt if call.mine else 0)
            tries.response = Response(call.status, call.answer)
            response, answer = self._opened(tries.response, tries.request)
            if call.status == 200 and not response.passing:
                if answer and not call.mine and self.respondents.refuses(answer):
                    continue  # it was another model's time then
                reading = self._read(answer, tries.read) if answer else None
                reading = reading or missing(response.problem, again=True)
                tries.readings, tries.failures = tries.readings + 1, 0
                if not reading.again or tries.readings >= READINGS:
                    return reading
            elif call.mine and call.problem not in ("", STOPPED) and call.status != 401:
                if call.status is not None and call.status not in (200, *PASSING):
                    return missing(call.problem)
                tries.failures += 1
                if tries.failures >= self._waits.attempts:
                    return self._given_up(call.problem)
        return None

    async def _until_answered(self, line: Connection, tries: _Tries) -> Reading:
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

    def _given_up(self, problem: str) -> Reading:
        n = self._waits.attempts
        times = "once" if n == 1 else f"{n} times"
        if problem == "timed out":
            return missing(f"timed out {times}")
        return missing(f"{problem}; asked {times} without success")

    async def _once(self, line: Connection, tries: _Tries) -> Reading:
        permit = await self.admission.acquire(tries.request)
        tries.number += 1
        start = self._waits.clock()
        try:
            response = await line.send(tries.request, self.model)
        except asyncio.CancelledError:
            # It may have cost money all the same.
            took = self._waits.clock() - start
            stopped = Response(problem=STOPPED)
            await self.admission.record(
                permit, self._call(tries, stopped, None, None, took)
            )
            raise
        took = self._waits.clock() - start
        answer: Answer | None = None
        if not response.problem:
            response, answer = self._opened(response, tries.request)
        tries.response = response
        reading = self._read(answer, tries.read) if answer else None
        if answer and reading:
            self.respondents.observe(answer)
            cut = reading.reason == readings.CUT_OFF
            self._cut_in_a_row = self._cut_in_a_row + 1 if cut else 0
        await self.admission.record(
            permit, self._call(tries, response, answer, reading, took)
        )
        if reading is not None:
            return reading
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
                await self.admission.pause(response.retry_after)
            raise _Passing(response)
        return missing(response.problem, again=response.status == 200)

    def _opened(
        self, response: Response, request: Request
    ) -> tuple[Response, Answer | None]:
        return transport.parse_response(response, request, self._key)

    def _read(self, answer: Answer, read: Read) -> Reading:
        self.respondents.count(answer)
        if self.respondents.refuses(answer):
            return missing(self.respondents.refusal(answer))
        reading = read(answer)
        hidden = self._key.hidden
        return reading._replace(
            reason=hidden(reading.reason), said=hidden(reading.said)
        )

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
        reading: Reading | None,
        took: float,
    ) -> Call:
        problem = reading.reason if reading else response.problem
        hidden = self._key.hidden
        who = self.respondents.of(answer) if answer else None
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
            answer=self._stored_body(response.body, tries.request),
            finish_reason=ended and hidden(ended),
            tokens_in=answer.tokens_in if answer else None,
            tokens_out=answer.tokens_out if answer else None,
            milliseconds=round(took * 1000),
            problem=hidden(problem),
            key=tries.key,
        )

    def _stored_body(self, body: str, request: Request) -> str:
        """Hidden first: half a key would not be found at the cut."""
        visible = self._key.hidden(body)
        if request.continued:
            visible = self._key.hidden(completions.compact(visible))
        return visible[: request.longest_answer]

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
