"""A table with a header line, one text in each row.

Required columns (cells may be empty):

    prefix     the beginning that the system was given
    label      the attribute asked for: positive, politics
    system     who wrote the text; empty: unknown
    text       the text under test; empty: its system gave no output

Optional columns:

    source             what the text answers: a document, a dialogue
    reference          a good answer; more of them: reference:2, reference:3
    edited             the text itself, corrected by a person; edited:2, edited:3
    sample             1, 2, 3 ... of this system for this prompt; empty: in file order
    key                your own id of the text, unique in the study; empty: its number
    pair               an id that two texts share
    log_probability    of the text under its system
    system_kind        generator or human
    system_model       what the system is
    top_p, top_k       its sampling settings
    asked              whether people were asked about it, in a study that drew a random
                       part of its texts: true or false; with it
    probability        with which it was drawn, and
    stratum            the number of the texts that it was drawn from

Ratings and mean scores, for each aspect, here coherence:

    rating:coherence         whole numbers of unnamed raters: 4;5;3
    rating:coherence:ann     the rating of the rater ann
    mean:coherence           the mean, where the ratings are not there
    n:coherence              how many ratings are behind it

The same text twice, of one system for one prompt, is an error unless sample numbers
tell the two apart. Commas, semicolons or tabs separate the columns; the file is UTF-8.
"""

from __future__ import annotations

from collections.abc import Iterator

from annotation.imports import _draws
from annotation.imports._cells import FIELDS, REQUIRED, Cells, row
from annotation.imports._problems import Problems
from annotation.imports._rows import Format, Options, Rating, Row
from annotation.imports._source import Source
from annotation.imports._tables import table

NAMES = (
    ", ".join(
        (*FIELDS, "reference", "edited", "rating:ASPECT", "rating:ASPECT:RATER")
        + ("mean:ASPECT",)
    )
    + " and n:ASPECT"
)
SEPARATOR = ";"


def read(source: Source, options: Options, problems: Problems) -> Iterator[Row]:
    records = table(
        source,
        problems,
        required=REQUIRED,
        vital=("text",),
        known=_known,
        names=NAMES,
    )
    for line, values in records:
        source.account.cells(line, values, _role)
        cells = Cells(line, values, problems)
        made = row(cells)
        _draws.given(made, cells)
        made.references = _several(values, "reference")
        made.edited = _several(values, "edited")
        made.ratings = list(_ratings(cells, values))
        for name, value in values.items():
            kind, _, aspect = name.partition(":")
            if kind == "mean":
                mean = cells.mean(aspect, value, values.get(f"n:{aspect}"))
                made.means += [mean] if mean else []
            elif kind == "n" and f"mean:{aspect}" not in values and value.strip():
                cells.wrong(f"{name} without a column mean:{aspect}")
        yield made


def _several(values: dict[str, str], kind: str) -> list[str]:
    return [
        text
        for name, text in values.items()
        if name.partition(":")[0] == kind and text.strip()
    ]


def _ratings(cells: Cells, values: dict[str, str]) -> Iterator[Rating]:
    for name, value in values.items():
        kind, _, rest = name.partition(":")
        if kind != "rating" or not value.strip():
            continue
        aspect, _, rater = rest.partition(":")
        parts = [part for part in value.split(SEPARATOR) if part.strip()]
        if rater and len(parts) > 1:
            cells.wrong(f"{name}: one rater gives one rating, not {len(parts)}")
            continue
        for part in parts:
            if rating := cells.rating(aspect, rater.strip(), part):
                yield rating


def _role(name: str) -> str:
    kind = name.partition(":")[0]
    return kind if kind in ("reference", "edited") else name


def _known(name: str) -> bool:
    kind, colon, rest = name.partition(":")
    if kind in ("rating", "mean", "n"):
        return bool(rest.strip())
    return name in FIELDS or kind in ("reference", "edited")


FORMAT = Format(title="Table (csv)", suffix=".csv", help=__doc__ or "", read=read)
