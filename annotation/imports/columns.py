"""Any table: csv, tsv, jsonl, json, xlsx, parquet, or a zip file with some of these.

Columns may be called what they like. What each means is guessed from its name and what
is in it, and can be said by hand. A row has at least a text; without one, a row with
a system and a prompt or source says that the system gave no output. Rows of one text by
several raters are put together.

    text, system, prompt, prefix, source, label, reference, key, sample, pair, rater
    edited                   the text of the row, corrected by a person
    rating:coherence         whole numbers; several as 4;5;3
    rating:coherence:ann     of the rater ann
    mean:coherence           where single ratings are not there; n: how many
    score:bleu               of an automatic metric
    asked, probability, stratum   which texts a study drew at random for people to rate

prompt and source are shown beside the text; prefix is a beginning that it continues.

A dialogue has all its turns in one column, as the jsonl format writes them:

    messages                 [{"role": "user", "content": "Hi!"}, ...]

or a row for each turn. The rows of a dialogue stand together; ratings of all of it are
in a row without role and text:

    dialogue, turn, role, text, marked
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from annotation.imports import (
    _answered,
    _asking,
    _asking_of_files,
    _rejected,
    _totals,
    _turns,
    _unplaced,
)
from annotation.imports._account import SET_ASIDE
from annotation.imports._mapping import checked
from annotation.imports._opening import Opened, opened
from annotation.imports._problems import Problems, UploadError
from annotation.imports._rows import Format, Options, Row
from annotation.imports._rows_of import Reader, Reading
from annotation.imports._source import Source
from annotation.imports._values import Table
from annotation.imports.files import Record


def read(source: Source, options: Options, problems: Problems) -> Iterator[Row]:
    found = opened(
        source,
        sheet=options.sheet,
        preset=options.preset,
        mapping=options.map,
        guess=options.guess,
        encoding=options.encoding,
    )
    source.preset, source.unit, source.opened = found.preset, found.table.unit, found
    chosen = found.mapping if options.guess else options.map or found.mapping
    try:
        mapping = checked(chosen, found.names)
    except UploadError as error:
        for sentence in error.lines:
            problems.add(sentence)
        return
    reading = _reading(found, mapping, source, options)
    reader = Reader(mapping, problems, source.account, reading)
    records = _that_count(found, reader, source)
    yield from _turns.rows(reader, records, source, problems)


def _that_count(found: Opened, reader: Reader, source: Source) -> Iterator[Record]:
    """The rows that nobody has rejected, and that are of a person."""
    account = source.account
    records = _rejected.without(found.records, _of_rows(source), account)
    if not reader.has("rater"):
        return records
    [(rater, _)] = reader.columns("rater")
    said = source.tables.get(_asking_of_files.PROLIFIC, {})
    records = _rejected.without_people(records, rater, source.people, said, account)
    return _totals.without_nobody(records, rater, account, found.table.notes)


def _of_rows(source: Source) -> dict[str, Table]:
    """Which rows count, by the columns that say so."""
    asked = [one.about for one in source.asked if one.code == _asking.ROWS]
    asked = [about for about in asked if about != _asking_of_files.PROLIFIC]
    for column in asked:
        source.account.refuse(column, SET_ASIDE, "it says which rows count")
    return {column: source.tables[column] for column in asked}


def _reading(
    found: Opened, mapping: Mapping[str, str], source: Source, options: Options
) -> Reading:
    """As people have answered; where nobody has yet, as it is proposed."""
    columns = found.records.columns
    asked = [
        *_asking_of_files.of_encoding(source.encoding),
        *_asking_of_files.of_header(found.table.doubtful, found.table.unit),
        *_asking.of_shape(found.preset, found.shape),
        *_asking.questions(mapping, columns, found.in_doubt),
        *_asking_of_files.of_people(
            source.people if "rater" in mapping.values() else {}
        ),
        *(_unplaced.questions(found) if found.is_guessed else ()),
    ]
    source.asked = asked
    source.questions = _answered.still_open(
        asked,
        values=options.values,
        roles=options.map,
        decimal=options.decimal,
        takes_proposals=options.yes,
        preset=options.preset,
    )
    rated = [
        columns[n] for n, r in mapping.items() if n in columns and r[:7] == "rating:"
    ]
    source.highest = max((one.highest for one in rated), default=0)
    source.tables = tables = _answered.tables(asked, options.values)
    return Reading(tables, columns, parted=options.decimal == "point")


FORMAT = Format(
    title="Any table, with its own columns",
    suffix=".csv",
    help=__doc__ or "",
    read=read,
    sample="own-columns.csv",
    merges=True,
)
