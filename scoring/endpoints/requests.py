"""What is sent in each mode: the message and the parameters of a call."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from scoring.endpoints.call_records import LONGEST_ANSWER, LONGEST_OF_TEXTS
from scoring.endpoints.model_settings import LIMIT_NAMES
from scoring.endpoints.readings import BY_SCHEMA, FIVE_POINTS, Scale

MOST_LIKELIEST = 20  # tokens in each place; servers refuse more
# What the protocol calls max_tokens. Room for a model that thinks before it answers;
# for log-probabilities, for "Score: " before the number and for what makes it go on.
LONGEST = {
    **{"logprobs": 8, "samples": 512, "answer": 512, "form": 1024},
    "spans": 4096,
}
AS_JSON = 'Answer as JSON: {"reason": "your reason in one sentence", "score": number}'


@dataclass(frozen=True, slots=True)
class Request:
    """One question as it is sent, whichever sample it is."""

    message: str
    parameters: Mapping[str, Any]
    continued: bool = False  # as a text to be continued, not as a message of a chat

    @property
    def prompt_hash(self) -> str:
        return f"sha256:{hashlib.sha256(self.message.encode()).hexdigest()}"

    @property
    def longest_answer(self) -> int:
        """Characters of an answer that are kept. A part of it cannot be used again."""
        return LONGEST_OF_TEXTS if self.continued else LONGEST_ANSWER

    @property
    def most_tokens(self) -> int:
        """That an answer may have."""
        sent = self.parameters
        return next(int(sent[name]) for name in LIMIT_NAMES if name in sent)

    def in_the_way_of(self, written: str) -> Request:
        """The same question with the parameters of another, as JSON, and its schema."""
        schema = {k: v for k, v in self.parameters.items() if k == "response_format"}
        return replace(self, parameters={**json.loads(written), **schema})

    @property
    def written(self) -> str:
        return json.dumps(self.parameters, sort_keys=True)


def parameters(mode: str, scale: Scale) -> dict[str, Any]:
    """Of a call, model and message aside."""
    sent: dict[str, Any] = {
        "temperature": 1 if mode == "samples" else 0,
        "max_tokens": LONGEST[mode],
    }
    if mode == "logprobs":
        sent |= {"logprobs": True, "top_logprobs": MOST_LIKELIEST}
    if mode == "form":
        sent["response_format"] = schema(scale)
    return sent


def schema(scale: Scale) -> dict[str, Any]:
    """The reason comes first, so that the model thinks before it decides."""
    return {
        "type": "json_schema",
        "json_schema": {
            "name": "rating",
            "strict": True,
            "schema": {
                "type": "object",
                "properties": {
                    "reason": {"type": "string"},
                    "score": {"type": "integer", "enum": list(scale.numbers)},
                },
                "required": ["reason", "score"],
                "additionalProperties": False,
            },
        },
    }


def digest(content: object) -> str:
    """Short hash of what was sent, for signatures."""
    encoded = json.dumps(content, ensure_ascii=False).encode()
    return f"sha256:{hashlib.sha256(encoded).hexdigest()[:16]}"


TEST = "Answer with the number 1 and nothing else."
TEST_AS_JSON = f"{AS_JSON}, with the score 1 and nothing else."
PROBE = Request(TEST, {"temperature": 0, "max_tokens": LONGEST["answer"]})


def probe(mode: str) -> Request:
    """The test question of a mode, the same whatever is asked about later."""
    if mode in BY_SCHEMA:
        return Request(TEST_AS_JSON, parameters("form", FIVE_POINTS))
    return Request(TEST, parameters(mode, FIVE_POINTS))
