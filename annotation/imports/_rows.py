"""What a file says, before any of it reaches the database. Pure."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from annotation import storable
from annotation.imports._encodings import ENCODINGS
from annotation.imports._problems import Problems
from annotation.imports._source import Source
from annotation.turns import Turn


class Rating(NamedTuple):
    aspect: str
    rater: str  # as named in the file; empty: not named
    value: int


class Mean(NamedTuple):
    aspect: str
    mean: float
    n: int | None  # ratings behind it, where known


@dataclass(slots=True)
class Row:
    """One generation with its prompt, its system, and what people said of it."""

    line: int
    text: str
    prefix: str = ""
    label: str = ""
    source: str = ""
    references: list[str] = field(default_factory=list)
    edited: list[str] = field(default_factory=list)  # this text, corrected
    system: str = ""  # empty: unknown
    system_kind: str = ""
    system_model: str = ""
    top_p: float | None = None
    top_k: int | None = None
    sample: int | None = None
    key: str = ""
    pair: str = ""
    log_probability: float | None = None
    # Whether a study that asks about a random part drew it, and how: all or none.
    asked: bool | None = None
    probability: float | None = None
    stratum: int | None = None
    ratings: list[Rating] = field(default_factory=list)
    means: list[Mean] = field(default_factory=list)
    scores: dict[str, float] = field(default_factory=dict)  # of metrics, by name
    respelled: bool = False  # the file repeats the prefix in another spelling
    # All of a dialogue has its turns; the rows of its marked turns follow, each with
    # its number from 0.
    messages: list[Turn] = field(default_factory=list)
    turn: int | None = None
    has_rater: bool = False  # somebody looked at it, rated or not
    by_id: bool = False  # its text is in the study already

    @property
    def of_dialogue(self) -> bool:
        return bool(self.messages) or self.turn is not None

    @property
    def is_empty(self) -> bool:
        """Whether there is no text: its system, if known, gave no output."""
        return not self.text.strip()

    @property
    def may_be_empty(self) -> bool:
        """Whether it is known which system had nothing to say, and to what."""
        return bool(self.system and any(self.prompt) and not self.of_dialogue)

    @property
    def about(self) -> str:
        """What its ratings are about, as an aspect says it."""
        return "dialogue" if self.messages else "text"

    @property
    def prompt(self) -> tuple[str, str, str]:
        return self.prefix, self.label, self.source

    def aspects(self) -> Iterator[str]:
        yield from (rating.aspect for rating in self.ratings)
        yield from (mean.aspect for mean in self.means)


AUTO = "auto"
DECIMALS = ("comma", "point")
AGAIN = OTHER_TEXT, FIRST_RATING = "text", "first"
# Usual scales: the first that all ratings fit is chosen.
SCALES = ((1, 5), (1, 7), (1, 10), (0, 1), (0, 5), (0, 10), (1, 100), (0, 100))


class OptionsError(ValueError):
    """An option is unknown or its value will not do."""


@dataclass(frozen=True)
class Options:
    """What can be chosen about an import; title to scale only for a new study."""

    systems: str = ""  # "by-order": formats that say so can tell systems by position
    cut: int = 0  # words to keep of each text; 0: all, and unfinished sentences too
    title: str = ""
    language: str = "en"
    ratings_per_text: int = 5
    scale: str = "1-5"  # or auto: the usual one that the ratings fit
    # For tables with columns of their own:
    map: Mapping[str, str] = field(default_factory=dict)  # roles by column
    guess: bool = False  # what `map` does not name, rather than ignore it
    # What answers stand for, by aspect: {"coherence": {"Agree": 4, "99": ""}}.
    values: Mapping[str, Mapping[str, int | str]] = field(default_factory=dict)
    decimal: str = ""  # what a comma in a number is: "comma" or "point" (thousands)
    # What a text is that one rater has rated twice: another "text" with the same words,
    # or the same one, of which the "first" rating counts.
    again: str = ""
    yes: bool = False  # what is proposed where somebody has to be asked is right
    sheet: str = ""  # of a workbook; empty: the first
    encoding: str = ""  # of a file of text; empty: as recognised
    preset: str | None = None  # a ready mapping; None: as recognised, empty: none
    leave_out: bool = False  # lines that cannot be used, rather than refuse the file

    @classmethod
    def of(cls, given: Mapping[str, Any] | Options | None) -> Options:
        """From a form, a request or a command line. Empty means the default.

        Raises:
            OptionsError: With a sentence on what would do.
        """
        if isinstance(given, Options):
            return given
        values = {
            k: v
            for k, v in (given or {}).items()
            if v is not None and (v != "" or k == "preset")
        }
        if said := storable.problem_in(values):
            raise OptionsError(f"An option {said}.")
        names = [field.name for field in dataclasses.fields(cls)]
        if unknown := sorted(set(values) - set(names)):
            raise OptionsError(
                f"Unknown option {', '.join(unknown)}: there are {', '.join(names)}."
            )
        for name, low, high in (("cut", 0, 10_000), ("ratings_per_text", 1, 100)):
            if name in values:
                values[name] = _whole(name, values[name], low, high)
        options = cls(**values)
        if options.systems not in ("", "by-order"):
            raise OptionsError('systems can only be "by-order".')
        if options.decimal not in ("", *DECIMALS):
            raise OptionsError(f"decimal is one of {', '.join(DECIMALS)}.")
        if options.again not in ("", *AGAIN):
            raise OptionsError(f"again is one of {', '.join(AGAIN)}.")
        if wrong := wrong_with_values(options.values):
            raise OptionsError(wrong)
        if options.encoding and options.encoding not in ENCODINGS:
            raise OptionsError(f"encoding is one of {', '.join(ENCODINGS)}.")
        options.scale_range()
        return options

    def scale_range(self) -> range:
        """Of what is taken: with a scale yet to be chosen, all that there could be."""
        if self.scale == AUTO:
            return range(0, 101)
        found = re.fullmatch(r"(\d{1,3})-(\d{1,3})", str(self.scale), re.ASCII)
        if not found or not int(found[1]) < int(found[2]) <= 100:
            raise OptionsError("scale is two whole numbers up to 100, such as 1-5.")
        return range(int(found[1]), int(found[2]) + 1)


def wrong_with_values(given: Any) -> str:
    """What is wrong with a table of answers; empty: nothing."""
    told = (
        'values is a table by aspect, such as {"coherence": {"Agree": 4, "99": ""}}:'
        " whole numbers from 0 to 100, or nothing where there is no answer."
    )
    if not isinstance(given, Mapping):
        return told
    for table in given.values():
        if not isinstance(table, Mapping) or not all(map(_stands, table.values())):
            return told
    return ""


def _stands(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    return value == "" or (isinstance(value, int) and 0 <= value <= 100)


def _whole(name: str, value: Any, low: int, high: int) -> int:
    if not re.fullmatch(r"\d{1,6}", str(value), re.ASCII) or not (
        low <= int(value) <= high
    ):
        raise OptionsError(f"{name} is a whole number from {low} to {high}.")
    return int(value)


@dataclass(frozen=True)
class Format:
    """A kind of file. Each public file of this folder defines one as FORMAT."""

    title: str
    suffix: str  # of its files: ".csv"
    help: str  # the documentation of its columns or fields
    read: Callable[[Source, Options, Problems], Iterator[Row]]
    verbalizers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tells_systems_by_order: bool = False
    merges: bool = False  # rows of one text by several raters are put together
    sample: str = ""  # in static/samples; empty: "sample" and the suffix

    @property
    def sample_file(self) -> str:
        return f"samples/{self.sample or f'sample{self.suffix}'}"
