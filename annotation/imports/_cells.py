"""Typed values out of the cells of one line, with what is wrong noted. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from annotation.imports._problems import Problems, shown
from annotation.imports._rows import Mean, Rating, Row
from annotation.imports._written import COMMA, listed, may_be_number, plainly

# Spreadsheets and data frames write whole numbers as 4.0 when a neighbour is missing.
# Possessive, and never asked about a longer cell: by trying all ways to part a row of
# digits, one cell kept everybody else waiting until the server was killed.
WHOLE = re.compile(r"[+-]?\d{1,18}+(?:\.0*+)?", re.ASCII)
NUMBER = re.compile(r"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?", re.ASCII)
MOST_WHOLE = 2**31 - 1  # of an integer column
FIELDS = (
    *("prefix", "label", "system", "text", "source", "sample", "key", "pair"),
    *("system_kind", "system_model", "top_p", "top_k", "log_probability"),
    *("asked", "probability", "stratum"),
)
REQUIRED = ("prefix", "label", "system", "text")
KINDS = ("generator", "human")
# How programs write that there is no number. Asked of cells that should have one only.
MISSING = frozenset(
    "na|n/a|n.a.|#n/a|nan|none|null|nil|-|--|–|—|.|?|k.a.|k. a.|keine angabe|weiß nicht"
    "|don't know|prefer not to say|sans réponse|sin respuesta|无|#nv|#div/0!".split("|")
)
FLOAT_ID = re.compile(r"^(\d{1,18})\.0$", re.ASCII)


class Cells:
    """The named cells of one line; None and empty text mean that there is nothing."""

    def __init__(self, line: int, cells: Mapping[str, Any], problems: Problems) -> None:
        self.line, self._cells, self._problems = line, cells, problems

    def wrong(self, message: str) -> None:
        self._problems.add(message, self.line)

    def text(self, name: str) -> str:
        """As it is in the file: texts are stored raw."""
        value = self._cells.get(name)
        if value is None or isinstance(value, str):
            return value or ""
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)  # a key or a system called 7 in JSON
        self.wrong(f"{name} must be text, not {shown(value)}")
        return ""

    def name(self, name: str, longest: int) -> str:
        value = self.text(name).strip()
        if len(value) > longest:
            self.wrong(f"{name} has {len(value):,} characters; the most is {longest}")
        return value

    def whole(self, name: str, *, low: int) -> int | None:
        value = self._cells.get(name)
        if _empty(value):
            return None
        found = whole(value)
        if found is None or not low <= found <= MOST_WHOLE:
            self.wrong(f"{name} must be a whole number from {low}, not {shown(value)}")
            return None
        return found

    def number(
        self, name: str, low: float = -math.inf, high: float = math.inf
    ) -> float | None:
        value = self._cells.get(name)
        if _empty(value):
            return None
        found = number(value)
        if found is None or not low <= found <= high:
            bounds = "" if math.isinf(low) else f" from {low:g} to {high:g}"
            self.wrong(f"{name} must be a number{bounds}, not {shown(value)}")
            return None
        return found

    def one_of(self, name: str, choices: Iterable[str]) -> str:
        value = self.text(name).strip()
        if value and value not in choices:
            valid = " or ".join(f'"{choice}"' for choice in choices)
            self.wrong(f"{name} must be {valid}, not {shown(value)}")
            return ""
        return value

    def several(self, names: Iterable[str]) -> tuple[Any, ...]:
        """As they are; None where there is no such cell."""
        return tuple(self._cells.get(name) for name in names)

    def rating(self, aspect: str, rater: str, value: Any) -> Rating | None:
        found = whole(value)
        if found is None:
            self.wrong(f"{aspect}: a rating is a whole number, not {shown(value)}")
            return None
        return Rating(aspect, rater, found)

    def mean(self, aspect: str, mean: Any, n: Any) -> Mean | None:
        if _empty(mean):
            if not _empty(n):
                self.wrong(
                    f"{aspect}: the number of ratings is given, but not their mean"
                )
            return None
        found, count = number(mean), None if _empty(n) else whole(n)
        if found is None:
            self.wrong(f"{aspect}: a mean is a number, not {shown(mean)}")
        if not _empty(n) and (count is None or not 1 <= count <= MOST_WHOLE):
            self.wrong(f"{aspect}: n is a whole number from 1, not {shown(n)}")
        return None if found is None else Mean(aspect, found, count)


def row(cells: Cells) -> Row:
    """What stands under the plain names; references, ratings, means are added later."""
    return Row(
        line=cells.line,
        text=cells.text("text"),
        prefix=cells.text("prefix"),
        label=cells.name("label", 100),
        source=cells.text("source"),
        system=cells.name("system", 100),
        system_kind=cells.one_of("system_kind", KINDS),
        system_model=cells.name("system_model", 200),
        top_p=cells.number("top_p", 0, 1),
        top_k=cells.whole("top_k", low=0),
        sample=cells.whole("sample", low=1),
        key=cells.name("key", 64),
        pair=cells.name("pair", 64),
        log_probability=cells.number("log_probability"),
    )


def ratings_of(cells: Cells, given: Mapping[str, object]) -> Iterator[Rating]:
    """Of {"coherence": [4, 5], "fluency": {"ann": 4}}."""
    for aspect, values in given.items():
        if isinstance(values, dict):
            pairs = [(rater.strip(), value) for rater, value in values.items()]
        else:
            every = values if isinstance(values, list) else [values]
            pairs = [("", value) for value in every]
        for rater, value in pairs:
            if value is None:
                continue
            if rating := cells.rating(aspect, rater, value):
                yield rating


def means_of(cells: Cells, given: Mapping[str, object]) -> Iterator[Mean]:
    """Of {"coherence": 4.2, "fluency": {"mean": 4.2, "n": 5}}."""
    for aspect, value in given.items():
        mean, n = value, None
        if isinstance(value, dict):
            mean, n = value.get("mean"), value.get("n")
            if unknown := set(value) - {"mean", "n"}:
                cells.wrong(
                    f"{aspect}: a mean has mean and n, not {shown(min(unknown))}"
                )
        if found := cells.mean(aspect, mean, n):
            yield found


def whole(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str):
        value = value.strip()
        if not may_be_number(value):
            return None
        looks = WHOLE.fullmatch(value) or WHOLE.fullmatch(plainly(value))
        return int(looks[0].partition(".")[0]) if looks else None
    return value if isinstance(value, int) else None


def number(value: Any) -> float | None:
    """Finite: "nan" and 1e999 are no numbers here."""
    if isinstance(value, str):
        value = value.strip()
        if not may_be_number(value):
            return None
        looks = NUMBER.fullmatch(value) or NUMBER.fullmatch(plainly(value))
        value = float(looks[0]) if looks else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def several(value: Any) -> list[Any]:
    """One answer, or several of unnamed raters: 4;5;3, [4, 5, 3], ["Agree", null].

    Who of several has given none counts for nothing.
    """
    parts = listed(value)
    if parts is None:
        return [] if value is None else [value]
    found = [one for one in parts if not _empty(one) and not is_missing(one)]
    return found or [one for one in parts[:1] if not _empty(one)]


def numbers_in(value: Any) -> list[float] | None:
    """The numbers of a list, but for missing ones; None: it is no list of numbers."""
    parts = listed(value)
    if parts is None or not (isinstance(value, list) or len(parts) > 1 or "[" in value):
        return None
    found = [number(one) for one in several(value)]
    numbers = [one for one in found if one is not None]
    return numbers if found and len(numbers) == len(found) else None


def is_missing(value: Any) -> bool:
    """Whether a cell says in words that it has no number: NA, n/a, -, ..."""
    if isinstance(value, float):
        return math.isnan(value)
    return isinstance(value, str) and value.strip().lower() in MISSING


def with_point(value: Any) -> Any:
    """1,37 -> 1.37, for a column in which all numbers are written so."""
    if isinstance(value, str) and COMMA.fullmatch(value.strip()):
        return value.strip().replace(",", ".")
    return value


def without_fraction(name: str) -> str:
    """7.0 -> 7: data frames write the ids of a column with a gap as floats."""
    return FLOAT_ID.sub(r"\1", name)


def _empty(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())
