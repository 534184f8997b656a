"""The file of OpenMEVA (Guan et al. 2021) with five raw ratings of each text.

One JSON object with a key for each story:

    {"125": {"prompt": "...", "gold_response": "...",
             "gen": {"gpt": {"text": "...", "score": [3, 4, 4, 4, 5]}}}}

The prompt becomes the prefix, gold_response a reference, the keys of gen the systems.
Ratings are of the aspect overall. Raters have no names: ratings are sorted within a
text, so who gave which is lost.
"""

from __future__ import annotations

from collections.abc import Iterator

from annotation.imports._cells import Cells, row
from annotation.imports._json import JSONError, Member, members
from annotation.imports._problems import Problems, shown
from annotation.imports._rows import Format, Options, Row
from annotation.imports._source import Source

ASPECT = "overall"
ROLES = {
    "prompt": "prefix",
    "gold_response": "reference",
    "text": "text",
    "score": f"rating:{ASPECT}",
}


def read(source: Source, options: Options, problems: Problems) -> Iterator[Row]:
    text = source.document()
    lines = _LineNumbers(text)
    try:
        for story in members(text, len(text) - len(text.lstrip()), alone=True):
            yield from _story(text, story, lines, source)
    except JSONError as error:
        problems.add(f"not valid JSON: {error}", lines.at(error.position))


def _role(name: str) -> str:
    return ROLES.get(name, "")


class _LineNumbers:
    """Line of a position, for positions that only grow. Counts each line end once."""

    def __init__(self, text: str) -> None:
        self._text, self._position, self._line = text, 0, 1

    def at(self, position: int) -> int:
        if position < self._position:
            return self._text.count("\n", 0, position) + 1
        self._line += self._text.count("\n", self._position, position)
        self._position = position
        return self._line


def _story(
    text: str, story: Member, lines: _LineNumbers, source: Source
) -> Iterator[Row]:
    problems, account = source.problems, source.account
    line, told = lines.at(story.key_at), f"story {shown(story.key)}"
    if not isinstance(story.value, dict):
        problems.add(f"{told}: expected an object", line)
        return
    if not isinstance(story.value.get("gen"), dict):
        problems.add(
            f'{told}: "gen" must be an object with a key for each system', line
        )
        return
    if not str(story.value.get("prompt") or "").strip():
        problems.add(f'{told}: "prompt" is missing or empty', line)
    at = next(m.value_at for m in members(text, story.value_at) if m.key == "gen")
    account.cells(line, {k: v for k, v in story.value.items() if k != "gen"}, _role)
    for system in members(text, at):
        line = lines.at(system.key_at)
        if isinstance(system.value, dict):
            account.cells(line, system.value, _role)
            yield _row(line, story, system, problems)
        else:
            problems.add(f"{told}, {shown(system.key)}: expected an object", line)


def _row(line: int, story: Member, system: Member, problems: Problems) -> Row:
    values: dict[str, object] = {
        "prefix": story.value.get("prompt"),
        "reference": story.value.get("gold_response"),
        "text": system.value.get("text"),
        "system": system.key,
        "key": f"{story.key}-{system.key}",
    }
    cells = Cells(line, values, problems)
    made = row(cells)
    if reference := cells.text("reference"):
        made.references = [reference]
    scores = system.value.get("score")
    if not isinstance(scores, list):
        cells.wrong('"score" must be a list of ratings')
        scores = []
    ratings = (cells.rating(ASPECT, "", score) for score in scores)
    made.ratings = [rating for rating in ratings if rating]
    return made


FORMAT = Format(title="OpenMEVA (mans)", suffix=".json", help=__doc__ or "", read=read)
