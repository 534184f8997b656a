"""The lines of a file of scores: read, and checked beside each other."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from annotation.imports import (
    Problems,
    Source,
    Unreadable,
    any_table,
    shown,
    without_fraction,
)
from annotation.imports import number as number_of
from scoring import metrics
from scoring.metrics import output_key

NAME = "uploaded"
DIRECTIONS: dict[str, bool | None] = {"higher": True, "lower": False, "closeness": None}
REQUIRED = ("key", "output", "value")
COLUMNS = (*REQUIRED, "direction", "metric", "signature", "text")
# It becomes part of addresses and file names.
WORD = re.compile(r"\w[\w.:+-]{0,63}")
LONGEST_WORD = 64
_ODD = re.compile(r"[^\w.:+-]+")
MOST_OUTPUTS = 100  # of all metrics of a file: each is a row of the table of results
LONGEST_SIGNATURE = 1000
# Words in the name of a metric of which less is better.
LOWER = frozenset(
    "ter wer cer perplexity ppl loss nll entropy distance levenshtein error errors"
    " toxicity hallucination hallucinations penalty".split()
)
_LETTERS = re.compile(r"[^\W\d_]+")
LARGEST = 1e100  # so that a database can add them up


class Made(NamedTuple):
    """By whom the numbers of a line were made."""

    metric: str
    signature: str


@dataclass(slots=True)
class Line:
    line: int
    made: Made
    key: str
    output: str
    value: float | None
    direction: str
    reason: str = ""  # why there is no value, where the file says so
    text: str | None = None  # its words, where the file has them
    is_proposed: bool = False  # its direction, as the file has none
    is_turned: bool = False  # people have said another direction than the file


DIRECTION = "direction:"  # begins parts of signatures: people have said another one


def without_directions(signature: str) -> str:
    """The same of a file whichever way people have said that its scores are better.

    >>> without_directions("uploaded|direction:loss=lower|file:sha256:53aa")
    'uploaded|file:sha256:53aa'
    """
    parts = signature.split("|")
    return "|".join(part for part in parts if not part.startswith(DIRECTION))


def lower_by_name(output: str) -> str:
    """ "lower" where its name says so; nothing else says that higher is better."""
    return "lower" if direction_of(output) == "lower" else ""


def direction_of(metric: str) -> str:
    """What its name says of which way is better, however it is written.

    >>> direction_of("gpt2_perplexity"), direction_of("Perplexity (GPT-2)")
    ('lower', 'lower')
    """
    words = _LETTERS.findall(metric.lower())
    return "lower" if LOWER.intersection(words) else "higher"


def as_word(value: object) -> str:
    """A name as outputs and metrics have them.

    >>> as_word("Answer Relevancy [GEval]")
    'Answer_Relevancy_GEval'
    """
    text = _ODD.sub("_", str(value)[: 4 * LONGEST_WORD]).strip("_")
    return text.lstrip(".:+-")[:LONGEST_WORD] or "score"


def read_lines(source: Source, problems: Problems) -> list[Line]:
    lines: list[Line] = []
    records = any_table(
        source,
        problems,
        required=REQUIRED,
        vital=REQUIRED,
        known=COLUMNS.__contains__,
        names=", ".join(COLUMNS),
    )
    try:
        for number, cells in records:
            if len(lines) == source.limits.rows:
                problems.add(f"The file has more than {len(lines):,} rows: split it.")
                break
            lines.append(_line(number, cells, problems))
    except Unreadable:
        pass
    if not lines and not problems:
        problems.add("The file has no scores.")
    return lines


def _line(number: int, cells: dict[str, str], problems: Problems) -> Line:
    cells = {name: cell.strip() for name, cell in cells.items()}
    output, said = output_key(cells["output"]), cells.get("direction", "").lower()
    line = Line(
        line=number,
        made=Made(cells.get("metric") or NAME, cells.get("signature", "")),
        key=cells["key"],
        output=output,
        value=number_of(cells["value"]),
        direction=said or direction_of(output),
        is_proposed=not said,
        text=cells.get("text") or None,
    )
    if cells["value"] and line.value is None:
        told = shown(cells["value"])
        problems.add(f"value must be a number or empty, not {told}", number)
    if abs(line.value or 0) > LARGEST:
        problems.add(f"value {line.value:g} is larger than {LARGEST:g}", number)
    if line.direction not in DIRECTIONS:
        told = shown(cells["direction"])
        problems.add(f"direction must be {', '.join(DIRECTIONS)}, not {told}", number)
    for name, word in (("output", line.output), ("metric", line.made.metric)):
        if not WORD.fullmatch(word):
            problems.add(
                f"{name} {shown(word)} must be up to 64 letters, digits, _ . : + -",
                number,
            )
    if len(line.made.signature) > LONGEST_SIGNATURE:
        problems.add(f"signature is longer than {LONGEST_SIGNATURE:,}", number)
    return line


def _same_id(key: str, ids: Mapping[str, int]) -> str | None:
    """As the study writes it: a data frame with a gap makes 7.0 of 7."""
    same = (key, without_fraction(key), f"{key}.0")
    return next((one for one in same if one in ids), None)


def check_lines(lines: list[Line], ids: dict[str, int], problems: Problems) -> None:
    ours = set(metrics.names())
    first: dict[tuple[Made, str, str], Line] = {}
    directions: dict[tuple[Made, str], Line] = {}
    for line in lines:
        if not line.key:
            problems.add('"key" is empty', line.line)
        elif (key := _same_id(line.key, ids)) is not None:
            line.key = key
        else:
            problems.add(
                f"no text of the study has the key {shown(line.key)}", line.line
            )
        if line.made.metric in ours:
            problems.add(
                f"metric {shown(line.made.metric)} is computed by EvalApp: use another"
                " name",
                line.line,
            )
        before = first.setdefault((line.made, line.key, line.output), line)
        if before is not line:
            told = f"{shown(line.output)} of {shown(line.key)}"
            also = f"is also on line {before.line}" if before.line else "is there twice"
            problems.add(f"duplicate: {told} {also}", line.line)
        other = directions.setdefault((line.made, line.output), line)
        if other.direction != line.direction:
            problems.add(
                f"direction of {shown(line.output)} is {shown(line.direction)} here, "
                f"but {shown(other.direction)} on line {other.line}",
                line.line,
            )
    if len(directions) > MOST_OUTPUTS:
        problems.add(
            f"The file has {len(directions):,} outputs. The most it may have is"
            f" {MOST_OUTPUTS}: is the column output or signature filled in by mistake?"
        )
