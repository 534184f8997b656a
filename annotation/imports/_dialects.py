"""How a table of text is written: what separates its cells, and what quotes mean. Pure.

Each way is tried on the first records. Counting separators in the header alone took
commas in a question for separators of columns, and refused the file.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from annotation.imports import _names

DELIMITERS = (
    ";",
    "\t",
    "|",
    ",",
)  # commas are in texts and numbers, too: they are last
# Of these, programs also write files in which quotation marks mean themselves.
BARE = ("\t", "|")
PEEK = 1 << 18  # bytes looked at
RECORDS = 500
NAMES = 20  # records of which one may name the columns
FEWEST_SPACED = 3  # records that show that spaces part cells
ENOUGH = 0.5  # of all records: with less, the header alone decides
_ESCAPED = re.compile(r"\\([\\\"])")
PROSE = "\x1f"  # separates no cells, as no text has it: of lines that are texts
SPACED = 0.9  # of all commas a letter follows after a space: of sentences
LONGEST_NAME = 3  # words
FEWEST_WORDS = 4  # of a line, on average: of sentences
_COMMA_OF_PROSE = re.compile(r"[,;] (?=[^\W\d_])|[,;](?=[\r\n]|$)")
_SEP = re.compile(r'"?sep=([^\w\s"]|\t)\1*"?[\r\n]*', re.IGNORECASE)


class Dialect(NamedTuple):
    delimiter: str = ","
    plain: bool = False  # quotation marks are part of the texts
    skip: bool = False  # the first line is not data: Excel's sep=;
    escaped: bool = False  # a quotation mark in a text is written \\"

    def reader(self, lines: Iterable[str]) -> Any:
        return csv.reader(
            map(_doubled, lines) if self.escaped else lines,
            delimiter=self.delimiter,
            strict=True,
            quoting=csv.QUOTE_NONE if self.plain else csv.QUOTE_MINIMAL,
        )


def _doubled(line: str) -> str:
    r"""A quotation mark written \" as "", and a backslash written twice as one."""
    return _ESCAPED.sub(lambda found: '""' if found[1] == '"' else "\\", line)


class _Fit(NamedTuple):
    """How well records go together; the larger, the better."""

    named: bool = False  # one of them has the usual names of columns
    share: float = 0.0  # of the records that have as many cells as most have
    begins: int = 0  # minus the place of the first of these
    order: int = 0  # commas are in texts and numbers, too: they come last
    width: int = 0


def recognised(sample: Sequence[str], *, whole: bool) -> Dialect:
    """The dialect of these first lines; `whole`: there are no others."""
    if sample and (said := _SEP.fullmatch(sample[0])):
        return Dialect(said[1], skip=True)
    fits = {one: _fit(one, sample, whole) for one in DELIMITERS}
    best = max(fits, key=lambda one: fits[one])
    if best in ",;" and not fits[best].named and _is_prose(sample):
        return Dialect(PROSE, plain=True)
    if fits[best].share < ENOUGH and not fits[best].named:
        best = " " if _is_spaced(sample, whole) else _of_header(sample)
    return Dialect(best, escaped=_is_escaped(best, sample, whole))


def _is_prose(sample: Sequence[str]) -> bool:
    """Whether the lines are sentences, whose commas separate no columns."""
    lines = [line for line in sample if line.strip()]
    n = sum(line.count(",") + line.count(";") for line in lines)
    quoted = any(line.lstrip().startswith('"') for line in lines)
    if not n or quoted or _has_names(lines[0]):
        return False
    spaced = sum(len(_COMMA_OF_PROSE.findall(line)) for line in lines)
    words = [len(line.split()) for line in lines]
    below = words[1:] or words  # the first one may name them
    mean = max(sum(words) / len(words), sum(below) / len(below))
    return spaced >= SPACED * n and mean >= FEWEST_WORDS


def _has_names(line: str) -> bool:
    """Whether a line looks like a header of several columns: "Satz, Note"."""
    cells = line.replace(";", ",").split(",")
    is_sentence = line.rstrip().endswith((".", "!", "?"))
    short = all(len(cell.split()) <= LONGEST_NAME for cell in cells)
    return len(cells) > 1 and short and not is_sentence


