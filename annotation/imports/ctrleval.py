"""The file that Ke et al. (2022) released with CTRLEval: six columns, no header line.

Tab-separated: label, prefix, text, and the means of five ratings of coherence,
consistency and attribute relevance.

The file names no systems, so they are unknown. Its order tells them: each prompt has
its texts in turn from four systems. With systems=by-order they are called "system 1
(inferred from row order)" to 4. Labels get the words that Table 8 of the paper prints.
"""

from __future__ import annotations

from collections.abc import Iterator

from annotation.imports._account import Account
from annotation.imports._cells import Cells, row
from annotation.imports._problems import Problems, Unreadable
from annotation.imports._rows import Format, Options, Row
from annotation.imports._source import Source

ASPECTS = ("coherence", "consistency", "attribute-relevance")
COLUMNS = ("label", "prefix", "text", *ASPECTS)
N_SYSTEMS = 4
N_RATINGS = 5
VERBALIZERS = {
    "negative": ("bad", "negative", "terrible"),
    "positive": ("good", "positive", "great"),
    "computers": ("computers",),
    "politics": ("politics",),
    "religion": ("religion",),
    "science": ("science",),
}


def read(source: Source, options: Options, problems: Problems) -> Iterator[Row]:
    n_rows = 0
    for number, line in source.lines():
        if not line.strip():
            continue
        made = _row(number, line, source.account, problems)
        if made and options.systems:
            made.system = f"system {n_rows % N_SYSTEMS + 1} (inferred from row order)"
        n_rows += 1
        if made:
            yield made
    if options.systems and n_rows % N_SYSTEMS:
        problems.add(
            f"{n_rows} rows are not a multiple of {N_SYSTEMS}, so their order does not"
            " show the systems."
        )


def _role(name: str) -> str:
    return f"mean:{name}" if name in ASPECTS else name


def _row(number: int, line: str, account: Account, problems: Problems) -> Row | None:
    values = line.rstrip("\r\n").split("\t")
    if len(values) != len(COLUMNS):
        problems.add(
            f"{len(values)} cells separated by tabs, expected {len(COLUMNS)}: "
            f"{', '.join(COLUMNS)}",
            number,
        )
        if number == 1:  # another format: the same would be said of each line
            raise Unreadable
        return None
    named = dict(zip(COLUMNS, values, strict=True))
    account.cells(number, named, _role)
    cells = Cells(number, named, problems)
    made = row(cells)
    for aspect in ASPECTS:
        if mean := cells.mean(aspect, named[aspect], N_RATINGS):
            made.means.append(mean)
    if not made.label:
        cells.wrong("label is empty")
    return made


FORMAT = Format(
    title="CTRLEval, as released",
    suffix=".txt",
    help=__doc__ or "",
    read=read,
    verbalizers=VERBALIZERS,
    tells_systems_by_order=True,
)
