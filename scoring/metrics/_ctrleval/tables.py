"""Prompts and verbalizers for attribute relevance: the paper's, and your own.

`SENTIMENT` and `TOPIC` are Table 8 of Ke et al. (2022). Tables for other labels come as
JSON or as two files; all problems are reported at once, each with what was expected
instead. Nothing here knows where the texts come from: web forms use it too.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from annotation import storable
from scoring.metrics._ctrleval import both_sides
from scoring.metrics._ctrleval.both_sides import (
    Patterns,
    output_of,
    problems_of_names,
)
from scoring.metrics._ctrleval.placeholders import (
    CONTINUATION,
    CONTROL,
    MASK,
    MEANINGS,
    TEXT,
    attributes,
)
from scoring.metrics._ctrleval.problems import repeated, wrong_size, wrong_texts
from scoring.metrics._engine.base import OptionError
from scoring.metrics._engine.labels import folded, place_of

__all__ = [
    "MASK",
    "MEANINGS",
    "TEXT",
    "Patterns",
    "Table",
    "TableError",
    "checked",
    "checked_patterns",
    "output_of",
    "patterns_from_lines",
    "problems_of_names",
    "table_from_files",
    "tables_from_json",
]


class Table(NamedTuple):
    """Pattern evaluators: every prompt with every row of words."""

    labels: tuple[str, ...]
    prompts: tuple[str, ...]  # with TEXT and MASK; PREFIX and SOURCE, too, if wanted
    words: tuple[tuple[str, ...], ...]  # rows of one word per label

    def place(self, label: str) -> int | None:
        """Where a label stands; None: there are no words for it."""
        return place_of(label, self.labels)

    def covers(self, label: str) -> bool:
        """Whether there are words for a label, or for one of its parts."""
        parts = [label, *(one.value for one in attributes(label))]
        return any(self.place(part) is not None for part in parts)

    @property
    def n_evaluators(self) -> int:
        return len(self.prompts) * len(self.words)

    def hash(self) -> str:
        """Content hash for signatures."""
        return f"sha256:{hashlib.sha256(repr(tuple(self)).encode()).hexdigest()[:16]}"


def _both_orders(*prompts: str) -> tuple[str, ...]:
    """Each prompt after the text, then before it."""
    return tuple(
        order
        for prompt in prompts
        for order in (f"{TEXT} {prompt}", f"{prompt} {TEXT}")
    )


SENTIMENT = Table(
    labels=("negative", "positive"),
    prompts=_both_orders(
        f"In summary, it was {MASK}.",
        f"To sum up, it was {MASK}.",
        f"All in all, it was {MASK}.",
        f"In brief, it was {MASK}.",
        f"It was {MASK}.",
        f"It seems {MASK}.",
        f"It appears {MASK}.",
        f"It becomes {MASK}.",
        f"Really {MASK}!",
        f"Just {MASK}!",
        f"Actually {MASK}!",
        f"So {MASK}!",
    ),
    words=(("bad", "good"), ("negative", "positive"), ("terrible", "great")),
)

TOPIC = Table(
    labels=("computers", "politics", "religion", "science"),
    prompts=_both_orders(
        f"News: {MASK}",
        f"Article: {MASK}",
        f"Summary: {MASK}",
        f"Report: {MASK}",
        f"It was about {MASK}.",
        f"It was around {MASK}.",
        f"It was related to {MASK}.",
        f"It was towards {MASK}.",
        f"It was a piece of {MASK} news.",
        f"It was a {MASK} article.",
        f"It was a {MASK} summary.",
        f"It was a {MASK} report.",
        f"What {MASK} news!",
        f"What a {MASK} article!",
        f"What a {MASK} summary!",
        f"What a {MASK} report!",
    ),
    words=(("computers", "politics", "religion", "science"),),
)

TABLES = {"sentiment": SENTIMENT, "topic": TOPIC}

MAX_JSON = 1_000_000  # characters
MAX_TABLES = 20
MAX_LABELS = 50
MAX_PROMPTS = 200
MAX_ROWS = 50
MAX_QUESTIONS = 5000  # prompts x rows x labels: what the model is asked for each text
MAX_PROMPT = 1000  # characters
MAX_WORD = 100
TOLD = 20  # problems in one message

RESERVED = ("auto", *TABLES)
FIELDS = ("labels", "prompts", "words")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_SHAPE = '{"labels": [...], "prompts": [...], "words": [[...], ...]}'
_PATTERNS = '{"control": "...", "patterns": [["what it reads", "what fills the gap"]]}'


class TableError(OptionError):
    """Evaluators are not valid. `problems` has a sentence for each reason."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = list(problems)
        more = len(self.problems) - TOLD
        rest = f"; and {more} more" if more > 0 else ""
        super().__init__(f"tables: {'; '.join(self.problems[:TOLD])}{rest}")


