"""A study whose truth is known: stories in versions with counted damage.

Of the eight sentences of each version, 0, 2, 4 or 6 have their words in another order,
and 0, 1, 2 or 4 repeat an earlier sentence. Every story appears with every first
number, one for each system, and the second numbers rotate over them. So fluency differs
between systems by a known amount, variety does not differ between them, and neither
has anything to do with length. Simulated workers see these shares through their own
noise.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

PATH = Path(__file__).with_name("stories.txt")
FORMAT = "jsonl"
SEED = 2022
SENTENCES = 8  # of a version, after the first one, which is the prompt

SCRAMBLED = (0, 2, 4, 6)  # sentences, by system
REPEATED = (0, 1, 2, 4)  # sentences, rotating over systems
SYSTEMS = tuple(f"scrambled-{100 * n // SENTENCES}" for n in SCRAMBLED)

ASPECTS: tuple[dict[str, str], ...] = (
    {
        "key": "fluency",
        "title": "Fluency",
        "question": "Are the sentences correct English?",
        "low": "Hardly any",
        "middle": "About half",
        "high": "All of them",
    },
    {
        "key": "variety",
        "title": "Variety",
        "question": "Does each sentence say something new?",
        "low": "Most sentences repeat others",
        "middle": "Some sentences repeat others",
        "high": "Every sentence is new",
    },
)
# What a text without damage would be rated, and how much all sentences would cost.
BEST, FLUENCY_LOST, VARIETY_LOST = 4.7, 3.6, 5.2


@dataclass(frozen=True)
class Version:
    """One text of the study and what is known about it."""

    key: str
    prompt: str
    system: str
    text: str
    scrambled: float  # share of its sentences, in [0, 1]
    repeated: float

    @property
    def truth(self) -> tuple[float, float]:
        """Quality by aspect, from 1 to 5."""
        return (
            BEST - FLUENCY_LOST * self.scrambled,
            BEST - VARIETY_LOST * self.repeated,
        )


def stories() -> list[list[str]]:
    """Sentences of each story. The first one is the prompt."""
    return [part.splitlines() for part in PATH.read_text("utf-8").split("\n\n")]


def versions() -> list[Version]:
    """All texts, the same ones each time."""
    rng = np.random.default_rng(SEED)
    return [
        version
        for number, story in enumerate(stories())
        for version in _versions_of(number, story, rng)
    ]


def as_jsonl() -> bytes:
    """The texts as a file that the importer reads."""
    rows = (
        {
            "key": v.key,
            "prefix": v.prompt,
            "label": "",
            "system": v.system,
            "text": v.text,
        }
        for v in versions()
    )
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def _versions_of(
    number: int, story: list[str], rng: np.random.Generator
) -> Iterator[Version]:
    prompt, *sentences = story
    for at, scrambled in enumerate(SCRAMBLED):
        repeated = REPEATED[(at + number) % len(REPEATED)]
        order = _order(repeated, rng)
        mixed = {i: _mixed(sentences[i], rng) for i in _chosen(order, scrambled, rng)}
        yield Version(
            key=f"story-{number + 1:02}-{SYSTEMS[at]}",
            prompt=prompt,
            system=SYSTEMS[at],
            text=" ".join([prompt, *(mixed.get(i, sentences[i]) for i in order)]),
            scrambled=scrambled / SENTENCES,
            repeated=repeated / SENTENCES,
        )


def _order(repeated: int, rng: np.random.Generator) -> list[int]:
    """Which sentence stands where: so many of them repeat one right before them."""
    kept = SENTENCES - repeated
    twice = set(rng.choice(kept, repeated, replace=False).tolist())
    return [i for i in range(kept) for _ in range(2 if i in twice else 1)]


def _chosen(order: list[int], n: int, rng: np.random.Generator) -> list[int]:
    """Sentences that stand in exactly n places. Those that stand once come last."""
    found: list[int] = []
    left = n
    for i in sorted(rng.permutation(sorted(set(order))), key=lambda i: -order.count(i)):
        if order.count(i) <= left:
            found.append(int(i))
            left -= order.count(i)
    return found


def _mixed(sentence: str, rng: np.random.Generator) -> str:
    """Its words in another order. The first word and the full stop stay in place."""
    first, *rest = sentence.rstrip(".").split()
    mixed = rest
    while mixed == rest:
        mixed = [rest[i] for i in rng.permutation(len(rest))]
    return " ".join([first, *mixed]) + "."
