"""Your own evaluators with a free output pattern: what the model reads, and writes.

The paper's section 5 leaves other controls, such as keywords, to "more pattern
evaluators". Here each is a pair of patterns: f, which the model reads, with a gap, and
g, which fills the gap. Both may take the text, its prefix, its source and the value of
a control. As in coherence and consistency (eq. 2-11),

    s_j = log P(g_j | f_j)   and   w_j = largest inverse word frequency of g_j's tokens
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from scoring.metrics._ctrleval.placeholders import (
    CONTINUATION,
    CONTROL,
    MASK,
    MEANINGS,
    PREFIX,
    TEXT,
    used,
)

MAX_PATTERNS = 200
MAX_NAME = 50  # characters; it becomes the key of an output
FIELDS = ("control", "patterns")
ARROW = "=>"  # between the two sides, where people type them in one line


class Patterns(NamedTuple):
    """Pattern evaluators, each with an input and an output pattern."""

    control: str  # name of the control that <control> stands for; empty: the label
    patterns: tuple[tuple[str, str], ...]  # (f, g) each

    @property
    def n_evaluators(self) -> int:
        return len(self.patterns)

    def hash(self) -> str:
        """Content hash for signatures."""
        return f"sha256:{hashlib.sha256(repr(tuple(self)).encode()).hexdigest()[:16]}"


def output_of(name: str) -> str:
    """The key of the output that evaluators of this name give.

    >>> output_of("Plot-of-3")
    'control_plot_of_3'
    """
    return "_".join(["control", *re.findall("[a-z0-9]+", name.lower())])


def problems_of_pattern(number: int, read: str, written: str) -> list[str]:
    """What is wrong with the places in one pair of patterns, a sentence each."""
    where = f"pattern {number}"
    problems = []
    if (times := read.count(MASK)) != 1:
        problems.append(
            f"{where} has {MASK} {times} times in what the model reads, expected once,"
            " where the gap goes"
        )
    if MASK in written:
        problems.append(
            f"{where} has {MASK} in what fills the gap, expected only on the other side"
        )
    if unknown := [one for one in used(read + written) if one not in MEANINGS]:
        problems.append(
            f"{where} has {', '.join(unknown)}, expected only {', '.join(MEANINGS)}"
        )
    return problems + _problems_of_sides(where, set(used(read)), set(used(written)))


def _problems_of_sides(where: str, read: set[str], written: set[str]) -> list[str]:
    problems = []
    if not {TEXT, CONTINUATION} & (read | written):
        problems.append(
            f"{where} has neither {TEXT} nor {CONTINUATION}: it would score all texts"
            " of a prompt alike"
        )
    if twice := _seen_twice(read, written):
        problems.append(
            f"{where} has {' and '.join(twice)} on both sides: the model would only"
            " copy"
        )
    return problems


def _seen_twice(read: set[str], written: set[str]) -> list[str]:
    """Places whose words are on both sides. The whole text has its parts in it."""
    for one, other in ((read, written), (written, read)):
        if TEXT in one and (parts := {PREFIX, CONTINUATION} & other):
            return [TEXT, *sorted(parts)]
    return sorted((read & written) - {MASK})


def problems_of_control(control: str, patterns: Sequence[tuple[str, str]]) -> list[str]:
    """Whether the name of the control and its place belong together."""
    if any(mark in control for mark in ":;\n"):
        return [f"control {control!r} holds : or ;, expected a name such as keywords"]
    if control and not any(CONTROL in read + written for read, written in patterns):
        return [
            f"the control {control!r} is named, but no pattern has {CONTROL}: put it"
            " in, or leave the name out"
        ]
    return []


def problems_of_names(tables: Mapping[str, object]) -> list[str]:
    """Names that are too long, or would give two outputs one key."""
    names = [name for name, table in tables.items() if isinstance(table, Patterns)]
    first: dict[str, str] = {}
    problems = []
    for name in names:
        if len(name) > MAX_NAME or not re.search("[A-Za-z0-9]", name):
            problems.append(
                f"name {name[:64]!r}: expected at most {MAX_NAME} characters, with a"
                " letter or digit among them"
            )
        key = output_of(name)
        if (other := first.setdefault(key, name)) != name:
            problems.append(
                f"names {other!r} and {name!r} differ only in case or marks: choose"
                " another name"
            )
    return problems