def checked(
    labels: Sequence[str], prompts: Sequence[str], words: Sequence[Sequence[str]]
) -> Table:
    """A table of evaluators; white space around its texts does not count.

    `words` are rows of one word per label. Each prompt with each row is an evaluator.

    Raises:
        TableError: With everything that is wrong.
    """
    problems: list[str] = []
    if not (_texts(labels) and _texts(prompts) and _rows(words)):
        raise TableError([f"expected lists of texts, {_SHAPE}"])
    table = Table(_stripped(labels), _stripped(prompts), tuple(map(_stripped, words)))
    problems += _problems_of_labels(table.labels)
    problems += _problems_of_prompts(table.prompts)
    problems += _problems_of_words(table)
    questions = len(table.prompts) * len(table.words) * len(table.labels)
    if questions > MAX_QUESTIONS:
        problems.append(
            f"prompts x rows of words x labels are {questions} questions for each "
            f"text, expected at most {MAX_QUESTIONS}"
        )
    if problems:
        raise TableError(problems)
    return table


def checked_patterns(control: str, patterns: Sequence[Sequence[str]]) -> Patterns:
    """Evaluators with an input and an output pattern each, (f, g).

    `control` names the control that <control> stands for; "" is the whole label.

    Raises:
        TableError: With everything that is wrong.
    """
    if not isinstance(control, str) or not _rows(patterns):
        raise TableError([f"expected {_PATTERNS}"])
    if any(len(pair) != 2 for pair in patterns):
        raise TableError(
            [
                "each pattern: expected two texts, what the model reads and"
                " what fills the gap"
            ]
        )
    pairs = tuple((read.strip(), written.strip()) for read, written in patterns)
    table = Patterns(control.strip(), pairs)
    most = both_sides.MAX_PATTERNS
    problems = wrong_size("patterns", len(pairs), 1, most)
    for number, pair in enumerate(pairs, start=1):
        found = wrong_texts(f"pattern {number}: side", pair, MAX_PROMPT)
        problems += found or both_sides.problems_of_pattern(number, *pair)
    problems += wrong_texts("control", [control] if control else [], MAX_WORD)
    problems += both_sides.problems_of_control(table.control, pairs)
    problems += repeated("pattern", [f" {both_sides.ARROW} ".join(p) for p in pairs])
    if problems:
        raise TableError(problems)
    return table


def problem_of_name(name: str) -> str | None:
    """Why evaluators cannot have this name, if so."""
    if not _NAME.fullmatch(name):
        return f"name {name[:100]!r}: expected 1 to 64 letters, digits, - or _"
    if name in RESERVED:
        return f"name {name!r} is taken by the evaluators of the paper: choose another"
    return None


def tables_from_json(text: str) -> dict[str, Table | Patterns]:
    """Tables by name, from `{"NAME": {"labels": .., "prompts": .., "words": ..}}`.

    Or from `{"NAME": {"control": .., "patterns": [[f, g], ..]}}`.

    Raises:
        TableError: With everything that is wrong.
    """
    found = _parsed(text)
    problems: list[str] = []
    if len(found) > MAX_TABLES:
        problems.append(f"{len(found)} tables, expected {MAX_TABLES} at most")
    tables: dict[str, Table | Patterns] = {}
    for name, content in list(found.items())[:MAX_TABLES]:
        if problem := problem_of_name(name):
            problems.append(problem)
        try:
            tables[name] = _from_object(content)
        except TableError as error:
            problems += [f"{name[:64]}: {problem}" for problem in error.problems]
    problems += problems_of_names(tables)
    if problems:
        raise TableError(problems)
    return tables


