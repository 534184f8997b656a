"""File -> checked rows. Touches no database."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from annotation.imports._checks import Present, check_row, check_together
from annotation.imports._cutting import cut
from annotation.imports._problems import Problems, Unreadable
from annotation.imports._rows import Format, Options, Row, Sheet
from annotation.imports._source import Limits, Source
from annotation.studies import aspect_key

# Ratings, means and references that a file may have for each text it may have. All
# are written in one transaction, some 20,000 in a second, and on SQLite the answers of
# other studies' workers wait for its end, 20 seconds at most.
VALUES_PER_ROW = 2


def check(
    *,
    format: Format,
    file: BinaryIO,
    options: Options,
    limits: Limits,
    present: Present,
    problems: Problems,
) -> Sheet:
    """Read to the end, note all problems, number what has no number."""
    source = Source(file, limits, problems)
    rows: list[Row] = []
    try:
        for row in _limited(format.read(source, options, problems), limits, problems):
            _prepare(row, options)
            check_row(row, present=present, limits=limits, problems=problems)
            rows.append(row)
    except Unreadable:
        pass
    if not rows and not problems:
        problems.add("The file has no texts.")
    check_together(rows, present=present, problems=problems)
    return Sheet(rows, source.sha256)


def _limited(rows: Iterator[Row], limits: Limits, problems: Problems) -> Iterator[Row]:
    n_values, most_values = 0, limits.rows * VALUES_PER_ROW
    references: set[int] = set()  # hashes: the same of a prompt is written once
    for n_rows, row in enumerate(rows, 1):
        references.update(hash((row.prompt, text)) for text in row.references)
        n_values += len(row.ratings) + len(row.means)
        if n_rows > limits.rows:
            problems.add(f"The file has more than {limits.rows:,} texts: split it.")
            return
        if n_values + len(references) > most_values:
            problems.add(
                f"The file has more than {most_values:,} ratings, means and references:"
                " split it, and add the rest to the draft."
            )
            return
        yield row


def _prepare(row: Row, options: Options) -> None:
    """Cut the text if asked to; turn the names of aspects into their keys."""
    if options.cut:
        row.text = cut(row.text, options.cut)
    keys = {name: aspect_key(name) or name for name in row.aspects()}
    row.ratings = [r._replace(aspect=keys[r.aspect]) for r in row.ratings]
    row.means = [m._replace(aspect=keys[m.aspect]) for m in row.means]
