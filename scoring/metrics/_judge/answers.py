"""What a server sent with status 200, taken apart without trusting a word of it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

LONGEST_NAME = 200
NOT_LOGS = "the server sent log-probabilities that are none"


class NoAnswer(ValueError):
    """The envelope is not that of a chat completion. The message says how."""


class Truncated(ValueError):
    """It is not JSON, or not all of it: the connection ended early."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token of the answer, with the likeliest ones in its place, itself included."""

    text: str
    top: tuple[tuple[str, float], ...]  # text and natural logarithm of the probability


class Piece(NamedTuple):
    """A token of a text, and ln of its probability given those before it."""

    text: str | None  # None: the server does not say, as of the first token
    log: float | None  # None: of the first token, which is given nothing


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer. `tokens` None: the server sent no log-probabilities.

    Of a text that was continued, `prompt` are its own tokens and `written` those of the
    continuation, where the server sent them.

    Its texts are not printed: they may repeat the key.
    """

    model: str
    fingerprint: str | None = None
    content: str = field(default="", repr=False)
    reasoning: str = field(default="", repr=False)
    refusal: str = field(default="", repr=False)
    finish_reason: str | None = None
    tokens: tuple[Token, ...] | None = field(default=None, repr=False)
    prompt: tuple[Piece, ...] | None = field(default=None, repr=False)
    written: tuple[Piece, ...] | None = field(default=None, repr=False)
    tokens_in: int | None = None
    tokens_out: int | None = None


def parsed(body: str) -> Answer:
    """The first choice of a chat completion.

    Raises:
        Truncated: If the body is no complete JSON.
        NoAnswer: If it is, but no chat completion.
    """
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        raise Truncated("the server sent incomplete JSON") from None
    choice, message = _message(given)
    usage = mapping(given.get("usage"))
    content = message.get("content")
    if content is not None and not isinstance(content, str):
        raise NoAnswer("the server sent an answer that is no text")
    return Answer(
        model=name(given.get("model")) or "",
        fingerprint=name(given.get("system_fingerprint")),
        content=content or "",
        reasoning=_text(message.get("reasoning_content") or message.get("reasoning")),
        refusal=_text(message.get("refusal")),
        finish_reason=name(choice.get("finish_reason")),
        tokens=_tokens(choice.get("logprobs")),
        tokens_in=count(usage.get("prompt_tokens")),
        tokens_out=count(usage.get("completion_tokens")),
    )


def _message(given: Any) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    choices = given.get("choices") if isinstance(given, dict) else None
    choice = mapping(choices[0]) if isinstance(choices, list) and choices else {}
    message = choice.get("message")
    if not isinstance(message, dict):
        raise NoAnswer("the server sent something else than a chat completion")
    return choice, message


def _tokens(logprobs: Any) -> tuple[Token, ...] | None:
    listed = mapping(logprobs).get("content")
    if not isinstance(listed, list) or not listed:
        return None
    return tuple(map(_token, listed))


def _token(given: Any) -> Token:
    given = mapping(given)
    top = given.get("top_logprobs")
    pairs = [_pair(one) for one in (*(top if isinstance(top, list) else ()), given)]
    # The chosen token comes twice, if it is among the likeliest. Tokens that differ and
    # are spelled alike have other probabilities, and all count.
    return Token(pairs[-1][0], tuple(dict.fromkeys(pairs)))


def _pair(given: Any) -> tuple[str, float]:
    text = mapping(given).get("token")
    log = log_probability(mapping(given).get("logprob"))
    if not isinstance(text, str):
        raise NoAnswer(NOT_LOGS)
    return text, log


def log_probability(given: Any) -> float:
    """A number of at most 0, as a float; minus infinity is one.

    Raises:
        NoAnswer: If it is something else.
    """
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    # A rounding above 0 is one; not(...) also holds for NaN.
    if not is_number or not given <= 1e-3:
        raise NoAnswer(NOT_LOGS)
    # A whole number of JSON may be too large for a float.
    return float(given) if given > -1e300 else -math.inf


def mapping(given: Any) -> Mapping[str, Any]:
    return given if isinstance(given, dict) else {}


def _text(given: Any) -> str:
    return given if isinstance(given, str) else ""


def name(given: Any) -> str | None:
    """For signatures: bounded, in one line, without their separator."""
    if not isinstance(given, str):
        return None
    kept = (one if one.isprintable() and one != "|" else "_" for one in given)
    return "".join(kept)[:LONGEST_NAME]


def count(given: Any) -> int | None:
    return given if type(given) is int and 0 <= given < 10**9 else None
