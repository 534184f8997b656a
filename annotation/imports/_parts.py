"""What the names of lists, files and sheets say that have one kind of records. Pure.

{"gpt4": [...], "llama": [...]} names systems; ann.csv and ben.csv, with ratings of the
same texts, their raters. Which of the two it is, the texts tell.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping

from annotation.imports._account import filled
from annotation.imports._checks import plain
from annotation.imports._names import (
    COUNTS,
    IGNORE,
    RATER_HEAD,
    looks_like_system,
    words_of,
)
from annotation.imports.files import PART, Record

OF_IDS = ("key",)  # of texts that are elsewhere
OF_TEXT = ("text", "messages", "system")
OF_PROMPT = ("prompt", "source", "prefix", "label")


def role_of_parts(
    roles: Mapping[str, str], records: Iterable[Record]
) -> tuple[str, bool]:
    """ "rater", "system" or IGNORE; and whether somebody has to be asked.

    Args:
        roles: By column, as they are guessed.
        records: All of the file.
    """
    kinds = {role.partition(":")[0] for role in roles.values()}
    seen = _seen(roles, records, OF_TEXT if {"text", "messages"} & kinds else OF_IDS)
    if len(seen.names) < 2:
        return IGNORE, False
    of_raters = seen.texts_repeat or all(map(_is_rater, seen.names))
    if seen.answers_repeat and of_raters:
        return (IGNORE, False) if "rater" in kinds else ("rater", True)
    if "system" in kinds or of_raters:
        return IGNORE, False
    if any(map(looks_like_system, seen.names)):
        return "system", False
    counted = all(COUNTS.search(words_of(n)) or n.isdigit() for n in seen.names)
    is_system = seen.prompts_repeat and not counted
    return ("system", True) if is_system else (IGNORE, False)


def _is_rater(name: str) -> bool:
    return RATER_HEAD.fullmatch(words_of(name)) is not None and not name.isdigit()


def _seen(
    roles: Mapping[str, str], records: Iterable[Record], of_text: Collection[str]
) -> _Parts:
    prompts = [name for name, role in roles.items() if role in OF_PROMPT]
    texts = [name for name, role in roles.items() if role in of_text]
    rated = [name for name, role in roles.items() if role.startswith("rating:")]
    seen = _Parts()
    for record in records if texts else ():
        seen.add(record, [*prompts, *texts], prompts, rated)
    return seen


class _Parts:
    """Which texts and prompts stand in which part. Hashes of them are kept."""

    def __init__(self) -> None:
        self.names: dict[str, None] = {}
        self._of_text: dict[int, set[str]] = defaultdict(set)
        self._of_prompt: dict[int, set[str]] = defaultdict(set)
        self._rated: dict[str, set[str]] = defaultdict(set)  # questions by part

    def add(
        self, record: Record, text: list[str], prompt: list[str], rated: list[str]
    ) -> None:
        name = str(record.cells.get(PART) or "")
        if not name:
            return
        self.names[name] = None
        self._rated[name].update(n for n in rated if filled(record.cells.get(n)))
        self._of_text[hash(tuple(_cells(record, text)))].add(name)
        if prompts := [cell for cell in _cells(record, prompt) if cell]:
            self._of_prompt[hash(tuple(prompts))].add(name)

    @property
    def answers_repeat(self) -> bool:
        """Whether all parts answer one question: else they are of aspects."""
        by_part = [questions for questions in self._rated.values() if questions]
        return len(by_part) > 1 and bool(set.intersection(*by_part))

    @property
    def texts_repeat(self) -> bool:
        return _mostly(self._of_text)

    @property
    def prompts_repeat(self) -> bool:
        return _mostly(self._of_prompt)


def _cells(record: Record, names: Iterable[str]) -> Iterator[str]:
    for name in names:
        cell = record.cells.get(name)
        yield plain(str(cell)) if filled(cell) else ""


def _mostly(parts: Mapping[int, set[str]]) -> bool:
    """Whether half of them or more stand in several parts."""
    several = sum(len(names) > 1 for names in parts.values())
    return 0 < len(parts) <= 2 * several
