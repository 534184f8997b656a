"""How one model is asked, where the operator's file says it: `[judges.NAME.model.X]`.

What is left out is as EvalApp asks it, or as the test question finds out.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

LIMIT_NAMES = ("max_tokens", "max_completion_tokens")
NOT_SENT = "none"  # in place of a temperature
MOST_LIKELIEST = 20  # tokens in each place, which is as many as are asked for
HIGHEST_TEMPERATURE = 2.0
# What EvalApp writes itself, or could not read the answer to.
RESERVED = (
    *("model", "messages", "prompt", "stream", "n", "logprobs", "response_format"),
    *("temperature", "top_logprobs", "reasoning_effort", *LIMIT_NAMES),
)
# How answers are read, and what pages call it.
MODES = {
    "logprobs": "the probability of each number",
    "samples": "the mean of several answers",
    "answer": "one answer",
    "form": "one answer with its reason",
    "spans": "errors that it marks in the text",
}


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Of one model. None: nobody has said it."""

    limit_name: str | None = None  # of LIMIT_NAMES
    max_tokens: int | None = None  # the longest answer, thoughts included
    temperature: float | str | None = None  # NOT_SENT: the server's own
    top_logprobs: int | None = None  # at most
    reasoning_effort: str | None = None
    body: Mapping[str, Any] = field(default_factory=dict)  # sent with every question
    modes: tuple[str, ...] = tuple(MODES)  # that may be chosen


def of(table: Mapping[str, Any]) -> ModelSettings:
    """Of a table without problems."""
    modes = {"modes": tuple(table["modes"])} if "modes" in table else {}
    return ModelSettings(**{**table, **modes})


def problems(table: Any) -> list[tuple[str, str]]:
    """Fields and what is wrong with them; "" is the table itself."""
    if not isinstance(table, dict):
        return [("", "expected a table of settings")]
    names = ", ".join(CHECKS)
    unknown = [
        (name, f"unknown field; there are: {names}")
        for name in table
        if name not in CHECKS
    ]
    return unknown + [
        (name, problem)
        for name, check in CHECKS.items()
        if name in table and (problem := check(table[name]))
    ]


def _limit_name(value: Any) -> str:
    expected = " or ".join(map(json.dumps, LIMIT_NAMES))
    return "" if value in LIMIT_NAMES else f"expected {expected}"


def _whole(low: int, high: int) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        fits = type(value) is int and low <= value <= high
        return "" if fits else f"expected a whole number from {low} to {high}"

    return check


def _temperature(value: Any) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if value == NOT_SENT or (is_number and 0 <= value <= HIGHEST_TEMPERATURE):
        return ""
    return f'expected a number from 0 to {HIGHEST_TEMPERATURE:.0f}, or "{NOT_SENT}"'


def _word(value: Any) -> str:
    fits = isinstance(value, str) and value.isascii() and value.isidentifier()
    return "" if fits and len(value) <= 50 else 'expected a word, such as "low"'


def _body(value: Any) -> str:
    if not isinstance(value, dict):
        return "expected a table of fields, such as {top_k = 1}"
    if reserved := [name for name in value if name in RESERVED]:
        return f"may not have {reserved[0]}, which EvalApp writes itself"
    return "" if _is_json(value) else "expected texts, numbers, lists and tables only"


def _is_json(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_is_json, value.values()))
    if isinstance(value, list):
        return all(map(_is_json, value))
    return isinstance(value, str | int) or (
        isinstance(value, float) and math.isfinite(value)
    )


def _modes(value: Any) -> str:
    is_list = isinstance(value, list) and bool(value)
    if is_list and all(isinstance(mode, str) and mode in MODES for mode in value):
        return ""
    return f"expected a list of modes, of: {', '.join(MODES)}"


CHECKS: dict[str, Callable[[Any], str]] = {
    "limit_name": _limit_name,
    "max_tokens": _whole(1, 1_000_000),
    "temperature": _temperature,
    "top_logprobs": _whole(1, MOST_LIKELIEST),
    "reasoning_effort": _word,
    "body": _body,
    "modes": _modes,
}
