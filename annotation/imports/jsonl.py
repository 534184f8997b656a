"""One JSON object in each line, one text in each object.

Fields are those of the csv format: prefix, label, system and text must be there (null
if there is nothing, but for text); source, sample, key, pair, log_probability,
system_kind, system_model, top_p and top_k may be. Besides:

    "references": ["a good answer", "another"]
    "ratings": {"coherence": [4, 5, 3]}                unnamed raters
    "ratings": {"coherence": {"ann": 4, "ben": 5}}     named raters
    "means": {"coherence": 4.2}
    "means": {"coherence": {"mean": 4.2, "n": 5}}      with the number of ratings

The file is UTF-8.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from annotation.imports._cells import FIELDS, REQUIRED, Cells, row
from annotation.imports._objects import objects
from annotation.imports._problems import Problems, shown
from annotation.imports._rows import Format, Mean, Options, Rating, Row
from annotation.imports._source import Source

NAMES = (*FIELDS, "references", "ratings", "means")


def read(source: Source, options: Options, problems: Problems) -> Iterator[Row]:
    for number, values in objects(source, problems, required=REQUIRED, known=NAMES):
        yield _row(Cells(number, values, problems), values)


def _row(cells: Cells, values: Mapping[str, object]) -> Row:
    made = row(cells)
    made.references = _references(cells, values.get("references"))
    made.ratings = list(_ratings(cells, _aspects(cells, values, "ratings")))
    made.means = list(_means(cells, _aspects(cells, values, "means")))
    return made


def _references(cells: Cells, value: Any) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        cells.wrong("references must be a list of texts")
        return []
    return [text for text in value if text.strip()]


def _aspects(
    cells: Cells, values: Mapping[str, object], name: str
) -> dict[str, object]:
    value = values.get(name)
    if value is not None and not isinstance(value, dict):
        cells.wrong(f"{name} must be an object with a key for each aspect")
        return {}
    return value or {}


def _ratings(cells: Cells, given: Mapping[str, object]) -> Iterator[Rating]:
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


def _means(cells: Cells, given: Mapping[str, object]) -> Iterator[Mean]:
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


FORMAT = Format(
    title="JSON lines (jsonl)", suffix=".jsonl", help=__doc__ or "", read=read
)
