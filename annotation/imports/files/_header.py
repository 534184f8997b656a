"""Which row of a table names its columns, and which are no data either. Pure.

Files of people have titles above the header, a header of two rows, or Qualtrics' three.
Taking the first row as the header made texts of all of these, which people would rate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice, zip_longest
from typing import Any, NamedTuple

from annotation.imports import _cells, _names

LOOKED_AT = 50  # rows
ROOM = 1 << 22  # characters of them
MOST_TITLES = 20  # rows above the header
LONGEST_NAME = 60  # characters of a name that nobody knows
MOST_WORDS = 3  # of a name that nobody knows
SENTENCE_ENDS = tuple(".!。！…")
QUALTRICS = "ImportId"
SURVEY_MONKEY = {"respondent id", "collector id"}
Row = tuple[int, list[Any]]


class Head(NamedTuple):
    """What the first rows of a table are. The others can be read once."""

    cells: list[Any]  # names of the columns
    rows: Iterator[Row]
    headed: bool
    notes: list[str]  # what was passed over
    questions: Row | None = None  # Qualtrics': what each column asks
    doubtful: str = ""  # the name of the only column, which may be a text as well


def found(rows: Iterator[Row], unit: str, *, may_lack: bool = False) -> Head:
    """Look for the header; with `may_lack`, there may be none."""
    first = _first(rows)
    if not first:
        return Head([], rows, True, [])
    table = [cells for _, cells in first]
    at = _place(table)
    cells, n = _joined(table, at)
    if (
        at == 0
        and n == 1
        and (
            (may_lack and not _is_named(cells, table[1:]))
            or _are_texts(cells, table[1:])
        )
    ):
        return Head(["" for _ in cells], chain(first, rows), False, [])
    more = _extra(table, at + n)
    if _has_row_names(cells, table[at + n :]):
        cells = ["", *cells]
    lines = [line for line, _ in first]
    notes = [
        *_above(at, unit),
        *_of_qualtrics(lines[at + n : at + n + more], unit),
    ]
    questions = first[at + n] if more else None
    rest = first[at + n + more :]
    doubtful = _doubtful(cells, [row for _, row in rest])
    return Head(cells, chain(rest, rows), True, notes, questions, doubtful)


def without_repeats(
    rows: Iterator[Row], columns: Sequence[str], unit: str, notes: list[str]
) -> Iterator[Row]:
    """Files put one below the other repeat their header, in any order of columns."""
    order: list[int] = []  # empty: as above
    lines, names = list[int](), sorted(columns)
    for line, cells in rows:
        said = [_text(cell) for cell in cells]
        if len(columns) > 1 and sorted(said) == names:
            order = [said.index(name) for name in columns] if said != columns else []
            lines.append(line)
        elif order and unit == "row":  # cells at the end of a sheet's rows may lack
            own = [cells[n] if n < len(cells) else None for n in order]
            yield line, [*own, *cells[len(order) :]]
        elif order and len(cells) == len(order):
            yield line, [cells[n] for n in order]
        else:
            yield line, cells
    if lines:
        told = ", ".join(f"{line:,}" for line in lines[:5])
        more = f" and {len(lines) - 5:,} more" if len(lines) > 5 else ""
        what = "is the header" if len(lines) == 1 else "are the header"
        units = unit if len(lines) == 1 else f"{unit}s"
        again = "was" if len(lines) == 1 else "were"
        notes.append(
            f"{units.capitalize()} {told}{more} {what} once more and {again} not read."
        )


def _first(rows: Iterator[Row]) -> list[Row]:
    found, left = [], ROOM
    for row in islice(rows, LOOKED_AT):
        found.append(row)
        left -= sum(len(str(cell)) for cell in row[1])
        if left < 0:
            break
    return found


def _above(n: int, unit: str) -> list[str]:
    if not n:
        return []
    said = f"first {unit} is" if n == 1 else f"first {n} {unit}s are"
    were = "was" if n == 1 else "were"
    return [f"The {said} above the header and {were} not read."]


def _of_qualtrics(lines: Sequence[int], unit: str) -> list[str]:
    if not lines:
        return []
    unit = unit.capitalize()
    if len(lines) == 1:
        return [f"{unit} {lines[0]} is a heading of Qualtrics and was not read."]
    told = " and ".join(map(str, lines))
    return [f"{unit}s {told} are headings of Qualtrics and were not read."]


# Titles -------------------------------------------------------------------------------


def _place(table: Sequence[list[Any]]) -> int:
    """Of the header: the first row, unless all rows above another look like titles."""
    counted = Counter(len(_filled(cells)) for cells in table[1:])
    typical = max(counted, key=lambda n: (counted[n], n), default=0)
    for at, cells in enumerate(table[: MOST_TITLES + 1]):
        is_header = _n_known(cells) > 1 or _joined(table, at)[1] > 1
        if is_header or not _may_be_title(cells, typical):
            above = table[:at]
            return at if at and _is_header(table, at, above, typical) else 0
    return 0


def _may_be_title(cells: list[Any], typical: int) -> bool:
    """Fewer cells than below, from the left. The index of a table has no name there."""
    if not cells or _text(cells[0]) == "":
        return False
    return len({_text(cell) for cell in _filled(cells)}) < typical


def _is_header(
    table: Sequence[list[Any]], at: int, above: Sequence[list[Any]], typical: int
) -> bool:
    cells, n = _joined(table, at)
    known, of_titles = _n_known(cells), max(map(_n_known, above))
    if known < 2 and not all(_is_plain_title(one, typical) for one in above):
        return False
    if of_titles and of_titles >= known:
        return False
    return _looks_like_names(cells, table[at + n :], known)


def _is_plain_title(cells: list[Any], typical: int) -> bool:
    words = {_text(cell) for cell in _filled(cells)}
    return 2 * len(words) <= typical or _text(cells[0]).startswith("#")


def _looks_like_names(
    cells: Sequence[Any], below: Sequence[list[Any]], known: int
) -> bool:
    named = [_text(cell) for cell in _filled(cells)]
    if len(named) < 2 or len(set(named)) < len(named):
        return False
    if known < 2 and any(
        _number(name) is not None or len(name) > LONGEST_NAME for name in named
    ):
        return False
    if known < 2 and any(str(cell).startswith(" ") for cell in _filled(cells)):
        return False  # texts with a comma in each, in a file of one column
    return not _occurs(cells, below)


def _occurs(cells: Sequence[Any], below: Sequence[list[Any]]) -> bool:
    """Whether a cell stands in its own column once more, as names never do."""
    columns = [
        {_text(row[place]) for row in below if place < len(row)}
        for place in range(len(cells))
    ]
    return any(
        _text(cell) in column
        for cell, column in zip(cells, columns, strict=True)
        if _text(cell)
    )


# Two rows -----------------------------------------------------------------------------


def _joined(table: Sequence[list[Any]], at: int) -> tuple[list[Any], int]:
    """The names of columns, and over how many rows they go."""
    if at + 1 < len(table) and (named := _of_survey_monkey(*table[at : at + 2])):
        return named, 2
    two = _two(*table[at : at + 2]) if at + 1 < len(table) else None
    if two is None or _occurs(table[at + 1], table[at + 2 :]):
        return table[at], 1
    return two, 2


def _of_survey_monkey(upper: list[Any], lower: list[Any]) -> list[Any]:
    """The question above, and what it was asked of below; empty: of another program."""
    if not {_text(cell).lower() for cell in upper} >= SURVEY_MONKEY:
        return []
    named, over = [], ""
    for a, b in zip_longest(map(_text, upper), map(_text, lower), fillvalue=""):
        over = a or over
        is_whole = b.lower() in ("", "response", "open-ended response")
        named.append(over if is_whole else f"{over} [{b}]")
    return named


def _two(upper: list[Any], lower: list[Any]) -> list[Any] | None:
    """ "coherence" above "ann", "ben" -> "coherence ann", "coherence ben".

    None if the lower row is data. Names of groups stand above two columns or more, and
    at least one column has one name alone: the text's.
    """
    width = max(len(upper), len(lower))
    above, below = ([_text(c) for c in row] for row in (upper, lower))
    above += [""] * (width - len(above))
    below += [""] * (width - len(below))
    groups, over, n_alone = dict[str, list[str]](), "", 0
    alone_below = list[str]()
    for place, (a, b) in enumerate(zip(above, below, strict=True)):
        over = a or (over if b else "")  # a gap ends what a name stands above
        if b in ("", a):
            n_alone += bool(a)
        elif not over:
            alone_below.append(b)
        else:
            groups.setdefault(over, []).append(b)
            above[place] = over
    n_alone += _n_known(alone_below)  # the index of a table has no name above it
    if not groups or not (n_alone or _are_systems(groups)):
        return None
    if not _are_words(alone_below) or not _are_groups(groups):
        return None
    return [
        b if a in ("", b) else f"{a} {b}".strip()
        for a, b in zip(above, below, strict=True)
    ]


def _are_groups(named: Mapping[str, list[str]]) -> bool:
    """Of questions above their raters; a title above the texts is none."""
    groups = list(named.values())
    if _are_systems(named):
        return True
    if any(map(_names.is_of_texts, chain(named, *groups))):
        return False
    large = [group for group in groups if len(group) > 1]
    names = {name for group in large for name in group}
    if not large or not names.issuperset(chain.from_iterable(groups)):
        return False
    return all(
        len(set(group)) == len(group) and (_are_words(group) or _in_turn(group))
        for group in groups
    )


def _are_systems(named: Mapping[str, list[str]]) -> bool:
    """Of systems above their texts and ratings: the same columns below each of them."""
    first, *others = (sorted(group) for group in named.values())
    has_text = any(map(_names.is_of_texts, first))
    above_texts = any(map(_names.is_of_texts, named))
    same = bool(others) and all(group == first for group in others)
    return same and has_text and not above_texts and len(set(first)) == len(first) > 1


def _are_words(cells: Sequence[Any]) -> bool:
    return all(
        _number(cell) is None and len(_text(cell)) <= LONGEST_NAME for cell in cells
    )


def _in_turn(cells: Sequence[Any]) -> bool:
    """Numbers of raters: 1, 2, 3."""
    found = [_number(cell) for cell in cells]
    ways = [[float(n) for n in range(k, k + len(found))] for k in (0, 1)]
    return found in ways


# No header, and more than one ---------------------------------------------------------


def _is_named(cells: Sequence[Any], below: Sequence[list[Any]]) -> bool:
    """Whether these are names. Raters may be called 1, 2, 3."""
    numbers = [cell for cell in cells if _number(cell) is not None]
    if not numbers:
        return True
    known = [cell if _names.is_known(_text(cell)) else "" for cell in cells]
    if _occurs(known, below):
        return False
    n_known, in_turn = _n_known(cells), len(numbers) > 1 and _in_turn(numbers)
    return n_known > 1 or (in_turn and (n_known > 0 or _is_short(cells, below)))


def _are_texts(cells: Sequence[Any], below: Sequence[list[Any]]) -> bool:
    """Whether these are a row like those below, as of a list without a header.

    A sentence stands where sentences stand below it, or a cell is there once more.
    """
    if not below or _n_known(cells):
        return False
    columns = [
        [_text(row[place]) for row in below if place < len(row)]
        for place in range(len(cells))
    ]
    both = list(zip(map(_text, cells), columns, strict=True))
    if any(cell.isalpha() and cell not in column for cell, column in both):
        return False  # as names of columns are
    if any(_is_sentence(one) and _are_sentences(column) for one, column in both):
        return True
    words = any(
        len(_text(cell).split()) > MOST_WORDS and not _is_question(_text(cell))
        for cell in cells
    )
    return len(cells) > 1 and words and _occurs(cells, below)


def _are_sentences(column: Sequence[str]) -> bool:
    return sum(map(_is_sentence, column)) > len(column) / 2


def _is_sentence(text: str) -> bool:
    long = len(text.split()) > 2 or not text.isascii()
    return long and text.rstrip("\"'”’»)")[-1:] in SENTENCE_ENDS


def _is_question(text: str) -> bool:
    return text.rstrip().endswith(("?", "？", "]"))


def _doubtful(cells: Sequence[Any], below: Sequence[list[Any]]) -> str:
    """The name of the only column, if it may be a text as well; empty: it is a name."""
    if len(cells) != 1 or _n_known(cells) or not below:
        return ""
    name = _text(cells[0])
    if "_" in name or not _names.OF_TEXTS.isdisjoint(_names.words_of(name).split()):
        return ""
    words = [len(_text(row[0]).split()) for row in below if row]
    is_name = len(name.split()) <= MOST_WORDS
    return "" if is_name and 3 * len(name.split()) <= min(words, default=0) else name


def _is_short(cells: Sequence[Any], below: Sequence[list[Any]]) -> bool:
    """Whether the name of the longest texts is far shorter than each of them."""
    rows = [row for row in below if len(row) == len(cells)]
    if not rows:
        return False
    shortest = [min(len(_text(row[k])) for row in rows) for k in range(len(cells))]
    place = max(range(len(cells)), key=shortest.__getitem__)
    return 3 * len(_text(cells[place])) <= shortest[place]


def _extra(table: Sequence[list[Any]], start: int) -> int:
    """How many rows below the header are Qualtrics' questions and identifiers."""
    for n, cells in enumerate(table[start : start + 2], start=1):
        ids = sum(QUALTRICS in _text(cell)[:20] for cell in cells)
        if ids and 2 * ids > len(_filled(cells)):
            return n
    asked = set(map(_text, table[start])) if start < len(table) else set()
    names = set(map(_text, table[start - 1]))
    workbook = {"StartDate", "EndDate"} <= names and {"Start Date", "End Date"} <= asked
    return int(workbook)


def _has_row_names(cells: Sequence[Any], below: Sequence[list[Any]]) -> bool:
    """Whether rows begin with their number, which R gives no name in the header."""
    if not below or any(len(row) != len(cells) + 1 for row in below):
        return False
    return len(below) > 1 and _in_turn([row[0] for row in below])


# Cells --------------------------------------------------------------------------------


def _number(cell: Any) -> float | None:
    """With a comma, too: a row of 1,5 and 2,5 names no columns."""
    return _cells.number(cell.replace(",", ".") if isinstance(cell, str) else cell)


def _text(cell: Any) -> str:
    return "" if cell is None else str(cell).strip()


def _filled(cells: Sequence[Any]) -> list[Any]:
    return [cell for cell in cells if _text(cell)]


def _n_known(cells: Sequence[Any]) -> int:
    return sum(_names.is_known(_text(cell)) for cell in cells)