def _is_escaped(delimiter: str, sample: Sequence[str], whole: bool) -> bool:
    r"""Whether \" stands for a quotation mark: read so, more records have cells."""
    if not any('\\"' in line for line in sample):
        return False
    usual = _tried(Dialect(delimiter).reader(sample), whole)
    escaped = _tried(Dialect(delimiter, escaped=True).reader(sample), whole)
    return all(escaped) and not all(usual)


def _is_spaced(sample: Sequence[str], whole: bool) -> bool:
    """Whether spaces part the cells, as in what R writes: a header, then rows that all
    have as many cells, or one more for their names. Sentences never do."""
    records = _tried(csv.reader(sample, delimiter=" ", strict=True), whole)
    if len(records) < FEWEST_SPACED or not all(map(all, records)):
        return False
    (header, *rows), width = records, len(records[1])
    if not all(len(cells) == width > 1 for cells in rows):
        return False
    quoted = sample[0].startswith('"')
    return len(header) in (width, width - 1) and (quoted or _is_named(header))


def _fit(delimiter: str, sample: Sequence[str], whole: bool) -> _Fit:
    fit = _fit_of(_tried(Dialect(delimiter).reader(sample), whole), delimiter)
    if delimiter in BARE and fit.share < 1:
        bare = Dialect(delimiter, plain=True).reader(sample)
        fit = max(fit, _fit_of(_tried(bare, whole), delimiter))
    return fit


def _fit_of(records: Sequence[list[str]], delimiter: str) -> _Fit:
    widths = [len(cells) for cells in records]
    counted = Counter(width for width in widths if width > 1)
    if not counted:
        return _Fit()
    width, n = max(counted.items(), key=lambda found: (found[1], found[0]))
    named = any(len(cells) == width and _is_named(cells) for cells in records[:NAMES])
    order = int(delimiter != ",")
    return _Fit(named, n / len(widths), -widths.index(width), order, width)


def _is_named(cells: Sequence[str]) -> bool:
    return sum(map(_names.is_known, cells)) > 1


def _tried(reader: Any, whole: bool) -> list[list[str]]:
    """The first records; one without cells cannot be read in this way."""
    found = list(islice(_each(reader), RECORDS))
    if not whole and 1 < len(found) < RECORDS:
        found.pop()  # cut off in the middle
    return found


def _each(reader: Any) -> Iterator[list[str]]:
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            yield []
        else:
            if any(cells):
                yield cells


def _of_header(sample: Sequence[str]) -> str:
    """Whichever the first line has most of, outside of quotation marks.

    If it has none, there is one column: a comma in a text below parts nothing.
    """
    bare = re.sub(r'"[^"]*+"', "", sample[0]) if sample else ""
    most = max((",", ";", "\t", "|"), key=bare.count)
    return most if most in bare else PROSE


def is_plain(lines: Callable[[], Iterable[str]], delimiter: str) -> bool:
    r"""Whether quotation marks are part of the texts, looked at over the whole file.

    They are around cells if each cell that begins with one also ends with one, and has
    only doubled ones inside. Where lines have unequal numbers of cells, a cell may go
    over several of them: then it is tried which way fits more records.
    """
    widths, odd = Counter[int](), False
    for line in lines():
        if line.strip():
            cells = line.rstrip("\r\n").split(delimiter)
            widths[len(cells)] += 1
            odd = odd or '"' in line and not all(map(_is_closed, cells))
    if len(widths) < 2 or not odd:
        return odd
    quoted = Counter(map(len, _each(Dialect(delimiter).reader(lines()))))
    return _misfits(widths) <= _misfits(quoted)


def _misfits(widths: Counter[int]) -> int:
    right = max((n for width, n in widths.items() if width), default=0)
    return widths.total() - right


def _is_closed(cell: str) -> bool:
    if not cell.startswith('"'):
        return True
    closed = len(cell) > 1 and cell.endswith('"')
    return closed and '"' not in cell[1:-1].replace('""', "")
