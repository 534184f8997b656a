"""A file in the layout of FED, in our own words: 125 dialogues, 375 rated turns.

Each turn and each dialogue has a true quality, and five raters who see it with noise:
so agreement is high, and a metric that knows the truth correlates with people.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

DIALOGUES, MARKED, RATERS = 125, 3, 5
SYSTEMS = ("Aster", "Basil", "Human")
OF_TURNS = {"Interesting": 2, "Fluent": 2, "Understandable": 1, "Overall": 4}
OF_DIALOGUES = {"Coherent": 2, "Error recovery": 2, "Overall": 4}
NOT_APPLICABLE = "N/A (there were no errors)"

ASKED = (
    "What did you do at the weekend?",
    "Do you like the sea?",
    "Which train goes to the harbour?",
    "Have you read anything good?",
    "What shall we cook tonight?",
    "Is it going to rain tomorrow?",
)
GOOD = (
    "I took the ferry to the island and walked along the cliffs.",
    "Yes, above all in the winter, when the beaches are empty.",
    "The one at ten past nine; you change at the old market.",
    "A novel about a lighthouse keeper, and I could not put it down.",
    "There are leeks and potatoes left, so I would make a soup.",
    "They say so, but the wind may carry the clouds away by noon.",
)
BAD = (
    "I do not know.",
    "Yes.",
    "Trains are a kind of vehicle.",
    "No no no books.",
    "Cook is a word.",
    "Tomorrow is a day.",
)


def records(seed: int = 5) -> list[dict[str, Any]]:
    """Three turns and then their dialogue, as the file has them, 125 times."""
    rng = np.random.default_rng(seed)
    found: list[dict[str, Any]] = []
    for number in range(DIALOGUES):
        found += _dialogue(number, rng)
    return found


def content(seed: int = 5) -> bytes:
    return json.dumps(records(seed)).encode()


def _dialogue(number: int, rng: np.random.Generator) -> list[dict[str, Any]]:
    system = SYSTEMS[number % len(SYSTEMS)]
    whole = rng.uniform()
    lines = ["User: Hi!", f"System: Hello, this is talk {number}."]
    found = []
    for turn in range(MARKED):
        at = int(rng.integers(len(ASKED)))
        quality = float(np.clip(whole + rng.normal(0, 0.25), 0, 1))
        lines.append(f"User: {ASKED[at]}")
        response = f"System: {(GOOD if quality > 0.5 else BAD)[at]}"
        ratings = {n: _rated(quality, last, rng) for n, last in OF_TURNS.items()}
        found.append(_record("\n".join(lines), response, system, ratings))
        if turn < MARKED - 1:  # FED's whole dialogues end before the last response
            lines.append(response)
    ratings = {n: _rated(whole, last, rng) for n, last in OF_DIALOGUES.items()}
    ratings["Error recovery"][0] = NOT_APPLICABLE
    return [*found, _record("\n".join(lines), None, system, ratings)]


def _rated(truth: float, last: int, rng: np.random.Generator) -> list[Any]:
    seen = np.clip(truth + rng.normal(0, 0.15, RATERS), 0, 1)
    return np.rint(seen * last).astype(int).tolist()


def _record(
    context: str, response: str | None, system: str, ratings: dict[str, list[Any]]
) -> dict[str, Any]:
    said = {} if response is None else {"response": response}
    return {"context": context, **said, "system": system, "annotations": ratings}
