"""How a server tells the log-probabilities of a text's tokens, and whether it does."""

from __future__ import annotations

import math
from typing import NamedTuple

from scoring.endpoints.answers import Answer, Piece
from scoring.endpoints.client import Client
from scoring.endpoints.readings import Reading, missing
from scoring.endpoints.text_requests import PROBES, WAYS, request
from scoring.endpoints.token_spans import TokenSpans, token_spans
from scoring.endpoints.transport import Connection

# Between a token's number as it is written and as it is read, in nats. Servers that
# round to bfloat16 stay below; another token's number is seldom so near.
NEAR = 0.2
MARKS = "Ġ▁ "  # before a word, in the ways in which tokens are named


class Way(NamedTuple):
    """What a server gives. `starts`: it puts a mark before a text, which is given."""

    name: str
    starts: bool


class TextTokens(NamedTuple):
    """The tokens of a text with their numbers, and where they are."""

    pieces: tuple[Piece, ...]
    spelled: TokenSpans


async def detect(client: Client, line: Connection) -> tuple[Way | None, str]:
    """How the server gives log-probabilities of texts, or why it does not.

    Raises:
        MetricError: If the key was refused.
    """
    problems = {}
    for name in WAYS:
        way, problems[name] = await _try_way(client, line, name)
        if way is not None:
            return way, ""
    if len(set(problems.values())) == 1:
        return None, problems["echo"]
    return None, "; ".join(
        f"with {name}, {problem}" for name, problem in problems.items()
    )


def text_tokens(answer: Answer, text: str, name: str) -> TextTokens | str:
    """The tokens of a text, or why they are not known."""
    pieces = answer.written if name == "echo" else answer.prompt
    if not pieces or (name == "echo" and len(pieces) == 1):
        return "the server sent no log-probabilities of the text"
    tries = [pieces]
    if name == "echo":
        # The token that was written stands behind, unless it ended the text.
        cut = answer.finish_reason == "length"
        tries = [pieces[:-1]] if cut else [pieces[:-1], pieces]
    fitting = [
        TextTokens(pieces_, places)
        for pieces_ in tries
        if (places := token_spans([piece.text for piece in pieces_], text)) is not None
    ]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        return "it is not certain which tokens the server wrote itself"
    return "the tokens that the server sent do not spell the text"


async def _try_way(
    client: Client, line: Connection, name: str
) -> tuple[Way | None, str]:
    """Whether a token that the server writes has the same number when it is read.

    Some servers send that of the token behind.
    """
    for text in PROBES:
        first_answer, problem = await _ask_for_tokens(client, line, text, name)
        if first_answer is None:
            return None, problem
        answer, first = first_answer
        rest = answer.content.removeprefix(text)
        if not rest.strip() or not answer.written:
            continue
        again, _ = await _ask_for_tokens(client, line, text + rest, name)
        wrote = answer.written[-1]
        if again is None or not _is_longer(again[1], first, wrote):
            continue
        read = again[1].pieces[-1].log
        if _differ(read, wrote.log):
            return None, (
                "its log-probabilities do not belong to its tokens: a word that it"
                f" wrote with {_in_nats(wrote.log)} has {_in_nats(read)} when it is"
                " read"
            )
        return Way(name, bool(first.spelled.first)), ""
    return None, (
        "it is not certain that its log-probabilities belong to its tokens, because it"
        " did not read any word as it wrote it"
    )


async def _ask_for_tokens(
    client: Client, line: Connection, text: str, name: str
) -> tuple[tuple[Answer, TextTokens] | None, str]:
    accepted: list[tuple[Answer, TextTokens]] = []

    def read(answer: Answer) -> Reading:
        tokens = text_tokens(answer, text, name)
        if isinstance(tokens, str):
            return missing(tokens)
        accepted.append((answer, tokens))
        return Reading(0.0)

    reading = await client.ask(line, request(text, name), 0, read)
    return (accepted[-1], "") if accepted else (None, reading.reason)


def _is_longer(longer: TextTokens, shorter: TextTokens, by: Piece) -> bool:
    """Whether it is the same tokens and one more."""
    texts = [[piece.text for piece in tokens.pieces] for tokens in (longer, shorter)]
    same = texts[0][:-1] == texts[1]
    return same and (texts[0][-1] or "").strip(MARKS) == (by.text or "").strip(MARKS)


def _differ(first: float | None, second: float | None) -> bool:
    if first is None or second is None:
        return True
    return not math.isclose(first, second, rel_tol=0, abs_tol=NEAR)


def _in_nats(log: float | None) -> str:
    return "no number" if log is None else f"{log:.2f} nats"
