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

from collections.abc import Iterator

from annotation.imports import _turns
from annotation.imports._mapping import checked
from annotation.imports._opening import opened
from annotation.imports._problems import Problems, UploadError
from annotation.imports._rows import Format, Options, Row
from annotation.imports._rows_of import Reader
from annotation.imports._source import Source


def read(source: Source, options: Options, problems: Problems) -> Iterator[Row]:
    found = opened(
        source,
        sheet=options.sheet,
        preset=options.preset,
        mapping=options.map,
        encoding=options.encoding,
    )
    source.preset, source.unit, source.opened = found.preset, found.table.unit, found
    try:
        mapping = checked(options.map or found.mapping, found.mapping)
    except UploadError as error:
        for sentence in error.lines:
            problems.add(sentence)
        return
    reader = Reader(mapping, problems)
    yield from _turns.rows(reader, found.records, source, problems)


FORMAT = Format(
    title="Any table, with its own columns",
    suffix=".csv",
    help=__doc__ or "",
    read=read,
    sample="own-columns.csv",
    merges=True,
)
