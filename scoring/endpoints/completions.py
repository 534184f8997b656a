"""A continuation of a text, with what the server says of the text's own tokens.

Servers send log-probabilities of a prompt in one of two forms: as those of an answer
that repeats the prompt (`echo`), or in a field of their own (`prompt_logprobs`, vLLM).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from scoring.endpoints.answers import (
    Answer,
    NoAnswer,
    Piece,
    Truncated,
    count,
    json_object,
    log_probability,
    mapping,
    name,
)

NOTHING = -9998.0  # and below: how servers write the logarithm of 0


def parsed(body: str) -> Answer:
    """The first choice of a completion. At most one token was to be written.

    With `echo`, `written` begins with the tokens of the prompt.

    Raises:
        Truncated: If the body is no complete JSON.
        ServerError: If it is the server's word that something went wrong.
        NoAnswer: If it is neither that nor a completion.
    """
    completion = json_object(body)
    choices = completion.get("choices")
    choice = mapping(choices[0]) if isinstance(choices, list) and choices else {}
    if not isinstance(choice.get("text"), str):
        raise NoAnswer("the server sent something else than a completion")
    usage = mapping(completion.get("usage"))
    of_prompt = choice.get("prompt_logprobs", completion.get("prompt_logprobs"))
    return Answer(
        model=name(completion.get("model")) or "",
        fingerprint=name(completion.get("system_fingerprint")),
        content=choice["text"],
        finish_reason=name(choice.get("finish_reason")),
        prompt=_of_prompt(of_prompt),
        written=_pieces_of_lists(mapping(choice.get("logprobs"))),
        tokens_in=count(usage.get("prompt_tokens")),
        tokens_out=count(usage.get("completion_tokens")),
    )


def compact(body: str) -> str:
    """What is kept of a body: all that `parsed` takes from it, and nothing else.

    A body that it cannot take apart is kept as it came. Numbers keep all their digits,
    and text beside them has only ASCII characters.
    """
    try:
        answer = parsed(body)
    except (Truncated, NoAnswer):
        return body
    choice = {
        "text": answer.content,
        "finish_reason": answer.finish_reason,
        "logprobs": _lists(answer.written),
        "prompt_logprobs": _lists(answer.prompt),
    }
    completion = {
        "model": answer.model,
        "system_fingerprint": answer.fingerprint,
        "choices": [choice],
        "usage": {
            "prompt_tokens": answer.tokens_in,
            "completion_tokens": answer.tokens_out,
        },
    }
    return json.dumps(completion, separators=(",", ":"))


def _lists(pieces: tuple[Piece, ...] | None) -> dict[str, list[Any]] | None:
    if pieces is None:
        return None
    texts, logs = [piece.text for piece in pieces], [piece.log for piece in pieces]
    return {"tokens": texts, "token_logprobs": logs}


def _pieces_of_lists(logprobs: Mapping[str, Any]) -> tuple[Piece, ...] | None:
    """Lists of equal length, one of texts and one of numbers."""
    texts, logs = logprobs.get("tokens"), logprobs.get("token_logprobs")
    if not isinstance(texts, list) or not isinstance(logs, list) or not texts:
        return None
    fits = all(text is None or isinstance(text, str) for text in texts)
    if len(texts) != len(logs) or not fits:
        raise NoAnswer("the server sent log-probabilities that do not fit its tokens")
    return _validated_pieces([Piece(*text) for text in zip(texts, logs, strict=True)])


def _of_prompt(logprobs: Any) -> tuple[Piece, ...] | None:
    """As servers send it, or as it is kept."""
    if isinstance(logprobs, list):
        return _places(logprobs)
    return _pieces_of_lists(logprobs) if isinstance(logprobs, dict) else None


def _places(listed: list[Any]) -> tuple[Piece, ...] | None:
    """One table for each token, of that token alone; the first is null."""
    pieces = []
    for position in listed:
        entries = list(mapping(position).values())
        if position is None:
            pieces.append(Piece(None, None))
        elif len(entries) == 1:
            entry = mapping(entries[0])
            text = entry.get("decoded_token")
            text = text if isinstance(text, str) else None
            pieces.append(Piece(text, entry.get("logprob")))
        else:  # which of them the prompt has is not said
            raise NoAnswer("the server sent several log-probabilities of one token")
    return _validated_pieces(pieces)


def _validated_pieces(pieces: list[Piece]) -> tuple[Piece, ...] | None:
    """Numbers that are log-probabilities, of all tokens but the first."""
    checked = []
    for k, piece in enumerate(pieces):
        if piece.log is None and k > 0:
            raise NoAnswer("the server sent no log-probability of some tokens")
        log = None if piece.log is None else log_probability(piece.log)
        if log is not None:
            log = float("-inf") if log <= NOTHING else min(log, 0.0)
        checked.append(Piece(piece.text, log))
    return tuple(checked) or None
