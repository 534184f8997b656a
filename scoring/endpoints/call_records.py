"""What is kept of each call. Whoever keeps it elsewhere passes a `Keeper`."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import NamedTuple, Protocol

LONGEST_ANSWER = 20_000  # characters that are kept of what a server sent
LONGEST_OF_TEXTS = 1_000_000  # where it is the tokens of a text, each with its number


@dataclass(frozen=True, slots=True)
class Call:
    """One attempt to get one answer, successful or not. Without key and address."""

    endpoint: str
    model_asked: str
    model_answered: str | None  # None where no answer could be read
    fingerprint: str | None
    prompt_hash: str
    parameters: str  # JSON with sorted keys
    sample: int  # from 1; 0 is the probe
    attempt: int  # from 1, over all that was tried for this sample
    # Of HTTP, or of an error object in a response with 200; None: no response.
    status: int | None
    answer: str  # as it came, bounded
    finish_reason: str | None
    tokens_in: int | None
    tokens_out: int | None
    milliseconds: int
    problem: str  # "" where the answer has a score
    key: str = ""  # see the function `key`


class Earlier(NamedTuple):
    """A call that was made before, as far as it counts for the next."""

    attempt: int
    status: int | None
    answer: str
    problem: str
    mine: bool  # made for the same run; of others only their answers count


def key(
    endpoint: str,
    model: str,
    prompt_hash: str,
    parameters: str,
    sample: int,
) -> str:
    """Of everything that an answer is kept and used again for, in one word.

    Who answered is no part of it: names and fingerprints change, and no answer is paid
    for twice. Whoever wants those of one model alone leaves the others out.
    """
    parts = [endpoint, model, None, prompt_hash, parameters, sample]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


class Keeper(Protocol):
    """Gets each call as soon as it has ended."""

    def keep(self, call: Call) -> None: ...


class InMemory:
    """Keeps calls in a list."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def keep(self, call: Call) -> None:
        self.calls.append(call)
