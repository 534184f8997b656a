"""A server that repeats the key it was sent, wherever an answer has room for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.scoring.endpoints.servers import (
    KEY,
    Reply,
    completion,
    error,
    likely,
    message_of,
)
from tests.scoring.endpoints.texts_server import words

ESCAPED = "".join(f"\\u{ord(one):04x}" for one in KEY)  # in JSON, the same


def _headers(reply: Reply) -> Reply:
    reply.headers = {"x-key": KEY, "set-cookie": f"key={KEY}", **reply.headers}
    return reply


def _redirect() -> Reply:
    return Reply(302, KEY.encode(), {"location": f"http://127.0.0.1:9/{KEY}"})


def _escaped() -> Reply:
    body = completion(f"4 {KEY}").body.replace(KEY.encode(), ESCAPED.encode())
    return Reply(body=body)


def _logprobs() -> Reply:
    return completion(f"{KEY}4", logprobs=likely({KEY: 0.9, "4": 0.1}))


TELLING: dict[str, Callable[[], Reply]] = {
    "400": lambda: error(400, f"no {KEY}"),
    "402": lambda: Reply(402, KEY.encode()),
    "403": lambda: error(403, KEY),
    "404": lambda: error(404, f"no model for {KEY}", X_Key=KEY),
    "422": lambda: Reply(422, json.dumps({KEY: [KEY]}).encode()),
    "429": lambda: error(429, f"slow down, {KEY}", Retry_After="0"),
    "500": lambda: error(500, KEY, Retry_After=KEY),
    "503": lambda: Reply(503, KEY.encode(), {"content-type": f"text/{KEY}"}),
    "redirect": _redirect,
    "headers": lambda: _headers(completion(f"well, {KEY}")),
    "content": lambda: completion(f"4 {KEY}"),
    "escaped": _escaped,
    "long content": lambda: completion("well " * 3_996 + KEY * 2),
    "refusal": lambda: completion(None, refusal=f"Not for {KEY}"),
    "finish reason": lambda: completion(f"is {KEY}", finish=KEY),
    "model": lambda: completion("4", model=KEY),
    "fingerprint": lambda: completion("4", fingerprint=KEY),
    "reasoning": lambda: completion("", reasoning_content=f"I think {KEY}"),
    "form": lambda: completion(json.dumps({"reason": KEY, "score": 4})),
    "log-probabilities": _logprobs,
    "no completion": lambda: Reply(body=json.dumps({"key": KEY}).encode()),
    "no JSON": lambda: Reply(body=KEY.encode()),
    "half of it": lambda: Reply(body=completion(KEY).body[:180]),
    "cut": lambda: Reply(body=KEY.encode(), cut=True),
    "filter": lambda: completion(KEY, finish="content_filter"),
}


def telling_texts(body: dict[str, Any], n: int) -> Reply:
    """The same of a server of log-probabilities; its first token tells the key, too."""
    named = [name for name in TELLING if f"<{name}>" in message_of(body)]
    if named:
        return TELLING[named[0]]()
    return words(start=KEY if "<nothing>" in message_of(body) else "<s>")(body, n)


def telling(body: dict[str, Any], n: int) -> Reply:
    """What the text asks for by name, as in `<refusal>`; a good answer to the probe."""
    message = message_of(body)
    named = [name for name in TELLING if f"<{name}>" in message]
    is_form = "response_format" in body and not named
    good = completion(
        '{"reason": "x", "score": 4}' if is_form else "4",
        logprobs=likely({"4": 1.0}),
    )
    return TELLING[named[0]]() if named else good
