"""A continuation of a text, with what the server says of the text's own tokens.

Servers send log-probabilities of a prompt in one of two forms: as those of an answer
that repeats the prompt (`echo`), or in a field of their own (`prompt_logprobs`, vLLM).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from scoring.metrics._judge.answers import (
    Answer,
    NoAnswer,
    Piece,
    Truncated,
    count,
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
        NoAnswer: If it is, but no completion.
    """
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        raise Truncated("the server sent incomplete JSON") from None
    choices = given.get("choices") if isinstance(given, dict) else None
    choice = mapping(choices[0]) if isinstance(choices, list) and choices else {}
    if not isinstance(choice.get("text"), str):
        raise NoAnswer("the server sent something else than a completion")
    usage = mapping(given.get("usage"))
    of_prompt = choice.get("prompt_logprobs", given.get("prompt_logprobs"))
    return Answer(
        model=name(given.get("model")) or "",
        fingerprint=name(given.get("system_fingerprint")),
        content=choice["text"],
        finish_reason=name(choice.get("finish_reason")),
        prompt=_places(of_prompt) if isinstance(of_prompt, list) else None,
        written=_listed(mapping(choice.get("logprobs"))),
        tokens_in=count(usage.get("prompt_tokens")),
        tokens_out=count(usage.get("completion_tokens")),
    )


def _listed(logprobs: Mapping[str, Any]) -> tuple[Piece, ...] | None:
    """Lists of equal length, one of texts and one of numbers."""
    texts, logs = logprobs.get("tokens"), logprobs.get("token_logprobs")
    if not isinstance(texts, list) or not isinstance(logs, list) or not texts:
        return None
    if len(texts) != len(logs) or not all(isinstance(one, str) for one in texts):
        raise NoAnswer("the server sent log-probabilities that do not fit its tokens")
    return _checked([Piece(*one) for one in zip(texts, logs, strict=True)])


def _places(listed: list[Any]) -> tuple[Piece, ...] | None:
    """One table for each token, of that token alone; the first is null."""
    pieces = []
    for one in listed:
        entries = list(mapping(one).values())
        if one is None:
            pieces.append(Piece(None, None))
        elif len(entries) == 1:
            told = mapping(entries[0])
            text = told.get("decoded_token")
            text = text if isinstance(text, str) else None
            pieces.append(Piece(text, told.get("logprob")))
        else:  # which of them the prompt has is not said
            raise NoAnswer("the server sent several log-probabilities of one token")
    return _checked(pieces)


def _checked(pieces: list[Piece]) -> tuple[Piece, ...] | None:
    """Numbers that are log-probabilities, of all tokens but the first."""
    found = []
    for k, piece in enumerate(pieces):
        if piece.log is None and k > 0:
            raise NoAnswer("the server sent no log-probability of some tokens")
        log = None if piece.log is None else log_probability(piece.log)
        if log is not None:
            log = float("-inf") if log <= NOTHING else min(log, 0.0)
        found.append(Piece(piece.text, log))
    return tuple(found) or None
