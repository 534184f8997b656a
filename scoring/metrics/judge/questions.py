"""What an LLM judge is asked: questions with their scales, and the fields in them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from annotation import storable
from scoring.endpoints import requests
from scoring.metrics._engine.base import OptionError, output_key

MOST_QUESTIONS, MOST_CHARACTERS = 20, 1000
LONGEST_WORDS = 200  # of one number of a scale
HIGHEST = 100  # number of a scale, as of people's
ONE_TOKEN = 9  # the highest number that is one token of every model
# What a question, its words and its steps may name, besides the ends of the scale.
OF_TEXT = ("text", "prefix", "label", "source", "reference")
FIELDS = (*OF_TEXT, "low", "high")

_KEY = re.compile(r"[A-Za-z0-9_-]{1,50}")  # what a study's aspects may be called
# The rest of the line is taken as it is: searching for the end of its last word from
# every space took minutes for a line of spaces.
_LINE = re.compile(r"([^\s:]+)(?:\s+([0-9]{1,4})\s*-\s*([0-9]{1,4}))?\s*:(.*)")
# Also {Label} and { label }, which are typing errors: JSON in a prompt has quotes.
_BRACES = re.compile(r"\{\s*[A-Za-z_]\w*\s*\}")


class Question(NamedTuple):
    """What is asked about a text, and the ends of the scale of the answer."""

    key: str
    question: str
    low: int = 1
    high: int = 5
    higher_is_better: bool = True
    words: tuple[tuple[int, str], ...] = ()  # what people are told of some numbers

    @property
    def output(self) -> str:
        """Key of the output with the answers."""
        return output_key(self.key)

    @property
    def numbers(self) -> range:
        return range(self.low, self.high + 1)

    @property
    def asked(self) -> str:
        """The question, and the words of its scale as people see them."""
        said = (f"{number} = {words}" for number, words in self.words)
        return "\n".join([self.question, *said])


def parse_questions(text: str) -> tuple[Question, ...]:
    """Read questions: a JSON list of objects, or a line for each.

    JSON has "key" and "question", and may have "low", "high", "higher_is_better" and
    "words", which says what numbers mean: {"1": "poor", "5": "excellent"}.
    A line is `key: question`, or `key 1-7: question`.

    Raises:
        OptionError: If they will not do; names all that is wrong.
    """
    rows = _from_json(text) if text.lstrip().startswith("[") else _from_lines(text)
    if not 1 <= len(rows) <= MOST_QUESTIONS:
        raise OptionError(
            f"aspects: expected 1 to {MOST_QUESTIONS} questions, found {len(rows)}"
        )
    problems = [
        f"aspect {number}: {problem}"
        for number, row in enumerate(rows, start=1)
        for problem in _problems(row)
    ]
    keys = [output_key(str(row.get("key"))) for row in rows]
    if repeated := sorted({key for key in keys if keys.count(key) > 1}):
        problems.append(
            f"given more than once (- and _ are alike): {', '.join(repeated)}"
        )
    if problems:
        raise OptionError(f"aspects: {'; '.join(problems)}")
    return tuple(_question(row) for row in rows)


def _question(row: Mapping[str, Any]) -> Question:
    words = sorted((int(number), said) for number, said in row.get("words", {}).items())
    return Question(**{**row, "words": tuple(words)})


def _from_json(text: str) -> list[dict[str, Any]]:
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError):
        raise OptionError(
            'aspects: not JSON; expected [{"key": "...", "question": "..."}], '
            "or lines like `fluency: How fluent is the text?`"
        ) from None
    if said := storable.problem_in(rows):  # JSON can write what its text has not
        raise OptionError(f"aspects: the JSON {said}")
    if not all(isinstance(row, dict) for row in rows):
        raise OptionError('aspects: expected a list of {"key": ..., "question": ...}')
    return rows


def _from_lines(text: str) -> list[dict[str, Any]]:
    rows = []
    for line in filter(str.strip, text.splitlines()):
        found = _LINE.fullmatch(line.strip())
        if found is None:
            raise OptionError(
                f"aspects: {line.strip()[:100]!r} is not like `fluency: How fluent is "
                f"the text?` or `fluency 1-7: How fluent is the text?`"
            )
        key, low, high, question = found.groups()
        scale = {"low": int(low), "high": int(high)} if low else {}
        rows.append({"key": key, "question": question.strip(), **scale})
    return rows


def _problems(row: Mapping[str, object]) -> list[str]:
    found = []
    if unknown := sorted(set(row) - set(Question._fields)):
        found.append(
            f"unknown {', '.join(unknown)[:100]}; there are: "
            f"{', '.join(Question._fields)}"
        )
    key, question = row.get("key"), row.get("question")
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        found.append(f"key {str(key)[:60]!r}: expected letters, digits, - and _")
    if not isinstance(question, str) or not 1 <= len(question) <= MOST_CHARACTERS:
        found.append(f"expected a question of 1 to {MOST_CHARACTERS} characters")
    low, high = row.get("low", 1), row.get("high", 5)
    if not _is_scale(low, high):
        found.append(
            f"scale {low!r:.20} to {high!r:.20}: expected whole numbers from 0 to"
            f" {HIGHEST} that go up"
        )
    if not isinstance(row.get("higher_is_better", True), bool):
        found.append("higher_is_better: expected true or false")
    if not _are_words(row.get("words", {}), low, high):
        found.append(
            f"words: expected words of up to {LONGEST_WORDS} characters for numbers of"
            ' the scale, such as {"1": "poor", "5": "excellent"}'
        )
    words = row.get("words")
    said = words.values() if isinstance(words, dict) else ()
    found += problems_of_fields("\n".join(map(str, [question, *said])), FIELDS)
    return found


def check_one_token(asked: Iterable[Question]) -> None:
    """Raise OptionError for numbers that some models write as several tokens."""
    for one in asked:
        if one.high > ONE_TOKEN:
            raise OptionError(
                f"aspects: {one.key}: the mode logprobs reads one token, and {one.high}"
                " may take several: choose the mode samples, answer or form, or ask on"
                f" a scale to {ONE_TOKEN}"
            )


def problems_of_fields(text: str, fields: Iterable[str]) -> list[str]:
    """Braces around a word that is none of the fields."""
    there = [f"{{{field}}}" for field in fields]
    unknown = sorted(set(_BRACES.findall(text)) - set(there))
    return [f"unknown {one:.60}; there are: {', '.join(there)}" for one in unknown]


def _is_scale(low: object, high: object) -> bool:
    whole = type(low) is int and type(high) is int
    return whole and 0 <= low < high <= HIGHEST  # type: ignore[operator]


def _are_words(words: object, low: Any, high: Any) -> bool:
    if not _is_scale(low, high):
        return True  # the scale is wrong, which was said
    return isinstance(words, dict) and all(
        number in {str(n) for n in range(low, high + 1)}
        and isinstance(said, str)
        and 1 <= len(said.strip()) <= LONGEST_WORDS
        for number, said in words.items()
    )


def digest(content: Any) -> str:
    """Short content hash, for signatures."""
    if isinstance(content, list | tuple):
        content = [_bare(one) for one in content]
    return requests.digest(content)


def _bare(content: Any) -> Any:
    """A question without words is hashed as before there were any."""
    if isinstance(content, Question) and not content.words:
        return content[:-1]
    return content
