"""File -> checked rows. Touches no database."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import BinaryIO

from annotation.imports._asking import about_again
from annotation.imports._checks import LONGEST_ASPECT, Present, check_row
from annotation.imports._cutting import cut
from annotation.imports._problems import Problems, Unreadable
from annotation.imports._rows import Format, Options, Row
from annotation.imports._sheet import Sheet
from annotation.imports._source import Limits, Source
from annotation.imports._together import Together
from annotation.sentences import respelled
from annotation.studies import aspect_key

# Ratings, means and references that a file may have for each text it may have. All
# are written in one transaction, some 20,000 in a second, and on SQLite the answers of
# other studies' workers wait for its end, 20 seconds at most.
VALUES_PER_ROW = 2
MARK = 6  # letters that tell two long names apart
Progress = Callable[[int], object]
WHOLE = (
    "a corrected text cannot be compared with a text that is cut: leave out “cut”, or"
    " the column of corrected texts"
)

RESPACED = (
    "the text of an earlier row but for spaces, line ends or how accents are"
    " written. Each is taken for the same text, as the earlier row has it."
)
ALL_EMPTY = (
    "Every text is empty, as in a column that holds no texts. Choose the column of the"
    " texts; or, if every output failed, upload them together with other texts."
)


def check(
    *,
    format: Format,
    file: BinaryIO,
    options: Options,
    limits: Limits,
    present: Present,
    problems: Problems,
    progress: Progress | None = None,
) -> Sheet:
    """Read to the end, note all problems, keep the rows that have none."""
    source = Source(file, limits, problems, progress=progress)
    sheet = Sheet()
    together = Together(
        present, problems, source, merges=format.merges, again=options.again
    )
    try:
        rows = _limited(format.read(source, options, problems), limits, problems)
        for group in _groups(rows):
            for row in group:
                _prepare(row, options, sheet, problems)
                if options.cut and row.edited:
                    problems.add(WHOLE, row.line)
                check_row(row, present=present, limits=limits, problems=problems)
            _keep(group, sheet, together, problems)
    except Unreadable:
        problems.of_the_file = True
    if not sheet.n_kept and not problems.of_the_file:
        if not problems:
            problems.add("The file has no texts.")
        problems.of_the_file = True
    n_empty = sheet.counts.no_output.total()
    if not problems and n_empty and sheet.counts.texts == n_empty:
        problems.add(ALL_EMPTY)
    sheet.end()
    sheet.sha256, sheet.preset, sheet.unit = source.sha256, source.preset, source.unit
    sheet.encoding = source.encoding
    if sheet.counts.ratings:  # all may be 4/7 or less
        sheet.counts.high = max(sheet.counts.high, source.highest)
    if source.opened:
        sheet.notes = list(dict.fromkeys(source.opened.table.notes))
    if n := together.n_respaced:
        have = "1 row has" if n == 1 else f"{n:,} rows have"
        sheet.notes.append(f"{have} {RESPACED}")
    sheet.asked, sheet.questions = source.asked, source.questions
    sheet.tables = source.tables
    if together.again:
        question = about_again(together.again, source.unit)
        sheet.asked = [*sheet.asked, question]
        if not options.again and not options.yes:
            sheet.questions = [*sheet.questions, question]
    sheet.numbers, sheet.problems = together.taken(), problems
    sheet.opened, sheet.account = (
        source.opened,
        source.account.entries(problems.bad_lines),
    )
    return sheet


def _aspect_key(name: str) -> str:
    """Letters of addresses, fifty at most: a question as a header is longer, and 流畅度
    has none of them. The whole name is the title."""
    key = aspect_key(name)
    if 0 < len(key) <= LONGEST_ASPECT or not name.strip():
        return key
    mark = hashlib.sha256(name.strip().lower().encode()).hexdigest()[:MARK]
    begin = key[: LONGEST_ASPECT - MARK - 1].rstrip("-") or "aspect"
    return f"{begin}-{mark}"


def _groups(rows: Iterator[Row]) -> Iterator[list[Row]]:
    """A dialogue with its turns, which are kept together or not at all; other rows
    alone."""
    group: list[Row] = []
    for row in rows:
        if group and row.turn is None:
            yield group
            group = []
        group.append(row)
    if group:
        yield group


def _keep(
    group: list[Row], sheet: Sheet, together: Together, problems: Problems
) -> None:
    at = sheet.n_kept
    first = [together.note(row, at + n) for n, row in enumerate(group)]
    if any(row.line in problems.bad_lines for row in group):
        return
    for row, there in zip(group, first, strict=True):
        if there is None:
            sheet.keep(row)
        else:
            sheet.add_ratings(row, there)


def _limited(rows: Iterator[Row], limits: Limits, problems: Problems) -> Iterator[Row]:
    n_values, most_values = 0, limits.rows * VALUES_PER_ROW
    references: set[int] = set()  # hashes: the same of a prompt is written once
    for n_rows, row in enumerate(rows, 1):
        references.update(hash((row.prompt, text)) for text in row.references)
        n_values += len(row.ratings) + len(row.means) + len(row.scores)
        n_values += len(row.edited)
        if n_rows > limits.rows:
            problems.add(
                f"The file has more than {limits.rows:,} texts: split it, or ask your"
                " operator to raise UPLOAD_MAX_ROWS."
            )
            return
        if n_values + len(references) > most_values:
            problems.add(
                f"The file has more than {most_values:,} ratings, means and references:"
                " split it, and add the rest to the draft."
            )
            return
        yield row


def _prepare(row: Row, options: Options, sheet: Sheet, problems: Problems) -> None:
    """Spell its beginning as the prefix; cut it if asked to; name aspects by keys.

    Turns of a dialogue are never cut: those that follow answer all of them.
    """
    text = "" if row.is_empty else respelled(row.prefix, row.text)
    row.respelled, row.text = text != row.text, text
    if options.cut and row.text and not row.of_dialogue:
        row.text = cut(row.text, options.cut)
    keys = {name: _aspect_key(name) for name in row.aspects()}
    for name, key in keys.items():
        sheet.counts.aspects.setdefault(key, name)
        if sheet.counts.about.setdefault(key, row.about) != row.about:
            problems.add(
                f"{name}: rated of single turns and of whole dialogues; give one of the"
                " two another name",
                row.line,
            )
    row.ratings = [r._replace(aspect=keys[r.aspect]) for r in row.ratings]
    row.means = [m._replace(aspect=keys[m.aspect]) for m in row.means]
