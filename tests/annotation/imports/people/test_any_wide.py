"""Whatever systems and columns are called: a wide row says the same, or is asked about.

Of one number each table has systems, names of columns, an order and values of its own.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tests.annotation.imports import given
from tests.annotation.imports.people.any_table import NOUNS, VERBS
from tests.annotation.imports.people.test_people import checked

SYSTEMS = (
    *("gpt4", "gpt-4.1", "llama 2", "Llama-2-7b", "t5", "ours", "baseline", "M1"),
    *("mistral_7b", "our model", "human", "Claude 3", "bart-large", "no_prompt", "X"),
)
TEXTS = ("output", "text", "response", "summary", "Generated text")
NUMBERS = ("coherence", "fluency", "bleu", "rouge-l")
PATTERNS = (
    "{system}_{name}",
    "{name}_{system}",
    "{system} {name}",
    "{name} ({system})",
)
PATTERNS = (*PATTERNS, "{system}.{name}", "{name}.{system}")
BESIDE = ("prompt", "article", "reference", "id")


class WideTable:
    def __init__(self, number: int) -> None:
        pick = Random(number)
        self.systems = pick.sample(SYSTEMS, pick.randint(2, 4))
        self.text, self.pattern = pick.choice(TEXTS), pick.choice(PATTERNS)
        self.names = pick.sample(NUMBERS, pick.randint(0, 3))
        self.right: set[tuple[str, str, str, float]] = set()
        beside = pick.sample(BESIDE, pick.randint(1, 3))
        rows = [self._row(n, pick, beside) for n in range(pick.randint(3, 12))]
        columns = list(rows[0])
        pick.shuffle(columns)
        cells = [[row[name] for name in columns] for row in rows]
        self.content = given.table(columns, cells)

    def _row(self, n: int, pick: Random, beside: list[str]) -> dict[str, Any]:
        row: dict[str, Any] = {name: f"A {name} of some words, {n}." for name in beside}
        for system in self.systems:
            words = pick.choice(NOUNS), pick.choice(VERBS), pick.choice(NOUNS)
            text = f"The {' '.join(words)} {n} times {system}."
            row[self.pattern.format(system=system, name=self.text)] = text
            self.right.add((text, system, "", 0))
            for name in self.names:
                is_rated = name in ("coherence", "fluency")
                value = pick.randint(1, 5) if is_rated else pick.random()
                row[self.pattern.format(system=system, name=name)] = value
                self.right.add((text, system, name, value))
        return row


@pytest.mark.parametrize("tens", range(20))
def test_texts_and_values_stand_at_their_system(tens):
    for number in range(10 * tens, 10 * tens + 10):
        check(WideTable(number))


def check(made: WideTable) -> None:
    sheet = checked(made.content)
    assert not sheet.problems
    assert {one.code for one in sheet.questions} <= {"shape", "ratings"}
    found = {(row.text, row.system, "", 0.0) for row in sheet}
    for row in sheet:
        found |= {(row.text, row.system, r.aspect, r.value) for r in row.ratings}
        found |= {(row.text, row.system, k, v) for k, v in row.scores.items()}
    assert found == made.right
