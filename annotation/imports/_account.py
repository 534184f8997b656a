"""Where the filled cells of a file went: each is used, or not used for a reason. Pure.

Ratings that vanish without a word are the worst that an import can do. So whoever reads
a file notes which cells of each record are filled, and what a column's cells become.
What is left over is said, by column.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

NOT_PLACED, NOT_NUMBERS, IDS_DIFFER = "not_placed", "not_numbers", "ids_differ"
NO_SCALE = "no_scale"
LEFT_OUT, OTHER_VALUE, NO_MEAN = "left_out", "other_value", "no_mean"
NOT_OF_DIALOGUES = "not_of_dialogues"
MISSING = "missing"
NOT_ANSWERED = "not_answered"
IN_THE_STUDY = "in_the_study"
SET_ASIDE = "set_aside"  # by a ready mapping, with words of its own
WORDS = {
    NOT_PLACED: "nothing says what the column is",
    LEFT_OUT: "their rows were left out",
    OTHER_VALUE: "an earlier row of the same text has another value",
    NO_MEAN: "no mean stands beside them",
    IN_THE_STUDY: "the texts are in the study already",
    MISSING: "they say that there is no value (NA, -99 and the like)",
    NOT_ANSWERED: "it is not known yet which number each answer is",
    NOT_OF_DIALOGUES: "dialogues and their turns do not have it",
}

# Why a field of a message is not used.
NOT_OF_MESSAGES = "a turn has a role and a text; nothing else of it is shown"

NONE: frozenset[str] = frozenset()


def filled(value: Any) -> bool:
    """Whether there is anything in a cell; a list of nothing is nothing."""
    if isinstance(value, str):
        return bool(value) and not value.isspace()
    if isinstance(value, list):
        return any(map(filled, value))
    return value is not None and value != {}


class Unused(NamedTuple):
    """Cells of a column that were not used, for one reason."""

    reason: str  # a code
    n: int
    words: str


class Entry(NamedTuple):
    """The account of one column: filled = used + all that is not used."""

    column: str
    role: str  # what its cells became; empty: nothing
    filled: int
    used: int
    unused: list[Unused]

    @property
    def not_used(self) -> int:
        return self.filled - self.used

    def __str__(self) -> str:
        """“annotator 3”: 50 filled cells not used, because ..."""
        cells = (
            "1 filled cell" if self.not_used == 1 else f"{self.not_used:,} filled cells"
        )
        return f"“{self.column}”: {cells} not used, because {self.because}"

    @property
    def because(self) -> str:
        if len(self.unused) == 1:
            return self.unused[0].words
        return "; ".join(f"{one.n:,}: {one.words}" for one in self.unused)

    def plain(self) -> dict[str, Any]:
        """As it is kept and sent."""
        return {
            "column": self.column,
            "role": self.role,
            "filled": self.filled,
            "used": self.used,
            "not_used": self.not_used,
            "why": [one._asdict() for one in self.unused],
        }


def not_used(entries: Iterable[Entry]) -> list[str]:
    """A sentence for columns with cells that were not used, for each reason once."""
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.not_used:
            groups.setdefault(entry.because, []).append(entry)
    return [_sentence(group) for group in groups.values()]


def _sentence(group: Sequence[Entry]) -> str:
    *rest, last = group
    if not rest:
        return f"{last}."
    names = ", ".join(f"“{entry.column}”" for entry in rest)
    cells = f"{sum(entry.not_used for entry in group):,} filled cells"
    reason = last.because
    if len(last.unused) > 1:  # its numbers are those of each column
        reason = f"{reason} in each"
    return f"{names} and “{last.column}”: {cells} not used, because {reason}."


def total(entries: Sequence[Entry]) -> str:
    """All filled cells, by what became of them."""
    filled, used = sum(e.filled for e in entries), sum(e.used for e in entries)
    by_role: Counter[str] = Counter()
    for entry in entries:
        if entry.used:
            by_role[entry.role.partition(":")[0]] += entry.used
    parts = [f"{n:,} as {role}" for role, n in by_role.items()]
    parts.append(f"{filled - used:,} not used")
    return f"{filled:,} filled cells: {', '.join(parts)}."


def entry_of(kept: Mapping[str, Any]) -> Entry:
    """What `plain` made."""
    numbers = kept["filled"], kept["used"]
    unused = [Unused(**one) for one in kept["why"]]
    return Entry(kept["column"], kept["role"], *numbers, unused)


def _with(line: int, lines: Mapping[str, set[int]]) -> frozenset[str]:
    """Which of these have the line."""
    if not lines:
        return NONE
    return frozenset(name for name, some in lines.items() if line in some)


class Account:
    """Filled cells by column. Of each record a bit for each column is kept."""

    def __init__(self) -> None:
        self._bits: dict[str, int] = {}
        self._roles: dict[str, str] = {}
        self._reasons: dict[str, Unused] = {}  # of columns none of which is used
        # Cells that never reach a record, by column and why; empty: nobody said.
        self._aside: Counter[tuple[str, str]] = Counter()
        self._lines, self._masks = array("Q"), array("L")
        self._numbers: dict[int, int] = {}  # of masks
        self._out: set[int] = set()
        self._others: dict[str, set[int]] = defaultdict(set)  # lines by role
        self._missing: dict[str, set[int]] = defaultdict(set)  # lines by column
        self._not_answered: set[str] = set()

    # While a file is read -------------------------------------------------------------

    def bit(self, column: str) -> int:
        if column not in self._bits:
            self._bits[column] = 1 << len(self._bits)
        return self._bits[column]

    def record(self, line: int, mask: int) -> None:
        """A record whose cells at these bits are filled."""
        self._lines.append(line)
        self._masks.append(self._numbers.setdefault(mask, len(self._numbers)))

    def cells(
        self, line: int, cells: Mapping[str, Any], role: Callable[[str], str]
    ) -> None:
        """The same, in a format that says itself what each of its columns becomes."""
        full = [column for column, value in cells.items() if filled(value)]
        self.record(line, sum(map(self.bit, full)))
        for column in full:
            if column not in self._roles:
                self._roles[column] = role(column)

    def set_aside(self, column: str, n: int = 1, words: str = "") -> None:
        """Filled cells that never reach a record; words: because ..."""
        self._aside[column, words] += n

    def emptied(self) -> Account:
        """For records that are read in another way."""
        made = Account()
        made._aside = self._aside
        return made

    def place(self, roles: Mapping[str, str]) -> None:
        """What the cells of columns become; an empty role is none."""
        self._roles.update(roles)

    def refuse(self, column: str, reason: str, words: str = "") -> None:
        """No cell of this column is used."""
        self._reasons[column] = Unused(reason, 0, words or WORDS[reason])

    def forget(self, column: str) -> None:
        """It is not the file's: whoever unpacked it wrote it beside the records."""
        self._bits.pop(column, None)

    def other_value(self, line: int, role: str) -> None:
        """A row of the same text was first, and said something else."""
        self._others[role].add(line)

    def missing(self, line: int, column: str) -> None:
        """A cell that is filled, with a word that says that there is no value."""
        self._missing[column].add(line)

    def not_answered(self, column: str) -> None:
        """It has words of which nobody has said yet what they stand for."""
        self._not_answered.add(column)

    def leave_out(self, lines: Collection[int]) -> None:
        self._out.update(lines)

    # Afterwards -----------------------------------------------------------------------

    def entries(self, bad_lines: Collection[int]) -> list[Entry]:
        """By column, in the order of the file; empty ones are left out.

        Args:
            bad_lines: Lines with a problem: nothing of them was used.
        """
        used, unused = self._counted(self._out | set(bad_lines))
        by_column: dict[str, list[Unused]] = defaultdict(list)
        for (column, words), n in sorted(self._aside.items()):
            if words:
                by_column[column].append(Unused(SET_ASIDE, n, words))
            else:
                unused[column, NOT_PLACED] += n
        for (column, reason), n in sorted(unused.items()):
            by_column[column].append(Unused(reason, n, self._words(column, reason)))
        columns = dict.fromkeys([*self._bits, *(name for name, _ in self._aside)])
        return [
            Entry(c, self._roles.get(c, ""), n, used[c], by_column[c])
            for c in columns
            if (n := used[c] + sum(one.n for one in by_column[c]))
        ]

    def _counted(self, out: set[int]) -> tuple[Counter[str], Counter[tuple[str, str]]]:
        masks = list(self._numbers)
        times: Counter[tuple[int, bool, frozenset[str], frozenset[str]]] = Counter()
        for line, number in zip(self._lines, self._masks, strict=True):
            others, missing = _with(line, self._others), _with(line, self._missing)
            times[number, line in out, others, missing] += 1
        used: Counter[str] = Counter()
        unused: Counter[tuple[str, str]] = Counter()
        for (number, is_out, others, missing), n in times.items():
            for column, reason in self._uses(masks[number], is_out, others):
                if not reason and column in missing:
                    is_open = column in self._not_answered
                    unused[column, NOT_ANSWERED if is_open else MISSING] += n
                elif reason:
                    unused[column, reason] += n
                else:
                    used[column] += n
        return used, unused

    def _uses(
        self, mask: int, is_out: bool, others: frozenset[str]
    ) -> Iterator[tuple[str, str]]:
        """The filled columns of a record, each with why it is not used, if so."""
        full = [column for column, bit in self._bits.items() if mask & bit]
        roles = [self._roles.get(column, "") for column in full]
        has_mean = any(role.startswith("mean:") for role in roles)
        for column, role in zip(full, roles, strict=True):
            if column in self._reasons:
                yield column, self._reasons[column].reason
            elif not role:
                yield column, NOT_PLACED
            elif is_out:
                yield column, LEFT_OUT
            elif role in others:
                yield column, OTHER_VALUE
            else:
                yield column, NO_MEAN if role == "n" and not has_mean else ""

    def _words(self, column: str, reason: str) -> str:
        refused = self._reasons.get(column)
        return refused.words if refused and refused.reason == reason else WORDS[reason]
