"""Bodies of a server that continues texts, in the two forms that there are."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from tests.scoring.endpoints.servers import Answering, Reply

Told = tuple[str, float | None]  # a token and the logarithm of its probability


def continued(
    text: str,
    written: Told | None,
    tokens: Sequence[Told],
    way: str,
    body: dict[str, Any],
    *,
    model: str = "tiny",
    finish: str = "length",
) -> Reply:
    """A text's continuation by one token; with what was asked for, if `way` offers it.

    A server without echo ignores it, and one without `prompt_logprobs` likewise.
    """
    own = [written] if written else []
    echo = bool(body.get("echo")) and way == "echo"
    listed = [*tokens, *own] if echo else own
    choice: dict[str, Any] = {
        "index": 0,
        "text": (text if echo else "") + "".join(one for one, _ in own),
        "finish_reason": finish,
        "logprobs": _lists(listed) if "logprobs" in body else None,
    }
    if "prompt_logprobs" in body and way == "prompt_logprobs":
        choice["prompt_logprobs"] = [
            None if log is None else {str(k): {"logprob": log, "decoded_token": one}}
            for k, (one, log) in enumerate(tokens)
        ]
    found = {
        "object": "text_completion",
        "model": model,
        "system_fingerprint": "fp_1",
        "choices": [choice],
        "usage": {"prompt_tokens": len(tokens), "completion_tokens": len(own)},
    }
    return Reply(body=json.dumps(found).encode())


def words(
    probabilities: Mapping[str, float] | None = None,
    way: str = "echo",
    start: str = "",
    **others: Any,
) -> Answering:
    """Each word is a token of probability 1/2, unless said otherwise."""

    def reply(body: dict[str, Any], n: int) -> Reply:
        text = body["prompt"]
        pieces = re.findall(r" ?\S+|\s", text)
        logs = [math.log((probabilities or {}).get(one, 0.5)) for one in pieces]
        told: list[Told] = list(zip(pieces, logs, strict=True))
        told = [(start, None), *told] if start else [(pieces[0], None), *told[1:]]
        return continued(text, (" so", math.log(0.5)), told, way, body, **others)

    return reply


def _lists(tokens: Sequence[Told]) -> dict[str, Any]:
    return {
        "tokens": [one for one, _ in tokens],
        "token_logprobs": [log for _, log in tokens],
    }
