"""A study whose truth is known: stories in versions with counted damage.

Of the eight sentences of each version, 0, 2, 4 or 6 have their words in another order,
and 0, 1, 2 or 4 come from other stories. The first number is larger for some systems
than for others, the second one is not, and neither has anything to do with length or
with the story. Simulated workers see these shares through their own noise.
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

# How many stories have so many scrambled sentences, by system.
SCRAMBLED: dict[str, dict[int, int]] = {
    "system-a": {0: 12, 2: 6, 4: 4, 6: 2},
    "system-b": {0: 8, 2: 8, 4: 5, 6: 3},
    "system-c": {0: 3, 2: 5, 4: 8, 6: 8},
    "system-d": {0: 2, 2: 4, 4: 6, 6: 12},
}
FOREIGN = (0, 1, 2, 4)  # sentences from other stories, each as often for each system

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
        "key": "consistency",
        "title": "Consistency",
        "question": "Do all sentences belong to the story?",
        "low": "Most belong to another story",
        "middle": "Some belong to another story",
        "high": "All belong to this story",
    },
)
# What a text without damage would be rated, and how much all sentences would cost.
BEST, FLUENCY_LOST, CONSISTENCY_LOST = 4.7, 3.6, 5.2


@dataclass(frozen=True)
class Version:
    """One text of the study and what is known about it."""

    key: str
    prompt: str
    system: str
    text: str
    scrambled: float  # share of its sentences, in [0, 1]
    foreign: float

    @property
    def truth(self) -> tuple[float, float]:
        """Quality by aspect, from 1 to 5."""
        return (
            BEST - FLUENCY_LOST * self.scrambled,
            BEST - CONSISTENCY_LOST * self.foreign,
        )


def stories() -> list[list[str]]:
    """Sentences of each story. The first one is the prompt."""
    return [part.splitlines() for part in PATH.read_text("utf-8").split("\n\n")]


def versions() -> list[Version]:
    """All texts, the same ones each time."""
    rng = np.random.default_rng(SEED)
    told = stories()
    return [
        _version(number, told, system, scrambled, foreign, rng)
        for system, counts in SCRAMBLED.items()
        for number, (scrambled, foreign) in enumerate(_numbers(counts, rng))
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


def _numbers(
    counts: dict[int, int], rng: np.random.Generator
) -> Iterator[tuple[int, int]]:
    """For each story: scrambled and foreign sentences, one independent of the other."""
    scrambled = [n for n, stories in counts.items() for _ in range(stories)]
    foreign = [FOREIGN[i % len(FOREIGN)] for i in range(len(scrambled))]
    for i in rng.permutation(len(scrambled)):
        yield scrambled[i], foreign[i]


def _version(
    number: int,
    told: list[list[str]],
    system: str,
    scrambled: int,
    foreign: int,
    rng: np.random.Generator,
) -> Version:
    prompt, *sentences = told[number]
    others = [one for n, story in enumerate(told) if n != number for one in story[1:]]
    for place in rng.choice(SENTENCES, foreign, replace=False):
        sentences[place] = others.pop(int(rng.integers(len(others))))
    for place in rng.choice(SENTENCES, scrambled, replace=False):
        sentences[place] = _mixed(sentences[place], rng)
    return Version(
        key=f"story-{number + 1:02}-{system}",
        prompt=prompt,
        system=system,
        text=" ".join([prompt, *sentences]),
        scrambled=scrambled / SENTENCES,
        foreign=foreign / SENTENCES,
    )


def _mixed(sentence: str, rng: np.random.Generator) -> str:
    """Its words in another order. The first word and the full stop stay in place."""
    first, *rest = sentence.rstrip(".").split()
    mixed = rest
    while mixed == rest:
        mixed = [rest[i] for i in rng.permutation(len(rest))]
    return " ".join([first, *mixed]) + "."
