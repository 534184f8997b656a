"""Requests for the log-probabilities of texts.

The same ones are counted before anybody agrees to a run and sent in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NamedTuple

from scoring.endpoints.requests import Request

# What may be asked for, the more telling one first: vLLM's own field names the mark
# that begins a text. With 0, it has the tokens of the text and no others.
WAYS: dict[str, dict[str, object]] = {
    "prompt_logprobs": {"prompt_logprobs": 0, "logprobs": 1},
    "echo": {"echo": True, "logprobs": 1},
}
# One token must be written: some servers take 0 for no limit.
SHARED = {"temperature": 0, "max_tokens": 1}
PROBES = (
    "The ferry left the harbour at seven in the",
    "One, two, three, four, five, six,",
    "Once upon a",
)
# Of which a server is asked the first, to know who answers, and each in each way, with
# and without the token that it writes.
MOST_TESTS = 1 + 2 * len(PROBES) * len(WAYS)


class ScoredText(NamedTuple):
    """`text` is scored, given `before`, which it follows without anything between."""

    text: str
    before: str = ""

    @property
    def whole(self) -> str:
        return self.before + self.text


def following(source: str, text: str) -> ScoredText:
    """A text on a line below its source."""
    return ScoredText(text, f"{source}\n")


def request(text: str, name: str) -> Request:
    """For the tokens of a text, in one of WAYS."""
    return Request(text, {**SHARED, **WAYS[name]}, continued=True)


def probe() -> Request:
    """A question that every server of completions can answer."""
    return Request(PROBES[0], SHARED, continued=True)


def asks_for_texts(parameters: str) -> bool:
    """Whether parameters, as JSON, are of such a question."""
    return dict(json.loads(parameters)).items() >= SHARED.items()


def distinct(texts: Iterable[ScoredText]) -> list[ScoredText]:
    """Without those that nobody needs to ask about."""
    return list(dict.fromkeys(text for text in texts if text.text.strip()))
