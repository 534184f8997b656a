"""Whether scores that name texts by id stand at the right ones: what to look at.

An id in a file and the same id in a study need not mean the same text. So three pairs
of text and value are shown before scores are stored, ids that EvalApp invented are
refused, and of ids that are numbers in older studies people are asked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Protocol

from annotation.imports import Ids, Problems, shown
from annotation.imports.intakes import Example
from annotation.models import Generation, Study
from scoring.runs.wordings import is_worded

SHOWN = 3
LONGEST = 200  # characters of a text


class Line(Protocol):
    """A score as a file has it."""

    line: int
    key: str
    output: str
    value: float | None
    text: str | None  # its words, where the file has them


@dataclass(frozen=True)
class Pair(Example):
    """As a command and the API show it."""

    def __str__(self) -> str:
        value = "no value" if self.value is None else f"{self.value:g}"
        system = f" ({self.system})" if self.system else ""
        return f"{self.key}{system}: {self.output} {value}: {self.text}"

    def plain(self) -> dict[str, object]:
        return asdict(self)


def pairs(lines: Sequence[Line], ids: Ids) -> list[Pair]:
    """Three texts of the file: its first, one in the middle, its last."""
    first: dict[str, Line] = {}
    for line in lines:
        first.setdefault(line.key, line)
    some = list(first.values())
    places = sorted({0, len(some) // 2, len(some) - 1}) if some else []
    texts = Generation.objects.select_related("system").in_bulk(
        [ids.texts[some[place].key] for place in places]
    )
    return [_pair(some[place], texts[ids.texts[some[place].key]]) for place in places]


def _pair(line: Line, text: Generation) -> Pair:
    words = " ".join(text.text[: 2 * LONGEST].split())
    short = f"{words[:LONGEST]}…" if len(words) > LONGEST else words
    system = text.system.name if text.system else ""
    return Pair(line.key, system, short, line.output, line.value)


def doubt(lines: Sequence[Line], ids: Ids) -> str:
    """What only a person can say about the ids; empty: nothing."""
    unknown = {line.key for line in lines if line.text is None} & ids.unknown
    if not unknown:
        return ""
    return (
        f"The ids of this study are numbers, such as {shown(min(unknown))}, and it was"
        " not recorded whether they are yours or were given by EvalApp. Compare the"
        " pairs below with your file."
    )


def check(lines: Sequence[Line], study: Study, ids: Ids, problems: Problems) -> None:
    """Note ids that nobody's file can know, and words that are another text's."""
    if ids.invented and any(line.key not in ids.texts for line in lines):
        problems.add(
            f"The texts have ids that EvalApp gave, such as {shown(min(ids.invented))},"
            " because their file had none. To join scores by your own ids, import the"
            " texts with them, into a new study."
        )
    for line in lines:
        if line.text is None and line.key in ids.invented:
            problems.add(
                f"{shown(line.key)} is an id that EvalApp gave, because the file of the"
                " texts had none. Add a column named text with the words of each text,"
                " as in the export of texts, so that they can be compared",
                line.line,
            )
    worded: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        if line.text is not None:
            worded[line.key].append(line)
    if not worded:
        return
    rows = study.generations.values_list("key", "prompt__prefix", "text")
    for key, prefix, text in rows.iterator():
        for line in worded.get(key, ()):
            if not is_worded(line.text or "", prefix, text):
                problems.add(
                    f"the text {shown(key)} of the study has other words:"
                    f" {shown(text)}",
                    line.line,
                )
