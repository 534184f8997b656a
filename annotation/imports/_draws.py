"""Which texts people were asked about, where a study drew them at random. Pure.

An export has it, so that whoever imports it gets the same corrected means.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from annotation.imports._cells import MOST_WHOLE, Cells, number, whole
from annotation.imports._problems import Problems, shown
from annotation.imports._rows import Row

NAMES = ("asked", "probability", "stratum")
YES, NO = ("1", "true", "yes"), ("0", "false", "no")
Wrong = Callable[[str], None]


class Draw(NamedTuple):
    """Of one text; all None where it was in no draw."""

    asked: bool | None = None
    probability: float | None = None
    stratum: int | None = None


def read(values: tuple[Any, Any, Any], wrong: Wrong) -> Draw:
    """From the cells of these names, where None and empty text mean nothing."""
    if all(_empty(value) for value in values):
        return Draw()
    asked, stratum = _flag(values[0]), whole(values[2])
    probability = number(values[1])
    if asked is None:
        wrong(f"asked must be true or false, not {shown(values[0])}")
    if probability is None or not 0 < probability <= 1:
        wrong(f"probability must be above 0 and up to 1, not {shown(values[1])}")
        probability = None
    if stratum is None or not 0 <= stratum <= MOST_WHOLE:
        wrong(f"stratum must be a whole number from 0, not {shown(values[2])}")
        stratum = None
    if asked is None or probability is None or stratum is None:
        return Draw()
    return Draw(asked, probability, stratum)


def given(row: Row, cells: Cells) -> None:
    """Note it in the row, from cells of the plain names."""
    asked, probability, stratum = cells.several(NAMES)
    row.asked, row.probability, row.stratum = read(
        (asked, probability, stratum), cells.wrong
    )


class Strata:
    """All texts of a stratum were drawn with one probability, and before any rating."""

    def __init__(self, problems: Problems, *, is_new: bool) -> None:
        self._problems, self._is_new = problems, is_new
        self._probability: dict[int, tuple[float, int]] = {}

    def note(self, row: Row) -> None:
        if row.stratum is None or row.probability is None:
            return
        if not self._is_new:
            self._problems.add(
                "the study already has texts, so it draws from these itself: leave out"
                " the columns asked, probability and stratum",
                row.line,
            )
        elif row.of_dialogue:
            self._problems.add(
                "turns and dialogues are never drawn at random: leave asked,"
                " probability and stratum empty",
                row.line,
            )
        else:
            self._compare(row.stratum, row.probability, row.line)

    def _compare(self, stratum: int, probability: float, line: int) -> None:
        here = probability, line
        first, where = self._probability.setdefault(stratum, here)
        if first != probability:
            self._problems.add(
                f"probability is {probability:g}, but {first:g} on line {where}, in the"
                f" same stratum {stratum}: each stratum has one probability",
                line,
            )


def _flag(value: Any) -> bool | None:
    said = str(value).strip().lower().removesuffix(".0")
    return True if said in YES else False if said in NO else None


def _empty(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())
