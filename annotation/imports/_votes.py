"""Votes on pairs of systems: a file -> checked rows. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO, NamedTuple

from annotation import storable
from annotation.imports import files, presets
from annotation.imports._any_table import any_table
from annotation.imports._cells import Cells
from annotation.imports._objects import objects
from annotation.imports._problems import Problems, Unreadable, UploadError, shown
from annotation.imports._source import BOM, Limits, Source
from annotation.imports._tables import Record, table

TIE, FIRST, SECOND = 0, 1, 2
OUTCOMES = {"1": FIRST, "2": SECOND, "first": FIRST, "second": SECOND, "tie": TIE}
YES, NO = ("", "1", "yes", "true"), ("0", "no", "false")
LONGEST_RATER = 128
LOOKED_AT = 200  # records in which the program is recognised
REQUIRED = ("pair", "first", "second", "outcome")
FIELDS = (*REQUIRED, "worker", "question", "ordered", "prompt")

VOTES_HELP = """\
One vote in each row of a table, or one JSON object in each line:

    pair        what was compared, such as the id of the prompt: votes on the same pair
                are drawn together for the intervals
    first       the system whose text was shown first, or left
    second      the other system
    outcome     1, 2 or tie; also first, second or the name of the system

Optional:

    worker      who voted; each person votes once on a pair
    question    what was asked, if votes answer several questions
    ordered     "no" if it is not known which text was shown first
    prompt      the number of the prompt in the study

Commas, semicolons or tabs separate the columns; the file is UTF-8.
"""
PROGRAMS_HELP = """\
Choices as other programs write them: MT-Bench (model_a, model_b, winner), Arena,
AlpacaEval's annotations, or any table with two texts or two models and a choice. Rows
without a choice are no votes. Lines that are named are numbers of votes.
"""
RANKGEN_HELP = """\
The results of Mechanical Turk as RankGen published them (Krishna et al., 2022). These
columns are read:

    Input.Prefix, Input.Dataset    the pair
    Input.Order                    beam,nucleus: the systems of text 1 and text 2
    Input.Model                    the question: each generator is ranked separately
    Answer.utterance               begins with Text 1 or Text 2
    WorkerId                       who voted
