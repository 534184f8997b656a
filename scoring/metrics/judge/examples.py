"""Texts that people rated, shown to a judge before it rates another.

They are never of the prompt that is scored, nor the text that is. Which ones is chosen
by a seed, and is part of the signature.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from annotation import storable
from scoring.metrics._engine.base import Example, OptionError, output_key
from scoring.metrics.judge import prompts
from scoring.metrics.judge.questions import Question

MOST = 10  # shown with one question
SPARE = 2  # of other prompts, where one shown is of the prompt that is scored
MOST_RATED, LONGEST_ROW = 100_000, 1_000_000
FIELDS = ("text", "prefix", "source", "label", "id")
EXPECTED = 'expected {"text": "...", "ratings": {"fluency": 4}}'

INTRODUCTION = "People rated these texts. Below each is the number that they gave it."
TURN = "Rate the next text in the same way."


class RatedText(NamedTuple):
    """A text with the ratings of people, means or single ones, by aspect."""

    example: Example
    ratings: Mapping[str, float]  # by the key of the output with the answers
    id: str = ""

    @property
    def prompt(self) -> tuple[str, ...]:
        return prompt_of(self.example)

    def number(self, question: Question) -> int | None:
        """The rating as an answer is one: a whole number of the scale."""
        rating = self.ratings.get(question.output, math.nan)
        if not question.low <= rating <= question.high:
            return None
        return math.floor(rating + 0.5)

    def can_show(self, question: Question) -> bool:
        """Whether it has a number, and all that the question names."""
        lacks = prompts.lacks(self.example, question.question)
        return self.number(question) is not None and not lacks


def bare(example: Example) -> Example:
    """The text and its prompt: all that is shown and kept."""
    given = example.prefix, example.label, example.source
    return Example(example.text, *given, example.references)


def prompt_of(example: Example) -> tuple[str, ...]:
    """What texts of one prompt share. A text without a prompt is its own.

    Prompts that differ in their label alone count as one.
    """
    asked = (example.prefix, example.source)
    if any(asked):
        return asked
    return ("label", example.label) if example.label else ("text", _plain(example.text))


def read(text: str) -> list[RatedText]:
    """Rated texts: a JSON object in each line.

    An object has "text" and "ratings" and may have "prefix", "source", "label", "id",
    and the list "references".

    Raises:
        OptionError: At the first line that will not do.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) > MOST_RATED:
        raise OptionError(f"rated: expected at most {MOST_RATED:,} texts")
    return [_row(line, number) for number, line in enumerate(lines, start=1)]


def written(rows: Iterable[RatedText]) -> str:
    """The lines that `read` reads."""
    return "\n".join(
        json.dumps(
            {
                "text": row.example.text,
                "prefix": row.example.prefix,
                "source": row.example.source,
                "label": row.example.label,
                "references": row.example.references,
                "id": row.id,
                "ratings": dict(row.ratings),
            },
            ensure_ascii=False,
        )
        for row in rows
    )


def chosen(
    rows: Iterable[RatedText], question: Question, n: int, seed: int
) -> list[RatedText]:
    """N and some to spare, each of another prompt, in an order by the seed.

    The same ones are chosen again from any part of the texts that has them.

    Raises:
        OptionError: If too few prompts have a rated text.
    """
    found: dict[tuple[str, ...], RatedText] = {}
    able = (row for row in rows if row.can_show(question))
    for row in sorted(able, key=lambda row: order(row.id, row.example, question, seed)):
        found.setdefault(row.prompt, row)
        if len(found) == n + SPARE:
            break
    if len(found) < n + 1:
        raise OptionError(
            f"examples={n}: {question.key} needs rated texts of {n + 1} prompts, and"
            f" there {'is' if len(found) == 1 else 'are'} {len(found)}. Ask for fewer,"
            " or have more texts rated"
        )
    return list(found.values())


def order(name: str, example: Example | None, question: Question, seed: int) -> str:
    """Sorts rated texts by chance: a hash of the name, or else of the text."""
    texts = (example.prefix, example.source, example.text) if example else ()
    named = name or "\x1f".join(texts)
    return hashlib.sha256(f"{seed}\x1f{question.key}\x1f{named}".encode()).hexdigest()


def fit(rows: Sequence[RatedText], example: Example, n: int) -> list[RatedText]:
    """The first n that are of other prompts, and other texts, than this one."""
    own, text = prompt_of(example), _plain(example.text)
    fits = (
        row for row in rows if row.prompt != own and _plain(row.example.text) != text
    )
    return [row for row, _ in zip(fits, range(n), strict=False)]


def block(rows: Sequence[RatedText], question: Question) -> str:
    """What stands before a prompt."""
    numbers = [(row.example, row.number(question)) for row in rows]
    shown = [prompts.rated(text, question, n) for text, n in numbers if n is not None]
    return "\n\n".join([INTRODUCTION, *shown, TURN, ""]) if shown else ""


def _row(line: str, number: int) -> RatedText:
    def refuse(what: str) -> OptionError:
        return OptionError(f"rated: line {number}: {what}")

    if len(line) > LONGEST_ROW:
        raise refuse(f"expected at most {LONGEST_ROW:,} characters")
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise refuse(f"not JSON; {EXPECTED}") from None
    if not isinstance(row, dict) or not isinstance(row.get("ratings"), dict):
        raise refuse(EXPECTED)
    if said := storable.problem_in(row):
        raise refuse(f"the JSON {said}")
    texts = {field: row.get(field, "") for field in FIELDS}
    texts["id"] = str(texts["id"])
    references = row.get("references", [])
    is_list = isinstance(references, list)
    words = [*texts.values(), *(references if is_list else [None])]
    if not all(isinstance(one, str) for one in words) or not texts["text"]:
        raise refuse(EXPECTED)
    given = row["ratings"].items()
    ratings = {output_key(k): v for k, v in given if v is not None}
    if not all(map(_is_number, ratings.values())):
        raise refuse("ratings: expected numbers or null")
    name = texts.pop("id")
    return RatedText(Example(**texts, references=tuple(references)), ratings, name)


def _is_number(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and abs(value) <= 1e9


def _plain(text: str) -> str:
    return " ".join(text.split())
