"""Everything that is wrong with a file, said at once. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

# A quoted value or a number; column names are in curly quotes and stay.
_VALUE = re.compile(r'"[^"]*+"|\d[\d,.]*+')
LINES_NAMED = 5  # of each cause
LISTED = 200  # nobody reads more, and a bad file may have one for each of its cells


class UploadError(ValueError):
    """The file was refused and nothing was changed. `lines` says why, all at once."""

    def __init__(self, lines: list[str], problems: Problems | None = None) -> None:
        super().__init__("\n".join(lines))
        self.lines, self.problems = lines, problems


class Unreadable(Exception):
    """What follows in the file cannot be checked. The problem is noted already."""


class Cause(NamedTuple):
    """Everything that is wrong for one reason."""

    example: str  # the first of its sentences
    n: int  # of lines, or 1 for the whole file
    lines: list[int]  # the first of them

    @property
    def more(self) -> int:
        return self.n - len(self.lines)


class Problems:
    """Collects sentences, and the line of the file that each is about."""

    def __init__(self) -> None:
        self._found: list[tuple[int, str]] = []
        self._more = 0
        self._causes: dict[str, _Group] = {}
        self.bad_lines: set[int] = set()
        self.of_the_file = False  # something cannot be cured by leaving lines out

    def add(self, message: str, line: int = 0) -> None:
        if line:
            self.bad_lines.add(line)
        else:
            self.of_the_file = True
        if len(self._found) == LISTED:
            self._more += 1
        else:
            self._found.append((line, message))
        self._group(message, line)

    def _group(self, message: str, line: int) -> None:
        cause = cause_of(message)
        if cause not in self._causes and len(self._causes) == LISTED:
            return
        group = self._causes.setdefault(cause, _Group(message))
        if line and line == group.last:
            return  # twice of one line
        group.n, group.last = group.n + 1, line
        if line and len(group.lines) < LINES_NAMED:
            group.lines.append(line)

    def __bool__(self) -> bool:
        return bool(self._found)

    def causes(self) -> list[Cause]:
        """What is wrong, once for each reason, in the order of the file."""
        groups = sorted(self._causes.values(), key=lambda g: g.lines[:1] or [0])
        return [Cause(g.example, g.n, g.lines) for g in groups]

    def lines(self) -> list[str]:
        """In the order of the file, what is about the whole of it first."""
        said = [
            f"line {line}: {message}" if line else message
            for line, message in sorted(self._found, key=lambda found: found[0])
        ]
        if self._more:
            said.append(f"... and {self._more} more problems.")
        return said

    def raise_if_any(self, *, but_lines: bool = False) -> None:
        """With `but_lines`, what is wrong with single lines is no reason."""
        if self._found and not (but_lines and not self.of_the_file):
            raise UploadError(self.lines(), self)


@dataclass(slots=True)
class _Group:
    example: str
    n: int = 0
    last: int = -1
    lines: list[int] = field(default_factory=list)


def cause_of(message: str) -> str:
    """A sentence without the values of its line: what many lines have in common."""
    return _VALUE.sub("#", message)


def shown(value: object) -> str:
    """A value from a file as it may appear in a sentence: quoted, short, one line."""
    text = " ".join(str(value)[:200].split())
    text = "".join(
        char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text
    )
    return f'"{text[:60]}..."' if len(text) > 60 else f'"{text}"'
