"""What a server sent with status 200, taken apart without trusting a word of it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

LONGEST_NAME = 200
# What some servers write for a space or a line break where they name a token.
TOKEN_MARKS = {"Ġ": " ", "▁": " ", "Ċ": "\n"}
SAME_TOKEN = 1e-3  # nats, between two numbers of one token
NOT_LOGS = "the server sent log-probabilities that are none"


class NoAnswer(ValueError):
    """The envelope is not that of a chat completion. The message says how."""


class ServerError(NoAnswer):
    """An error object where an answer should be, in spite of status 200."""

    def __init__(self, status: int | None, words: str) -> None:
        super().__init__(words)
        self.status, self.words = status, words  # that it names itself, and as it came


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
        ServerError: If it is the server's word that something went wrong.
        NoAnswer: If it is neither that nor a chat completion.
    """
    completion = json_object(body)
    choice, message = _message(completion)
    usage = mapping(completion.get("usage"))
    content = parts(message.get("content"))
    reasoning = message.get("reasoning_content") or message.get("reasoning")
    return Answer(
        model=name(completion.get("model")) or "",
        fingerprint=name(completion.get("system_fingerprint")),
        content=content.text,
        reasoning=_text(reasoning) or content.thought,
        refusal=_text(message.get("refusal")) or content.refusal,
        finish_reason=name(choice.get("finish_reason")),
        tokens=_tokens(choice.get("logprobs"), content.text),
        tokens_in=count(usage.get("prompt_tokens")),
        tokens_out=count(usage.get("completion_tokens")),
    )


def json_object(body: str) -> dict[str, Any]:
    """The object of JSON that a body is.

    Raises:
        Truncated, ServerError, NoAnswer: As `parsed`.
    """
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError):
        raise Truncated("the server sent incomplete JSON") from None
    if not isinstance(payload, dict):
        raise NoAnswer("the server sent something other than a JSON object")
    choices = payload.get("choices")
    choice = mapping(choices[0]) if isinstance(choices, list) and choices else {}
    for place in (payload, choice):
        if place.get("error") or place.get("object") == "error":
            raise ServerError(_status(place), words(place))
    return payload


def words(payload: Mapping[str, Any]) -> str:
    """What a server says about its error, in one of the places where servers do; or "".

    {"error": {"message": ...}}, {"error": ...}, {"message": ...}, {"detail": ...}
    """
    error = payload.get("error")
    for message in (mapping(error).get("message"), error, payload.get("message")):
        if isinstance(message, str):
            return message
    detail = payload.get("detail") or error
    return json.dumps(detail) if isinstance(detail, dict | list) else _text(detail)


def _status(payload: Mapping[str, Any]) -> int | None:
    """That an error object carries: a number, or the digits of one."""
    for place in (mapping(payload.get("error")), payload):
        for where in ("code", "status", "status_code"):
            status = place.get(where)
            if isinstance(status, str) and status.isascii() and status.isdecimal():
                status = int(status[:4])
            if type(status) is int and 400 <= status < 600:
                return status
    return None


class Parts(NamedTuple):
    """What a content in parts says."""

    text: str = ""
    thought: str = ""
    refusal: str = ""


def parts(content: Any) -> Parts:
    """A content: text, nothing, or a list of parts with a type each.

    Raises:
        NoAnswer: If a part is of a kind that nobody could read as text.
    """
    if content is None or isinstance(content, str):
        return Parts(content or "")
    texts = {"text": "", "thinking": "", "refusal": ""}
    for item in content if isinstance(content, list) else [content]:
        part = mapping(item)
        kind = {"output_text": "text", "reasoning": "thinking"}.get(
            _text(part.get("type")), _text(part.get("type"))
        )
        text = part.get("text", part.get(kind))
        text = parts(text).text if isinstance(text, list) else text
        if kind not in texts or not isinstance(text, str):
            raise NoAnswer("the server sent an answer that is not text")
        texts[kind] += text
    return Parts(texts["text"], texts["thinking"], texts["refusal"])


def _message(
    completion: Mapping[str, Any],
) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    choices = completion.get("choices")
    choice = mapping(choices[0]) if isinstance(choices, list) and choices else {}
    message = choice.get("message")
    if not isinstance(message, dict):
        raise NoAnswer("the server sent something else than a chat completion")
    return choice, message


def _tokens(logprobs: Any, content: str) -> tuple[Token, ...] | None:
    listed = mapping(logprobs).get("content")
    if not isinstance(listed, list) or not listed:
        return None
    return tuple(_token(entry, content) for entry in listed)


def _token(entry: Any, content: str) -> Token:
    entry = mapping(entry)
    top = entry.get("top_logprobs")
    chosen, chosen_log = _pair(entry, content)
    pairs: list[tuple[str, float]] = []
    for text, log in (
        _pair(candidate, content)
        for candidate in (top if isinstance(top, list) else ())
    ):
        # Tokens that differ and are spelled alike have other probabilities, and all
        # count. Numbers as near as this are one, rounded in two ways.
        if not any(
            text == candidate and _near(log, other) for candidate, other in pairs
        ):
            pairs.append((text, log))
    # The chosen token comes twice, if it is among the likeliest, under either number.
    if all(text != chosen for text, _ in pairs):
        pairs.append((chosen, chosen_log))
    return Token(chosen, tuple(pairs))


def _near(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=0.0, abs_tol=SAME_TOKEN)


def _pair(entry: Any, content: str) -> tuple[str, float]:
    text = mapping(entry).get("token")
    log = log_probability(mapping(entry).get("logprob"))
    if not isinstance(text, str):
        raise NoAnswer(NOT_LOGS)
    for mark, meant in TOKEN_MARKS.items():
        if mark not in content:  # where it is, it is meant
            text = text.replace(mark, meant)
    return text, log


def log_probability(value: Any) -> float:
    """A number of at most 0, as a float; minus infinity is one.

    Raises:
        NoAnswer: If it is something else.
    """
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    # A rounding above 0 is one; not(...) also holds for NaN.
    if not is_number or not value <= 1e-3:
        raise NoAnswer(NOT_LOGS)
    # A whole number of JSON may be too large for a float.
    return float(value) if value > -1e300 else -math.inf


def mapping(value: Any) -> Mapping[str, Any]:
    """A table of JSON; an empty one in place of anything else."""
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def name(value: Any) -> str | None:
    """For signatures: bounded, in one line, without their separator."""
    if not isinstance(value, str):
        return None
    characters = (
        character if character.isprintable() and character != "|" else "_"
        for character in value
    )
    return "".join(characters)[:LONGEST_NAME]


def count(value: Any) -> int | None:
    """A number of tokens; None in place of anything else."""
    return value if type(value) is int and 0 <= value < 10**9 else None
