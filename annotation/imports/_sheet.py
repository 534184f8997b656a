"""A checked file, whose rows wait on the disk and not in the memory. Pure."""

from __future__ import annotations

import json
import math
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

from annotation.imports._account import Entry
from annotation.imports._encodings import Encoding
from annotation.imports._numbers import Numbers
from annotation.imports._problems import Problems
from annotation.imports._rows import AUTO, SCALES, Mean, Options, Rating, Row
from annotation.turns import Turn

if TYPE_CHECKING:
    from annotation.imports._asking import Question
    from annotation.imports._opening import Opened
    from annotation.imports._values import Table

IN_MEMORY = 4 * 1024 * 1024  # bytes: most files
_NAMES = [column.name for column in fields(Row)]


@dataclass
class Counts:
    """What a file allows."""

    by_id: int = 0  # texts of the study that the file only rates
    texts: int = 0  # also turns, and whole dialogues
    nameless: int = 0  # texts and dialogues without an id of their own
    dialogues: int = 0
    turns: int = 0
    prompts: int = 0
    systems: set[str] = field(default_factory=set)
    labels: set[str] = field(default_factory=set)
    prefixes: int = 0  # texts with one
    respelled: int = 0  # texts that repeat it in another spelling
    no_output: Counter[str] = field(default_factory=Counter)  # texts by system
    ratings_of_no_output: int = 0  # and means
    ratings: int = 0
    means: int = 0
    references: int = 0  # texts with one
    edited: int = 0  # texts with a corrected one
    longest: int = 0  # texts of one prompt
    pairs: bool = False
    aspects: dict[str, str] = field(default_factory=dict)  # names by key
    about: dict[str, str] = field(default_factory=dict)  # of aspects, by key
    metrics: dict[str, int] = field(default_factory=dict)  # scores by name
    low: float = math.inf  # of ratings and means
    high: float = -math.inf
    characters: int = 0


class Sheet:
    """The rows of a checked file, in order. Numbers are given as they are read."""

    def __init__(self) -> None:
        self.sha256 = ""
        self.preset, self.unit = "", "line"
        self.encoding = Encoding()
        self.counts = Counts()
        self.problems = Problems()
        self.opened: Opened | None = None  # where columns were looked at
        self.account: list[Entry] = []
        self.notes: list[str] = []  # what was passed over, and how it was read
        self.asked: list[Question] = []  # answered or not
        self.questions: list[Question] = []  # that nobody has answered
        self.tables: dict[str, Table] = {}  # what answers stand for, by aspect
        self.numbers = Numbers(set(), set(), 0)
        self._spool = tempfile.SpooledTemporaryFile(  # noqa: SIM115
            IN_MEMORY, mode="w+", encoding="utf-8", newline="\n"
        )
        # By position, from later rows of the same text.
        self._more: dict[int, list[Rating]] = defaultdict(list)
        self._more_edited: dict[int, list[str]] = defaultdict(list)
        self._more_scores: dict[int, dict[str, float]] = {}
        self._prompts: dict[int, int] = {}
        self._scores: list[tuple[str, dict[str, float]]] = []

    def keep(self, row: Row) -> None:
        values = [getattr(row, name) for name in _NAMES]
        self._spool.write(json.dumps(values, ensure_ascii=True))
        self._spool.write("\n")
        counts, prompt = self.counts, hash(row.prompt)
        if row.by_id:
            counts.by_id += 1
            self._count(row)
            return
        counts.texts += 1
        counts.nameless += not row.key and row.turn is None
        counts.dialogues += bool(row.messages)
        counts.turns += row.turn is not None
        if not row.messages:  # the wholes have none
            self._prompts[prompt] = self._prompts.get(prompt, 0) + 1
        counts.references += bool(row.references)
        counts.edited += bool(row.edited)
        counts.prefixes += bool(row.prefix)
        counts.respelled += row.respelled
        if row.is_empty:
            counts.no_output[row.system] += 1
        counts.pairs = counts.pairs or bool(row.pair)
        counts.characters += len(row.text)
        if row.system:
            counts.systems.add(row.system)
        if row.label:
            counts.labels.add(row.label)
        self._count(row)

    def add_ratings(self, row: Row, position: int) -> None:
        """Of one more rater, or editor, of a row that was kept before."""
        self._more[position] += row.ratings
        if row.edited:
            self._more_edited[position] += row.edited
        if row.scores:
            self._more_scores.setdefault(position, {}).update(row.scores)
        self._count(row)

    def _count(self, row: Row) -> None:
        counts = self.counts
        for name in row.scores:
            counts.metrics[name] = counts.metrics.get(name, 0) + 1
        counts.ratings += len(row.ratings)
        counts.means += len(row.means)
        if row.is_empty:
            counts.ratings_of_no_output += len(row.ratings) + len(row.means)
        for value in (*(r.value for r in row.ratings), *(m.mean for m in row.means)):
            counts.low, counts.high = min(counts.low, value), max(counts.high, value)

    def __iter__(self) -> Iterator[Row]:
        """Numbered rows."""
        numbers, self._scores = self.numbers.fresh(), []
        self._spool.seek(0)
        for position, line in enumerate(self._spool):
            row = Row(*json.loads(line))
            row.ratings = [Rating(*one) for one in row.ratings]
            row.ratings += self._more.get(position, [])
            row.edited += self._more_edited.get(position, [])
            row.scores |= self._more_scores.get(position, {})
            row.means = [Mean(*one) for one in row.means]
            row.messages = [Turn(*one) for one in row.messages]
            if not row.by_id:
                numbers.give(row)
            if row.scores:
                self._scores.append((row.key, row.scores))
            yield row

    def scores(self) -> Iterator[tuple[str, str, float]]:
        """Metric scores by the key of their text; known once all rows were read."""
        for key, scores in self._scores:
            for metric, value in scores.items():
                yield key, metric, value

    def end(self) -> None:
        """Everything is read."""
        self.counts.prompts = len(self._prompts)
        self.counts.longest = max(self._prompts.values(), default=0)

    @property
    def rows(self) -> list[Row]:
        return list(self)

    @property
    def n_kept(self) -> int:
        """Rows, of new texts or of those that the study has."""
        return self.counts.texts + self.counts.by_id

    def __len__(self) -> int:
        return self.counts.texts

    def aspects(self) -> list[str]:
        """Keys that the file has ratings or means for, in order of appearance."""
        return list(self.counts.aspects)

    def scale(self, options: Options, ready: str = "") -> range:
        """As asked for; else that of a preset, or the usual one that all values fit."""
        if options.scale != AUTO:
            return options.scale_range()
        if ready:
            low, _, high = ready.partition("-")
            return range(int(low), int(high) + 1)
        for first, last in SCALES:
            if first <= self.counts.low and self.counts.high <= last:
                return range(first, last + 1)
        return range(1, 6)  # nothing is rated yet