def table_from_files(prompts: str, verbalizers: str) -> Table:
    """A table from the contents of two files, as the authors' code has them.

    Prompts: one per line, with <gen_result> for the text and <mask_token> for the gap.
    Verbalizers: the labels in the first line, words for them in that order in each
    further line, with tabs between. Empty lines do not count.

    Raises:
        TableError: With everything that is wrong.
    """
    rows = [line.split("\t") for line in _lines(verbalizers)]
    expected = (
        "expected the labels there and words in each further line, separated by tabs"
    )
    if not rows or len(rows[0]) < 2:
        raise TableError([f"verbalizers: no tab in the first line, {expected}"])
    if len(rows) < 2:
        raise TableError([f"verbalizers: nothing after the first line, {expected}"])
    return checked(rows[0], _lines(prompts), rows[1:])


def _parsed(text: str) -> dict[str, object]:
    if len(text) > MAX_JSON:
        raise TableError([f"{len(text)} characters, expected {MAX_JSON} at most"])
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TableError([f"not JSON: {str(error)[:100]}"]) from None
    if said := storable.problem_in(found):
        raise TableError([f"the file {said}"])
    if not isinstance(found, dict) or not found:
        raise TableError([f'expected an object like {{"NAME": {_SHAPE}}}'])
    return found


def _from_object(content: Any) -> Table | Patterns:
    if isinstance(content, dict) and {"patterns"} <= set(content) <= {
        *both_sides.FIELDS
    }:
        return checked_patterns(content.get("control", ""), content["patterns"])
    if not isinstance(content, dict) or set(content) != set(FIELDS):
        raise TableError([f"expected {_SHAPE} or {_PATTERNS} and nothing else"])
    return checked(*(content[field] for field in FIELDS))


def _lines(text: str) -> list[str]:
    lines = text.removeprefix("\ufeff").splitlines()
    # Tabs at the ends stay: they are words that were left empty.
    return [line for line in lines if line.strip()]


def patterns_from_lines(control: str, text: str) -> Patterns:
    """From one pattern per line, => between what is read and what fills the gap.

    Raises:
        TableError: With everything that is wrong.
    """
    rows = [line.split(both_sides.ARROW) for line in _lines(text)]
    if wrong := [number for number, row in enumerate(rows, 1) if len(row) != 2]:
        lines = ", ".join(map(str, wrong[:TOLD]))
        raise TableError(
            [
                f"pattern {lines}: expected {both_sides.ARROW} once, between what the"
                " model reads and what fills the gap"
            ]
        )
    return checked_patterns(control, rows)


def _texts(found: Any) -> bool:
    return isinstance(found, (list, tuple)) and all(isinstance(x, str) for x in found)


def _rows(found: Any) -> bool:
    return isinstance(found, (list, tuple)) and all(map(_texts, found))


def _stripped(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(text.strip() for text in texts)


def _problems_of_labels(labels: Sequence[str]) -> list[str]:
    problems = wrong_size("labels", len(labels), 2, MAX_LABELS)
    problems += wrong_texts("label", labels, MAX_WORD)
    # A text's label is found in any case, so two of a kind could not be told apart.
    return problems + repeated("label", [folded(label) for label in labels])


def _problems_of_prompts(prompts: Sequence[str]) -> list[str]:
    problems = wrong_size("prompts", len(prompts), 1, MAX_PROMPTS)
    problems += wrong_texts("prompt", prompts, MAX_PROMPT)
    for number, prompt in enumerate(prompts, start=1):
        for what, place in (("the text", TEXT), ("the gap", MASK)):
            if (times := prompt.count(place)) != 1:
                problems.append(
                    f"prompt {number} has {place} {times} times, expected once, where "
                    f"{what} goes"
                )
        for place in (CONTINUATION, CONTROL):
            if place in prompt:
                problems.append(
                    f"prompt {number} has {place}, which only patterns with two sides"
                    " can have"
                )
    return problems + repeated("prompt", prompts)


def _problems_of_words(table: Table) -> list[str]:
    problems = wrong_size("rows of words", len(table.words), 1, MAX_ROWS)
    for number, row in enumerate(table.words, start=1):
        where = f"row {number} of words"
        if len(row) != len(table.labels):
            problems.append(
                f"{where} has {len(row)} words, expected one for each of the "
                f"{len(table.labels)} labels"
            )
        problems += wrong_texts(f"{where}: word", row, MAX_WORD)
        problems += repeated(f"{where}: word", row)
    return problems + repeated("row of words", [", ".join(r) for r in table.words])