"""


class Ballot(NamedTuple):
    """One vote as a file has it."""

    line: int
    pair: str
    question: str
    first: str  # name of a system
    second: str
    ordered: bool
    rater: str
    outcome: int
    prompt: int | None  # number in the study, from 1

    @property
    def once(self) -> tuple[str, ...]:
        """What one rater may vote on once."""
        return self.pair, self.question, self.first, self.second, self.rater


@dataclass(frozen=True)
class VoteFormat:
    """A kind of file with votes."""

    title: str
    help: str
    read: Callable[[Source, bool, Problems], Iterator[Ballot | None]]


class Ballots(NamedTuple):
    """A file whose rows make sense by themselves and beside each other."""

    rows: list[Ballot]
    sha256: str


def read_votes(
    file: BinaryIO, format: str, limits: Limits, problems: Problems
) -> Ballots:
    """Read a file with votes to its end, and note all that is wrong.

    Args:
        file: Of bytes, which can be read twice from its start.
        format: One of VOTE_FORMATS.
        limits: What a file may be.
        problems: Where to note it.
    """
    if format not in VOTE_FORMATS:
        there_are = ", ".join(VOTE_FORMATS)
        raise UploadError([f"No format {shown(format)}: there are {there_are}."])
    source, as_json = Source(file, limits, problems), _is_json(file)
    rows: list[Ballot] = []
    n_rows = 0
    try:
        for row in VOTE_FORMATS[format].read(source, as_json, problems):
            n_rows += 1
            if n_rows > limits.rows:
                problems.add(f"The file has more than {limits.rows:,} votes: split it.")
                break
            if row:
                rows.append(row)
    except Unreadable:
        pass
    if not n_rows and not problems:
        problems.add("The file has no votes.")
    _check_together(rows, problems)
    return Ballots(rows, source.sha256)


def _is_json(file: BinaryIO) -> bool:
    """Whether the file begins with an object."""
    start = file.read(256).removeprefix(BOM).lstrip()
    file.seek(0)
    return start.startswith(b"{")


def _check_together(rows: list[Ballot], problems: Problems) -> None:
    seen: dict[tuple[str, ...], int] = {}
    for row in rows:
        before = seen.setdefault(row.once, row.line) if row.rater else row.line
        if before != row.line:
            told = f"{shown(row.rater)} has voted on the pair {shown(row.pair)}"
            problems.add(f"duplicate: {told} on line {before} too", row.line)


# Tables and JSON lines ---------------------------------------------------------------


def _plain(
    source: Source, as_json: bool, problems: Problems
) -> Iterator[Ballot | None]:
    records = _objects(source, problems) if as_json else _table(source, problems)
    for line, values in records:
        yield _ballot(Cells(line, values, problems), values)


def _objects(
    source: Source, problems: Problems
) -> Iterator[tuple[int, dict[str, object]]]:
    return objects(source, problems, required=REQUIRED, known=FIELDS)


def _table(source: Source, problems: Problems) -> Iterator[Record]:
    return any_table(
        source,
        problems,
        required=REQUIRED,
        vital=REQUIRED,
        known=FIELDS.__contains__,
        names=", ".join(FIELDS),
    )


def _ballot(cells: Cells, values: Mapping[str, object]) -> Ballot | None:
    """None where something is missing, which is noted."""
    first, second = cells.name("first", 100), cells.name("second", 100)
    pair, outcome = cells.name("pair", 64), cells.text("outcome").strip()
    given = {"pair": pair, "first": first, "second": second, "outcome": outcome}
    for name, value in given.items():
        # Said already where a field of an object is not there at all.
        if not value and name in values:
            cells.wrong(f'"{name}" is empty')
    question, rater = cells.name("question", 100), cells.name("worker", LONGEST_RATER)
    prompt, ordered = cells.whole("prompt", low=1), _ordered(cells, values)
    if not all(given.values()):
        return None
    if first == second:
        cells.wrong(f"first and second are both {shown(first)}")
        return None
    meant = _outcome(cells, outcome, first, second)
    if said := storable.problem_in((pair, first, second, question, rater)):
        cells.wrong(said)
        return None
    if meant is None:
        return None
    return Ballot(
        *(cells.line, pair, question, first, second, ordered, rater, meant, prompt)
    )


def _outcome(cells: Cells, word: str, first: str, second: str) -> int | None:
    """A system may be called 1 or tie: what could mean two things is refused."""
    named = {first: FIRST, second: SECOND}
    found = {OUTCOMES.get(word.lower()), named.get(word)} - {None}
    if not found:
        expected = f"1, 2, tie, {shown(first)} or {shown(second)}"
        cells.wrong(f"outcome must be {expected}, not {shown(word)}")
    elif len(found) > 1:
        cells.wrong(
            f"outcome {shown(word)} could mean either system: write first or second"
        )
    return found.pop() if len(found) == 1 else None


def _ordered(cells: Cells, values: Mapping[str, object]) -> bool:
    value = values.get("ordered")
    word = "" if value is None else str(value).strip().lower()
    if word not in (*YES, *NO):
        cells.wrong(f"ordered must be yes or no, not {shown(word)}")
    return word not in NO


# RankGen -----------------------------------------------------------------------------

_PREFIX, _DATASET, _ORDER = "input.prefix", "input.dataset", "input.order"
_MODEL, _ANSWER, _WORKER = "input.model", "answer.utterance", "workerid"
_OF_RANKGEN = (_PREFIX, _DATASET, _ORDER, _MODEL, _ANSWER, _WORKER)


def _rankgen(
    source: Source, as_json: bool, problems: Problems
) -> Iterator[Ballot | None]:
    records = table(
        source,
        problems,
        required=_OF_RANKGEN,
        vital=_OF_RANKGEN,
        known=lambda name: True,
        names="",
    )
    for line, values in records:
        yield _turk_ballot(Cells(line, values, problems), values)


def _turk_ballot(cells: Cells, values: dict[str, str]) -> Ballot | None:
    answer = re.match(r"\s*text\s*([12])\b", values[_ANSWER], re.IGNORECASE)
    if not answer:
        told = shown(values[_ANSWER])
        cells.wrong(f"Answer.utterance must begin with Text 1 or Text 2, not {told}")
    names = [name.strip() for name in values[_ORDER].split(",")]
    if len(names) != 2 or not all(names) or names[0] == names[1]:
        told = shown(values[_ORDER])
        cells.wrong(
            f"Input.Order must name two systems, as in beam,nucleus; not {told}"
        )
        return None
    long = [name for name in names if len(name) > 100]
    for name in long:
        cells.wrong(f"a system's name has {len(name)} characters; the most is 100")
    question = cells.name(_MODEL, 100)
    rater = cells.name(_WORKER, LONGEST_RATER)
    compared = "\x1f".join((values[_DATASET], values[_PREFIX]))
    pair = hashlib.sha256(compared.encode()).hexdigest()[:16]
    if not answer or long:
        return None
    one, other = names
    return Ballot(
        cells.line, pair, question, one, other, True, rater, int(answer[1]), None
    )


# Other programs ----------------------------------------------------------------------


def _of_programs(
    source: Source, as_json: bool, problems: Problems
) -> Iterator[Ballot | None]:
    opened = files.opened(source)
    first = files.beginning(opened.records, LOOKED_AT)
    ready = presets.PRESETS.get(presets.recognised(opened, first))
    if ready is None or ready.votes is None:
        problems.add(
            "No choices between two systems were recognised in this file. Name its"
            " columns pair, first, second and outcome, and choose the first format."
        )
        return
    votes = ready.votes(chain(first, opened.records))
    for number, values in enumerate(votes, start=1):
        yield _ballot(Cells(number, values, problems), values)


VOTE_FORMATS = {
    "votes": VoteFormat("Table (csv) or JSON lines", VOTES_HELP, _plain),
    "programs": VoteFormat("Of another program", PROGRAMS_HELP, _of_programs),
    "rankgen": VoteFormat("RankGen", RANKGEN_HELP, _rankgen),
}


def vote_format_of(columns: Collection[str], preset: str) -> str:
    """Which of them a file has, by its columns in lower case; empty: no votes."""
    if set(REQUIRED) <= set(columns):
        return "votes"
    if set(_OF_RANKGEN) <= set(columns):
        return "rankgen"
    ready = presets.PRESETS.get(preset)
    return "programs" if ready and ready.votes else ""
