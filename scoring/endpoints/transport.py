"""One call over the network: what came back, or why nothing did.

The openai package sends it, without its own retries, and without anything that it reads
from variables such as OPENAI_API_KEY or OPENAI_ORG_ID: an endpoint gets its own key and
nobody else's.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2
import openai
from openai import AsyncAPIResponse

from scoring.endpoints import answers, completions
from scoring.endpoints.answers import Answer
from scoring.endpoints.api_keys import Key
from scoring.endpoints.configuration import Endpoint
from scoring.endpoints.readings import excerpt
from scoring.endpoints.requests import Request

# The last tells the openai package, which looks it up here, not to read the answer.
SENT_HEADERS = frozenset(
    "host accept content-type content-length user-agent"
    " x-stainless-raw-response".split()
)
# They log what servers send in headers, which may repeat the key.
LOGGERS = ("httpcore2", "httpx2", "openai")
LONGEST_WORDS = 400  # characters of an error: the help often stands at its end
LARGEST = 4_000_000  # bytes that are read of one answer
PASSING = frozenset((408, 409, 429, *range(500, 600)))


@dataclass(frozen=True, slots=True)
class Response:
    """What one attempt gave. `problem` "": a body with status 200."""

    status: int | None = None
    body: str = field(default="", repr=False)  # may repeat the key
    problem: str = ""
    passing: bool = False  # whether another attempt may help
    retry_after: float | None = None  # seconds


class Connection:
    """A connection to an endpoint, to be used as `async with`, in one event loop."""

    def __init__(
        self,
        endpoint: Endpoint,
        key: Key,
        *,
        seconds: float,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`seconds` is the most that one call may take; `now` reads Retry-After."""
        self._endpoint, self._key = endpoint, key
        self._seconds, self._now = seconds, now

    async def __aenter__(self) -> Connection:
        for name in LOGGERS:
            logging.getLogger(name).setLevel(logging.WARNING)
        self._http = httpx2.AsyncClient(
            timeout=self._seconds,
            # A redirect would carry texts to an address that no operator wrote down.
            follow_redirects=False,
            event_hooks={"request": [self._sign]},
        )
        self._client = openai.AsyncOpenAI(
            api_key="unused",  # _sign sends the real one
            base_url=self._endpoint.url,
            max_retries=0,
            timeout=self._seconds,
            http_client=self._http,
        )
        # The package imports it only here: that takes seconds on a busy machine, which
        # must not pass between the booking of the first call and its way.
        self._chats = self._client.chat.completions.with_streaming_response
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._http.aclose()

    async def _sign(self, request: httpx2.Request) -> None:
        allowed = {
            k: v for k, v in request.headers.items() if k.lower() in SENT_HEADERS
        }
        request.headers = httpx2.Headers({**allowed, **self._key.header()})

    async def send(self, request: Request, model: str) -> Response:
        """Ask once. Never raises for what a server or a network does."""
        try:
            # httpx2 limits each pause; this also a server that sends a byte at a time.
            async with asyncio.timeout(self._seconds):
                return await self._sent(request, model)
        except openai.APIStatusError as error:
            return self._refused(error.response)
        except (TimeoutError, openai.APITimeoutError, httpx2.TimeoutException):
            return Response(problem="timed out", passing=True)
        except (openai.APIConnectionError, httpx2.TransportError):
            return Response(problem="the connection broke", passing=True)
        except (httpx2.HTTPError, httpx2.InvalidURL):
            return Response(problem="the server sent no proper HTTP", passing=True)

    async def _sent(self, request: Request, model: str) -> Response:
        body = bytearray()
        async with self._opened(request, model) as response:
            async for piece in response.iter_bytes():
                body += piece
                if len(body) > LARGEST:
                    return Response(200, problem="the answer is too large")
            return Response(response.status_code, body.decode(errors="replace"))

    def _opened(
        self, request: Request, model: str
    ) -> AbstractAsyncContextManager[AsyncAPIResponse[Any]]:
        extra = self._written(request.parameters)
        if request.continued:
            texts = self._client.completions.with_streaming_response
            return texts.create(model=model, prompt=request.message, extra_body=extra)
        return self._chats.create(
            model=model,
            messages=[{"role": "user", "content": request.message}],
            extra_body=extra,
        )

    def _written(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """As this server takes them."""
        response_format = parameters.get("response_format")
        if response_format is None or self._endpoint.schemas == "json_schema":
            return dict(parameters)
        schema = response_format["json_schema"]["schema"]
        return {
            **parameters,
            "response_format": {"type": "json_object", "schema": schema},
        }

    def _refused(self, response: httpx2.Response) -> Response:
        status = response.status_code
        try:
            body = response.text[:LARGEST]
        except httpx2.StreamError:  # it was not read to its end
            body = ""
        if status == 400 and "content_filter" in body:
            return Response(status, body, "blocked by a content filter")
        words = server_words(self._key.hidden(body))
        return Response(
            status,
            body,
            f"the server answered with the error {status}{words}",
            status in PASSING,
            self._retry_after(response.headers.get("retry-after")),
        )

    def _retry_after(self, header: str | None) -> float | None:
        """Seconds, or a date of HTTP. What is neither says nothing."""
        if header is None:
            return None
        if header.strip().isascii() and header.strip().isdecimal():
            return float(header.strip()[:9])
        try:
            return max(0.0, parsedate_to_datetime(header).timestamp() - self._now())
        except (TypeError, ValueError, OverflowError):
            return None


def parse_response(
    response: Response, request: Request, key: Key
) -> tuple[Response, Answer | None]:
    """The answer in a body, or the response with what is wrong with it.

    An error object in a response with status 200 is what its own status says.
    """
    parsed = completions.parsed if request.continued else answers.parsed
    status = response.status
    try:
        return response, parsed(response.body)
    except answers.Truncated as error:
        wrong, passing = str(error), True
    except answers.ServerError as error:
        status = error.status or status
        code = f" {error.status}" if error.status else ""
        detail = f": {excerpt(key.hidden(error.words), LONGEST_WORDS)}"
        wrong = f"the server answered with the error{code} in place of text"
        wrong += detail if error.words.strip() else ""
        passing = error.status is None or error.status in PASSING
    except answers.NoAnswer as error:
        wrong, passing = str(error), False
    return Response(status, response.body, wrong, passing), None


def server_words(body: str) -> str:
    """What a server says about its error, behind a colon; "" where it says nothing."""
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError):
        payload = {"message": "" if body.lstrip().startswith("<") else body}
    words = answers.words(answers.mapping(payload))
    return f": {excerpt(words, LONGEST_WORDS)}" if words.strip() else ""
