"""Servers that speak the protocol of chat completions in other ways.

Each is quoted from reports about real ones. All mean the same numbers and verdicts, so
that whoever reads an answer can be held to it.
"""

from __future__ import annotations

import itertools
import json
import math
import re
import time
from collections.abc import Callable
from email.utils import formatdate
from typing import Any

from tests.scoring.endpoints.servers import (
    Answering,
    Reply,
    completion,
    error,
    message_of,
)

NUMBERED = re.compile(r"Text number (\d)")
SHOWN = re.compile(r"Text A:\n(.*)\n\nText B:\n(.*)\n\nQuestion")
MOST, REST = 0.7, 0.2  # of the probability: what is meant, and another answer
NEEDED = 700  # tokens, of the one that thinks


def meant(body: dict[str, Any]) -> str:
    """The number of a text, or the letter of the longer of two; of a test, "1"."""
    message = message_of(body)
    if texts := SHOWN.search(message):
        return "A" if len(texts[1]) > len(texts[2]) else "B"
    numbered = NUMBERED.search(message)
    return numbered[1] if numbered else "1"


def other(answer: str) -> str:
    return {"A": "C", "B": "C", "3": "2"}.get(answer, "3")


def expected(number: int) -> float:
    """Of the probabilities: sum p_i i / sum p_i."""
    rest = int(other(str(number)))
    return (MOST * number + REST * rest) / (MOST + REST)


def is_test(body: dict[str, Any]) -> bool:
    return "nothing else" in message_of(body)


def limit(body: dict[str, Any]) -> int:
    return body.get("max_tokens") or body["max_completion_tokens"]


def written(body: dict[str, Any]) -> str:
    """The answer in the form that was asked for."""
    if "response_format" not in body:
        return meant(body)
    if '"errors"' in json.dumps(body["response_format"]):
        error = {"quote": f"number {meant(body)}", "severity": "minor"}
        return json.dumps({"errors": [error]})
    name = "verdict" if meant(body).isalpha() else "score"
    value = meant(body) if name == "verdict" else int(meant(body))
    return json.dumps({"reason": "Clear.", name: value})


def logprobs(
    body: dict[str, Any], spelled: Callable[[str], str] = str, twin: float = 0.0
) -> dict[str, Any] | None:
    """Of one token. `twin`: how far its own number is from that among the likeliest."""
    if not body.get("logprobs"):
        return None
    shares = {meant(body): MOST, other(meant(body)): REST}
    top = [
        {"token": spelled(text), "logprob": math.log(share)}
        for text, share in shares.items()
    ]
    chosen = {**top[0], "logprob": top[0]["logprob"] + twin}
    return {"content": [{**chosen, "top_logprobs": top[: body["top_logprobs"]]}]}


def ok(body: dict[str, Any], n: int) -> Reply:
    return completion(written(body), logprobs=logprobs(body))


def refused(text: str, param: str) -> Reply:
    told = {"message": text, "type": "invalid_request_error", "param": param}
    return Reply(400, json.dumps({"error": told}).encode())


def gpt5(body: dict[str, Any], n: int) -> Reply:
    if "max_tokens" in body:
        return refused(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use"
            " 'max_completion_tokens' instead.",
            "max_tokens",
        )
    if body.get("temperature", 1) != 1:
        return refused(
            "Unsupported value: 'temperature' does not support 0 with this model. Only"
            " the default (1) value is supported.",
            "temperature",
        )
    if body.get("logprobs"):
        return refused("You are not allowed to request logprobs from it.", "logprobs")
    return ok(body, n)


def top5(body: dict[str, Any], n: int) -> Reply:
    if body.get("top_logprobs", 0) > 5:
        return refused(
            "Invalid 'top_logprobs': expected a value <= 5, but got 20 instead.",
            "top_logprobs",
        )
    return ok(body, n)


def fp() -> Answering:
    """Three machines in turn."""
    turns = itertools.count()

    def reply(body: dict[str, Any], n: int) -> Reply:
        mark = f"fp_{next(turns) % 3}"
        return completion(written(body), fingerprint=mark, logprobs=logprobs(body))

    return reply


def dated() -> Answering:
    """The name gets a date once the test question was answered."""

    def reply(body: dict[str, Any], n: int) -> Reply:
        name = "tiny" if is_test(body) else "tiny-2026-11-01"
        return completion(written(body), model=name, logprobs=logprobs(body))

    return reply


def think(body: dict[str, Any], n: int) -> Reply:
    if limit(body) < NEEDED:
        return completion("", finish="length", reasoning_content="Let me think")
    return completion(
        written(body), reasoning_content="So it is.", logprobs=logprobs(body)
    )


def thinknull(body: dict[str, Any], n: int) -> Reply:
    return completion(None, reasoning_content="It may be a 4.")


def err200(body: dict[str, Any], n: int) -> Reply:
    if n == 0:
        told = {"error": {"message": "the provider is overloaded", "code": 502}}
        return Reply(200, json.dumps(told).encode())
    return ok(body, n)


def gtok(body: dict[str, Any], n: int) -> Reply:
    marked = logprobs(body, lambda text: f"Ġ{text}")
    return completion(written(body), logprobs=marked)


def metaspace(body: dict[str, Any], n: int) -> Reply:
    marked = logprobs(body, lambda text: f"▁{text}")
    return completion(written(body), logprobs=marked)


def twin(body: dict[str, Any], n: int) -> Reply:
    return completion(written(body), logprobs=logprobs(body, twin=1e-4))


def noschema(body: dict[str, Any], n: int) -> Reply:
    return completion(meant(body), logprobs=logprobs(body))


def fenced(body: dict[str, Any], n: int) -> Reply:
    text = written(body)
    is_form = "response_format" in body
    return completion(
        f"```json\n{text}\n```" if is_form else text, logprobs=logprobs(body)
    )


def space(body: dict[str, Any], n: int) -> Reply:
    return completion(
        f" {written(body)}", logprobs=logprobs(body, lambda text: f" {text}")
    )


def retrydate(body: dict[str, Any], n: int) -> Reply:
    if n == 0:
        return error(429, "slow", Retry_After=formatdate(time.time() + 1, usegmt=True))
    return ok(body, n)


def boxed(body: dict[str, Any], n: int) -> Reply:
    if "response_format" in body:
        return ok(body, n)
    places = logprobs(body)
    if places:
        lead = [{"token": one, "logprob": -0.1} for one in ("\\", "boxed", "{")]
        places["content"] = [*lead, *places["content"], {"token": "}", "logprob": 0.0}]
    return completion(f"\\boxed{{{meant(body)}}}", logprobs=places)


def parts(body: dict[str, Any], n: int) -> Reply:
    text = written(body)
    given = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "Well."}]},
        *({"type": "text", "text": one} for one in (text[:1], text[1:])),
    ]
    return completion(given, logprobs=logprobs(body))  # type: ignore[arg-type]


QUIRKS: dict[str, Callable[[], Answering]] = {
    "ok": lambda: ok,
    "gpt5": lambda: gpt5,
    "top5": lambda: top5,
    "fp": fp,
    "dated": dated,
    "think": lambda: think,
    "thinknull": lambda: thinknull,
    "err200": lambda: err200,
    "gtok": lambda: gtok,
    "metaspace": lambda: metaspace,
    "twin": lambda: twin,
    "space": lambda: space,
    "noschema": lambda: noschema,
    "fenced": lambda: fenced,
    "retrydate": lambda: retrydate,
    "boxed": lambda: boxed,
    "parts": lambda: parts,
}
