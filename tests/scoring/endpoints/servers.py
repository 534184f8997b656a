"""A server of chat completions on this machine, which misbehaves as a test wants."""

from __future__ import annotations

import asyncio
import json
import math
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from scoring.endpoints.client import Waits
from scoring.endpoints.configuration import Endpoint
from scoring.endpoints.rate_limits import RateLimiter

KEY = "sk-very-secret-0123456789"


@dataclass
class Reply:
    """What goes over the wire."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False  # the connection ends in the middle of the body
    seconds: float = 0.0  # until anything is sent


def completion(
    content: str | None = "4",
    *,
    model: str = "tiny",
    fingerprint: str | None = "fp_1",
    finish: str = "stop",
    logprobs: Any = None,
    **message: Any,
) -> Reply:
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": content, **message},
        "finish_reason": finish,
        "logprobs": logprobs,
    }
    found = {
        "id": "1",
        "object": "chat.completion",
        "model": model,
        "system_fingerprint": fingerprint,
        "choices": [choice],
        "usage": {"prompt_tokens": 50, "completion_tokens": 3, "total_tokens": 53},
    }
    return Reply(body=json.dumps(found).encode())


def message_of(body: dict[str, Any]) -> str:
    """What was asked, in a chat or as a text to be continued."""
    return body["prompt"] if "prompt" in body else body["messages"][0]["content"]


def likely(*places: dict[str, float]) -> dict[str, Any]:
    """Log-probabilities of tokens by place; the first of each is the one chosen."""
    listed = []
    for shares in places:
        top = [{"token": t, "logprob": math.log(p)} for t, p in shares.items()]
        listed.append({**top[0], "top_logprobs": top})
    return {"content": listed}


def error(status: int, message: str = "no", **headers: str) -> Reply:
    body = json.dumps({"error": {"message": message}}).encode()
    return Reply(status, body, {k.replace("_", "-"): v for k, v in headers.items()})


# What the design lists. None of these has the number that the server means.
MISBEHAVIOURS: dict[str, Callable[[], Reply]] = {
    "429": lambda: error(429, f"slow down, {KEY}"),
    "429 with Retry-After": lambda: error(429, "slow down", Retry_After="3"),
    "500": lambda: error(500, f"cannot serve {KEY}"),
    "hang": lambda: Reply(seconds=1.5),
    "cut": lambda: Reply(body=completion().body, cut=True),
    "truncated JSON": lambda: Reply(body=completion().body[:90]),
    "wrong schema": lambda: Reply(body=b'{"score": 4, "answer": "5"}'),
    "reasoning only": lambda: completion("", reasoning_content="4, I think"),
    "another model": lambda: completion("4", model="huge"),
    "refusal": lambda: completion(None, refusal=f"I will not rate this for {KEY}"),
    "between": lambda: completion("between 3 and 4"),
    "words": lambda: completion("rather good"),
    "off the scale": lambda: completion("6"),
    "empty": lambda: completion(""),
    "content filter": lambda: completion("", finish="content_filter"),
    "cut off": lambda: completion("4", finish="length"),
    "repeats the key": lambda: completion(f"4 {KEY}"),
}

Answering = Callable[[dict[str, Any], int], Reply]


class Server:
    """Answers with what `reply(request, n)` gives, the nth time that this is asked."""

    def __init__(self, reply: Answering) -> None:
        self.reply, self.asked = reply, []
        self.headers: list[dict[str, str]] = []
        self.at_once = self.most_at_once = 0
        self._times: Counter[str] = Counter()
        self._lock = threading.Lock()

    def answer(self, body: dict[str, Any], headers: dict[str, str]) -> Reply:
        message = message_of(body)
        with self._lock:
            self.asked.append(body)
            self.headers.append(headers)
            n, self._times[message] = self._times[message], self._times[message] + 1
        return self.reply(body, n)

    @contextmanager
    def running(self) -> Iterator[Server]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                given = self.rfile.read(int(self.headers["content-length"]))
                with outer._lock:
                    outer.at_once += 1
                    outer.most_at_once = max(outer.most_at_once, outer.at_once)
                try:
                    sent = {k.lower(): v for k, v in self.headers.items()}
                    _send(self, outer.answer(json.loads(given), sent))
                except (BrokenPipeError, ConnectionResetError):
                    pass  # the client has lost patience, as it should
                finally:
                    with outer._lock:
                        outer.at_once -= 1

            def log_message(self, *args: object) -> None:
                """Tests say nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        self.url = f"http://127.0.0.1:{server.server_port}/v1"
        try:
            yield self
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


def _send(handler: BaseHTTPRequestHandler, reply: Reply) -> None:
    time.sleep(reply.seconds)
    handler.close_connection = True
    handler.send_response(reply.status)
    length = len(reply.body) + (40 if reply.cut else 0)
    named = {"content-type": "application/json", "content-length": str(length)}
    for name, value in {**named, "connection": "close", **reply.headers}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(reply.body)


def seeded(seed: int, good: Answering, share: float = 0.5) -> Answering:
    """Misbehaves by chance, which does not depend on the order of requests."""

    def reply(body: dict[str, Any], n: int) -> Reply:
        message = message_of(body)
        chance = random.Random(f"{seed} {n} {message}")
        if "nothing else" in message or chance.random() > share:  # the probe
            return good(body, n)
        names = [name for name in MISBEHAVIOURS if name != "hang"]
        return MISBEHAVIOURS[chance.choice(names)]()

    return reply


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def read(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)

    def waits(self, seconds: float = 5.0) -> Waits:
        return Waits(self.sleep, self.read, random.Random(0), seconds)

    def limits(self, calls: int = 0, tokens: int = 0) -> RateLimiter:
        return RateLimiter(calls, tokens, self.read)


def endpoint(server: Server, **others: Any) -> Endpoint:
    return Endpoint("lab", server.url, ("tiny",), **others)
