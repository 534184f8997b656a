"""One JSON object in each line, one text in each object.

Fields are those of the csv format: prefix, label, system and text must be there (null
if there is nothing; a null text: its system gave no output); source, sample, key, pair,
log_probability, system_kind, system_model, top_p, top_k, asked, probability and stratum
may be. Besides:

    "references": ["a good answer", "another"]
    "edited": ["the text itself, corrected by a person"]
    "ratings": {"coherence": [4, 5, 3]}                unnamed raters
    "ratings": {"coherence": {"ann": 4, "ben": 5}}     named raters
    "means": {"coherence": 4.2}
    "means": {"coherence": {"mean": 4.2, "n": 5}}      with the number of ratings

A dialogue has messages instead of a prefix and a text:

    {"key": "d1", "system": "bot 1", "ratings": {"depth": [2, 3]}, "messages": [
       {"role": "user", "content": "Hi!"},
       {"role": "assistant", "content": "Hello.", "marked": true,
        "ratings": {"fluency": [4, 5]}}]}

Its ratings are of all of it, those of a message are of that turn. People rate the
marked turns; if none says whether it is marked, those that have ratings; if none has
any, those of the assistant (or bot, model, agent; without one of these, of the system).
A message may have references, too. Metrics get the turns before as the source.

The file is UTF-8.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from annotation.imports import _dialogues, _draws
from annotation.imports._account import NOT_OF_MESSAGES
from annotation.imports._cells import (
    FIELDS,
    REQUIRED,
    Cells,
    means_of,
    ratings_of,
    row,
)
from annotation.imports._objects import objects
from annotation.imports._problems import Problems, shown
from annotation.imports._rows import Format, Options, Row
from annotation.imports._source import Source

NAMES = (*FIELDS, "references", "edited", "ratings", "means", "messages")
MANY = {"references": "reference", "ratings": "rating", "means": "mean"}
# What belongs to a text, and to no dialogue.
NOT_OF_DIALOGUES = (
    *(
        "prefix",
        "text",
        "source",
        "references",
        "edited",
        "sample",
        "pair",
        "log_probability",
    ),
    *_draws.NAMES,
)


def read(source: Source, options: Options, problems: Problems) -> Iterator[Row]:
    for number, values in objects(source, problems, required=(), known=NAMES):
        source.account.cells(number, values, _role)
        cells = Cells(number, values, problems)
        if values.get("messages") is not None:
            yield from _dialogue(cells, values, source)
            continue
        for name in REQUIRED:
            if name not in values:
                cells.wrong(f"field {shown(name)} is missing")
        yield _row(cells, values)


def _role(name: str) -> str:
    """Of a field: "" of one that there is not, for which the file is refused."""
    return MANY.get(name, name if name in NAMES else "")


def _dialogue(
    cells: Cells, values: Mapping[str, object], source: Source
) -> Iterator[Row]:
    """All of it, and each marked turn."""

    def unused(field: str) -> None:
        source.account.set_aside(f"messages: {field}", words=NOT_OF_MESSAGES)

    for name in NOT_OF_DIALOGUES:
        if values.get(name) not in (None, "", []):
            cells.wrong(f"{name} cannot be given together with messages")
    whole = row(cells)
    whole.ratings = list(ratings_of(cells, _aspects(cells, values, "ratings")))
    whole.means = list(means_of(cells, _aspects(cells, values, "means")))
    messages = _dialogues.messages_of(values["messages"], cells, unused)
    most = source.limits.characters
    yield from _dialogues.rows_of(whole, messages, most=most, wrong=cells.wrong)


def _row(cells: Cells, values: Mapping[str, object]) -> Row:
    made = row(cells)
    _draws.given(made, cells)
    made.references = _texts(cells, values, "references")
    made.edited = _texts(cells, values, "edited")
    made.ratings = list(ratings_of(cells, _aspects(cells, values, "ratings")))
    made.means = list(means_of(cells, _aspects(cells, values, "means")))
    return made


def _texts(cells: Cells, values: Mapping[str, object], name: str) -> list[str]:
    value = values.get(name)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        cells.wrong(f"{name} must be a list of texts")
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


FORMAT = Format(
    title="JSON lines (jsonl)", suffix=".jsonl", help=__doc__ or "", read=read
)
