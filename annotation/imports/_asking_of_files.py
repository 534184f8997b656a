"""Questions about a file as a whole: its letters, its first line, its people. Pure."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping

from annotation.imports import _rejected
from annotation.imports._encodings import ENCODINGS, Encoding
from annotation.imports._problems import shown
from annotation.imports._question import (
    ENCODING,
    HEADER,
    ROWS,
    Question,
    answers_listed,
)
from annotation.imports._question import option as option_of
from annotation.imports._values import NOTHING

PROLIFIC = "Prolific"  # what it says of its participants


def of_people(people: Mapping[str, str]) -> Iterator[Question]:
    """Of raters whom Prolific's export calls returned or rejected."""
    counts = Counter(people.values())
    if table := _rejected.table_of(counts):
        out = [word for word, stands in table.items() if stands == NOTHING]
        n = sum(counts[word] for word in out)
        yield Question(
            ROWS,
            PROLIFIC,
            f"Prolific says {answers_listed(out)} of {n:,}"
            f" {'participant' if n == 1 else 'participants'}. Are their rows left out?",
            table,
            {word: counts[word] for word in table},
            option=f"{option_of(PROLIFIC, table)}, where 1 is used and nothing is left"
            " out",
        )


def of_encoding(found: Encoding) -> Iterator[Question]:
    """Of a file whose bytes are words in more than one encoding."""
    if found.rivals:
        yield Question(
            ENCODING,
            "",
            "The file does not say how its letters are written. In which of these lines"
            " are the words right?",
            examples=[
                f"{ENCODINGS[name]}: {', '.join(words)}" for name, words in found.rivals
            ],
            option=" or ".join(f"--encoding {name}" for name, _ in found.rivals),
            is_for_people=True,
        )


def of_header(name: str, unit: str) -> Iterator[Question]:
    """Of a list of texts, whose first one may be what the column is called."""
    if name:
        yield Question(
            HEADER,
            name,
            f"The first {unit} says {shown(name)}. It is taken for the name of the"
            " column. Is it one, and no text?",
            option=f"--map {shlex.quote(f'text={name}')}; if it is a text, write a"
            f" first {unit} “text” above it",
        )
